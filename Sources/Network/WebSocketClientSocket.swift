import CLibWebSockets
import Wire

/// The client's end of a WebSocket: our own framing over libwebsockets' HTTP client, or libwebsockets' WebSocket role.
/// On the loop's thread.
final class WebSocketClientSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The states of the socket, in this order.
    enum State {
        /// The host is being resolved, or a proxy opens the tunnel to it.
        case resolving
        /// The remaining addresses, tried in turn; the first one is being tried.
        case connecting([String])
        /// Messages can be sent and received.
        case open
        /// libwebsockets' framing only: a close frame follows the queued messages.
        case closing(WebSocketClose)
        /// Our close frame is sent or queued. The close is reported when the socket is gone, or at the time limit.
        case awaitingAnswer(WebSocketClose)
        /// Our framing only: the server closed, and our answer is on its way.
        case answeringClose(WebSocketClose)
        /// The socket is gone or given up. The handler may not have been notified yet.
        case ended
    }

    let request: WebSocketRequest
    /// The headers of the upgrade request, except those that libwebsockets adds.
    let headers: [(name: String, value: String)]
    var state = State.resolving
    /// The progress of the address being tried.
    var phase = ConnectFailure.Phase.resolve
    /// The reason why the certificate was refused, from OpenSSL's verification.
    var certificateProblem: String?
    /// Whether the server's public key was found to be a pinned one.
    var isPinKept = false
    /// The failure noted during the attempt, from libwebsockets' error callback or from the response to the upgrade.
    var refusal: ConnectFailure?
    /// Whether the attempt at an address is over. The next step waits for the end of the turn.
    var attemptIsOver = false
    /// The close that the server began.
    var peerClose: WebSocketClose?
    /// The timers that limit the attempt, the address, and the closing handshake.
    var timers: [LoopTimer] = []
    var outgoing = OutgoingBytes()
    /// The bytes that libwebsockets holds because the kernel did not take them.
    var heldBytes = 0
    /// Whether our own framing reads and writes. It is decided before each connection.
    var isOwnFraming: Bool
    /// The handshake of this connection. Only for our own framing.
    var handshake: WebSocketHandshake?
    /// The heads after an interim response, until the final one is complete; otherwise `nil`.
    var interim: InterimHeads?
    /// The body read so far of a response that refuses the upgrade; `nil` for a response whose body is not read.
    var refusalBody: [UInt8]?
    /// Whether our own framing cannot be used, because libwebsockets writes a request of an unexpected form.
    var isHandshakeUnknown = false
    var reader: WebSocketReader
    var writer = WebSocketWriter(role: .client)
    /// Whether messages are delivered; `false` once the owner began to close.
    var tellsMessages = true
    /// Whether the closing handshake is done and the connection can be dropped. Only for our own framing.
    var isOver = false
    /// The messages being read. Only for libwebsockets' framing.
    var batch: MessageBatch
    var isReading = true
    /// The event that ends the socket, until it is delivered.
    var lastEvent: WebSocketEvent?
    private var handler: (@Sendable (WebSocketEvent) -> Void)?
    private var hasOpened = false
    var random = SystemRandomNumberGenerator()

    init(loop: EventLoop, request: WebSocketRequest, handler: @escaping @Sendable (WebSocketEvent) -> Void) {
        self.request = request
        headers = request.access.headers(for: request.url, own: request.headers)
        self.handler = handler
        batch = MessageBatch(maximumMessage: request.maximumMessage)
        reader = WebSocketReader(role: .client, maximumMessage: request.maximumMessage)
        isOwnFraming =
            switch request.framing {
            case .auto: WebSocketHandshake.libraryIsKnown
            case .own: true
            case .library: false
            }
        super.init(loop: loop)
    }

    // MARK: What the owner asks

    var pendingBytes: Int { outgoing.count + heldBytes }

    var undeliveredBytes: Int { isOwnFraming ? reader.heldBytes : batch.heldBytes }

    func send(_ message: WebSocketMessage) {
        switch state {
        case .closing, .awaitingAnswer, .answeringClose, .ended: return
        case .resolving, .connecting, .open: break
        }
        let key = maskingKey()
        outgoing.append { writer.write(message, mask: key, to: &$0) }
        if case .open = state { writeSoon() }
    }

    func close(_ close: WebSocketClose) {
        switch state {
        case .closing, .awaitingAnswer, .answeringClose, .ended: return
        case .resolving, .connecting:
            fail(ConnectFailure(phase: phase, message: "closed before it opened"))
        case .open:
            batch.discard()
            reader.discardMessages()
            tellsMessages = false
            startClosing(close)
        }
    }

    func setReading(_ reading: Bool) {
        guard reading != isReading else { return }
        isReading = reading
        if reading { needsDelivery() }
        if case .open = state, let wsi { lws_rx_flow_control(wsi, reading ? 1 : 0) }
    }

    // MARK: The end

    /// Sends a close frame after the queued messages, and waits at most five seconds.
    func startClosing(_ close: WebSocketClose) {
        if isOwnFraming {
            state = .awaitingAnswer(close)
            append(WebSocketFrame.closeBody(close), .close)
        } else {
            state = .closing(close)
        }
        // The answer to our close frame must be read, even when the owner has paused.
        if let wsi { lws_rx_flow_control(wsi, 1) }
        limitClosing(WebSocketClose(code: 1006, reason: "no answer to the close"))
        writeSoon()
    }

    /// Closes the socket because the server broke the protocol. The close frame and the handler get the reason; the
    /// handler gets it after the earlier messages. The socket waits for nothing more from the server.
    func violated(_ violation: WebSocketViolation) {
        let close = WebSocketClose(code: violation.code, reason: violation.reason, retry: .atOnce)
        startClosing(close)
        lastEvent = .closed(close)
        needsDelivery()
    }

    /// Ends the socket with `close` when the closing handshake takes longer than five seconds.
    func limitClosing(_ close: WebSocketClose) {
        timers.append(loop.schedule(at: loop.now + .seconds(5)) { [weak self] in self?.end(.closed(close)) })
    }

    func fail(_ failure: ConnectFailure) {
        end(.failed(failure))
    }

    /// Gives the socket up and schedules the final event. A callback of this socket may call it only when the socket is
    /// dying.
    func end(_ event: WebSocketEvent) {
        if case .ended = state { return }
        state = .ended
        for timer in timers { timer.cancel() }
        timers = []
        outgoing.removeAll()
        heldBytes = 0
        lastEvent = event
        cut()
        forget()
        needsDelivery()
    }

    // MARK: Telling

    func opened() {
        hasOpened = true
        needsDelivery()
    }

    override func callback(_ call: SocketCall) -> Int32 { note(call) }

    override func deliver() {
        defer { flush() }
        if attemptIsOver {
            attemptIsOver = false
            addressFailed()
        }
        if hasOpened {
            hasOpened = false
            if !isOwnFraming, request.framing == .auto { request.fellBack?() }
            handler?(.opened)
        }
        while hasMessages {
            guard isReading else { return }
            // Flush first, since a handler may run for a long time.
            flush()
            handler?(.received(isOwnFraming ? reader.takeMessages() : batch.take()))
            if reader.hasUnread { readOn() }
        }
        if isOver, case .awaitingAnswer(let close) = state { end(.closed(ownClose(close))) }
        // The handler may have paused. The final event does not wait for that, since nothing is left to read.
        if let lastEvent {
            self.lastEvent = nil
            let told = handler
            handler = nil
            told?(lastEvent)
        }
    }

    private var hasMessages: Bool { isOwnFraming ? reader.hasMessages : batch.hasMessages }

    override func silence() {
        handler = nil
        timers = []
        state = .ended
        wsi = nil
    }
}
