extension SocketIOReconnection {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision; nil finds out, beginning with 4.
        public var revision: EngineIO.Revision?
        /// The namespaces to be in; the first one is meant where none is named.
        public var namespaces: [SocketIOClient.Namespace]
        /// How long the open packet and the namespaces' answers may take, together.
        public var handshakeTimeout: Duration
        /// Which event goes when too many wait for their namespace.
        public var overflow: SocketIO.OverflowPolicy
        /// Delays between attempts.
        public var backoff: Backoff
        /// Attempts in a row that may fail, the first included; nil for no limit.
        public var maximumAttempts: Int?
        /// Whether to come back when the server takes us out of a namespace or closes the session.
        public var returnsAfterKick: Bool
        /// A configuration.
        public init(
            revision: EngineIO.Revision? = nil, namespaces: [SocketIOClient.Namespace] = [.init()],
            handshakeTimeout: Duration = .seconds(20), overflow: SocketIO.OverflowPolicy = .refuseNewest,
            backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(5)), maximumAttempts: Int? = nil,
            returnsAfterKick: Bool = true
        ) {
            self.revision = revision
            self.namespaces = namespaces
            self.handshakeTimeout = handshakeTimeout
            self.overflow = overflow
            self.backoff = backoff
            self.maximumAttempts = maximumAttempts
            self.returnsAfterKick = returnsAfterKick
        }
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Open a packet stream of that revision; `opened` or `failed` follows. The attempts are counted from 1 since the last success.
        case connect(attempt: Int, EngineIO.Revision)
        /// Send this message.
        case send(WebSocketMessage)
        /// Close the packet stream, or stop opening it; `closed` or `failed` follows.
        case close
        /// Tell the application.
        case tell(Event)
    }

    /// What the application is told.
    ///
    /// An ack id that `emit` gave meets one end: `.acknowledged`, `.unacknowledged` or `.dropped`.
    public enum Event: Hashable, Sendable {
        /// An attempt begins.
        case connecting(attempt: Int)
        /// A namespace is joined.
        indirect case joined(SocketIOClient.Joined)
        /// A namespace was refused, and is not asked for again.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event arrived.
        case event(SocketIO.Event)
        /// An event was acknowledged.
        case acknowledged(SocketIO.Acknowledgement)
        /// An event that was sent will not be acknowledged any more.
        case unacknowledged(namespace: String, id: Int, SocketIOClient.AckFailure)
        /// An event was not sent.
        indirect case dropped(SocketIOClient.Dropped)
        /// The server took us out of a namespace.
        case disconnected(namespace: String)
        /// A frame was refused.
        case malformed(SocketIO.Malformed)
        /// The connection ended or did not come about; the next attempt comes after `retryIn`.
        indirect case lost(Loss, retryIn: Duration)
        /// There will be no connection any more; nothing follows.
        indirect case ended(Ending)
    }

    /// How one connection ended.
    public enum Loss: Hashable, Sendable {
        /// It did not come about.
        case failed(ConnectFailure)
        /// The peer, or the network, ended it.
        case closed(WebSocketClose)
        /// We ended it.
        case protocolEnd(SocketIOClient.CloseCause)
    }

    /// Why there will be no connection any more.
    public enum Ending: Hashable, Sendable {
        /// `disconnect` was called, or the last namespace left.
        case requested
        /// The server refused for good.
        case refused(ConnectFailure)
        /// The server refused the last namespace; its words.
        case namespaceRefused(SocketIO.Refusal)
        /// The server took us out of the last namespace, or closed the session, and the configuration says not to come back.
        case disconnectedByServer
        /// So many attempts failed in a row; how the last one did.
        case gaveUp(attempts: Int, Loss)
    }
}
