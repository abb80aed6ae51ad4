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
        /// The handler of the WebSocket has to be told the end.
        case ended(ServerWebSocket, WebSocketClose)
        /// Nothing more is told.
        case done
    }

    let server: HTTPServerCore
    var state = State.request
    var reader: HTTPRequestReader
    var frames = WebSocketFrameReader()
    var batch: MessageBatch
    /// The close frame of the client, or a breach of the protocol, waiting for the end of the turn.
    var pendingEnd: PendingEnd?
    /// Ends an idle connection, or the closing handshake.
    private var timer: LoopTimer?

    /// What ends a WebSocket.
    enum PendingEnd {
        case peerClosed(WebSocketClose)
        case violation(WebSocketFrameReader.Violation)
    }

    init?(server: HTTPServerCore, host: OpaquePointer?, descriptor: Int32) {
        self.server = server
        reader = HTTPRequestReader(maximumBody: server.maximumBody)
        batch = MessageBatch(maximumMessage: server.maximumMessage)
        super.init(loop: server.loop, host: host, descriptor: descriptor)
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
        case .answering, .webSocket, .ended, .done: break
        }
    }

    override func received(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .request, .answering: reader.append(bytes)
        case .webSocket, .closing: readFrames(bytes)
        case .ended, .done: return
        }
        needsDelivery()
    }

    override func gone() {
        setTimer(nil)
        server.forget(self)
        switch state {
        case .request, .answering: state = .done
        case .webSocket(let socket): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .closing(let socket, _): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .ended, .done: break
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
