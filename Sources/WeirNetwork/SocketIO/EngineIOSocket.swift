package import WeirWire

/// The server and the options for opening an Engine.IO session.
package struct EngineIORequest: Sendable {
    /// The `http`, `https`, `ws` or `wss` URL with the Engine.IO path. Its query is added to that of every request.
    package var url: URLParts
    /// The transport to use, or the order in which to try the transports.
    package var transport: EngineIO.TransportChoice
    /// The protocol revision to request.
    package var revision: EngineIO.Revision
    /// Whether the revision is a guess. A polling session then continues in the revision that the server answers in.
    /// After a refusal, `ConnectFailure.retry` contains the revision to try next.
    package var detectsRevision: Bool
    /// The settings for reaching the server, by WebSocket and by polling.
    package var access: Access
    /// The implementation that reads and writes the WebSocket frames.
    package var framing = WebSocketFraming.auto
    /// Called when the WebSocket falls back; see `WebSocketRequest.fellBack`.
    package var fellBack: (@Sendable () -> Void)?
    /// Called on the loop's thread with each packet of an upgrade (`2probe`, `3probe`, `5`). These packets are not part
    /// of the packet stream.
    package var upgrading: (@Sendable (WebSocketMessage, _ isSent: Bool) -> Void)?
    /// The longest time for connecting, and for the handshake of one transport.
    package var timeout: Duration
    /// The largest packet accepted, in bytes.
    package var maximumMessage: Int
    /// Creates a request with automatic framing and without the callbacks.
    package init(
        url: URLParts, transport: EngineIO.TransportChoice = .auto, revision: EngineIO.Revision = .v4,
        detectsRevision: Bool = false, access: Access = Access(), timeout: Duration = .seconds(20),
        maximumMessage: Int = Limits.standard
    ) {
        self.url = url
        self.transport = transport
        self.revision = revision
        self.detectsRevision = detectsRevision
        self.access = access
        self.timeout = timeout
        self.maximumMessage = maximumMessage
    }
}

/// A client's Engine.IO session on an `EventLoop`: the stream of packets that a WebSocket would carry, on any
/// transport. Engine.IO's heartbeats are part of the stream, and the owner answers them. All calls and callbacks are on
/// the loop's thread.
///
/// `opened` is delivered when messages can be sent: before the open packet on a WebSocket, together with it on polling.
/// The loop retains the session until it is closed or has failed.
package final class EngineIOSocket: Sendable {
    private let loop: EventLoop
    let connection: EngineIOConnection

    /// Begins a session. Call this on the loop's thread. `handler` is called on the loop, and never before the
    /// initialiser returns. `http` carries the polling. It must answer on the same loop and needs two connections per
    /// session.
    package init(
        on loop: EventLoop, http: HTTPClient, _ request: EngineIORequest,
        handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        let connection = EngineIOConnection(loop: loop, http: http, request: request, handler: handler)
        self.connection = connection
        loop.run { connection.feed(.start) }
    }

    /// Queues a message of the packet stream. Messages are sent in order. Ignored before `opened` and once the session
    /// is closing.
    package func send(_ message: WebSocketMessage) {
        loop.preconditionOnLoop()
        connection.send(message)
    }

    /// The number of bytes that are queued and not yet passed to the kernel, or posted and not yet answered.
    package var pendingBytes: Int {
        loop.preconditionOnLoop()
        return connection.pendingBytes
    }

    /// Whether a WebSocket carries the session now.
    package var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return connection.isOnWebSocket
    }

    /// Closes the session in order, after the queued messages. `closed` follows once a running upgrade is decided, and
    /// within five seconds; no more messages are received. A session that has not opened fails at once.
    package func close(_ close: WebSocketClose) {
        loop.preconditionOnLoop()
        connection.feed(.close(close))
    }

    /// Pauses (`false`) or resumes (`true`) reading. While paused, only a bounded amount is read from the server, and
    /// no message is delivered except those of the piece that is being read.
    package func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        connection.setReading(reading)
    }
}

