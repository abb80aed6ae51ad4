public import JSONText

extension SocketIOServer {
    /// The settings of one connection, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// The revision that the client requested.
        public var revision: EngineIO.Revision
        /// The session id to send to the client.
        public var sid: String
        /// The time from one heartbeat to the next.
        public var pingInterval: Duration
        /// How long a heartbeat may be overdue.
        public var pingTimeout: Duration
        /// How long a client may remain without a namespace (Engine.IO 4).
        public var connectTimeout: Duration
        /// The maximum size of a message in bytes, announced in the open packet.
        public var maxPayload: Int
        /// The namespaces that exist on the server.
        public var namespaces: [String]
        /// The transports to which a polling client may upgrade.
        public var upgrades: [String]
        /// An unguessable secret for this connection only, for a server that recovers connections (Socket.IO SIO-15).
        /// With it, clients receive a `pid` for each namespace. If it is `nil`, connections are not recovered.
        public var recoverySecret: Secret?
        /// Whether the application decides who may join. Each CONNECT is then reported as `.joinAsked`, except for the
        /// namespace that Engine.IO 3 joins without a request.
        public var asks = false
        /// Creates a configuration. The default times and sizes are those of the JavaScript server.
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

    /// The driver performs the effects in this order.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message to the client.
        case send(WebSocketMessage)
        /// The client joined a namespace. `auth` is its CONNECT payload (Engine.IO 4).
        case connected(namespace: String, auth: RawJSON?)
        /// The client requests its earlier session. Always answer with `recover(_:namespace:auth:into:)`, before
        /// anything else is received.
        case recoveryAsked(namespace: String, pid: String, offset: String, auth: RawJSON)
        /// The client requests to join a namespace. Answer with `admit(into:)` or `refuse(_:into:)` before anything
        /// else is received.
        case joinAsked(namespace: String, auth: RawJSON?)
        /// The client sent an event.
        case event(SocketIO.Event)
        /// The client acknowledged an emitted event.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emitted event that requested an acknowledgement will not receive one: it timed out, or the client has
        /// left.
        case unacknowledged(namespace: String, id: Int)
        /// The client left a namespace.
        case disconnected(namespace: String)
        /// End the session in this way.
        case close(EngineIO.Ending)
    }
}
