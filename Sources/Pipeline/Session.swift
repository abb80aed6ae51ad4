import Events
package import SectionedModel
package import Wire

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
///
/// Where the connections were captured by something else (`Configuration.isCaptured`), the session goes from `idle` through `connecting`
/// when one opened, and back to `idle` when it ended; nothing of the connection is timed.
///
/// The promise: whatever is lost, doubled, reordered or slow, after a while of quiet the model equals the server's truth. What the session
/// knows to have missed (a lost connection) it fetches at once; what it cannot know (frames that a server loses by itself) it
/// finds with a full look at every joined room, `Configuration.lookAgain` after the last.
package struct Session: Sendable {
    /// What the session was told.
    package let configuration: Configuration
    var random: RandomSource
    var backend: any Backend
    var link = Link.idle
    /// Whether what the server sends is read, and since when that is so.
    package internal(set) var reading = SocketReading.resumed
    var readingSince = Moment.zero
    /// When the last pause of reading began, with those shortly before it, and when it ended.
    var unreadSince = Moment.zero
    var resumedAt = Moment.zero
    /// The machine of the open connection, this or `bayeux`, by what the backend speaks; nil while none is open.
    var client: SocketIOClient?
    /// The machine of the open connection of a backend that speaks Bayeux.
    var bayeux: BayeuxClient?
    /// The machine of the open connection of a backend that speaks plain JSON messages.
    var messages: MessageClient?
    /// The token that was resolved for the open connection.
    var token: Secret?
    var rooms = RoomBook()
    var transaction: Transaction
    /// Whether another token was asked for and has not come.
    var isRenewingToken = false
    /// What the user wants done and is not done yet.
    var outbox = Outbox()
    /// What the model shows of it.
    var overlay = Overlay()
    /// Requests of the outbox, to go out behind what an input led to.
    var outgoing: [FetchRequest] = []
    /// What came from an earlier session and is not confirmed.
    var remembered = RememberedRows()
    /// The rows that the input being handled recalled, and whose they are.
    var recalled: (user: String, items: [Item])?
    /// Actions of an earlier session that were taken in before the server had said who the user is.
    var unclaimed: [EntityID] = []
    /// The server's id of the user, once it is known.
    package internal(set) var user: String?
    /// Facts about the connections so far that outlive one of them.
    var history = ConnectionHistory()
    /// The acknowledgements that are waited for on the open connection.
    var acks = AckBook()
    var diffs = 0
    /// The selection as it was last reported to be remembered.
    private var keptGlobals: Globals
    /// Reused between inputs for its capacity.
    var wireEffects: [SocketIOClient.Effect] = []

    /// A session that has not begun. `seed` decides its jitter. With `keepsChecksum`, the batches of its model carry the checksums
    /// that a diff log is verified by.
    package init(_ configuration: Configuration, seed: UInt64, keepsChecksum: Bool = false) {
        self.configuration = configuration
        transaction = Transaction(
            requestLimit: configuration.concurrentRequests, perSecond: configuration.requestsPerSecond)
        transaction.model = SectionedCollection(keepsChecksum: keepsChecksum)
        transaction.globals = configuration.globals
        keptGlobals = configuration.globals
        transaction.largestList = configuration.limits.body
        transaction.notesSenders = configuration.connects && configuration.following.contains(.accounts)
        random = RandomSource(seed: seed)
        backend = configuration.backend.module.makeBackend(configuration)
        rooms = RoomBook(
            RoomWishes(configuration.rooms, adoption: configuration.adoption), limit: configuration.maximumRooms)
        for rule in rooms.rules where !rule.isExcluded {
            if let room = rule.pattern.exactName { _ = rooms.want(room, source: .cli) }
        }
    }

    /// Whether nothing is asked of the REST service and nothing waits to be.
    package var isSettled: Bool { transaction.refetcher.isIdle }

    /// The model, as of the last input.
    package var model: SectionedCollection<Item> { transaction.model }

    /// What the user wants done and is not done yet, in the order it was asked for.
    package var pendingActions: [OutboxEntry] { outbox.entries }

    /// What there is one of at a time; nil for an action beside others.
    package func tag(of action: Action) -> String? { backend.tag(of: action) }

    /// The tags under which anything goes on that can be cancelled, each once.
    package var tags: [String] {
        let actions = outbox.entries.filter { $0.failure == nil }.compactMap { backend.tag(of: $0.action) }
        var seen: Set<String> = []
        return (actions + backend.tags).filter { seen.insert($0).inserted }
    }

    /// What the user looks at.
    package var globals: Globals {
        var globals = transaction.globals
        (globals.user, globals.isConnected) = (user, link.isReady)
        return globals
    }

    /// Where the session looks: what names no place is there.
    package var actionPlace: Action.Place? { backend.place }

    /// Changes with everything of the pending actions that a store keeps.
    package var pendingActionsVersion: Int { outbox.version }

    /// Whose rows the model has: the server's id of the user; nil while nobody has said so.
    package var rowsOwner: String? { user ?? remembered.user }

    /// The wanted rooms and what is known of them.
    package var roomBook: RoomBook { rooms }

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    package var deadline: Moment? {
        earlier(
            earlier(
                earlier(transaction.refetcher.deadline, outbox.deadline), earlier(linkDeadline, backend.deadline)),
            earlier(
                earlier(machineDeadline, rooms.wishesDeadline),
                link.isReady ? earlier(reading == .resumed ? rooms.deadline : nil, history.nextLook) : nil))
    }

    private var linkDeadline: Moment? {
        if case .authenticating = link, reading != .resumed { return nil }
        return configuration.isCaptured ? nil : link.deadline
    }

    /// When the machine of the open connection wants to be called next.
    var machineDeadline: Moment? {
        if configuration.isCaptured { return nil }
        // While the link is open there is the machine of what is spoken. It is large, and to look whether an optional has one copies it first.
        return switch link.open?.spoken {
        case .socketIO?: client!.deadline
        case .bayeux?: bayeux?.deadline
        case .json?: messages?.deadline
        case .rest?, nil: nil
        }
    }

    /// The connection that is open; nil while none is.
    package var openConnection: Int? { link.open?.connection }

    /// Does everything that is due up to `now`, each thing at its own deadline. Call it before an input of the same time is handled,
    /// so that live and replay do the same in the same order.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now, !link.isOver {
            transaction.now = due
            transaction.cause = 0
            transaction.refetcher.advance(to: due)
            liftOverlay()
            if !outbox.isEmpty { outbox.advance(to: due) }
            backend.advance(to: due, into: &transaction)
            advanceLink(to: due, into: &effects)
            advanceWishes(to: due, into: &effects)
            if link.isReady, reading == .resumed { advanceRooms(to: due, into: &effects) }
            if link.isReady { lookAgain(at: due, into: &effects) }
            settle(into: &effects)
        }
    }

    /// Handles one input; `n` is the number of its record (0 when it has none), `now` its time. Effects are appended in
    /// the order they are to be performed. After `Effect.finish` inputs are not heeded.
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
            backend.cancel(tag: tag, into: &transaction)
        case .retryAction(let id): retryAction(id, into: &effects)
        case .restoreOutbox(let entries): restore(entries, into: &effects)
        case .want(let rooms, let source, let span): want(rooms, source: source, lasting: span, into: &effects)
        case .unwant(let rooms, let span): unwant(rooms, lasting: span, into: &effects)
        case .only(let rooms): only(rooms, into: &effects)
        case .resetRooms: resetRooms(into: &effects)
        case .withdraw(let rooms, let source): withdraw(rooms, source: source, into: &effects)
        case .look(let room, let part, let since): look(room, part, since: since)
        case .refetch(let name): refetch(name)
        case .select(""): transaction.globals.clearChannel()
        case .select(let name): backend.select(name, rooms, into: &transaction)
        case .emit(let emit): self.emit(emit, into: &effects)
        case .pushed(let payload): handle(.json(JSONMessage(name: JSONMessage.push, payload: payload)), into: &effects)
        case .remembered(let memory): recall(memory)
        case .stop: stop(into: &effects)
        }
        transaction.reading = nil
        settle(into: &effects)
    }

    /// Handles the event that a `FrameDecoder` made of a message, as `handle` does the message. False, and nothing has happened, when
    /// more is asked of a message now than its event: then the message is to be handled.
    package mutating func handle(
        _ event: EventReport, on connection: Int, n: Int, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let open = link.open, open.connection == connection, case .socketIO = open.spoken,
            client!.hearsEvent(at: now)
        else { return false }
        begin(n, at: now)
        history.heardAt = now
        handle(event, into: &effects)
        settle(into: &effects)
        return true
    }

    private mutating func begin(_ n: Int, at now: Moment) {
        transaction.cause = n
        transaction.now = now
        liftOverlay()
    }

    /// Carries out what the input led to: the plans, one commit of the model, and the requests there is room for.
    private mutating func settle(into effects: inout [Effect]) {
        carryOutPlans(into: &effects)
        if !remembered.isEmpty { confirmRemembered() }
        if !outbox.isEmpty || transaction.watchesMessages {
            pumpOutbox(into: &effects)
            layOverlay()
        }
        if rooms.isAdopting, link.isReady, !rooms.isJoining, transaction.refetcher.hasNothingToDo {
            rooms.noteListing()
        }
        let batch = transaction.model.commit()
        let isRecalled = recalled != nil
        if !remembered.isEmpty || isRecalled { noteRemembered(batch) }
        if let batch = consume batch {
            diffs += 1
            if rooms.looksAtFacts { noteFacts(of: batch) }
            transaction.globals.clear(deleted: batch)
            if !transaction.refetched.isEmpty { history.missing?.count(batch) }
            let report = DiffReport(
                sequence: diffs, cause: transaction.cause, batch: consume batch, refetched: transaction.refetched,
                user: user ?? remembered.user, isRecalled: isRecalled)
            effects.append(.report(.diff(report)))
        }
        if transaction.globals != keptGlobals {
            keptGlobals = transaction.globals
            effects.append(.remember(.globals(keptGlobals)))
        }
        if !transaction.refetched.isEmpty { transaction.refetched = [] }
        while transaction.refetcher.hasNext(at: transaction.now),
            let (key, request, cause) = transaction.refetcher.next(at: transaction.now)
        {
            guard let call = backend.request(for: key, page: transaction.refetcher.paging[key]?.next) else {
                _ = transaction.refetcher.forget(key)
                continue
            }
            effects.append(.request(FetchRequest(id: request, call, cause: cause)))
        }
        if history.missing != nil { endCount(into: &effects) }
        if !outgoing.isEmpty {
            for _ in outgoing { transaction.refetcher.makeRoom(at: transaction.now) }
            effects += outgoing.map { .request($0) }
            outgoing.removeAll(keepingCapacity: true)
        }
    }
}
