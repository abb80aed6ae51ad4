package import WeirJSON

/// A client that stays connected: a sequence of connections, each with its own `SocketIOClientMachine`, and the state that
/// outlives them.
///
/// ```
/// idle ──start──► connecting ──opened──► open ──SocketIOClientMachine wants the close──► closing
///                   ▲    │ failed          │ closed                                 │ closed
///                   │    ▼                 ▼                                        ▼
///                 waiting (backoff) ◄──────┴────────────────────────────────────────┘
/// ```
///
/// Every state can also lead to `over`: through `disconnect`, through a refusal that another attempt cannot help, or
/// when the attempts are used up. The client skips the delay if waiting does not help: it reconnects at once if the
/// server has forgotten the session or uses another revision, but not twice in a row.
///
/// Events can be emitted at any time. Their delivery mode determines what happens to them while no connection exists.
package struct SocketIOReconnection: Sendable {
    enum State {
        /// The client has not started. Follows: connecting, over.
        case idle
        /// A packet stream was requested. Follows: open, waiting, connecting, over.
        case connecting(EngineIO.Revision)
        /// The packet stream is open, with `client` on it. Follows: closing, waiting, connecting, over.
        case open(EngineIO.Revision)
        /// The close of the stream was requested, for this reason. Follows: waiting, connecting, over.
        case closing(SocketIOClientMachine.CloseCause)
        /// The next attempt begins at `until`. Follows: connecting, over.
        case waiting(until: Moment)
        /// The client does nothing more.
        case over
    }

    let configuration: Configuration
    var random: RandomSource
    var state = State.idle
    /// The client of the open stream; `nil` in any other state.
    var client: SocketIOClientMachine?
    var memory = SocketIOClientMachine.Memory()
    private var reading = SocketReading.resumed
    /// The wanted namespaces. `askAgain` is when to rejoin one from which the server removed the client.
    var wanted: [(namespace: SocketIOClientMachine.Namespace, askAgain: Moment?)]
    /// The number of attempts since the last session that lasted.
    var attempt = 0
    var steadiness = Steadiness()
    /// The revision that was detected.
    var revision: EngineIO.Revision?
    /// Whether the current attempt followed the previous one without a delay.
    var isAtOnce = false
    /// The reason for which the server refused the last namespace, if it did.
    var refusal: SocketIO.Refusal?

    /// Creates a client that has not started. `seed` determines its jitter.
    package init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
        wanted = configuration.namespaces.map { ($0, nil) }
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
        switch state {
        case .idle, .over: nil
        case .connecting, .closing: memory.deadline
        case .waiting(let until): memory.deadline.map { min($0, until) } ?? until
        case .open: (wanted.compactMap(\.askAgain) + [client?.deadline].compactMap { $0 }).min()
        }
    }

    /// The namespace for calls that name none.
    var first: String { configuration.namespaces.first?.name ?? "/" }
}

// MARK: - What the application does

extension SocketIOReconnection {
    /// Starts the first attempt. Call it once.
    package mutating func start(into effects: inout [Effect]) {
        guard case .idle = state else { return }
        connect(into: &effects)
    }

    /// Sends an event, or keeps it if its delivery mode permits. The name must not be reserved (`SocketIO.isReserved`).
    ///
    /// - Returns: The acknowledgement id, if the event requests an acknowledgement.
    package mutating func emit(_ emission: SocketIO.Emission, at now: Moment, into effects: inout [Effect]) -> Int? {
        var told: [SocketIOClientMachine.Effect] = []
        let id: Int?
        if client != nil {
            id = client?.emit(emission, at: now, into: &told)
        } else {
            var emission = emission
            let name = SocketIO.NamespaceAddress(emission.namespace ?? first).name
            // The namespace will not be joined, so the event must not wait.
            if !isWanted(name) { emission.delivery = .volatile }
            id = memory.emit(emission, first: first, overflow: configuration.overflow, at: now, into: &told)
        }
        carryOut(told, at: now, into: &effects)
        return id
    }

