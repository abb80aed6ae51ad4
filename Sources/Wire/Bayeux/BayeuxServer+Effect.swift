public import JSONText

extension BayeuxServer {
    /// The settings of a server, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// How long the server holds a connect. A session lives twice as long.
        public var timeout: Duration
        /// The minimum time between connects that the server advises.
        public var interval: Duration
        /// The maximum number of sessions. Handshakes beyond it are refused.
        public var mostSessions: Int
        /// The maximum number of channels to which a session may subscribe.
        public var mostSubscriptions: Int
        /// The maximum number of messages queued for a session. Beyond it the session ends, so that its client learns
        /// that events are missing.
        public var mostQueued: Int
        /// The maximum size of the messages queued for a session, in bytes.
        public var mostQueuedBytes: Int
        /// Creates a configuration. By default, the server holds a connect for 60 seconds and advises no interval.
        public init(
            timeout: Duration = .seconds(60), interval: Duration = .zero, mostSessions: Int = 3000,
            mostSubscriptions: Int = 1000, mostQueued: Int = 4096, mostQueuedBytes: Int = 8 << 20
        ) {
            self.timeout = timeout
            self.interval = interval
            self.mostSessions = mostSessions
            self.mostSubscriptions = mostSubscriptions
            self.mostQueued = mostQueued
            self.mostQueuedBytes = mostQueuedBytes
        }
    }

    /// A client's request that the backend may refuse.
    public enum Request: Hashable, Sendable {
        /// A subscription to a channel or a pattern. The message's `ext` may contain a token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// A message to be published on a channel, with the message's `ext`.
        case publish(Bayeux.Channel, RawJSON, ext: RawJSON?)
    }

    /// A function that returns the error text for a refused request, or `nil` to allow the request.
    public typealias Policy = (Request) -> String?

    /// The driver performs the effects in this order.
    public enum Effect: Hashable, Sendable {
        /// Send a frame on a WebSocket, or answer an HTTP exchange with it.
        case send(link: Int, [UInt8])
        /// Answer an HTTP exchange with this status, because its body was not a frame.
        case refuse(link: Int, status: Int)
        /// Close a WebSocket normally (code 1000).
        case close(link: Int)
        /// Report an event to the backend.
        case occasion(Occasion)
    }

    /// An event in the life of a session. Sessions are identified by increasing numbers.
    public enum Occasion: Hashable, Sendable {
        /// A client completed a handshake.
        case began(session: Int)
        /// A client subscribed to a channel.
        case subscribed(session: Int, Bayeux.Channel)
        /// A client unsubscribed from a channel.
        case unsubscribed(session: Int, Bayeux.Channel)
        /// A message was published. `session` is `nil` for a client without a session.
        case published(session: Int?, Bayeux.Channel, RawJSON)
        /// A client disconnected, or was silent for too long.
        case ended(session: Int)
    }
}