/// The driver of an Engine.IO session: performs the effects of its state machine with a WebSocket and HTTP exchanges.
final class EngineIOConnection: @unchecked Sendable {
    // Unchecked: all mutable state is used on the loop's thread only, where the owner and all callbacks run.
    private let loop: EventLoop
    private let http: HTTPClient
    private let request: EngineIORequest
    private(set) var machine: EngineIOClientTransport
    /// Whether the messages now being received came by WebSocket. The machine is ahead: it moves the session as soon as
    /// the last response ends, while the packets of that response came by polling.
    private(set) var isOnWebSocket = false
    private var webSocket: WebSocketClient?
    /// The number of WebSockets opened. Events of an earlier one are ignored.
    private var webSocketNumber = 0
    private(set) var get: (id: EngineIOClientTransport.RequestID, stream: HTTPStream)?
    private var post: (id: EngineIOClientTransport.RequestID, stream: HTTPStream)?
    private var isReading = true
    /// Inputs that arrived while effects were being performed. They are handled after those effects.
    private var inputs: [EngineIOClientTransport.Input] = []
    private var isFeeding = false
    private var timer: (moment: Moment, timer: LoopTimer)?
    /// The owner's callback; `nil` after the final event.
    private var handler: (@Sendable (WebSocketEvent) -> Void)?

    init(
        loop: EventLoop, http: HTTPClient, request: EngineIORequest,
        handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) {
        self.loop = loop
        self.http = http
        var request = request
        // A load balancer may recognise the session by a cookie (Engine.IO EIO-12).
        request.access.cookies = request.access.cookies ?? CookieJar()
        self.request = request
        self.handler = handler
        var random = SystemRandomNumberGenerator()
        var configuration = EngineIOClientTransport.Configuration(
            transport: request.transport, revision: request.revision, detectsRevision: request.detectsRevision,
            path: request.url.path, query: request.url.query, server: request.url.authority,
            cacheBuster: String(random.next() as UInt64, radix: 36), handshakeTimeout: request.timeout)
        configuration.maximumPacket = request.maximumMessage
        machine = EngineIOClientTransport(configuration)
    }

    var pendingBytes: Int {
        machine.isWebSocketStream ? webSocket?.pendingBytes ?? 0 : machine.pendingBytes
    }

    /// Sends a message. A session on a WebSocket bypasses the machine, unless earlier effects are still being
    /// performed.
    func send(_ message: WebSocketMessage) {
        if machine.isWebSocketStream, !isFeeding, let webSocket {
            webSocket.send(message)
        } else {
            feed(.send(message))
        }
    }

    func setReading(_ reading: Bool) {
        isReading = reading
        get?.stream.setReading(reading)
        // The answer to a probe must be read even when the session's owner has paused reading.
        if machine.isWebSocketStream { webSocket?.setReading(reading) }
    }

    // MARK: The machine

    /// Feeds the machine and performs its effects. The handler may call back; such inputs are handled next.
    func feed(_ input: EngineIOClientTransport.Input?) {
        if let input { inputs.append(input) }
        guard !isFeeding else { return }
        isFeeding = true
        var effects: [EngineIOClientTransport.Effect] = []
        // Input that has arrived is handled before the deadlines, since it may have waited.
        repeat {
            while !inputs.isEmpty {
                machine.handle(inputs.removeFirst(), at: loop.now, into: &effects)
                perform(&effects)
            }
            machine.advance(to: loop.now, into: &effects)
            perform(&effects)
        } while !inputs.isEmpty
        isFeeding = false
        rearm()
    }

    private func rearm() {
        let deadline = handler == nil ? nil : machine.deadline
        guard timer?.moment != deadline else { return }
        timer?.timer.cancel()
        timer = deadline.map { deadline in
            (deadline, loop.schedule(at: deadline) { [weak self] in self?.timerFired() })
        }
    }

    private func timerFired() {
        timer = nil
        feed(nil)
    }

    private func perform(_ effects: inout [EngineIOClientTransport.Effect]) {
        for effect in effects { perform(effect) }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: EngineIOClientTransport.Effect) {
        switch effect {
        case .openWebSocket(let target): openWebSocket(target)
        case .sendWebSocket(let message):
            if message.isText("5") { isOnWebSocket = true }
            if message.isText("2probe") || message.isText("5") { request.upgrading?(message, true) }
            webSocket?.send(message)
        case .closeWebSocket(let close): webSocket?.close(close)
        case .get(let id, let target):
            let stream = exchange(id, HTTPRequest(url: url(target, isWebSocket: false)))
            if !isReading { stream.setReading(false) }
            get = (id, stream)
        case .post(let id, let target, let body, let contentType):
            let request = HTTPRequest(
                method: "POST", url: url(target, isWebSocket: false), headers: [("content-type", contentType)],
                body: body)
            post = (id, exchange(id, request))
        case .cancel(let id):
            if get?.id == id { get?.stream.cancel() }
            if post?.id == id { post?.stream.cancel() }
        case .opened:
            isOnWebSocket = machine.isWebSocketStream
            handler?(.opened)
        case .received(let messages): handler?(.received(messages))
        case .closed(let close): end(.closed(close))
        case .failed(let failure): end(.failed(failure))
        }
    }

