package import WeirJSON
package import WeirWire

/// The parameters of one attempt to connect. They are requested again for every attempt, so that a time stamp in the
/// URL, a token or a header is never stale.
package struct SocketIOAttempt: Sendable {
    /// The `http`, `https`, `ws` or `wss` URL with the Engine.IO path. Its query is added to that of every request.
    package var url: URLParts
    /// The settings for reaching the server, including headers.
    package var access: Access
    /// CONNECT payloads by namespace (Engine.IO 4). They replace the configured ones.
    package var auth: [String: RawJSON]
    /// The implementation that reads and writes the WebSocket frames.
    package var framing = WebSocketFraming.auto
    /// Creates an attempt with automatic framing.
    package init(url: URLParts, access: Access = Access(), auth: [String: RawJSON] = [:]) {
        self.url = url
        self.access = access
        self.auth = auth
    }
}

/// The reason why an event was not acknowledged.
package enum AcknowledgementFailure: Error, Hashable, Sendable {
    /// The event was sent, but its acknowledgement can no longer arrive.
    case unacknowledged(SocketIOClientMachine.AckFailure)
    /// The event was not sent.
    case notSent(SocketIOClientMachine.DropCause)
}

/// A Socket.IO client on an `EventLoop` that reconnects by itself. It supports all transports, several namespaces, and
/// events and acknowledgements in both directions, including binary ones. `SocketIOReconnection` makes its decisions.
///
/// All calls and callbacks are on the loop's thread, except `request`. The client lives until `disconnect` or until it
/// ends by itself (`.ended`), even if no other object retains it.
package final class SocketIOConnection: Sendable {
    /// A callback before every attempt; `attempt` counts from 1 since the last success. It calls `proceed` once, on any
    /// thread, now or later. A failure counts as a failure of the attempt.
    package typealias Preparation =
        @Sendable (_ attempt: Int, _ proceed: @escaping @Sendable (Result<SocketIOAttempt, ConnectFailure>) -> Void)
        -> Void
    /// A callback for events, in order. Consecutive events are delivered together.
    package typealias Handler = @Sendable ([SocketIOReconnection.Event]) -> Void

    private let loop: EventLoop
    private let core: SocketIOConnectionCore

    /// Starts to connect. Call this on the loop's thread. `handler` is called on the loop, and never before the
    /// initialiser returns. `http` carries the polling and must answer on the same loop. `maximumMessage` limits one
    /// message, in bytes.
    package init(
        on loop: EventLoop, http: HTTPClient, _ configuration: SocketIOReconnection.Configuration,
        transport: EngineIO.TransportChoice = .auto, maximumMessage: Int = Limits.standard,
        prepare: @escaping Preparation, handler: @escaping Handler
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        let core = SocketIOConnectionCore(
            loop: loop, http: http, configuration, transport: transport, maximumMessage: maximumMessage,
            prepare: prepare, handler: handler)
        self.core = core
        loop.run { core.start() }
    }

    /// Starts to connect to a server whose address does not change.
    package convenience init(
        on loop: EventLoop, http: HTTPClient, to attempt: SocketIOAttempt,
        _ configuration: SocketIOReconnection.Configuration, transport: EngineIO.TransportChoice = .auto,
        handler: @escaping Handler
    ) {
        self.init(
            on: loop, http: http, configuration, transport: transport,
            prepare: { _, proceed in proceed(.success(attempt)) }, handler: handler)
    }

    /// Sends an event, or keeps it for as long as its delivery mode allows. Returns its ack id if it requests an
    /// acknowledgement, whose outcome is reported to the handler.
    @discardableResult
    package func emit(_ emission: SocketIO.Emission) -> Int? {
        loop.preconditionOnLoop()
        return core.emit(emission, answer: nil)
    }

    /// Sends an event that requests an acknowledgement. `answer` is called once, on the loop, instead of the handler.
    package func emit(
        _ emission: SocketIO.Emission,
        answer: @escaping @Sendable (Result<SocketIO.Acknowledgement, AcknowledgementFailure>) -> Void
    ) {
        loop.preconditionOnLoop()
        _ = core.emit(emission.asking, answer: answer)
    }

    /// Sends an event and waits for its acknowledgement. Any thread. End the connection before shutting down the loop;
    /// otherwise the call never returns.
    package func request(_ emission: SocketIO.Emission) async throws(AcknowledgementFailure) -> SocketIO.Acknowledgement
    {
        let core = core
        let asking = emission.asking
        return try await withCheckedContinuation { continuation in
            loop.run { _ = core.emit(asking) { continuation.resume(returning: $0) } }
        }.get()
    }

    /// Acknowledges an event. An event that did not request an acknowledgement is ignored.
    package func acknowledge(_ event: SocketIO.Event, with arguments: SocketIO.Arguments = SocketIO.Arguments()) {
        loop.preconditionOnLoop()
        guard let id = event.ackID else { return }
        core.change { machine, now, effects in
            machine.acknowledge(
                id, arguments: arguments.array, attachments: arguments.attachments, namespace: event.namespace, at: now,
                into: &effects)
        }
    }

    /// Joins another namespace, on this connection and later ones.
    package func join(_ namespace: SocketIOClientMachine.Namespace) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.join(namespace, at: now, into: &effects) }
    }

    /// Leaves a namespace for good. The client ends with its last namespace.
    package func leave(_ namespace: String) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.leave(namespace, at: now, into: &effects) }
    }

    /// Leaves every namespace and ends the client; `.ended` follows.
    package func disconnect() {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.disconnect(at: now, into: &effects) }
    }

    /// Pauses (`false`) or resumes (`true`) reading, on this connection and later ones. A slow consumer uses it for
    /// back-pressure.
    package func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        core.setReading(reading)
    }

    /// The number of bytes that are queued and not yet passed to the kernel, or posted and not yet answered.
    package var pendingBytes: Int {
        loop.preconditionOnLoop()
        return core.socket?.pendingBytes ?? 0
    }

    /// Whether a WebSocket carries the session now.
    package var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return core.socket?.isOnWebSocket ?? false
    }
}

