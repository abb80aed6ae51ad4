import Wire

/// A connection of an `HTTPServer`: HTTP requests, then possibly a WebSocket. On the loop's thread.
final class ServerConnection: StreamSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The states of the connection, in this order. `request` and `answering` alternate.
    enum State {
        /// The connection reads a request.
        case request
        /// The handler has the request and will answer it.
        case answering(HTTPRequestReader.Request)
        /// The WebSocket is open for messages.
        case webSocket(ServerWebSocket)
        /// We sent a close frame and wait for the client's.
        case closing(ServerWebSocket, WebSocketClose)
        /// The client of a request is gone, and the handler must be notified.
        case aborted(ServerRequest)
        /// The WebSocket ended, and the handler must be notified.
        case ended(ServerWebSocket, WebSocketClose)
        /// The connection has nothing more to report.
        case done
    }

    let server: HTTPServerCore
    var state = State.request
    var reader: HTTPRequestReader
    var frames: WebSocketReader
    var frameWriter = WebSocketWriter(role: .server)
    /// Whether a WebSocket message was queued.
    var hasSent = false
    /// The request whose body is arriving, once the handler knows about it.
    var begun: ServerRequest?
    /// The client's close frame, or its protocol violation, kept until the end of the turn.
    var pendingEnd: PendingEnd?
    /// The timer that ends an idle connection or the closing handshake.
    private var timer: LoopTimer?

    /// The bytes that are read ahead while the handler has a request.
    private static let maximumPipelined = 1 << 16

    /// The reason why a WebSocket ends.
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
            // From here on, the input of a client that pipelines waits in the kernel.
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

    /// The client's close frame, if it arrived and was not reported yet.
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
