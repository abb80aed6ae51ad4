public import JSONText

/// A client that stays connected: one connection after another, each with a `SocketIOClient` of its own, and what outlives them.
///
/// ```
/// idle ──start──► connecting ──opened──► open ──SocketIOClient wants the close──► closing
///                   ▲    │ failed          │ closed                                 │ closed
///                   │    ▼                 ▼                                        ▼
///                 waiting (backoff) ◄──────┴────────────────────────────────────────┘
/// ```
///
/// and from everywhere to `over`: by `disconnect`, a refusal that another attempt cannot help, or when the attempts are used up. No
/// wait where none helps: a session the server has forgotten, and a server of another revision, are asked again at once, the
/// same reason twice in a row not.
///
/// Emits are taken at any time; what becomes of them while nothing is connected, their delivery says.
public struct SocketIOReconnection: Sendable {
    private enum State {
        /// Not started. Follows: connecting, over.
        case idle
        /// A packet stream was asked for. Follows: open, waiting, connecting, over.
        case connecting(EngineIO.Revision)
        /// A packet stream is there, with this machine. Follows: closing, waiting, connecting, over.
        case open(EngineIO.Revision)
        /// The stream's end was asked for, for this reason. Follows: waiting, connecting, over.
        case closing(SocketIOClient.CloseCause)
        /// The next attempt begins then. Follows: connecting, over.
        case waiting(until: Moment)
        /// Nothing more will happen.
        case over
    }

    private let configuration: Configuration
    private var random: RandomSource
    private var state = State.idle
    /// The machine of the open stream.
    private var client: SocketIOClient?
    private var memory = SocketIOClient.Memory()
    /// The namespaces to be in, and when to ask again for one the server took us out of.
    private var wanted: [(namespace: SocketIOClient.Namespace, askAgain: Moment?)]
    /// Attempts since the last success.
    private var attempt = 0
    /// The revision that was found out.
    private var revision: EngineIO.Revision?
    /// Whether this attempt followed the last one without a wait.
    private var isAtOnce = false
    /// Why the last namespace was lost, when it was refused.
    private var refusal: SocketIO.Refusal?

    /// A client that has not started. `seed` decides its jitter.
    public init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
        wanted = configuration.namespaces.map { ($0, nil) }
    }

    /// When `advance` wants to be called next.
    public var deadline: Moment? {
        switch state {
        case .idle, .over: nil
        case .connecting, .closing: memory.deadline
        case .waiting(let until): memory.deadline.map { min($0, until) } ?? until
        case .open: (wanted.compactMap(\.askAgain) + [client?.deadline].compactMap { $0 }).min()
        }
    }

    /// The namespace that is meant where none is named.
    private var first: String { configuration.namespaces.first?.name ?? "/" }
}

// MARK: - What the application does

extension SocketIOReconnection {
    /// Begins. To be called once.
    public mutating func start(into effects: inout [Effect]) {
        guard case .idle = state else { return }
        connect(into: &effects)
    }

    /// Sends an event, or keeps it as far as its delivery allows; gives its ack id when it wants an acknowledgement. The name must not
    /// be reserved (`SocketIO.isReserved`).
    public mutating func emit(_ emission: SocketIO.Emission, at now: Moment, into effects: inout [Effect]) -> Int? {
        var told: [SocketIOClient.Effect] = []
        let id: Int?
        if client != nil {
            id = client?.emit(emission, at: now, into: &told)
        } else {
            var emission = emission
            let name = SocketIO.NamespaceAddress(emission.namespace ?? first).name
            // Nobody will join it: it must not wait.
            if !isWanted(name) { emission.delivery = .volatile }
            id = memory.emit(emission, first: first, overflow: configuration.overflow, at: now, into: &told)
        }
        carryOut(told, at: now, into: &effects)
        return id
    }

    /// Answers an event that asked for it; `arguments` is a JSON array.
    public mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], namespace: String, at now: Moment,
        into effects: inout [Effect]
    ) {
        withClient(at: now, into: &effects) { client, told in
            client.acknowledge(id, arguments: arguments, attachments: attachments, namespace: namespace, into: &told)
        }
    }

    /// Joins one more namespace, on this connection and the next ones.
    public mutating func join(_ namespace: SocketIOClient.Namespace, at now: Moment, into effects: inout [Effect]) {
        if case .over = state { return }
        let name = SocketIO.NamespaceAddress(namespace.name).name
        if let index = wanted.firstIndex(where: { $0.namespace.matches(name) }) {
            wanted[index] = (namespace, nil)
        } else {
            wanted.append((namespace, nil))
        }
        withClient(at: now, into: &effects) { client, told in client.join(namespace, at: now, into: &told) }
    }

    /// Leaves a namespace for good. With the last one the client ends.
    public mutating func leave(_ namespace: String, at now: Moment, into effects: inout [Effect]) {
        let name = SocketIO.NamespaceAddress(namespace).name
        wanted.removeAll { $0.namespace.matches(name) }
        withClient(at: now, into: &effects) { client, told in client.leave(name, into: &told) }
        if wanted.isEmpty, client == nil { disconnect(at: now, into: &effects) }
    }

    /// Leaves every namespace and ends, whatever the state.
    public mutating func disconnect(at now: Moment, into effects: inout [Effect]) {
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

    private func isWanted(_ name: String) -> Bool {
        if case .over = state { return false }
        return wanted.contains { $0.namespace.matches(name) }
    }
}

// MARK: - What the stream does

