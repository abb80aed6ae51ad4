import CLibWebSockets
import Wire

/// The client's end of a WebSocket, in libwebsockets' client role. On the loop's thread.
final class WebSocketClientSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The life of the socket, in this order.
    enum State {
        /// The host is being resolved.
        case resolving
        /// Addresses are tried in turn; the first of them is being tried.
        case connecting([String])
        /// Messages flow.
        case open
        /// We will send a close frame, after what is queued.
        case closing(WebSocketClose)
        /// The close frame is libwebsockets' to send, and the answer its to await; the close is told when the socket is gone, or
        /// when time is up.
        case awaitingAnswer(WebSocketClose)
        /// The socket is gone or given up; the handler may still have to be told.
        case ended
    }

    let request: WebSocketRequest
    var state = State.resolving
    /// How far the address being tried has come.
    var phase = ConnectFailure.Phase.resolve
    /// Why the certificate was refused, from OpenSSL's verification.
    var certificateProblem: String?
    /// Whether the server's public key was seen to be a pinned one.
    var isPinKept = false
    /// What libwebsockets' error callback said.
    var refusal: ConnectFailure?
    /// The attempt at an address is over, and what follows waits for the end of the turn.
    var attemptIsOver = false
    /// The close the server began.
    var peerClose: WebSocketClose?
    /// Ends the attempt, the address, or the closing handshake.
    var timers: [LoopTimer] = []
    var outgoing = OutgoingBytes()
    /// Bytes libwebsockets holds since the kernel did not take them.
    var heldBytes = 0
    var batch: MessageBatch
    var isReading = true
    /// What ends the socket, when it is not told yet.
    var lastEvent: WebSocketEvent?
    private var handler: (@Sendable (WebSocketEvent) -> Void)?
    private var hasOpened = false
    var random = SystemRandomNumberGenerator()

    init(loop: EventLoop, request: WebSocketRequest, handler: @escaping @Sendable (WebSocketEvent) -> Void) {
        self.request = request
        self.handler = handler
        batch = MessageBatch(maximumMessage: request.maximumMessage)
        super.init(loop: loop)
    }

    // MARK: What the owner asks

    var pendingBytes: Int { outgoing.count + heldBytes }

    func send(_ message: WebSocketMessage) {
        switch state {
        case .closing, .awaitingAnswer, .ended: return
        case .resolving, .connecting, .open: break
        }
        WebSocketFrame.append(message, mask: random.next(), to: &outgoing)
        if case .open = state { needsWriting() }
    }

    func close(_ close: WebSocketClose) {
        switch state {
        case .closing, .awaitingAnswer, .ended: return
        case .resolving, .connecting:
            fail(ConnectFailure(phase: phase, message: "closed before it opened"))
        case .open:
            batch.discard()
            startClosing(close)
        }
    }

    func setReading(_ reading: Bool) {
        guard reading != isReading else { return }
        isReading = reading
        if reading { needsDelivery() }
        guard case .open = state, let wsi else { return }
        lws_rx_flow_control(wsi, reading ? 1 : 0)
    }

    // MARK: The end

    /// Sends a close frame after what is queued, and waits five seconds at most.
    func startClosing(_ close: WebSocketClose) {
        state = .closing(close)
        // The answer to our close frame must be read, even when the owner has paused.
        if let wsi { lws_rx_flow_control(wsi, 1) }
        timers.append(
            loop.schedule(at: loop.now + .seconds(5)) { [weak self] in
                self?.end(.closed(WebSocketClose(code: 1006, reason: "no answer to the close")))
            })
        needsWriting()
    }

    func fail(_ failure: ConnectFailure) {
        end(.failed(failure))
    }

    /// Gives the socket up; the handler is told in its turn. Callable from a callback of this socket only when it is dying.
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
        if attemptIsOver {
            attemptIsOver = false
            addressFailed()
        }
        if hasOpened {
            hasOpened = false
            handler?(.opened)
        }
        guard isReading || !batch.hasMessages else { return }
        if batch.hasMessages { handler?(.received(batch.take())) }
        // The handler may have paused; what ends the socket does not wait for that, since nothing is left to read.
        if let lastEvent {
            self.lastEvent = nil
            let told = handler
            handler = nil
            told?(lastEvent)
        }
    }

    override func silence() {
        handler = nil
        timers = []
        state = .ended
        wsi = nil
    }
}