    /// Acknowledges an event that requested it. `arguments` is a JSON array.
    package mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], namespace: String, at now: Moment,
        into effects: inout [Effect]
    ) {
        withClient(at: now, into: &effects) { client, told in
            client.acknowledge(id, arguments: arguments, attachments: attachments, namespace: namespace, into: &told)
        }
    }

    /// Joins another namespace, on this connection and on later ones.
    package mutating func join(
        _ namespace: SocketIOClientMachine.Namespace, at now: Moment, into effects: inout [Effect]
    ) {
        if case .over = state { return }
        let name = SocketIO.NamespaceAddress(namespace.name).name
        if let index = wanted.firstIndex(where: { $0.namespace.matches(name) }) {
            wanted[index] = (namespace, nil)
        } else {
            wanted.append((namespace, nil))
        }
        withClient(at: now, into: &effects) { client, told in client.join(namespace, at: now, into: &told) }
    }

    /// Leaves a namespace permanently. The client ends with the last one.
    package mutating func leave(_ namespace: String, at now: Moment, into effects: inout [Effect]) {
        let name = SocketIO.NamespaceAddress(namespace).name
        wanted.removeAll { $0.namespace.matches(name) }
        withClient(at: now, into: &effects) { client, told in client.leave(name, into: &told) }
        if wanted.isEmpty, client == nil { disconnect(at: now, into: &effects) }
    }

    /// Leaves every namespace and ends, in any state.
    package mutating func disconnect(at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .idle, .waiting: end(.requested, into: &effects)
        case .connecting:
            state = .closing(.requested)
            effects.append(.close)
        case .open: withClient(at: now, into: &effects) { client, told in client.disconnect(into: &told) }
        case .closing: state = .closing(.requested)
        case .over: break
        }
    }

    func isWanted(_ name: String) -> Bool {
        if case .over = state { return false }
        return wanted.contains { $0.namespace.matches(name) }
    }
}

// MARK: - What the stream does

extension SocketIOReconnection {
    /// Handles an open packet stream. `auth` contains CONNECT payloads created for this attempt, by namespace. They
    /// replace the configured ones.
    package mutating func opened(auth: [String: RawJSON] = [:], at now: Moment, into effects: inout [Effect]) {
        guard case .connecting(let revision) = state else { return }
        let namespaces = wanted.map { entry in
            var namespace = entry.namespace
            namespace.auth = auth[namespace.name] ?? namespace.auth
            return namespace
        }
        for index in wanted.indices { wanted[index].askAgain = nil }
        state = .open(revision)
        refusal = nil
        var told = SocketIOClientMachine.Configuration(
            revision: revision, namespaces: namespaces, handshakeTimeout: configuration.handshakeTimeout,
            overflow: configuration.overflow)
        told.detectsRevision = configuration.revision == nil && self.revision == nil
        client = SocketIOClientMachine(told, memory: memory, openedAt: now)
        client?.set(reading, at: now)
        memory = SocketIOClientMachine.Memory()
    }

    /// Handles a packet stream that could not be opened.
    package mutating func failed(_ failure: ConnectFailure, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .connecting: lost(.failed(failure), failure.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .open, .waiting, .over: break
        }
    }

    /// Tells the client whether the stream is read.
    package mutating func set(_ reading: SocketReading, at now: Moment) {
        self.reading = reading
        client?.set(reading, at: now)
    }

    /// Handles messages from the stream, in order.
    package mutating func received(_ messages: [WebSocketMessage], at now: Moment, into effects: inout [Effect]) {
        withClient(at: now, into: &effects) { client, told in
            for message in messages { client.receive(message, at: now, into: &told) }
        }
    }

    /// Handles the loss of the packet stream.
    package mutating func closed(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .open:
            retireClient(at: now, into: &effects)
            lost(.closed(close), close.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .connecting, .waiting, .over: break
        }
    }

    /// Performs the steps that are due up to `now`.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
    }

    mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        var told: [SocketIOClientMachine.Effect] = []
        memory.advance(to: due, into: &told)
        carryOut(told, at: due, into: &effects)
        if case .waiting(let until) = state, until <= due { return connect(into: &effects) }
        withClient(at: due, into: &effects) { client, told in client.advance(to: due, into: &told) }
        for index in wanted.indices {
            guard let again = wanted[index].askAgain, again <= due else { continue }
            wanted[index].askAgain = nil
            let namespace = wanted[index].namespace
            withClient(at: due, into: &effects) { client, told in client.join(namespace, at: due, into: &told) }
        }
    }
}