extension SocketIO.Emission {
    /// The same emission, changed to request an acknowledgement.
    fileprivate var asking: SocketIO.Emission {
        var asking = self
        if ack == .none { asking.ack = .unlimited }
        return asking
    }
}

/// The driver of a Socket.IO client: performs the effects of its state machine with one Engine.IO session after
/// another.
final class SocketIOConnectionCore: @unchecked Sendable {
    // Unchecked: all mutable state is used on the loop's thread only, where the owner and all callbacks run.
    typealias Answer = @Sendable (Result<SocketIO.Acknowledgement, AcknowledgementFailure>) -> Void

    private struct AckKey: Hashable {
        var namespace: String
        var id: Int
    }

    private let loop: EventLoop
    private let http: HTTPClient
    private let configuration: SocketIOReconnection.Configuration
    private let transport: EngineIO.TransportChoice
    private let maximumMessage: Int
    private let prepare: SocketIOConnection.Preparation
    /// The owner's callback; `nil` after the final event.
    private var handler: SocketIOConnection.Handler?

    private var machine: SocketIOReconnection
    private(set) var socket: EngineIOSocket?
    /// The number of attempts over the whole life. Results of an earlier attempt are ignored.
    private var attempts = 0
    private var isReading = true
    private var answers: [AckKey: Answer] = [:]
    /// The effects to perform. If the handler makes a call, its effects are performed after the current ones.
    private var effects: [SocketIOReconnection.Effect] = []
    private var isPerforming = false
    private var timer: (moment: Moment, timer: LoopTimer)?

    init(
        loop: EventLoop, http: HTTPClient, _ configuration: SocketIOReconnection.Configuration,
        transport: EngineIO.TransportChoice, maximumMessage: Int, prepare: @escaping SocketIOConnection.Preparation,
        handler: @escaping SocketIOConnection.Handler
    ) {
        self.loop = loop
        self.http = http
        self.configuration = configuration
        self.transport = transport
        self.maximumMessage = maximumMessage
        self.prepare = prepare
        self.handler = handler
        var random = SystemRandomNumberGenerator()
        machine = SocketIOReconnection(configuration, seed: random.next())
    }

    func start() { change { machine, _, effects in machine.start(into: &effects) } }

    func emit(_ emission: SocketIO.Emission, answer: Answer?) -> Int? {
        var id: Int?
        change { machine, now, effects in
            id = machine.emit(emission, at: now, into: &effects)
            if let id, let answer {
                let first = configuration.namespaces.first?.name ?? "/"
                let namespace = SocketIO.namespaceName(emission.namespace ?? first)
                answers[AckKey(namespace: namespace, id: id)] = answer
            }
        }
        return id
    }

    func setReading(_ reading: Bool) {
        isReading = reading
        socket?.setReading(reading)
        change { machine, now, _ in machine.set(reading ? .resumed : .paused, at: now) }
    }

    // MARK: The machine