extension SocketIOReconnection {
    /// The packet stream is open. `auth` holds CONNECT payloads made for this attempt, by namespace; they stand instead of the configured ones.
    public mutating func opened(auth: [String: RawJSON] = [:], at now: Moment, into effects: inout [Effect]) {
        guard case .connecting(let revision) = state else { return }
        let namespaces = wanted.map { entry in
            var namespace = entry.namespace
            namespace.auth = auth[namespace.name] ?? namespace.auth
            return namespace
        }
        for index in wanted.indices { wanted[index].askAgain = nil }
        state = .open(revision)
        refusal = nil
        client = SocketIOClient(
            SocketIOClient.Configuration(
                revision: revision, namespaces: namespaces, handshakeTimeout: configuration.handshakeTimeout,
                overflow: configuration.overflow),
            memory: memory, openedAt: now)
        memory = SocketIOClient.Memory()
    }

    /// The packet stream did not come about.
    public mutating func failed(_ failure: ConnectFailure, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .connecting: lost(.failed(failure), failure.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .open, .waiting, .over: break
        }
    }

    /// Messages arrived.
    public mutating func received(_ messages: [WebSocketMessage], at now: Moment, into effects: inout [Effect]) {
        withClient(at: now, into: &effects) { client, told in
            for message in messages { client.receive(message, at: now, into: &told) }
        }
    }

    /// The packet stream is gone.
    public mutating func closed(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .open:
            retireClient(at: now, into: &effects)
            lost(.closed(close), close.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .connecting, .waiting, .over: break
        }
    }

    /// Does what is due up to `now`.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        var told: [SocketIOClient.Effect] = []
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

// MARK: - Carrying out

extension SocketIOReconnection {
    private mutating func withClient(
        at now: Moment, into effects: inout [Effect],
        _ body: (inout SocketIOClient, inout [SocketIOClient.Effect]) -> Void
    ) {
        guard client != nil else { return }
        var told: [SocketIOClient.Effect] = []
        body(&client!, &told)
        carryOut(told, at: now, into: &effects)
    }

    private mutating func carryOut(
        _ told: [SocketIOClient.Effect], at now: Moment, into effects: inout [Effect]
    ) {
        for effect in told {
            switch effect {
            case .send(let message): effects.append(.send(message))
            case .connected(let joined):
                succeeded()
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

    private mutating func succeeded() {
        attempt = 0
        isAtOnce = false
        if case .open(let revision) = state { self.revision = revision }
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

    /// What the machine of the stream leaves behind is for the next one's.
    private mutating func retireClient(at now: Moment, into effects: inout [Effect]) {
        var told: [SocketIOClient.Effect] = []
        if let left = client?.socketClosed(into: &told) { memory = left }
        client = nil
        carryOut(told, at: now, into: &effects)
    }

    private mutating func connect(into effects: inout [Effect]) {
        attempt += 1
        let revision = configuration.revision ?? revision ?? .v4
        state = .connecting(revision)
        effects.append(.tell(.connecting(attempt: attempt)))
        effects.append(.connect(attempt: attempt, revision))
    }

    /// The stream that the machine wanted closed is gone.
    private mutating func closed(
        by cause: SocketIOClient.CloseCause, at now: Moment, into effects: inout [Effect]
    ) {
        switch cause {
        case .requested: end(.requested, into: &effects)
        case .byServer where refusal != nil && wanted.isEmpty:
            end(.namespaceRefused(refusal ?? .init(message: "")), into: &effects)
        case .byServer where !configuration.returnsAfterKick: end(.disconnectedByServer, into: &effects)
        case .revisionMismatch(let revision):
            lost(.protocolEnd(cause), .withRevision(revision), at: now, into: &effects)
        case .byServer, .pingTimeout, .handshakeTimeout, .notEngineIO, .outOfStep:
            lost(.protocolEnd(cause), .later, at: now, into: &effects)
        }
    }

    private mutating func lost(
        _ loss: Loss, _ retry: Reconnection, at now: Moment, into effects: inout [Effect]
    ) {
        switch retry {
        case .never:
            if case .failed(let failure) = loss { return end(.refused(failure), into: &effects) }
        case .withRevision(let found):
            guard configuration.revision == nil else { break }
            revision = found
            if connectAtOnce(loss, into: &effects) { return }
        case .atOnce:
            if connectAtOnce(loss, into: &effects) { return }
        case .later: break
        }
        isAtOnce = false
        if let limit = configuration.maximumAttempts, attempt >= limit {
            return end(.gaveUp(attempts: attempt, loss), into: &effects)
        }
        let delay = configuration.backoff.delay(afterFailures: max(attempt, 1), using: &random)
        state = .waiting(until: now + delay)
        effects.append(.tell(.lost(loss, retryIn: delay)))
    }

    private mutating func connectAtOnce(_ loss: Loss, into effects: inout [Effect]) -> Bool {
        if isAtOnce { return false }
        isAtOnce = true
        attempt -= attempt > 0 ? 1 : 0
        effects.append(.tell(.lost(loss, retryIn: .zero)))
        connect(into: &effects)
        return true
    }

    private mutating func end(_ ending: Ending, into effects: inout [Effect]) {
        state = .over
        var told: [SocketIOClient.Effect] = []
        memory.abandon(into: &told)
        memory = SocketIOClient.Memory()
        carryOut(told, at: .zero, into: &effects)
        effects.append(.tell(.ended(ending)))
    }
}

extension SocketIOClient.Namespace {
    fileprivate func matches(_ name: String) -> Bool { SocketIO.NamespaceAddress(self.name).name == name }
}