    private func end(_ event: WebSocketEvent) {
        let told = handler
        handler = nil
        (get, post, webSocket) = (nil, nil, nil)
        webSocketNumber += 1
        told?(event)
    }

    // MARK: The WebSocket

    private func openWebSocket(_ target: String) {
        webSocketNumber += 1
        let number = webSocketNumber
        var socketRequest = WebSocketRequest(
            url: url(target, isWebSocket: true), access: request.access, timeout: request.timeout,
            maximumMessage: request.maximumMessage)
        socketRequest.framing = request.framing
        socketRequest.fellBack = request.fellBack
        webSocket = WebSocketClient(on: loop, socketRequest) { [self] event in
            if number == webSocketNumber { webSocketDid(event) }
        }
        followReading()
    }

    /// Applies the owner's reading state to a WebSocket that carries the session. A WebSocket that is being probed is
    /// always read.
    private func followReading() {
        if request.transport == .websocket || machine.isWebSocketStream { webSocket?.setReading(isReading) }
    }

    private func webSocketDid(_ event: WebSocketEvent) {
        switch event {
        case .opened: feed(.webSocketOpened)
        case .received(let messages):
            guard !machine.isWebSocketStream else {
                handler?(.received(messages))
                break
            }
            for message in messages { request.upgrading?(message, false) }
            feed(.webSocketReceived(messages))
        case .closed(let close):
            webSocket = nil
            feed(.webSocketClosed(close))
        case .failed(let failure):
            webSocket = nil
            feed(.webSocketFailed(failure))
        }
        // The machine may just have moved the session to this WebSocket.
        if !isReading { followReading() }
    }

    // MARK: Exchanges

    private func exchange(_ id: EngineIOClientTransport.RequestID, _ request: HTTPRequest) -> HTTPStream {
        var request = request
        request.access = self.request.access
        // The machine keeps its own deadlines and bounds every packet.
        request.timeout = nil
        request.maximumBody = .max
        return http.stream(request) { [self] event in exchangeDid(id, event) }
    }

    private func exchangeDid(_ id: EngineIOClientTransport.RequestID, _ event: HTTPStreamEvent) {
        guard get?.id == id || post?.id == id else { return }
        switch event {
        case .head(let status, let headers):
            feed(.responseHead(id, status: status, retryAfter: retryAfter(in: headers)))
        case .chunk(let bytes): feed(.responseChunk(id, bytes[...]))
        case .end:
            forget(id)
            feed(.responseEnd(id))
        case .failed(let failure):
            forget(id)
            feed(.requestFailed(id, failure.connectFailure))
        }
    }

    private func forget(_ id: EngineIOClientTransport.RequestID) {
        if get?.id == id { get = nil }
        if post?.id == id { post = nil }
    }

    private func url(_ target: String, isWebSocket: Bool) -> URLParts {
        let scheme = request.url.isSecure ? (isWebSocket ? "wss" : "https") : (isWebSocket ? "ws" : "http")
        return request.url.with(scheme: scheme, target: target)
    }
}

extension HTTPFailure {
    /// The failure as a `ConnectFailure`. Both types use the same names for kinds and phases.
    fileprivate var connectFailure: ConnectFailure {
        ConnectFailure(
            phase: kind == .lost ? .connect : ConnectFailure.Phase(rawValue: kind.rawValue) ?? .handshake,
            httpStatus: status, message: message, retry: retry)
    }
}

extension URLParts {
    /// Returns a URL of the same server with this path and query. `scheme` replaces the scheme unless it is `nil`.
    public func with(scheme: String? = nil, target: String) -> URLParts {
        let parts = target.split(separator: "?", maxSplits: 1)
        return URLParts(
            scheme: scheme ?? self.scheme, host: host, port: port, path: parts.first.map(String.init) ?? "/",
            query: parts.count > 1 ? String(parts[1]) : "")
    }
}
