/// A JSON value as a tree. Object members keep the order of the text.
///
/// Use it where speed does not matter.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without a decimal point or exponent that fits `Int64`.
    case integer(Int64)
    /// Any other number in the range of a `Double`, rounded to the nearest.
    case number(Double)
    case string(String)
    /// The text of a value that no other case can hold: an integer beyond `Int64`, a number beyond `Double`, or a
    /// string with a lone surrogate.
    ///
    /// A parse that keeps the spelling also produces it for a number that a writer would spell differently (`1.50`),
    /// and for an object with a key that contains a lone surrogate.
    case text(RawJSON)
    case array([JSONValue])
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key, with escapes resolved.
        public var key: String
        /// The member's value, of any kind.
        public var value: JSONValue
        /// Creates a member from a key, with escapes resolved, and a value.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Parses a whole text.
    ///
    /// With `keepsSpelling`, writing the tree reproduces the received spelling of everything except strings that a
    /// `String` can hold.
    public init(parsing bytes: ArraySlice<UInt8>, keepsSpelling: Bool = false) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        self = try reader.value(keepsSpelling: keepsSpelling)
        try reader.end()
    }

    /// The value of the first member with this key, or `nil` if this is not an object or has no such member.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension JSONReader {
    /// Consumes any one value and returns it as a tree. See `JSONValue.text` for the effect of `keepsSpelling`.
    public mutating func value(keepsSpelling: Bool = false) throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try literal("null")
            return .null
        case .bool: return .bool(try bool())
        case .string:
            let start = offset
            let contents = try stringRange()
            return contents.hasLoneSurrogate ? .text(raw(at: start..<offset)) : .string(string(at: contents))
        case .number: return try numberValue(keepsSpelling)
        case .array: return .array(try elements(keepsSpelling))
        case .object: return try object(keepsSpelling)
        }
    }

    private mutating func numberValue(_ keepsSpelling: Bool) throws(JSONError) -> JSONValue {
        let number = try number()
        if number.isInteger {
            guard let integer = number.int64 else { return .text(raw(at: number.range)) }
            return keepsSpelling && integer == 0 && number.isNegative ? .text(raw(at: number.range)) : .integer(integer)
        }
        let value = bytes.withUnsafeBufferPointer { JSONScanner(text: $0).double(number) }
        guard value.isFinite else { return .text(raw(at: number.range)) }
        guard keepsSpelling else { return .number(value) }
        let text = raw(at: number.range)
        return text.description == value.description ? .number(value) : .text(text)
    }

    private mutating func elements(_ keepsSpelling: Bool) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try beginArray()
        while try nextElement() { elements.append(try value(keepsSpelling: keepsSpelling)) }
        return elements
    }

    private mutating func object(_ keepsSpelling: Bool) throws(JSONError) -> JSONValue {
        let start = offset
        var members: [JSONValue.Member] = []
        var isKept = false
        try beginObject()
        while let key = try nextKey() {
            isKept = isKept || keepsSpelling && key.range.hasLoneSurrogate
            members.append(.init(string(key), try value(keepsSpelling: keepsSpelling)))
        }
        return isKept ? .text(raw(at: start..<offset)) : .object(members)
    }
}

extension JSONValue {
    /// Creates an object of these members, in this order.
    package static func fields(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// The value as JSON text.
    package var raw: RawJSON {
        var writer = JSONWriter()
        writer.value(self)
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// Returns the object with more members at its end. Returns a value that is not an object unchanged.
    package func adding(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + more.map { Member($0.key, $0.value) })
    }
}
