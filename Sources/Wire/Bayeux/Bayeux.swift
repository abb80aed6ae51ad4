import JSONText

/// Bayeux 1.0 (Bayeux BX-1 to BX-23): named channels over frames of JSON messages.
///
/// A frame travels as a message of a WebSocket or as the body of an HTTP exchange. Both ends are state machines:
/// `BayeuxClient` and `BayeuxServer`. This type contains what they share: channels, messages and advice.
public enum Bayeux {
    /// The version that both ends support.
    public static let version = "1.0"

    /// The ways to transport frames.
    public enum ConnectionType: String, Hashable, Sendable, CaseIterable {
        /// Each frame is a text message of one WebSocket.
        case websocket
        /// Each frame is the body of a POST, and its answer is the body of the response.
        case longPolling = "long-polling"
    }

    /// An error in a frame, or in one message of a frame.
    public struct Malformed: Error, Hashable, Sendable {
        /// A description of the error. It never contains text from the peer.
        public var message: String
        /// The position in bytes from the start of the frame, or `nil` if no position applies.
        public var offset: Int?

        init(_ message: String, at offset: Int? = nil) {
            self.message = message
            self.offset = offset
        }

        init(_ error: JSONError) { self.init(error.reason.description, at: error.offset) }
    }

    /// A server's instructions for reconnecting. They are merged: a field missing from a message keeps its earlier
    /// value.
    public struct Advice: Hashable, Sendable {
        /// The possible reactions to a failed connect or the end of a session.
        public enum Reconnect: String, Hashable, Sendable {
            /// Connect again, as the same client.
            case retry
            /// The session is gone; start with a new handshake.
            case handshake
            /// Neither connect again nor start a new handshake.
            case none
        }

        /// The server's advice for the client's next step.
        public var reconnect: Reconnect?
        /// The minimum time before the next connect. A negative value forbids another connect.
        public var interval: Duration?
        /// How long the server holds a connect.
        public var timeout: Duration?

        /// Creates advice. A field that is `nil` is left out of the message.
        public init(reconnect: Reconnect? = nil, interval: Duration? = nil, timeout: Duration? = nil) {
            self.reconnect = reconnect
            self.interval = interval
            self.timeout = timeout
        }

        /// The longest time span accepted from a peer, in milliseconds: one day. A longer one is nonsense.
        static let longest: Int64 = 86_400_000

        mutating func merge(_ later: Advice) {
            reconnect = later.reconnect ?? reconnect
            interval = later.interval ?? interval
            timeout = later.timeout ?? timeout
        }
    }
}
