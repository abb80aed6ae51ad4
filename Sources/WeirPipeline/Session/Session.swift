import WeirEvents
package import WeirModel
package import WeirWire

/// The pure core: a state machine that takes an input and a time and returns effects.
///
/// A session has no clock, thread or socket. The same seed and the same list of inputs always produce the same history.
///
/// These are the states of the connection. Rooms and refetches have state machines of their own, `RoomSubscriptions` and
/// `Refetcher`.
///
///     idle ──start──► connecting ──opened──► handshaking ──namespace joined──► authenticating ──► ready
///                        ▲   │ failed              │ any end of the socket          │              │
///                        │   ▼                     ▼                                ▼              ▼
///                      waiting (back-off) ◄────────┴────────────────────────────────┴──────────────┘
///
/// Every state leads to `over`: on `stop`, when the server refuses the token for good, or when no attempts are left.
///
/// When something else captured the connections (`Configuration.isCaptured`), the session goes from `idle` through
/// `connecting` as a captured connection opens, and back to `idle` as it ends. It then sets no timers for the
/// connection.
///
/// The session guarantees that the model equals the server's state after a quiet period, however many events are lost,
/// duplicated, reordered or delayed. After a loss that it can detect (a lost connection) it refetches at once. A loss
/// that it cannot detect (a frame that the server drops) is repaired by a full resync of every joined room,
/// `Configuration.resyncInterval` after the previous one.
package struct Session: Sendable {
    /// The settings with which the session was created.
    package let configuration: Configuration
    var random: RandomSource
    var backend: any Backend
    var link = Link.idle
    /// Whether the driver reads the socket.
    package internal(set) var reading = SocketReading.resumed
    /// The start of the last pause in reading.
    var readingSince = Moment.zero
    /// The start of the last run of pauses. A pause that begins within `unreadGrace` of the previous one continues its
    /// run.
    var unreadSince = Moment.zero
    /// The end of the last pause in reading.
    var resumedAt = Moment.zero
    /// The protocol client of the open connection. At most one of `client`, `bayeux` and `messages` exists, depending
    /// on the backend's protocol; `nil` while no connection is open.
    var client: SocketIOClientMachine?
    /// The Bayeux client of the open connection.
    var bayeux: BayeuxClient?
    /// The client for plain JSON messages of the open connection.
    var messages: MessageClient?
    /// The token resolved for the open connection.
    var token: Secret?
    var rooms = RoomSubscriptions()
    var context: HandlerContext
    /// Whether a token renewal was requested and is still outstanding.
    var isRenewingToken = false
    /// The user's actions that are not done yet.
    var outbox = Outbox()
    /// The optimistic rows that show pending actions in the model.
    var overlay = Overlay()
    /// Requests of the outbox. They are emitted after all other effects of the same input.
    var outgoing: [FetchRequest] = []
    /// Rows recalled from an earlier session that the server has not confirmed.
    var remembered = RememberedRows()
    /// The rows that the current input recalled, and the server's id of the user who owns them.
    var recalled: (user: String, items: [Item])?
    /// Actions of an earlier session that were restored before the server identified the user.
    var unclaimed: [EntityID] = []
    /// The server's id of the user; `nil` until the server has sent it.
    package internal(set) var user: String?
    /// Facts that outlive a single connection.
    var history = ConnectionHistory()
    /// The acknowledgements outstanding on the open connection.
    var acks = AckBook()
    /// The number of batches committed so far.
    var diffs = 0
    /// The selection as last reported by `Effect.remember`.
    private var keptGlobals: Globals
    /// A buffer that is reused between inputs to keep its capacity.
    var wireEffects: [SocketIOClientMachine.Effect] = []

    /// Creates a session that has not started.
    ///
    /// - Parameters:
    ///   - configuration: The session's immutable configuration.
    ///   - seed: The seed of the random source that jitters delays.
    ///   - keepsChecksum: Whether the model's batches carry the checksums that verify a diff log.
    package init(_ configuration: Configuration, seed: UInt64, keepsChecksum: Bool = false) {
        self.configuration = configuration
        context = HandlerContext(
            requestLimit: configuration.concurrentRequests, perSecond: configuration.requestsPerSecond)
        context.model = SectionedCollection(keepsChecksum: keepsChecksum)
        context.globals = configuration.globals
        keptGlobals = configuration.globals
        context.largestList = configuration.limits.body
        context.notesSenders = configuration.connects && configuration.following.contains(.accounts)
        random = RandomSource(seed: seed)
        backend = configuration.backend.module.makeBackend(configuration)
        rooms = RoomSubscriptions(
            SubscriptionRules(configuration.rooms, adoption: configuration.adoption), limit: configuration.maximumRooms)
        if configuration.isShared { rooms.share = .nothing }
        for rule in rooms.rules where !rule.isExcluded && !configuration.isShared {
            if let room = rule.pattern.exactName { _ = rooms.want(room, source: .cli) }
        }
    }

    /// Whether no REST resource is queued, in flight, waiting or parked.
    package var isSettled: Bool { context.refetcher.isIdle }

    /// The model after the last input.
    package var model: SectionedCollection<Item> { context.model }

    /// The user's actions that are not done yet, in the order they were requested.
    package var pendingActions: [OutboxEntry] { outbox.entries }

    /// Returns the tag under which only one action runs at a time; `nil` if the action is independent of all others.
    package func tag(of action: Action) -> String? { backend.tag(of: action) }

    /// The tags of everything that is running and can be cancelled, without duplicates.
    package var tags: [String] {
        let actions = outbox.entries.filter { $0.failure == nil }.compactMap { backend.tag(of: $0.action) }
        var seen: Set<String> = []
        return (actions + backend.tags).filter { seen.insert($0).inserted }
    }

    /// The state that a client displays outside the rows, including the user's id and the state of the connection.
    package var globals: Globals {
        var globals = context.globals
        (globals.user, globals.isConnected) = (user, link.isReady)
        return globals
    }

    /// The company and workspace that the session looks at. An action without a place of its own applies to them.
    package var actionPlace: Action.Place? { backend.place }

    /// A counter that changes whenever the persistent state of the pending actions changes.
    package var pendingActionsVersion: Int { outbox.version }

    /// The server's id of the user who owns the model's rows; `nil` while it is unknown.
    package var rowsOwner: String? { user ?? remembered.user }

    /// The wanted rooms and their state.
    package var subscriptions: RoomSubscriptions { rooms }

    /// The time of the next call to `advance(to:into:)`; `nil` when no timer is set.
    package var deadline: Moment? {
        earlier(
            earlier(
                earlier(context.refetcher.deadline, outbox.deadline), earlier(linkDeadline, backend.deadline)),
            earlier(
                earlier(machineDeadline, rooms.wishesDeadline),
                link.isReady ? earlier(reading == .resumed ? rooms.deadline : nil, history.nextResync) : nil))
    }

    private var linkDeadline: Moment? {
        if case .authenticating = link, reading != .resumed { return nil }
        return configuration.isCaptured ? nil : link.deadline
    }

    /// The deadline of the open connection's protocol client.
    var machineDeadline: Moment? {
        if configuration.isCaptured { return nil }
        // An open link implies that its client exists. The client is large, and testing the optional would copy it
        // first.
        return switch link.open?.spoken {
        case .socketIO?: client!.deadline
        case .bayeux?: bayeux?.deadline
        case .json?: messages?.deadline
        case .rest?, nil: nil
        }
    }

    /// The number of the open connection; `nil` while none is open.
    package var openConnection: Int? { link.open?.connection }

    /// Runs every timer that is due up to `now`, each at its own deadline.
    ///
    /// Call this before handling an input of the same time, so that a live run and a replay act in the same order.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now, !link.isOver {
            context.now = due
            context.cause = 0
            context.refetcher.advance(to: due)
            liftOverlay()
            if !outbox.isEmpty { outbox.advance(to: due) }
            backend.advance(to: due, into: &context)
            advanceLink(to: due, into: &effects)
            advanceWishes(to: due, into: &effects)
            if link.isReady, reading == .resumed { advanceRooms(to: due, into: &effects) }
            if link.isReady { resync(at: due, into: &effects) }
            settle(into: &effects)
        }
    }

    /// Handles one input and appends its effects in the order in which to perform them.
    ///
    /// After `Effect.finish` the session ignores all inputs.
    ///
    /// - Parameters:
    ///   - input: The input to handle.
    ///   - n: The number of the input's record; 0 if it has none.
    ///   - now: The time of the input.
    ///   - effects: The list to append to.
    package mutating func handle(_ input: Input, n: Int, at now: Moment, into effects: inout [Effect]) {
        guard !link.isOver else { return }
        begin(n, at: now)
        switch input {
        case .start: if !configuration.isCaptured { connect(into: &effects) }
        case .opened(let connection, let token, let auth): opened(connection, token: token, auth: auth, into: &effects)
        case .failed(let connection, let failure): failed(connection, failure, into: &effects)
        case .message(let connection, let message): received(message, on: connection, into: &effects)
        case .closed(let connection, let close): closed(connection, close, into: &effects)
        case .reading(let reading): set(reading)
        case .answered(let request, let answer): answered(request, answer, into: &effects)
        case .tokenRenewed(let token, let changed): tokenRenewed(token, changed: changed, into: &effects)
        case .act(let action): act(action, into: &effects)
        case .dropAction(let id): dropAction(id, into: &effects)
        case .cancel(let tag):
            cancelActions(tagged: tag, into: &effects)
            backend.cancel(tag: tag, into: &context)
        case .retryAction(let id): retryAction(id, into: &effects)
        case .restoreOutbox(let entries): restore(entries, into: &effects)
        case .want(let rooms, let source, let span): want(rooms, source: source, lasting: span, into: &effects)
        case .unwant(let rooms, let span): unwant(rooms, lasting: span, into: &effects)
        case .only(let rooms): only(rooms, into: &effects)
        case .resetRooms: resetRooms(into: &effects)
        case .share(let share, let missing): self.share(share, missing: missing, into: &effects)
        case .withdraw(let rooms, let source): withdraw(rooms, source: source, into: &effects)
        case .look(let room, let part, let since): look(room, part, since: since)
        case .refetch(let name): refetch(name)
        case .select(""): context.globals.clearChannel()
        case .select(let name): backend.select(name, rooms, into: &context)
        case .emit(let emit): self.emit(emit, into: &effects)
        case .pushed(let payload): handle(.json(JSONMessage(name: JSONMessage.push, payload: payload)), into: &effects)
        case .remembered(let memory): recall(memory)
        case .stop: stop(into: &effects)
        }
        context.reading = nil
        settle(into: &effects)
    }

    /// Handles an event that a `FrameDecoder` decoded from a message, in place of the message.
    ///
    /// - Returns: `false`, with nothing changed, if more is due for this message than handling its event. The caller
    ///   must then handle the message itself.
    package mutating func handle(
        _ event: EventReport, on connection: Int, n: Int, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let open = link.open, open.connection == connection, case .socketIO = open.spoken,
            client!.takesPlainEvent(at: now)
        else { return false }
        begin(n, at: now)
        history.heardAt = now
        handle(event, into: &effects)
        settle(into: &effects)
        return true
    }

    private mutating func begin(_ n: Int, at now: Moment) {
        context.cause = n
        context.now = now
        liftOverlay()
    }

    /// Carries out the consequences of an input: the plans, a single commit of the model, and as many requests as the
    /// limits allow.
    private mutating func settle(into effects: inout [Effect]) {
        carryOutPlans(into: &effects)
        if !remembered.isEmpty { confirmRemembered() }
        if !outbox.isEmpty || context.watchesMessages {
            pumpOutbox(into: &effects)
            layOverlay()
        }
        if rooms.isAdopting, link.isReady, !rooms.isJoining, context.refetcher.hasNothingToDo {
            rooms.noteListing()
        }
        let batch = context.model.commit()
        let isRecalled = recalled != nil
        if !remembered.isEmpty || isRecalled { noteRemembered(batch) }
        if let batch = consume batch {
            diffs += 1
            if rooms.looksAtFacts { noteFacts(of: batch) }
            context.globals.clear(deleted: batch)
            if !context.refetched.isEmpty { history.missing?.count(batch) }
            let report = DiffReport(
                sequence: diffs, cause: context.cause, batch: consume batch, refetched: context.refetched,
                user: user ?? remembered.user, isRecalled: isRecalled)
            effects.append(.report(.diff(report)))
        }
        if context.globals != keptGlobals {
            keptGlobals = context.globals
            effects.append(.remember(.globals(keptGlobals)))
        }
        if !context.refetched.isEmpty { context.refetched = [] }
        while context.refetcher.hasNext(at: context.now),
            let (key, request, cause) = context.refetcher.next(at: context.now)
        {
            guard let call = backend.request(for: key, page: context.refetcher.paging[key]?.next) else {
                _ = context.refetcher.forget(key)
                continue
            }
            effects.append(.request(FetchRequest(id: request, call, cause: cause)))
        }
        if history.missing != nil { endCount(into: &effects) }
        if history.takeover != nil { endTakeover(into: &effects) }
        if !outgoing.isEmpty {
            for _ in outgoing { context.refetcher.makeRoom(at: context.now) }
            effects += outgoing.map { .request($0) }
            outgoing.removeAll(keepingCapacity: true)
        }
    }
}

