import CLibWebSockets
import Wire

/// The client's end of a WebSocket: our own framing over libwebsockets' HTTP client, or libwebsockets' WebSocket role. On the loop's
/// thread.
final class WebSocketClientSocket: LoopSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The life of the socket, in this order.
    enum State {
        /// The host is being resolved, or a proxy opens the tunnel to it.
        case resolving
        /// Addresses are tried in turn; the first of them is being tried.
        case connecting([String])
        /// Messages flow.
        case open
        /// libwebsockets' framing only: we will send a close frame, after what is queued.
        case closing(WebSocketClose)
        /// Our close frame is sent, or queued; the close is told when the socket is gone, or when time is up.
        case awaitingAnswer(WebSocketClose)
        /// Our framing only: the server closed, and our answer is on its way.
        case answeringClose(WebSocketClose)
        /// The socket is gone or given up; the handler may still have to be told.
        case ended
    }

    let request: WebSocketRequest
    /// The headers of the upgrade request that are not libwebsockets' own.
    let headers: [(name: String, value: String)]
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
    /// Whether our own framing reads and writes; decided before each connection.
    var isOwnFraming: Bool
    /// Our own framing: the handshake of this connection, what reads and what writes.
    var handshake: WebSocketHandshake?
    /// An interim answer came, and the final one did not yet.
    var interim: InterimHeads?
    /// The server refused the upgrade: what was read of its answer's body so far. Nil when nothing is to be read.
    var refusalBody: [UInt8]?
    /// Our own framing cannot be used: the request that libwebsockets writes is not as expected.
    var isHandshakeUnknown = false
    var reader: WebSocketReader
    var writer = WebSocketWriter(role: .client)
    /// What comes after the owner began to close is not told.
    var tellsMessages = true
    /// Our own framing: the closing handshake is done, and the connection can go.
    var isOver = false
    /// libwebsockets' framing: the messages it reads.
    var batch: MessageBatch
    var isReading = true
    /// What ends the socket, when it is not told yet.
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

    /// Sends a close frame after what is queued, and waits five seconds at most.
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

    /// The server broke the protocol. The close frame and the handler get the reason, the handler after what came before it. Nothing more
    /// of the server is waited for.
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
            // A handler may take its time.
            flush()
            handler?(.received(isOwnFraming ? reader.takeMessages() : batch.take()))
            if reader.hasUnread { readOn() }
        }
        if isOver, case .awaitingAnswer(let close) = state { end(.closed(ownClose(close))) }
        // The handler may have paused; what ends the socket does not wait for that, since nothing is left to read.
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