extension SocketIOReconnection {
    /// The settings of a reconnecting client, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision; `nil` detects it, starting with 4.
        package var revision: EngineIO.Revision?
        /// The namespaces to join. The first one is the default for calls that name no namespace.
        package var namespaces: [SocketIOClientMachine.Namespace]
        /// How long the open packet and the answers for the namespaces may take together.
        package var handshakeTimeout: Duration
        /// Which event to drop when too many wait for their namespace.
        package var overflow: SocketIO.OverflowPolicy
        /// The delays between connection attempts.
        package var backoff: Backoff
        /// The maximum number of consecutive failed attempts, including the first; `nil` for no limit.
        package var maximumAttempts: Int?
        /// Whether to rejoin or reconnect after the server removes the client from a namespace or closes the session.
        package var returnsAfterKick: Bool
        /// Creates a configuration. By default, the client joins `/`, never gives up, and returns after it was removed.
        package init(
            revision: EngineIO.Revision? = nil, namespaces: [SocketIOClientMachine.Namespace] = [.init()],
            handshakeTimeout: Duration = .seconds(20), overflow: SocketIO.OverflowPolicy = .refuseNewest,
            backoff: Backoff = Backoff(base: .seconds(1), cap: .seconds(5)), maximumAttempts: Int? = nil,
            returnsAfterKick: Bool = true
        ) {
            self.revision = revision
            self.namespaces = namespaces
            self.handshakeTimeout = handshakeTimeout
            self.overflow = overflow
            self.backoff = backoff
            self.maximumAttempts = maximumAttempts
            self.returnsAfterKick = returnsAfterKick
        }
    }

    /// The driver performs the effects in this order.
    package enum Effect: Hashable, Sendable {
        /// Open a packet stream of this revision, and then call `opened` or `failed`. Attempts are counted from 1 since
        /// the last success.
        case connect(attempt: Int, EngineIO.Revision)
        /// Send this WebSocket message to the server.
        case send(WebSocketMessage)
        /// Close the packet stream or stop opening it, and then call `closed` or `failed`.
        case close
        /// Report this event to the application.
        case tell(Event)
    }

    /// An event for the application.
    ///
    /// Each acknowledgement id that `emit` returned ends with exactly one `.acknowledged`, `.unacknowledged` or
    /// `.dropped`.
    package enum Event: Hashable, Sendable {
        /// A connection attempt begins. `attempt` counts from 1.
        case connecting(attempt: Int)
        /// The client joined a namespace.
        indirect case joined(SocketIOClientMachine.Joined)
        /// The server refused a namespace. It is not requested again.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event from the server arrived.
        case event(SocketIO.Event)
        /// The server acknowledged an emitted event.
        case acknowledged(SocketIO.Acknowledgement)
        /// A sent event will not be acknowledged.
        case unacknowledged(namespace: String, id: Int, SocketIOClientMachine.AckFailure)
        /// An emitted event was not sent.
        indirect case dropped(SocketIOClientMachine.Dropped)
        /// The server removed the client from a namespace.
        case disconnected(namespace: String)
        /// A frame of the server was rejected.
        case malformed(SocketIO.Malformed)
        /// The connection ended or could not be established. The next attempt follows after `retryIn`.
        indirect case lost(Loss, retryIn: Duration)
        /// No further connection will be made. This is the last event.
        indirect case ended(Ending)
    }

    /// The ways in which one connection can end.
    package enum Loss: Hashable, Sendable {
        /// The connection could not be established.
        case failed(ConnectFailure)
        /// The peer or the network ended the connection.
        case closed(WebSocketClose)
        /// The client itself ended the connection.
        case protocolEnd(SocketIOClientMachine.CloseCause)
    }

    /// The reasons for which no further connection is made.
    package enum Ending: Hashable, Sendable {
        /// The caller called `disconnect(at:into:)`, or left the last namespace.
        case requested
        /// The server refused permanently, so another attempt cannot help.
        case refused(ConnectFailure)
        /// The server refused the last namespace, with this text.
        case namespaceRefused(SocketIO.Refusal)
        /// The server removed the client from the last namespace or closed the session, and the configuration forbids
        /// returning.
        case disconnectedByServer
        /// This many consecutive attempts failed; `Loss` describes the last one.
        case gaveUp(attempts: Int, Loss)
    }
}

// The effects of the open stream's client, and the reaction to its end.
extension SocketIOReconnection {
    mutating func withClient(
        at now: Moment, into effects: inout [Effect],
        _ body: (inout SocketIOClientMachine, inout [SocketIOClientMachine.Effect]) -> Void
    ) {
        guard client != nil else { return }
        var told: [SocketIOClientMachine.Effect] = []
        body(&client!, &told)
        carryOut(told, at: now, into: &effects)
    }

    mutating func carryOut(
        _ told: [SocketIOClientMachine.Effect], at now: Moment, into effects: inout [Effect]
    ) {
        for effect in told {
            switch effect {
            case .send(let message): effects.append(.send(message))
            case .connected(let joined):
                succeeded(at: now)
                effects.append(.tell(.joined(joined)))
            case .refused(let namespace, let refusal):
                wanted.removeAll { $0.namespace.matches(namespace) }
                self.refusal = refusal
                effects.append(.tell(.refused(namespace: namespace, refusal)))
            case .event(let event): effects.append(.tell(.event(event)))
            case .acknowledged(let answer): effects.append(.tell(.acknowledged(answer)))
            case .unacknowledged(let namespace, let id, let cause):
                effects.append(.tell(.unacknowledged(namespace: namespace, id: id, cause)))
            case .dropped(let dropped): effects.append(.tell(.dropped(dropped)))
            case .disconnected(let namespace): disconnected(namespace, at: now, into: &effects)
            case .malformed(let malformed): effects.append(.tell(.malformed(malformed)))
            case .close(let cause):
                state = .closing(cause)
                effects.append(.close)
                retireClient(at: now, into: &effects)
            }
        }
    }

