public import JSONText

/// Socket.IO, revisions 4 (over Engine.IO 3) and 5 (over Engine.IO 4) (`reference/socketio.md` 1.9–1.11).
public enum SocketIO {
    /// The answer to an event that asked for one.
    public struct Acknowledgement: Hashable, Sendable {
        /// The namespace, `/` for the default one.
        public var namespace: String
        /// The id of the event that is answered.
        public var id: Int
        /// The answer, a JSON array.
        public var arguments: RawJSON
        /// The binary attachments; where each belongs, `attachment(for:)` tells.
        public var attachments: [ArraySlice<UInt8>]
        /// An acknowledgement.
        public init(
            namespace: String = "/", id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.id = id
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// Why a namespace was refused.
    public struct Refusal: Hashable, Sendable {
        /// The server's words; untrusted text.
        public var message: String
        /// The `data` of the refusal, if any.
        public var data: RawJSON?
        /// A refusal.
        public init(message: String, data: RawJSON? = nil) {
            self.message = message
            self.data = data
        }
    }

    /// A frame that is not what the protocol allows: what, and where in the frame.
    public struct Malformed: Error, Hashable, Sendable {
        /// One line for people.
        public var message: String
        /// Byte offset in the frame, when there is one.
        public var offset: Int?
    }
}