    /// Applies `body` to the machine at the current time, and performs the effects.
    func change(_ body: (inout SocketIOReconnection, Moment, inout [SocketIOReconnection.Effect]) -> Void) {
        let now = loop.now
        // Input that has arrived is handled before the deadlines, since it may have waited.
        body(&machine, now, &effects)
        machine.advance(to: now, into: &effects)
        guard !isPerforming else { return }
        isPerforming = true
        while !effects.isEmpty {
            let next = effects
            effects = []
            perform(next)
        }
        isPerforming = false
        rearm()
    }

    private func rearm() {
        let deadline = machine.deadline
        guard timer?.moment != deadline else { return }
        timer?.timer.cancel()
        timer = deadline.map { deadline in
            (deadline, loop.schedule(at: deadline) { [weak self] in self?.timerFired() })
        }
    }

    private func timerFired() {
        timer = nil
        change { _, _, _ in }
    }

    private func perform(_ effects: [SocketIOReconnection.Effect]) {
        var events: [SocketIOReconnection.Event] = []
        for effect in effects {
            if case .tell(let event) = effect {
                if !settle(event) { events.append(event) }
                continue
            }
            tell(&events)
            switch effect {
            case .connect(let attempt, let revision): connect(attempt, revision)
            case .send(let message): socket?.send(message)
            case .close: close()
            case .tell: break
            }
        }
        tell(&events)
    }

    private func tell(_ events: inout [SocketIOReconnection.Event]) {
        if events.isEmpty { return }
        let told = handler
        if case .ended = events.last { handler = nil }
        told?(events)
        events = []
    }

    /// Calls the answer callback that waits for the event's acknowledgement. Returns whether there was one.
    private func settle(_ event: SocketIOReconnection.Event) -> Bool {
        if answers.isEmpty { return false }
        switch event {
        case .acknowledged(let answer): return settle(answer.namespace, answer.id, .success(answer))
        case .unacknowledged(let namespace, let id, let cause):
            return settle(namespace, id, .failure(.unacknowledged(cause)))
        case .dropped(let dropped):
            guard let id = dropped.id else { return false }
            return settle(dropped.namespace, id, .failure(.notSent(dropped.cause)))
        case .connecting, .joined, .refused, .event, .disconnected, .malformed, .lost, .ended: return false
        }
    }

    private func settle(
        _ namespace: String, _ id: Int, _ result: Result<SocketIO.Acknowledgement, AcknowledgementFailure>
    ) -> Bool {
        guard let answer = answers.removeValue(forKey: AckKey(namespace: namespace, id: id)) else { return false }
        answer(result)
        return true
    }

    // MARK: Attempts

    private func connect(_ attempt: Int, _ revision: EngineIO.Revision) {
        attempts += 1
        let number = attempts
        prepare(attempt) { [self, loop] result in
            loop.run {
                guard number == self.attempts else { return }
                switch result {
                case .success(let attempt): self.open(attempt, revision, number)
                case .failure(let failure): self.failed(failure)
                }
            }
        }
    }

    private func open(_ attempt: SocketIOAttempt, _ revision: EngineIO.Revision, _ number: Int) {
        var request = EngineIORequest(
            url: attempt.url, transport: transport, revision: revision,
            detectsRevision: configuration.revision == nil, access: attempt.access,
            timeout: configuration.handshakeTimeout, maximumMessage: maximumMessage)
        request.framing = attempt.framing
        let opened = EngineIOSocket(on: loop, http: http, request) { [self] event in
            if number == attempts { socketDid(event, attempt) }
        }
        if !isReading { opened.setReading(false) }
        socket = opened
    }

    private func socketDid(_ event: WebSocketEvent, _ attempt: SocketIOAttempt) {
        switch event {
        case .opened: change { machine, now, effects in machine.opened(auth: attempt.auth, at: now, into: &effects) }
        case .received(let messages):
            change { machine, now, effects in machine.received(messages, at: now, into: &effects) }
        case .closed(let close):
            socket = nil
            change { machine, now, effects in machine.closed(close, at: now, into: &effects) }
        case .failed(let failure): failed(failure)
        }
    }

    private func failed(_ failure: ConnectFailure) {
        socket = nil
        change { machine, now, effects in machine.failed(failure, at: now, into: &effects) }
    }

    private func close() {
        if let socket { return socket.close(WebSocketClose(code: 1000)) }
        // The attempt is still being prepared. Its result will be ignored.
        attempts += 1
        failed(ConnectFailure(phase: .handshake, message: "closed before it opened"))
    }
}
