extension EngineIO {
    /// Which transports a client uses, and in which order.
    public enum TransportChoice: String, Hashable, Sendable, CaseIterable {
        /// A WebSocket; when it cannot be opened, long-polling, upgraded if the server offers it.
        case auto
        /// A WebSocket only.
        case websocket
        /// Long-polling only.
        case polling
        /// Long-polling first, then upgraded to a WebSocket if the server offers it and it works.
        case upgrade
    }
}

extension EngineIOClientTransport {
    /// What the machine is told once.
    public struct Configuration: Hashable, Sendable {
        /// The transports to use.
        public var transport: EngineIO.TransportChoice
        /// The revision asked for.
        public var revision: EngineIO.Revision
        /// Whether that is a guess, and a server that speaks another one is to be told as such.
        public var detectsRevision: Bool
        /// The path, with the slash at its end where the server wants one.
        public var path: String
        /// The user's part of the query, percent-encoded; may be empty.
        public var query: String
        /// Host and port, for messages.
        public var server: String
        /// Distinguishes this session's requests from those of others in caches: any number, letters and digits.
        public var cacheBuster: String
        /// Longest wait for the first polling answer.
        public var handshakeTimeout: Duration
        /// Longest time for one POST: some servers never answer one that is too large (1.4).
        public var postTimeout: Duration
        /// Longest time for an upgrade, from opening the WebSocket; the reference server gives up after 10 s.
        public var upgradeTimeout: Duration
        /// Longest time for the farewell by POST.
        public var closeTimeout: Duration
        /// Largest packet accepted, in bytes.
        public var maximumPacket: Int

        /// A configuration.
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

        /// Path and query of the first request, without what changes from one request to the next.
        public var firstTarget: String { target(startsWithWebSocket ? "websocket" : "polling", with: "") }

        var startsWithWebSocket: Bool { transport == .auto || transport == .websocket }
        var wantsUpgrade: Bool { transport == .auto || transport == .upgrade }

        /// Path and query of a request; `rest` begins with `&` or is empty.
        func target(_ transport: String, with rest: String) -> String {
            let user = query.isEmpty ? "" : "&\(query)"
            return "\(path)?EIO=\(revision.rawValue)&transport=\(transport)\(user)\(rest)"
        }
    }

    /// Names one HTTP exchange of the session.
    public struct RequestID: Hashable, Sendable {
        /// Counted from 1.
        public var number: Int
        /// The request of that number.
        public init(number: Int) { self.number = number }
    }

    /// What happens to the machine.
    public enum Input: Sendable {
        /// The session begins.
        case start
        /// The WebSocket asked for is open.
        case webSocketOpened
        /// Messages arrived on it, in order.
        case webSocketReceived([WebSocketMessage])
        /// It had opened and is gone.
        case webSocketClosed(WebSocketClose)
        /// It never opened.
        case webSocketFailed(ConnectFailure)
        /// The head of an answer arrived.
        case responseHead(RequestID, status: Int, retryAfter: Int? = nil)
        /// A piece of its body.
        case responseChunk(RequestID, ArraySlice<UInt8>)
        /// The body is complete.
        case responseEnd(RequestID)
        /// There is no answer, or only a part of it.
        case requestFailed(RequestID, ConnectFailure)
        /// Send a message of the packet stream; ignored before `opened` and once the session is closing.
        case send(WebSocketMessage)
        /// End the session, after what is queued. No message is received any more.
        case close(WebSocketClose)
    }

    /// What the machine wants done, in this order.
    public enum Effect: Hashable, Sendable {
        /// Open a WebSocket at this path and query. There is one at most.
        case openWebSocket(target: String)
        /// Send a message on the WebSocket.
        case sendWebSocket(WebSocketMessage)
        /// Close the WebSocket. Unless the session is the WebSocket's, nothing more need be told of it.
        case closeWebSocket(WebSocketClose)
        /// Begin a GET.
        case get(RequestID, target: String)
        /// Begin a POST.
        case post(RequestID, target: String, body: [UInt8], contentType: String)
        /// The answer to this exchange is not wanted any more; nothing more need be told of it.
        case cancel(RequestID)
        /// The session is open: messages can be sent.
        case opened
        /// Messages of the packet stream, in order.
        case received([WebSocketMessage])
        /// The session, which had opened, is over.
        case closed(WebSocketClose)
        /// The session never opened.
        case failed(ConnectFailure)
    }
}
