import Events
public import SectionedModel
public import Wire

/// The heart: takes an input and a time, gives effects. No clock, no thread, no socket; one seed and one list of inputs give one history.
///
/// The connection's states (rooms and refetches have machines of their own, `RoomBook` and `Refetcher`):
///
///     idle ──start──► connecting ──opened──► handshaking ──namespace joined──► authenticating ──► ready
///                        ▲   │ failed              │ any end of the socket          │              │
///                        │   ▼                     ▼                                ▼              ▼
///                      waiting (backoff) ◄─────────┴────────────────────────────────┴──────────────┘
///
/// and from everywhere to `over`, by `stop`, a refused token, or when the attempts are used up.
public struct Session: Sendable {
    /// What the session was told.
    public let configuration: Configuration
    var random: RandomSource
    var backend: any Backend
    var link = Link.idle
    /// The Socket.IO machine of the open connection; nil while none is open.
    var client: SocketIOClient?
    /// The token that was resolved for the open connection.
    var token: Secret?
    var rooms = RoomBook()
    var refetcher: Refetcher
    var transaction = Transaction()
    /// Facts about the connections so far that outlive one of them.
    var history = ConnectionHistory()
    var diffs = 0
    /// Reused between inputs for its capacity.
    var wireEffects: [SocketIOClient.Effect] = []

    /// A session that has not begun. `seed` decides its jitter. With `keepsChecksum`, the batches of its model carry the checksums
    /// that a diff log is verified by.
    public init(_ configuration: Configuration, seed: UInt64, keepsChecksum: Bool = false) {
        self.configuration = configuration
        transaction.model = SectionedCollection(keepsChecksum: keepsChecksum)
        random = RandomSource(seed: seed)
        refetcher = Refetcher(limit: configuration.concurrentRequests)
        backend =
            switch configuration.backend {
            case .twake: TwakeBackend(configuration)
            case .socketio: UntypedBackend()
            }
        for room in configuration.rooms { _ = rooms.want(room, source: .cli) }
    }

    /// The model, as of the last input.
    public var model: SectionedCollection<Item> { transaction.model }

    /// The wanted rooms and what is known of them.
    public var roomBook: RoomBook { rooms }

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
        earlier(
            earlier(refetcher.deadline, link.deadline), earlier(client?.deadline, link.isReady ? rooms.deadline : nil))
    }

    /// Does everything that is due up to `now`, each thing at its own deadline. Call it before an input of the same time is handled,
    /// so that live and replay do the same in the same order.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now, !link.isOver {
            transaction.now = due
            refetcher.advance(to: due)
            advanceLink(to: due, into: &effects)
            if link.isReady { advanceRooms(to: due, into: &effects) }
            settle(into: &effects)
        }
    }

    /// Handles one input; `n` is the number of its record (0 when it has none), `now` its time. Effects are appended in
    /// the order they are to be performed. After `Effect.finish` inputs are not heeded.
    public mutating func handle(_ input: Input, n: Int, at now: Moment, into effects: inout [Effect]) {
        guard !link.isOver else { return }
        transaction.cause = n
        transaction.now = now
        switch input {
        case .start: connect(into: &effects)
        case .opened(let connection, let token): opened(connection, token: token, into: &effects)
        case .failed(let connection, let failure): failed(connection, failure, into: &effects)
        case .message(let connection, let message): received(message, on: connection, into: &effects)
        case .closed(let connection, let close): closed(connection, close, into: &effects)
        case .answered(let request, let answer): answered(request, answer, into: &effects)
        case .tokenRenewed(let changed): tokenRenewed(changed: changed, into: &effects)
        case .want(let names, let source): want(names, source: source, into: &effects)
        case .unwant(let names): unwant(names, into: &effects)
        case .stop: stop(into: &effects)
        }
        settle(into: &effects)
    }

    /// Carries out what the input led to: the plans, one commit of the model, and the requests there is room for.
    private mutating func settle(into effects: inout [Effect]) {
        carryOutPlans(into: &effects)
        if let batch = transaction.model.commit() {
            diffs += 1
            effects.append(.report(.diff(DiffReport(sequence: diffs, cause: transaction.cause, batch: batch))))
        }
        while let (key, request, cause) = refetcher.next() {
            guard let (method, target) = backend.request(for: key) else {
                _ = refetcher.forget(key)
                continue
            }
            effects.append(.request(FetchRequest(id: request, method: method, target: target, body: [], cause: cause)))
        }
    }
}

/// The earlier of two moments, of which either may never come.
private func earlier(_ a: Moment?, _ b: Moment?) -> Moment? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
}
