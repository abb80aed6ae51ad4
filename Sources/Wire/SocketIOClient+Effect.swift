public import JSONText

extension SocketIOClient {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision spoken.
        public var revision: EngineIO.Revision
        /// The namespace joined, `/` by default.
        public var namespace: String
        /// The CONNECT payload of Engine.IO 4, a JSON object, when the backend wants one.
        public var auth: RawJSON?
        /// How long the open packet and the namespace's answer may take, together.
        public var handshakeTimeout: Duration
        /// A configuration.
        public init(
            revision: EngineIO.Revision, namespace: String = "/", auth: RawJSON? = nil,
            handshakeTimeout: Duration = .seconds(20)
        ) {
            self.revision = revision
            self.namespace = namespace
            self.auth = auth
            self.handshakeTimeout = handshakeTimeout
        }
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Send this WebSocket message.
        case send(WebSocketMessage)
        /// The namespace is joined; events can be emitted.
        case connected(EngineIO.Handshake)
        /// The namespace was refused.
        case refused(SocketIO.Refusal)
        /// An event arrived.
        case event(SocketIO.Event)
        /// An emit that asked for it was acknowledged, by the id `emit` gave.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emit that asked for it will not be acknowledged any more (disconnect).
        case unacknowledged(id: Int)
        /// The server took us out of the namespace (`41`), or closed the session (`1`).
        case disconnected
        /// A frame was refused; the machine goes on where the tables of 1.14 tolerate it.
        case malformed(SocketIO.Malformed)
        /// Close the WebSocket: the machine is finished.
        case close(CloseCause)
    }

    /// Why the machine wants the socket closed.
    public enum CloseCause: Hashable, Sendable {
        /// The server was silent for longer than its handshake allows.
        case pingTimeout
        /// No open packet or no answer to CONNECT in time.
        case handshakeTimeout
        /// The first frames are not Engine.IO.
        case notEngineIO(SocketIO.Malformed)
        /// The server speaks Engine.IO 3 though 4 was asked for (1.3 version detection): connect again with 3.
        case revisionMismatch(EngineIO.Revision)
        /// The server sent what leaves open which frames belong together.
        case outOfStep(SocketIO.Malformed)
        /// `disconnect` was called.
        case requested
        /// The server ended the session or refused the namespace.
        case byServer
    }
}