/// The progress of a session towards the server's state: after a login, after a gap and after an event.
public struct SyncState: Hashable, Sendable {
    /// The phases of the synchronisation.
    public enum Phase: String, Hashable, Sendable {
        /// The server has not accepted a connection yet.
        case initial
        /// The session is reconnecting or fetching resources.
        case inProgress = "in_progress"
        /// The model contains everything that was fetched, and no fetch is outstanding.
        case success
        /// All outstanding fetches have failed and will be retried later, or the session has ended.
        case failure
    }

    /// The current phase of the synchronisation.
    public var phase: Phase
    /// The number of resources that are being fetched or wait to be.
    public var open: Int
    /// The number of these resources that failed and will be retried.
    public var failing: Int

    /// Whether any resource is being fetched, apart from those that wait for a retry.
    package var isFetching: Bool { open > failing }
}

extension Session {
    /// The current progress of the synchronisation.
    package var sync: SyncState {
        let entries = context.refetcher.entries
        let failing = entries.count { $1.failures > 0 && $1.state == .waiting }
        var phase = SyncState.Phase.success
        if !history.wasReady {
            phase = link.isOver ? .failure : .initial
        } else if link.isOver || (!entries.isEmpty && failing == entries.count) {
            phase = .failure
        } else if !link.isReady || rooms.isJoining || !entries.isEmpty {
            phase = .inProgress
        }
        return SyncState(phase: phase, open: entries.count, failing: failing)
    }
}

// The work under way, for tests and simulations.
extension Session {
    /// The session's open work and the events it waits for, one line each. Empty when only the heartbeat of a ready connection and the next
    /// full resync remain.
    package var pending: [String] {
        var lines: [String] = []
        if !link.isReady { lines.append("a connection") }
        lines += context.refetcher.pending
        lines += outbox.entries.filter { $0.failure == nil }.map { "\($0.action.operation.name) \($0.action.id)" }
        lines += outbox.entries.filter { $0.failure == nil }.map { "\($0.state) \($0.action.operation.name)" }
        for entry in rooms.entries {
            switch entry.state {
            case .joined: break
            case .wanted, .joining: lines.append("joining \(entry.name)")
            case .refused(let why): lines.append("joining \(entry.name), which was refused: \(why)")
            }
        }
        if history.nextResync == nil, deadline != machineDeadline { lines.append("a timer") }
        return lines
    }
}
