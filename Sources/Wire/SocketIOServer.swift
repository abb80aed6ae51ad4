public import JSONText

/// The server's end of one Socket.IO connection over one WebSocket, as the JavaScript server behaves (`reference/socketio.md` 1.10, 1.14).
public struct SocketIOServer: Sendable {
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
        /// A configuration.
        public init(
            revision: EngineIO.Revision, sid: String, pingInterval: Duration = .seconds(25), pingTimeout: Duration = .seconds(20),
            connectTimeout: Duration = .seconds(45), maxPayload: Int = 1_000_000, namespaces: [String] = ["/"]
        ) {
            self.revision = revision
            self.sid = sid
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.connectTimeout = connectTimeout
            self.maxPayload = maxPayload
            self.namespaces = namespaces
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
        case acknowledged(namespace: String, id: Int, arguments: RawJSON)
        /// The client left a namespace.
        case disconnected(namespace: String)
        /// Close the WebSocket; the cause is for logs.
        case close(cause: String)
    }

    /// When `advance(to:into:)` wants to be called next.
    public private(set) var deadline: Moment?

    /// A machine for a WebSocket that opened at `now`. The open packet (and `40` on Engine.IO 3) is the first effect of `start`.
    public init(_ configuration: Configuration, openedAt now: Moment) { fatalError("stub") }
    /// Sends the open packet.
    public mutating func start(into effects: inout [Effect]) { fatalError("stub") }
    /// A WebSocket message arrived.
    public mutating func receive(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) { fatalError("stub") }
    /// Does what is due up to `now`.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) { fatalError("stub") }
    /// Sends an event; `arguments` is a comma-separated list of JSON values. Gives the ack id when `wantsAck`.
    @discardableResult
    public mutating func emit(
        _ name: String, arguments: RawJSON?, namespace: String = "/", wantsAck: Bool = false, into effects: inout [Effect]
    ) -> Int? { fatalError("stub") }
    /// Answers an event that asked for it; `arguments` is a JSON array.
    public mutating func acknowledge(_ id: Int, arguments: RawJSON, namespace: String = "/", into effects: inout [Effect]) { fatalError("stub") }
    /// Takes the client out of a namespace (`41`).
    public mutating func disconnect(namespace: String = "/", into effects: inout [Effect]) { fatalError("stub") }
}
