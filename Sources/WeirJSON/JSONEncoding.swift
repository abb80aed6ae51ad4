// `Encodable` types to JSON values, without Foundation. Containers may be filled in any order, so the encoder makes a
// tree of nodes first.

extension JSONValue {
    /// Encodes a Swift value. The members of an object have the order in which the value writes them.
    ///
    /// - Throws: `EncodingError` with the coding path, for a number that is not finite and for values nested deeper than
    ///   256 levels; or what an `encode(to:)` throws.
    public init(encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
        self = try JSONTreeEncoder(codingPath: [], userInfo: userInfo).encoded(value).value
    }
}

extension RawJSON {
    /// Encodes a Swift value as text; see `JSONValue.init(encoding:userInfo:)`.
    public init(encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws {
        self = try JSONValue(encoding: value, userInfo: userInfo).raw
    }
}

extension JSONValue: Encodable {
    /// Writes the value to an encoder. Other encoders than Weir's may refuse a `text` value, and may change the order of
    /// members.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? JSONTreeEncoder { return encoder.node.content = .value(self) }
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for member in members { try container.encode(member.value, forKey: .init(stringValue: member.key)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null, .bool, .integer, .number, .string, .text:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .text(let text): try container.encode(text.description)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }
}

/// A value in the making.
final class JSONTreeNode {
    enum Content {
        case value(JSONValue)
        case array([JSONTreeNode])
        case object([(key: String, node: JSONTreeNode)])
    }
    var content = Content.value(.null)

    /// The value that the node and its descendants hold now.
    var value: JSONValue {
        switch content {
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let members): .object(members.map { .init($0.key, $0.node.value) })
        }
    }
}

/// An encoder into one node.
struct JSONTreeEncoder: Encoder {
    let node = JSONTreeNode()
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    init(codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
        (self.codingPath, self.userInfo) = (codingPath, userInfo)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([]) }
        return KeyedEncodingContainer(JSONTreeMembers<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = node.content {} else { node.content = .array([]) }
        return JSONTreeElements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// The encoder of a member or an element.
    func nested(_ key: any CodingKey) -> JSONTreeEncoder {
        JSONTreeEncoder(codingPath: codingPath + [key], userInfo: userInfo)
    }

    /// Encodes a value into the encoder's node, and returns the node.
    func encoded<Value: Encodable>(_ value: Value) throws -> JSONTreeNode {
        guard codingPath.count <= deepestCoding else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: codingPath, debugDescription: "nested deeper than \(deepestCoding) levels"))
        }
        if let scalar = try scalar(value) {
            node.content = .value(scalar)
        } else {
            try value.encode(to: self)
        }
        return node
    }

    /// Returns a value of a type that JSON has itself, or `nil`.
    private func scalar<Value: Encodable>(_ value: Value) throws -> JSONValue? {
        switch value {
        case let text as String: return .string(text)
        case let truth as Bool: return .bool(truth)
        case let number as Double: return try finite(number, of: value)
        // The shortest decimal of the float, not the digits that the wider type adds.
        case let number as Float: return try finite(Double(number.description) ?? .nan, of: value)
        case let number as Int: return .integer(Int64(number))
        case let json as JSONValue: return json
        case let number as any FixedWidthInteger:
            if let integer = Int64(exactly: number) { return .integer(integer) }
            return .text(RawJSON(unchecked: ArraySlice("\(number)".utf8)))
        default: return nil
        }
    }

    private func finite(_ number: Double, of value: any Encodable) throws(EncodingError) -> JSONValue {
        if number.isFinite { return .number(number) }
        throw .invalidValue(
            value, .init(codingPath: codingPath, debugDescription: "JSON has no number for \(number)"))
    }
}

extension JSONTreeEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { _ = try encoded(value) }
}

/// The members of an object in the making.
private struct JSONTreeMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONTreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Adds a member, and returns the encoder for its value.
    private func member(_ key: some CodingKey) -> JSONTreeEncoder {
        let nested = encoder.nested(key)
        guard case .object(var members) = encoder.node.content else { return nested }
        // Release the node's reference, so that appending does not copy the array.
        encoder.node.content = .value(.null)
        members.append((key.stringValue, nested.node))
        encoder.node.content = .object(members)
        return nested
    }

    func encodeNil(forKey key: Key) { _ = member(key) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { _ = try member(key).encoded(value) }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { member(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { member(AnyCodingKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

/// The elements of an array in the making.
private struct JSONTreeElements: UnkeyedEncodingContainer {
    let encoder: JSONTreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { if case .array(let nodes) = encoder.node.content { nodes.count } else { 0 } }

    /// Adds an element, and returns the encoder for it.
    private func element() -> JSONTreeEncoder {
        let nested = encoder.nested(AnyCodingKey(intValue: count))
        guard case .array(var nodes) = encoder.node.content else { return nested }
        encoder.node.content = .value(.null)
        nodes.append(nested.node)
        encoder.node.content = .array(nodes)
        return nested
    }

    func encodeNil() { _ = element() }
    func encode<Value: Encodable>(_ value: Value) throws { _ = try element().encoded(value) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }
}
