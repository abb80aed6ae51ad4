import Wire

/// One connection of an `HTTPServer`: HTTP requests, then perhaps a WebSocket. On the loop's thread.
final class ServerConnection: StreamSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// What the connection is doing; in this order, `request` and `answering` in turns.
    enum State {
        /// Reading a request.
        case request
        /// The handler has the request and will answer.
        case answering(HTTPRequestReader.Request)
        /// Messages flow.
        case webSocket(ServerWebSocket)
        /// We sent a close frame and wait for the client's.
        case closing(ServerWebSocket, WebSocketClose)
        /// The handler has to be told that its request's client is gone.
        case aborted(ServerRequest)
        /// The handler of the WebSocket has to be told the end.
        case ended(ServerWebSocket, WebSocketClose)
        /// Nothing more is told.
        case done
    }

    let server: HTTPServerCore
    var state = State.request
    var reader: HTTPRequestReader
    var frames: WebSocketReader
    var frameWriter = WebSocketWriter(role: .server)
    /// Whether a message was queued.
    var hasSent = false
    /// The request whose body is arriving, once the handler knows of it.
    var begun: ServerRequest?
    /// The close frame of the client, or a breach of the protocol, waiting for the end of the turn.
    var pendingEnd: PendingEnd?
    /// Ends an idle connection, or the closing handshake.
    private var timer: LoopTimer?

    /// Bytes that are read ahead while the handler has a request.
    private static let maximumPipelined = 1 << 16

    /// What ends a WebSocket.
    enum PendingEnd {
        case peerClosed(WebSocketClose)
        case violation(WebSocketViolation)
    }

    init?(server: HTTPServerCore, host: OpaquePointer?, descriptor: Int32) {
        self.server = server
        reader = HTTPRequestReader(maximumBody: server.maximumBody)
        frames = WebSocketReader(role: .server, maximumMessage: server.maximumMessage)
        super.init(loop: server.loop, host: host, descriptor: descriptor)
        loop.core.arrivals.add(descriptor, handle: handle)
        setTimer(.seconds(60))
    }

    func setTimer(_ span: Duration?) {
        timer?.cancel()
        timer = span.map { span in
            loop.schedule(at: loop.now + span) { [weak self] in self?.timedOut() }
        }
    }

    private func timedOut() {
        timer = nil
        switch state {
        case .request, .closing: drop()
        case .answering, .webSocket, .aborted, .ended, .done: break
        }
    }

    override func received(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .request: reader.append(bytes)
        case .answering:
            reader.append(bytes)
            // A client that pipelines waits in the kernel from here on.
            if reader.unreadCount > Self.maximumPipelined { setReading(false) }
            return
        case .webSocket, .closing: readFrames(bytes)
        case .aborted, .ended, .done: return
        }
        needsDelivery()
    }

    override func gone() {
        setTimer(nil)
        server.forget(self)
        switch state {
        case .request: state = begun.map { .aborted($0) } ?? .done
        case .answering(let request): state = .aborted(request.request)
        case .webSocket(let socket): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .closing(let socket, _): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .aborted, .ended, .done: break
        }
        needsDelivery()
    }

    /// The client's close frame, when it came and was not told yet.
    private var peerClose: WebSocketClose? {
        if case .peerClosed(let close) = pendingEnd { return close }
        return nil
    }

    override func deliver() {
        switch state {
        case .request: answerRequests()
        case .answering, .done: break
        case .webSocket(let socket):
            deliverMessages(to: socket)
            if let end = pendingEnd { finish(socket, end) }
        case .closing(let socket, _):
            if let end = pendingEnd { finish(socket, end) }
        case .aborted(let request):
            state = .done
            server.handler?.aborted(request)
        case .ended(let socket, let close):
            deliverMessages(to: socket)
            state = .done
            server.handler?.closed(socket, close)
        }
    }

    override func silence() {
        super.silence()
        state = .done
        server.forget(self)
        timer = nil
    }
}
