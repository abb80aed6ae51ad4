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
    enum State {
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

    let configuration: Configuration
    var random: RandomSource
    var state = State.idle
    /// The machine of the open stream.
    var client: SocketIOClient?
    var memory = SocketIOClient.Memory()
    private var reading = SocketReading.resumed
    /// The namespaces to be in, and when to ask again for one the server took us out of.
    var wanted: [(namespace: SocketIOClient.Namespace, askAgain: Moment?)]
    /// Attempts since the last session that held.
    var attempt = 0
    var steadiness = Steadiness()
    /// The revision that was found out.
    var revision: EngineIO.Revision?
    /// Whether this attempt followed the last one without a wait.
    var isAtOnce = false
    /// Why the last namespace was lost, when it was refused.
    var refusal: SocketIO.Refusal?

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
    var first: String { configuration.namespaces.first?.name ?? "/" }
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

    func isWanted(_ name: String) -> Bool {
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
        var told = SocketIOClient.Configuration(
            revision: revision, namespaces: namespaces, handshakeTimeout: configuration.handshakeTimeout,
            overflow: configuration.overflow)
        told.detectsRevision = configuration.revision == nil && self.revision == nil
        client = SocketIOClient(told, memory: memory, openedAt: now)
        client?.set(reading, at: now)
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

    /// The stream is read, or not.
    public mutating func set(_ reading: SocketReading, at now: Moment) {
        self.reading = reading
        client?.set(reading, at: now)
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

    mutating func fire(_ due: Moment, into effects: inout [Effect]) {
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
