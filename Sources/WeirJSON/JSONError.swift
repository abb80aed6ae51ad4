/// An error found while reading JSON text: the reason, and its position in the text.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error that a reader reports.
    public enum Reason: Hashable, Sendable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that the grammar does not allow at this position.
        case unexpectedByte(UInt8)
        /// Text other than white space follows the value.
        case trailingBytes
        /// A byte sequence that is not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A raw control character or an invalid escape in a string.
        case invalidString
        /// A number that violates the grammar or does not fit the requested type.
        case invalidNumber
        /// Arrays and objects nested deeper than `limit`.
        ///
        /// `found` is the depth that the text would reach if it were valid from here on.
        case tooDeep(found: Int, limit: Int)
        /// A value of a kind other than the requested one.
        case wrongKind(expected: JSONKind, found: JSONKind)
    }
    /// The reason, without a position.
    public var reason: Reason
    /// The position of the error, in bytes from the start of the bytes given to the reader.
    public var offset: Int
    /// Creates an error at a byte offset.
    @inlinable
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
    /// One sentence for people, with the byte offset.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A short phrase for people, without the position. It never contains text from the peer.
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

/// The kind of a JSON value.
public enum JSONKind: Sendable, Hashable, CustomStringConvertible {
    case object, array, string, number, bool, null

    /// The kind with its article, for use in a sentence: "an object", "null".
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
