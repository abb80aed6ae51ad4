import Events
package import JSONText

/// Short forms for building and reading the trees that answers and frames are made of.
extension JSONValue {
    /// An id, or null.
    static func id(_ id: EntityID?) -> JSONValue { id.map { .string($0.description) } ?? .null }

    /// Ids.
    static func ids(_ ids: [EntityID]) -> JSONValue { .array(ids.map { .id($0) }) }

    /// A text, or null.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The same object without some members.
    func removing(_ keys: String...) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { !keys.contains($0.key) })
    }

    /// The string this is, if it is one.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The integer this is, if it is one.
    var integerValue: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The Boolean this is, if it is one.
    var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, if this is an array.
    var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
