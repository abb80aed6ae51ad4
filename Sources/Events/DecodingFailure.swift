/// An error thrown when an event or a REST answer cannot be decoded. It describes what was expected,
/// and where in the payload.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The wire name of the event, or the name of the entity being decoded. Untrusted text.
    public var subject: String
    /// A one-line description for people: the path of the field and what is wrong with it. Untrusted text.
    public var message: String
    /// The byte offset in the payload, which is the event's first argument or the answer's body.
    public var offset: Int

    /// Creates a failure at a byte offset of the payload.
    public init(subject: String, message: String, offset: Int) {
        self.subject = subject
        self.message = message
        self.offset = offset
    }

    /// Returns the failure for an event of a protocol that the backend does not speak.
    package static func foreign(_ subject: String) -> DecodingFailure {
        DecodingFailure(subject: subject, message: "an event of another protocol", offset: 0)
    }

    /// The subject, the message and the byte offset on one line.
    public var description: String { "\(subject): \(message) (byte \(offset))" }
}
