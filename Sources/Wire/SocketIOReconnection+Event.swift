extension SocketIOReconnection {
    /// The settings of a reconnecting client, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision; `nil` detects it, starting with 4.
        public var revision: EngineIO.Revision?
        /// The namespaces to join. The first one is the default for calls that name no namespace.
        public var namespaces: [SocketIOClient.Namespace]
        /// How long the open packet and the answers for the namespaces may take together.
        public var handshakeTimeout: Duration
        /// Which event to drop when too many wait for their namespace.
        public var overflow: SocketIO.OverflowPolicy
        /// The delays between connection attempts.
        public var backoff: Backoff
        /// The maximum number of consecutive failed attempts, including the first; `nil` for no limit.
        public var maximumAttempts: Int?
        /// Whether to rejoin or reconnect after the server removes the client from a namespace or closes the session.
        public var returnsAfterKick: Bool
        /// Creates a configuration. By default, the client joins `/`, never gives up, and returns after it was removed.
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

    /// The driver performs the effects in this order.
    public enum Effect: Hashable, Sendable {
        /// Open a packet stream of this revision, and then call `opened` or `failed`. Attempts are counted from 1 since
        /// the last success.
        case connect(attempt: Int, EngineIO.Revision)
        /// Send this WebSocket message to the server.
        case send(WebSocketMessage)
        /// Close the packet stream or stop opening it, and then call `closed` or `failed`.
        case close
        /// Report this event to the application.
        case tell(Event)
    }

    /// An event for the application.
    ///
    /// Each acknowledgement id that `emit` returned ends with exactly one `.acknowledged`, `.unacknowledged` or
    /// `.dropped`.
    public enum Event: Hashable, Sendable {
        /// A connection attempt begins. `attempt` counts from 1.
        case connecting(attempt: Int)
        /// The client joined a namespace.
        indirect case joined(SocketIOClient.Joined)
        /// The server refused a namespace. It is not requested again.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event from the server arrived.
        case event(SocketIO.Event)
        /// The server acknowledged an emitted event.
        case acknowledged(SocketIO.Acknowledgement)
        /// A sent event will not be acknowledged.
        case unacknowledged(namespace: String, id: Int, SocketIOClient.AckFailure)
        /// An emitted event was not sent.
        indirect case dropped(SocketIOClient.Dropped)
        /// The server removed the client from a namespace.
        case disconnected(namespace: String)
        /// A frame of the server was rejected.
        case malformed(SocketIO.Malformed)
        /// The connection ended or could not be established. The next attempt follows after `retryIn`.
        indirect case lost(Loss, retryIn: Duration)
        /// No further connection will be made. This is the last event.
        indirect case ended(Ending)
    }

    /// The ways in which one connection can end.
    public enum Loss: Hashable, Sendable {
        /// The connection could not be established.
        case failed(ConnectFailure)
        /// The peer or the network ended the connection.
        case closed(WebSocketClose)
        /// The client itself ended the connection.
        case protocolEnd(SocketIOClient.CloseCause)
    }

    /// The reasons for which no further connection is made.
    public enum Ending: Hashable, Sendable {
        /// The caller called `disconnect(at:into:)`, or left the last namespace.
        case requested
        /// The server refused permanently, so another attempt cannot help.
        case refused(ConnectFailure)
        /// The server refused the last namespace, with this text.
        case namespaceRefused(SocketIO.Refusal)
        /// The server removed the client from the last namespace or closed the session, and the configuration forbids
        /// returning.
        case disconnectedByServer
        /// This many consecutive attempts failed; `Loss` describes the last one.
        case gaveUp(attempts: Int, Loss)
    }
}
