public import JSONText

/// A client that stays connected: a sequence of connections, each with its own `SocketIOClient`, and the state that
/// outlives them.
///
/// ```
/// idle ──start──► connecting ──opened──► open ──SocketIOClient wants the close──► closing
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
public struct SocketIOReconnection: Sendable {
    enum State {
        /// The client has not started. Follows: connecting, over.
        case idle
        /// A packet stream was requested. Follows: open, waiting, connecting, over.
        case connecting(EngineIO.Revision)
        /// The packet stream is open, with `client` on it. Follows: closing, waiting, connecting, over.
        case open(EngineIO.Revision)
        /// The close of the stream was requested, for this reason. Follows: waiting, connecting, over.
        case closing(SocketIOClient.CloseCause)
        /// The next attempt begins at `until`. Follows: connecting, over.
        case waiting(until: Moment)
        /// The client does nothing more.
        case over
    }

    let configuration: Configuration
    var random: RandomSource
    var state = State.idle
    /// The client of the open stream; `nil` in any other state.
    var client: SocketIOClient?
    var memory = SocketIOClient.Memory()
    private var reading = SocketReading.resumed
    /// The wanted namespaces. `askAgain` is when to rejoin one from which the server removed the client.
    var wanted: [(namespace: SocketIOClient.Namespace, askAgain: Moment?)]
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
    public init(_ configuration: Configuration, seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
        wanted = configuration.namespaces.map { ($0, nil) }
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
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
    public mutating func start(into effects: inout [Effect]) {
        guard case .idle = state else { return }
        connect(into: &effects)
    }

    /// Sends an event, or keeps it if its delivery mode permits. The name must not be reserved (`SocketIO.isReserved`).
    ///
    /// - Returns: The acknowledgement id, if the event requests an acknowledgement.
    public mutating func emit(_ emission: SocketIO.Emission, at now: Moment, into effects: inout [Effect]) -> Int? {
        var told: [SocketIOClient.Effect] = []
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
    public mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], namespace: String, at now: Moment,
        into effects: inout [Effect]
    ) {
        withClient(at: now, into: &effects) { client, told in
            client.acknowledge(id, arguments: arguments, attachments: attachments, namespace: namespace, into: &told)
        }
    }

    /// Joins another namespace, on this connection and on later ones.
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

    /// Leaves a namespace permanently. The client ends with the last one.
    public mutating func leave(_ namespace: String, at now: Moment, into effects: inout [Effect]) {
        let name = SocketIO.NamespaceAddress(namespace).name
        wanted.removeAll { $0.namespace.matches(name) }
        withClient(at: now, into: &effects) { client, told in client.leave(name, into: &told) }
        if wanted.isEmpty, client == nil { disconnect(at: now, into: &effects) }
    }

    /// Leaves every namespace and ends, in any state.
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
    /// Handles an open packet stream. `auth` contains CONNECT payloads created for this attempt, by namespace. They
    /// replace the configured ones.
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

    /// Handles a packet stream that could not be opened.
    public mutating func failed(_ failure: ConnectFailure, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .connecting: lost(.failed(failure), failure.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .open, .waiting, .over: break
        }
    }

    /// Tells the client whether the stream is read.
    public mutating func set(_ reading: SocketReading, at now: Moment) {
        self.reading = reading
        client?.set(reading, at: now)
    }

    /// Handles messages from the stream, in order.
    public mutating func received(_ messages: [WebSocketMessage], at now: Moment, into effects: inout [Effect]) {
        withClient(at: now, into: &effects) { client, told in
            for message in messages { client.receive(message, at: now, into: &told) }
        }
    }

    /// Handles the loss of the packet stream.
    public mutating func closed(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .open:
            retireClient(at: now, into: &effects)
            lost(.closed(close), close.retry, at: now, into: &effects)
        case .closing(let cause): closed(by: cause, at: now, into: &effects)
        case .idle, .connecting, .waiting, .over: break
        }
    }

    /// Performs the steps that are due up to `now`.
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
