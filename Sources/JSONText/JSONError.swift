/// Why a text is not the JSON that was asked for, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that may not stand here.
        case unexpectedByte(UInt8)
        /// Something follows the value.
        case trailingBytes
        /// A byte sequence that is not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A raw control character or a wrong escape in a string.
        case invalidString
        /// A number against the grammar, or one that the type asked for does not hold.
        case invalidNumber
        /// Arrays and objects nested deeper than `limit`: `found` levels, where the text goes on as it began.
        case tooDeep(found: Int, limit: Int)
        /// A value of another kind than the one asked for.
        case wrongKind(expected: JSONKind, found: JSONKind)
    }
    /// What is wrong.
    public var reason: Reason
    /// Offset in bytes from the start of the bytes given to the reader.
    public var offset: Int
    /// An error at a place.
    @inlinable
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
    /// One sentence for people, with the offset.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A few words for people, without the place. Never holds text of the peer.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.shown(byte))"
        case .trailingBytes: "something follows the value"
        case .invalidUTF8: "not UTF-8"
        case .invalidString: "a control character or a wrong escape in a string"
        case .invalidNumber: "a malformed number, or one out of range"
        case .tooDeep(let found, let limit): "nested \(found) levels deep; the limit is \(limit)"
        case .wrongKind(let expected, let found): "expected \(expected), found \(found)"
        }
    }

    private static func shown(_ byte: UInt8) -> String {
        if 0x21...0x7E ~= byte { return "'\(Character(UnicodeScalar(byte)))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
}

/// What kind of value comes next.
public enum JSONKind: Sendable, Hashable, CustomStringConvertible {
    case object, array, string, number, bool, null

    /// With its article, for sentences: "an object", "null".
    public var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
