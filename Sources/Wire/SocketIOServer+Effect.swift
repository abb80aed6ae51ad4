public import JSONText

extension SocketIOServer {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// The revision the client asked for.
        public var revision: EngineIO.Revision
        /// The session id given to the client.
        public var sid: String
        /// Time between heartbeats.
        public var pingInterval: Duration
        /// How long a heartbeat may be missing.
        public var pingTimeout: Duration
        /// How long a client may stay without a namespace (Engine.IO 4).
        public var connectTimeout: Duration
        /// Bytes a message may have, announced in the open packet.
        public var maxPayload: Int
        /// The namespaces that exist.
        public var namespaces: [String]
        /// The transports a client that polls may change to.
        public var upgrades: [String]
        /// A secret nobody can guess, of this connection alone, for a server that recovers connections (1.12): with it,
        /// clients are given a `pid` for each namespace. Nil: none are recovered.
        public var recoverySecret: Secret?
        /// Whether the application says who may join: each CONNECT is a `.joinAsked`, but for the one that Engine.IO 3
        /// joins unasked.
        public var asks = false
        /// A configuration.
        public init(
            revision: EngineIO.Revision, sid: String, pingInterval: Duration = .seconds(25),
            pingTimeout: Duration = .seconds(20),
            connectTimeout: Duration = .seconds(45), maxPayload: Int = 1_000_000, namespaces: [String] = ["/"],
            upgrades: [String] = [], recoverySecret: Secret? = nil
        ) {
            self.revision = revision
            self.sid = sid
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.connectTimeout = connectTimeout
            self.maxPayload = maxPayload
            self.namespaces = namespaces
            self.upgrades = upgrades
            self.recoverySecret = recoverySecret
        }
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message.
        case send(WebSocketMessage)
        /// The client joined a namespace; `auth` is its CONNECT payload (Engine.IO 4).
        case connected(namespace: String, auth: RawJSON?)
        /// The client asks for the session it had: answer with `recover(_:namespace:auth:into:)`, in any case and
        /// before anything else is received.
        case recoveryAsked(namespace: String, pid: String, offset: String, auth: RawJSON)
        /// The client asks to join a namespace: answer with `admit` or `refuse` before anything else is received.
        case joinAsked(namespace: String, auth: RawJSON?)
        /// The client sent an event.
        case event(SocketIO.Event)
        /// An emit that asked for it was acknowledged.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emit that asked for it will not be acknowledged any more: its time is up, or the client has left.
        case unacknowledged(namespace: String, id: Int)
        /// The client left a namespace.
        case disconnected(namespace: String)
        /// End the session.
        case close(EngineIO.Ending)
    }
}
