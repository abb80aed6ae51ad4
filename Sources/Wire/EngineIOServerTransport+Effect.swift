extension EngineIOServerTransport {
    /// A request that waits for its answer; the owner's number for it.
    public struct RequestID: Hashable, Sendable {
        /// The number.
        public var number: Int
        /// A request of that number.
        public init(_ number: Int) { self.number = number }
    }

    /// A WebSocket; the owner's number for it.
    public struct SocketID: Hashable, Sendable {
        /// The number.
        public var number: Int
        /// A WebSocket of that number.
        public init(_ number: Int) { self.number = number }
    }

    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// The revision the client asked for.
        public var revision: EngineIO.Revision
        /// Whether the client asked with `b64` for base64 instead of binary data.
        public var isBase64: Bool
        /// Bytes one body may have.
        public var maxPayload: Int
        /// How long a client may take to upgrade.
        public var upgradeTimeout: Duration
        /// How long an ended session waits for a client to ask once more.
        public var closeTimeout: Duration
        /// A configuration; the times are those of the JavaScript server.
        public init(
            revision: EngineIO.Revision, isBase64: Bool = false, maxPayload: Int = 1_000_000,
            upgradeTimeout: Duration = .seconds(10), closeTimeout: Duration = .seconds(30)
        ) {
            self.revision = revision
            self.isBase64 = isBase64
            self.maxPayload = maxPayload
            self.upgradeTimeout = upgradeTimeout
            self.closeTimeout = closeTimeout
        }
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// The client sent a packet of the stream.
        case received(WebSocketMessage)
        /// Answer a request.
        case respond(RequestID, EngineIO.Response)
        /// Send a WebSocket message.
        case send(WebSocketMessage, on: SocketID)
        /// Close a WebSocket with an empty close frame.
        case closeSocket(SocketID)
        /// The session is over, told once; the machine is finished. The cause is for logs.
        case closed(cause: String)
    }

    /// What a session rides on.
    public enum Transport: Hashable, Sendable {
        case polling, webSocket
    }
}
