/// A JSON value as a tree; object members keep the order of the text. For places where speed does not matter.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without point and exponent that fits.
    case integer(Int64)
    /// Any other number that is in the range of a `Double`, rounded to the nearest.
    case number(Double)
    case string(String)
    /// What none of the others holds, as its text: an integer beyond `Int64`, a number beyond `Double`, a string in which a surrogate stands
    /// alone. Of a parse that keeps the spelling also a number that a writer would spell in another way (`1.50`), and an object with a key
    /// in which a surrogate stands alone.
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

    /// Parses a whole text. With `keepsSpelling` what is to be sent on is written as it came, strings aside that a `String` holds.
    public init(parsing bytes: ArraySlice<UInt8>, keepsSpelling: Bool = false) throws(JSONError) {
        var reader = JSONReader(bytes.span)
        self = try reader.value(keepsSpelling: keepsSpelling)
        try reader.end()
    }

    /// The first member called `key`, when this is an object that has one.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension JSONReader {
    /// Consumes any one value as a tree; see `JSONValue.text` for what it is with `keepsSpelling`.
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
    /// An object of these members, in this order.
    package static func fields(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// Its text.
    package var raw: RawJSON {
        var writer = JSONWriter()
        writer.value(self)
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// An object with more members at its end. What is not an object stays as it is.
    package func adding(_ more: KeyValuePairs<String, JSONValue>) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + more.map { Member($0.key, $0.value) })
    }
}
