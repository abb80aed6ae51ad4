public import JSONText

/// Socket.IO, revisions 4 (over Engine.IO 3) and 5 (over Engine.IO 4) (`reference/socketio.md` 1.9–1.11).
public enum SocketIO {
    /// An event as received: header values and ranges of the received bytes, nothing decoded that nobody asked for.
    public struct Event: Hashable, Sendable {
        /// The namespace, `/` for the default one.
        public var namespace: String
        /// The event's name (the first element of the array).
        public var name: String
        /// The whole JSON array, name included, as received.
        public var array: RawJSON
        /// Where each argument after the name stands, as offsets into `array.bytes` (absolute slice indices).
        public var arguments: [Range<Int>]
        /// The id to acknowledge with, when the sender wants an acknowledgement.
        public var ackID: Int?
        /// Whether the last element of the array is not an argument but the offset of a server that recovers connections.
        public var hasOffset = false
        /// The binary attachments; where each belongs, `attachment(for:)` tells.
        public var attachments: [ArraySlice<UInt8>]
        /// An event.
        public init(
            namespace: String = "/", name: String, array: RawJSON, arguments: [Range<Int>], ackID: Int? = nil,
            attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.name = name
            self.array = array
            self.arguments = arguments
            self.ackID = ackID
            self.attachments = attachments
        }
        /// The text of the argument at `index`, counted from 0 after the name; nil when there are fewer.
        public func argument(_ index: Int) -> RawJSON? {
            arguments.indices.contains(index) ? RawJSON(unchecked: array.bytes[arguments[index]]) : nil
        }
    }

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
        /// A malformed frame.
        public init(message: String, offset: Int? = nil) {
            self.message = message
            self.offset = offset
        }
    }
}
