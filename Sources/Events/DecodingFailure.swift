/// An event that could not be decoded: what was expected and where in the payload.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wire name of the event, or what was being decoded.
    public var subject: String
    /// One line for people: the path of the field and what is wrong with it.
    public var message: String
    /// Byte offset in the payload.
    public var offset: Int
    /// A failure.
    public init(subject: String, message: String, offset: Int) {
        self.subject = subject
        self.message = message
        self.offset = offset
    }
    public var description: String { "\(subject): \(message) (byte \(offset))" }
}