    private mutating func succeeded(at now: Moment) {
        attempt = 0
        steadiness.began(at: now)
        isAtOnce = false
        if case .open = state, let found = client?.revision {
            state = .open(found)
            revision = found
        }
    }

    private mutating func disconnected(_ name: String, at now: Moment, into effects: inout [Effect]) {
        effects.append(.tell(.disconnected(namespace: name)))
        for index in wanted.indices.reversed() where wanted[index].namespace.matches(name) {
            if configuration.returnsAfterKick {
                wanted[index].askAgain = now + configuration.backoff.delay(afterFailures: 1, using: &random)
            } else if wanted.count > 1 {
                wanted.remove(at: index)
            }
        }
    }

    /// Ends the stream's client and keeps its memory for the next one.
    mutating func retireClient(at now: Moment, into effects: inout [Effect]) {
        var told: [SocketIOClientMachine.Effect] = []
        if let left = client?.socketClosed(into: &told) { memory = left }
        client = nil
        carryOut(told, at: now, into: &effects)
    }

    mutating func connect(into effects: inout [Effect]) {
        attempt += 1
        let revision = configuration.revision ?? revision ?? .v4
        state = .connecting(revision)
        effects.append(.tell(.connecting(attempt: attempt)))
        effects.append(.connect(attempt: attempt, revision))
    }

    /// Handles the end of a stream that the client wanted closed.
    mutating func closed(
        by cause: SocketIOClientMachine.CloseCause, at now: Moment, into effects: inout [Effect]
    ) {
        switch cause {
        case .requested: end(.requested, into: &effects)
        case .byServer where refusal != nil && wanted.isEmpty:
            end(.namespaceRefused(refusal ?? .init(message: "")), into: &effects)
        case .byServer where !configuration.returnsAfterKick: end(.disconnectedByServer, into: &effects)
        case .revisionMismatch(let revision):
            lost(.protocolEnd(cause), .withRevision(revision), at: now, into: &effects)
        case .msgpack: lost(.protocolEnd(cause), .never, at: now, into: &effects)
        case .byServer, .pingTimeout, .handshakeTimeout, .notEngineIO, .outOfStep:
            lost(.protocolEnd(cause), .later, at: now, into: &effects)
        }
    }

    mutating func lost(
        _ loss: Loss, _ retry: Reconnection, at now: Moment, into effects: inout [Effect]
    ) {
        if let attempts = steadiness.ended(at: now) { attempt = attempts }
        switch retry {
        case .never:
            if case .failed(let failure) = loss { return end(.refused(failure), into: &effects) }
            return end(.gaveUp(attempts: attempt, loss), into: &effects)
        case .withRevision(let found):
            guard configuration.revision == nil else { break }
            revision = found
            if connectAtOnce(loss, into: &effects) { return }
        case .atOnce:
            if connectAtOnce(loss, into: &effects) { return }
        case .later, .after: break
        }
        isAtOnce = false
        if let limit = configuration.maximumAttempts, attempt >= limit {
            return end(.gaveUp(attempts: attempt, loss), into: &effects)
        }
        var delay = configuration.backoff.delay(afterFailures: max(attempt, 1), using: &random)
        if case .after(let seconds) = retry { delay = max(delay, min(.seconds(seconds), .longestRetryAfter)) }
        state = .waiting(until: now + delay)
        effects.append(.tell(.lost(loss, retryIn: delay)))
    }

    private mutating func connectAtOnce(_ loss: Loss, into effects: inout [Effect]) -> Bool {
        if isAtOnce || attempt > 1 { return false }
        isAtOnce = true
        attempt -= attempt > 0 ? 1 : 0
        effects.append(.tell(.lost(loss, retryIn: .zero)))
        connect(into: &effects)
        return true
    }

    mutating func end(_ ending: Ending, into effects: inout [Effect]) {
        state = .over
        var told: [SocketIOClientMachine.Effect] = []
        memory.abandon(into: &told)
        memory = SocketIOClientMachine.Memory()
        carryOut(told, at: .zero, into: &effects)
        effects.append(.tell(.ended(ending)))
    }
}

extension SocketIOClientMachine.Namespace {
    func matches(_ name: String) -> Bool { SocketIO.NamespaceAddress(self.name).name == name }
}
