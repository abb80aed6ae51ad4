extension EngineIO {
    /// The transports that a client uses, and their order.
    public enum TransportChoice: String, Hashable, Sendable, CaseIterable {
        /// A WebSocket. If it cannot be opened, long-polling, upgraded if the server offers it.
        case auto
        /// A WebSocket, without any alternative.
        case websocket
        /// Long-polling, even if the server offers an upgrade.
        case polling
        /// Long-polling first, then an upgrade to a WebSocket if the server offers it and it works.
        case upgrade
    }
}

extension EngineIOClientTransport {
    /// The settings of a transport, fixed when it is created.
    public struct Configuration: Hashable, Sendable {
        /// The transports to use, and their order.
        public var transport: EngineIO.TransportChoice
        /// The revision to request from the server.
        public var revision: EngineIO.Revision
        /// Whether the requested revision is a guess, so that the use of another revision is reported as such.
        public var detectsRevision: Bool
        /// The path, with a trailing slash if the server requires one.
        public var path: String
        /// The user's part of the query, percent-encoded. It may be empty.
        public var query: String
        /// The host and port of the server, for messages.
        public var server: String
        /// Any number, letters or digits that make this session's requests different from others in caches.
        public var cacheBuster: String
        /// How long to wait for the first polling answer.
        public var handshakeTimeout: Duration
        /// How long a POST may take. Some servers never answer one that is too large (Engine.IO EIO-19).
        public var postTimeout: Duration
        /// How long an upgrade may take, from opening the WebSocket. The reference server gives up after 10 s.
        public var upgradeTimeout: Duration
        /// How long the final POST with the close packet may take.
        public var closeTimeout: Duration
        /// The maximum size of a received packet, in bytes.
        public var maximumPacket: Int

        /// Creates a configuration. Only the transports, the revision and the path have no default.
        public init(
            transport: EngineIO.TransportChoice, revision: EngineIO.Revision, detectsRevision: Bool = false,
            path: String, query: String = "", server: String = "the server", cacheBuster: String = "0",
            handshakeTimeout: Duration = .seconds(20), postTimeout: Duration = .seconds(20),
            upgradeTimeout: Duration = .seconds(10), closeTimeout: Duration = .seconds(5),
            maximumPacket: Int = Limits.standard
        ) {
            self.transport = transport
            self.revision = revision
            self.detectsRevision = detectsRevision
            self.path = path
            self.query = query
            self.server = server
            self.cacheBuster = cacheBuster
            self.handshakeTimeout = handshakeTimeout
            self.postTimeout = postTimeout
            self.upgradeTimeout = upgradeTimeout
            self.closeTimeout = closeTimeout
            self.maximumPacket = maximumPacket
        }

        /// The path and query of the first request, without the parts that change with each request.
        public var firstTarget: String { target(startsWithWebSocket ? "websocket" : "polling", with: "") }

        var startsWithWebSocket: Bool { transport == .auto || transport == .websocket }
        var wantsUpgrade: Bool { transport == .auto || transport == .upgrade }

        /// Returns the path and query of a request. `rest` begins with `&` or is empty.
        func target(_ transport: String, with rest: String) -> String {
            let user = query.isEmpty ? "" : "&\(query)"
            return "\(path)?EIO=\(revision.rawValue)&transport=\(transport)\(user)\(rest)"
        }
    }

    /// The identifier of one HTTP exchange of the session.
    public struct RequestID: Hashable, Sendable {
        /// The number of the exchange, counted from 1.
        public var number: Int
        /// Creates the identifier of the exchange with this number.
        public init(number: Int) { self.number = number }
    }

    /// The inputs of the state machine.
    public enum Input: Sendable {
        /// Begin the session with its first transport.
        case start
        /// The requested WebSocket is open.
        case webSocketOpened
        /// Messages arrived on the WebSocket, in order.
        case webSocketReceived([WebSocketMessage])
        /// The WebSocket was open and has closed.
        case webSocketClosed(WebSocketClose)
        /// The WebSocket could not be opened.
        case webSocketFailed(ConnectFailure)
        /// The head of a response arrived. `retryAfter` is in seconds.
        case responseHead(RequestID, status: Int, retryAfter: Int? = nil)
        /// A piece of the response's body arrived.
        case responseChunk(RequestID, ArraySlice<UInt8>)
        /// The body of the response is complete.
        case responseEnd(RequestID)
        /// The request failed without a response, or with a partial one.
        case requestFailed(RequestID, ConnectFailure)
        /// Send a message of the packet stream. Ignored before `opened` and after the session begins to close.
        case send(WebSocketMessage)
        /// End the session after the queued messages are sent. No message is received after that.
        case close(WebSocketClose)
    }

    /// The driver performs the effects in this order.
    public enum Effect: Hashable, Sendable {
        /// Open a WebSocket at this path and query. There is at most one at a time.
        case openWebSocket(target: String)
        /// Send a message on the WebSocket.
        case sendWebSocket(WebSocketMessage)
        /// Close the WebSocket. Unless the session runs on it, the driver need not report anything more about it.
        case closeWebSocket(WebSocketClose)
        /// Begin a GET request at this path and query.
        case get(RequestID, target: String)
        /// Begin a POST request with this body and content type.
        case post(RequestID, target: String, body: [UInt8], contentType: String)
        /// Cancel this exchange. The driver need not report anything more about it.
        case cancel(RequestID)
        /// The session is open, so messages can be sent.
        case opened
        /// Messages of the packet stream arrived, in order.
        case received([WebSocketMessage])
        /// The session was open and is over.
        case closed(WebSocketClose)
        /// The session could not be opened.
        case failed(ConnectFailure)
    }
}
