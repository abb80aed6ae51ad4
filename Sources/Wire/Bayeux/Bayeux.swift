import JSONText

/// Bayeux 1.0 (`reference/groupme.md` section 4): named channels over frames of JSON messages, one frame at a time over a WebSocket or
/// as the bodies of HTTP exchanges.
///
/// Both ends are machines: `BayeuxClient` and `BayeuxServer`. What they have in common is here: channels, messages, advice.
public enum Bayeux {
    /// The version both ends speak.
    public static let version = "1.0"

    /// How frames travel.
    public enum ConnectionType: String, Hashable, Sendable, CaseIterable {
        /// A frame is a text message of one WebSocket.
        case websocket
        /// A frame is the body of a POST, and its answer the body of the response.
        case longPolling = "long-polling"
    }

    /// A frame that cannot be read, or a message in it.
    public struct Malformed: Error, Hashable, Sendable {
        /// What is wrong; never holds text of the peer.
        public var message: String
        /// Where, counted in bytes from the start of the frame; nil where no place says more.
        public var offset: Int?

        init(_ message: String, at offset: Int? = nil) {
            self.message = message
            self.offset = offset
        }

        init(_ error: JSONError) { self.init(error.reason.description, at: error.offset) }
    }

    /// What a server tells about connecting again. It is merged: what a message leaves out stays as it was.
    public struct Advice: Hashable, Sendable {
        /// What to do after an end.
        public enum Reconnect: String, Hashable, Sendable {
            /// Connect again, as the same client.
            case retry
            /// The session is gone: a new handshake.
            case handshake
            /// Neither may be tried.
            case none
        }

        /// What to do next.
        public var reconnect: Reconnect?
        /// The least time before the next connect; negative: there is to be none.
        public var interval: Duration?
        /// How long the server holds a connect.
        public var timeout: Duration?

        /// Advice; nil where it says nothing.
        public init(reconnect: Reconnect? = nil, interval: Duration? = nil, timeout: Duration? = nil) {
            self.reconnect = reconnect
            self.interval = interval
            self.timeout = timeout
        }

        /// A day: longer spans than this are a peer's nonsense.
        static let longest: Int64 = 86_400_000

        mutating func merge(_ later: Advice) {
            reconnect = later.reconnect ?? reconnect
            interval = later.interval ?? interval
            timeout = later.timeout ?? timeout
        }
    }
}
