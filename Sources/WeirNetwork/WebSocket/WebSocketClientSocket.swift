import CWeirLibWebSockets
import WeirWire

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

extension WebSocketClientSocket {
    /// Handles a libwebsockets callback. The result goes to libwebsockets; nonzero closes.
    func note(_ call: SocketCall) -> Int32 {
        switch call.reason {
        case LWS_CALLBACK_WSI_CREATE:
            // The TCP connection is established.
            phase = request.url.isSecure ? .tls : .handshake
        case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
            return verify(call)
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            return appendHeaders(call)
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            connectionError(call)
        case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
            return answered(call.wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
            return readInBulk(call.wsi)
        case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
            readFrames(call.bytes)
        case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
            // Only a response with an end gets here, and such a response does not accept an upgrade.
            return -1
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            keepCookies(call.wsi)
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            established()
        case LWS_CALLBACK_CLIENT_RECEIVE:
            return receive(call)
        case LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_CLIENT_HTTP_WRITEABLE:
            return write(call.wsi)
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            if case .open = state {
                peerClose = (try? WebSocketFrame.parseClose(Array(call.bytes))) ?? WebSocketClose(code: 1002)
            }
        case LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED_CLIENT_HTTP, LWS_CALLBACK_WSI_DESTROY:
            gone()
        default:
            break
        }
        return 0
    }

    /// Opens the socket after the server accepted the upgrade.
    func established() {
        state = .open
        for timer in timers { timer.cancel() }
        timers = []
        opened()
        if !isReading, let wsi { lws_rx_flow_control(wsi, 0) }
        if !outgoing.isEmpty { writeSoon() }
    }

    /// Handles the end of the libwebsockets socket, which may still be in this callback.
    func gone() {
        wsi = nil
        switch state {
        case .resolving, .ended: return
        case .connecting: attemptEnded()
        case .open: end(.closed(peerClose ?? WebSocketClose(code: 1006)))
        case .closing(let close), .awaitingAnswer(let close): end(.closed(ownClose(close)))
        case .answeringClose(let close): end(.closed(close))
        }
    }

    /// Returns a close that we began as it is reported: with the code that was sent.
    func ownClose(_ close: WebSocketClose) -> WebSocketClose {
        WebSocketClose(code: WebSocketFrame.sendableCode(close.code), reason: close.reason)
    }

    private func receive(_ call: SocketCall) -> Int32 {
        // Messages that arrive after we began to close are dropped.
        guard case .open = state else { return 0 }
        do throws(MessageBatch.Refusal) {
            try batch.append(call.bytes)
            // Zero-length pieces of a fragmented message end a frame, not the message.
            guard lws_is_final_fragment(call.wsi) != 0, lws_remaining_packet_payload(call.wsi) == 0 else { return 0 }
            try batch.finish(lws_frame_is_binary(call.wsi) != 0 ? .binary : .text)
            needsDelivery()
        } catch {
            let (most, rest) = (batch.maximumMessage, UInt64(lws_remaining_packet_payload(call.wsi)))
            let bytes = UInt64(most - batch.room + call.bytes.count) + rest
            violated(WebSocketViolation(error, of: bytes, most: most))
        }
        return 0
    }

    /// Writes once, when libwebsockets allows it. The frames are our own, many in one write.
    func write(_ wsi: OpaquePointer) -> Int32 {
        // libwebsockets calls this only after the kernel took the bytes it held.
        heldBytes = 0
        guard outgoing.isEmpty else {
            let result = outgoing.take(EventLoop.transferSize) { bytes in
                (lws_write(wsi, bytes.baseAddress, bytes.count, LWS_WRITE_HTTP), bytes.count)
            }
            guard result.0 >= 0 else { return -1 }
            if lws_partial_buffered(wsi) != 0 { heldBytes = result.1 }
            if !outgoing.isEmpty { writeSoon() } else if isToBeClosed { lws_callback_on_writable(wsi) }
            return 0
        }
        if case .answeringClose = state { return -1 }
        // libwebsockets calls again while it waits for the answer.
        guard case .closing(let close) = state else { return 0 }
        state = .awaitingAnswer(close)
        var reason = Array(WebSocketFrame.closeBody(close).dropFirst(2))
        let code = lws_close_status(UInt32(WebSocketFrame.sendableCode(close.code)))
        lws_close_reason(wsi, code, &reason, reason.count)
        // libwebsockets sends the close frame and waits for the answer.
        return -1
    }

    /// Whether a step remains after everything is written.
    private var isToBeClosed: Bool {
        switch state {
        case .closing, .answeringClose: true
        case .resolving, .connecting, .open, .awaitingAnswer, .ended: false
        }
    }
}
