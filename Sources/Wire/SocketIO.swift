public import JSONText

/// Socket.IO, revisions 4 (over Engine.IO 3) and 5 (over Engine.IO 4) (Socket.IO SIO-1 to SIO-14).
public enum SocketIO {
    /// The answer to an event that requested an acknowledgement.
    public struct Acknowledgement: Hashable, Sendable {
        /// The namespace; `/` for the default one.
        public var namespace: String
        /// The acknowledgement id of the answered event.
        public var id: Int
        /// The arguments of the answer, as a JSON array.
        public var arguments: RawJSON
        /// The binary attachments. `attachment(for:)` finds the one for a placeholder.
        public var attachments: [ArraySlice<UInt8>]
        /// Creates the answer to the event with this id.
        public init(
            namespace: String = "/", id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.id = id
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// The reason why a server refused a namespace.
    public struct Refusal: Hashable, Sendable {
        /// The server's error text. Untrusted.
        public var message: String
        /// The `data` member of the refusal, if any.
        public var data: RawJSON?
        /// Creates a refusal from the server's text and data.
        public init(message: String, data: RawJSON? = nil) {
            self.message = message
            self.data = data
        }
    }

    /// A frame that violates the protocol, and the position of the error.
    public struct Malformed: Error, Hashable, Sendable {
        /// A description of the error in one line, for people.
        public var message: String
        /// The position in the frame in bytes, if known.
        public var offset: Int?
    }
}
