/// A JSON value as a tree; object members keep the order of the text. For places where speed does not matter.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without point and exponent that fits.
    case integer(Int64)
    /// Any other number that is in the range of a `Double`, rounded to the nearest.
    case number(Double)
    case string(String)
    /// What none of the others holds, as its text: an integer beyond `Int64`, a number beyond `Double`, a string in which a surrogate stands alone.
    case text(RawJSON)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key, escapes resolved.
        public var key: String
        /// The value.
        public var value: JSONValue
        /// A member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Parses a whole text.
    public init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        self = try reader.value()
        try reader.end()
    }

    /// The first member called `key`, when this is an object that has one.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension JSONReader {
    /// Consumes any one value as a tree.
    public mutating func value() throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try literal("null")
            return .null
        case .bool: return .bool(try bool())
        case .string:
            let start = offset
            let contents = try stringRange()
            return contents.hasLoneSurrogate ? .text(raw(at: start..<offset)) : .string(string(at: contents))
        case .number: return try numberValue()
        case .array: return .array(try elements())
        case .object: return .object(try members())
        }
    }

    private mutating func numberValue() throws(JSONError) -> JSONValue {
        let number = try number()
        if number.isInteger { return number.int64.map { .integer($0) } ?? .text(raw(at: number.range)) }
        let value = bytes.withUnsafeBufferPointer { JSONScanner(text: $0).double(number) }
        return value.isFinite ? .number(value) : .text(raw(at: number.range))
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try beginArray()
        while try nextElement() { elements.append(try value()) }
        return elements
    }

    private mutating func members() throws(JSONError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        try beginObject()
        while let key = try nextKey() { members.append(.init(string(key), try value())) }
        return members
    }
}

extension JSONValue {
    /// An object of these members, in this order.
    package static func fields(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// An object with more members at its end. What is not an object stays as it is.
    package func adding(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + more.map { Member($0.key, $0.value) })
    }
}
