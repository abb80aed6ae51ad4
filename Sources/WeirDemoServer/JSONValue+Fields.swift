import WeirEvents
package import WeirJSON
package import WeirWire

/// Short forms for building and reading the JSON of answers and frames.
extension JSONValue {
    /// Returns an id as a string; null for `nil`.
    static func id(_ id: EntityID?) -> JSONValue { id.map { .string($0.description) } ?? .null }

    /// Returns an array of ids as strings.
    static func ids(_ ids: [EntityID]) -> JSONValue { .array(ids.map { .id($0) }) }

    /// Returns a text as a string; null for `nil`.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns the same object without the members of these names.
    func removing(_ keys: String...) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !keys.contains($0.key) })
    }

    /// The string, or `nil` for any other value.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer, or `nil` for any other value.
    var integerValue: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The Boolean, or `nil` for any other value.
    var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The array's elements, or `nil` for any other value.
    var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension SocketIO.Event {
    /// The arguments as they were sent, a comma-separated list of JSON values; `nil` when there are none.
    package var argumentList: RawJSON? {
        let arguments = arguments
        guard let first = arguments.first, let last = arguments.last else { return nil }
        return RawJSON(unchecked: array.bytes[first.bytes.startIndex..<last.bytes.endIndex])
    }
}
