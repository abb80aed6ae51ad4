/// An event or an answer that could not be decoded: what was expected and where in the payload.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wire name of the event, or what was being decoded. Untrusted text.
    public var subject: String
    /// One line for people: the path of the field and what is wrong with it. Untrusted text.
    public var message: String
    /// Byte offset in the payload: the event's first argument, or the answer's body.
    public var offset: Int

    /// A failure at a place.
    public init(subject: String, message: String, offset: Int) {
        self.subject = subject
        self.message = message
        self.offset = offset
    }

    /// An event of a protocol that the backend does not speak.
    package static func foreign(_ subject: String) -> DecodingFailure {
        DecodingFailure(subject: subject, message: "an event of another protocol", offset: 0)
    }

    /// One line for people, with the offset.
    public var description: String { "\(subject): \(message) (byte \(offset))" }
}
