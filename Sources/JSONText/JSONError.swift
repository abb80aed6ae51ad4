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
        /// A raw control character, a wrong escape or a lone surrogate in a string.
        case invalidString
        /// A number against the grammar, or one that does not fit the type asked for.
        case invalidNumber
        /// Arrays and objects nested deeper than allowed.
        case tooDeep
        /// A value of another kind than the one asked for.
        case wrongKind(expected: JSONKind, found: JSONKind)
    }
    /// What is wrong.
    public var reason: Reason
    /// Offset in bytes from the start of the bytes given to the reader.
    public var offset: Int
    /// An error at a place.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
    /// One sentence for people, with the offset.
    public var description: String { "\(reason) at byte \(offset)" }
}
