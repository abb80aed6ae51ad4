extension EngineIOServerTransport {
    /// The identifier of a request that waits for its answer. The owner chooses it.
    public struct RequestID: Hashable, Sendable {
        /// The owner's number for the request.
        public var number: Int
        /// Creates the identifier of the request with this number.
        public init(_ number: Int) { self.number = number }
    }

    /// The identifier of a WebSocket. The owner chooses it.
    public struct SocketID: Hashable, Sendable {
        /// The owner's number for the WebSocket.
        public var number: Int
        /// Creates the identifier of the WebSocket with this number.
        public init(_ number: Int) { self.number = number }
    }

    /// The settings of a session's transport, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// The revision that the client requested.
        public var revision: EngineIO.Revision
        /// Whether the client requested Base64 instead of binary data, with `b64`.
        public var isBase64: Bool
        /// The maximum size of a body, in bytes.
        public var maxPayload: Int
        /// How long a client may take to upgrade.
        public var upgradeTimeout: Duration
        /// How long an ended session waits for the client's next request.
        public var closeTimeout: Duration
        /// Creates a configuration. The default times are those of the JavaScript server.
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

    /// The driver performs the effects in this order.
    public enum Effect: Hashable, Sendable {
        /// The client sent a packet of the stream.
        case received(WebSocketMessage)
        /// Answer a request with this response.
        case respond(RequestID, EngineIO.Response)
        /// Send a message on a WebSocket.
        case send(WebSocketMessage, on: SocketID)
        /// Close a WebSocket with an empty close frame.
        case closeSocket(SocketID)
        /// The session is over, and the machine has finished. Reported once. The cause is for logs.
        case closed(cause: String)
    }

    /// The transports on which a session can run.
    public enum Transport: Hashable, Sendable {
        case polling, webSocket
    }
}
