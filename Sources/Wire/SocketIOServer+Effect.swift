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
        /// A configuration.
        public init(
            revision: EngineIO.Revision, sid: String, pingInterval: Duration = .seconds(25),
            pingTimeout: Duration = .seconds(20),
            connectTimeout: Duration = .seconds(45), maxPayload: Int = 1_000_000, namespaces: [String] = ["/"],
            upgrades: [String] = []
        ) {
            self.revision = revision
            self.sid = sid
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.connectTimeout = connectTimeout
            self.maxPayload = maxPayload
            self.namespaces = namespaces
            self.upgrades = upgrades
        }
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message.
        case send(WebSocketMessage)
        /// The client joined a namespace; `auth` is its CONNECT payload (Engine.IO 4).
        case connected(namespace: String, auth: RawJSON?)
        /// The client sent an event.
        case event(SocketIO.Event)
        /// An emit that asked for it was acknowledged.
        case acknowledged(SocketIO.Acknowledgement)
        /// The client left a namespace.
        case disconnected(namespace: String)
        /// End the session.
        case close(EngineIO.Ending)
    }
}
