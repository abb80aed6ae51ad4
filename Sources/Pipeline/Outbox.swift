import Events
import Wire

/// The actions that are not done yet, in the order they were asked for; `OutboxEntry` shows the states of each.
///
/// One lane is done in order, one action at a time. What is asked for of something that an earlier action makes waits for it in
/// the same lane, and is told the real id when there is one. Whoever asks may not know yet that the earlier one is done: the last
/// `limit` that were are remembered.
struct Outbox: Sendable {
    /// How many actions may wait, and how many that are done are remembered. More are refused, or forgotten: a loop that asks must not fill
    /// the memory.
    static let limit = 1000
    /// How many may be under way at once, over all lanes.
    static let concurrency = 4

    /// In the order they were asked for.
    private(set) var entries: [OutboxEntry] = []
    /// Changes with everything that a store keeps of the entries.
    private(set) var version = 0
    private var requests: [Int: EntityID] = [:]
    /// What actions that are done made or changed, by the action's id; those ids, the oldest first.
    private var subjects: [EntityID: EntityID] = [:]
    private var done: [EntityID] = []

    /// Whether nothing is asked for; failed ones count.
    var isEmpty: Bool { entries.isEmpty }
    /// Whether nothing is under way, waits, or will be done by itself.
    var isIdle: Bool { entries.allSatisfy { $0.failure != nil } }
    /// Whether a message that comes may be the echo of one that was sent.
    var awaitsEcho: Bool { entries.contains { $0.attempts > 0 && $0.failure == nil && $0.action.operation.isSending } }

    /// When a waiting entry is due.
    var deadline: Moment? {
        if entries.isEmpty { return nil }
        return entries.compactMap { if case .waiting(let until) = $0.state { until } else { nil } }.min()
    }

    subscript(id: EntityID) -> OutboxEntry? { index(of: id).map { entries[$0] } }

    private func index(of id: EntityID) -> Int? { entries.firstIndex { $0.action.id == id } }

    // MARK: What is asked for

    /// Takes an action in; false when there is no room, or one of that id already.
    mutating func add(_ action: Action) -> Bool { add(OutboxEntry(action)) }

    /// Takes an entry in as it was kept.
    mutating func add(_ entry: OutboxEntry) -> Bool {
        guard entries.count < Self.limit, index(of: entry.action.id) == nil else { return false }
        entries.append(entry)
        tellSubjects(at: entries.count - 1)
        version += 1
        return true
    }

    /// Takes an entry out that is not under way; nil when there is none, or it is.
    mutating func drop(_ id: EntityID) -> OutboxEntry? {
        guard let index = index(of: id) else { return nil }
        switch entries[index].state {
        case .sending, .checking: return nil
        case .queued, .resolving, .waiting, .parked, .failed: break
        }
        version += 1
        return entries.remove(at: index)
    }

    /// Takes an entry out, even one that is under way; gives the request whose answer is of no use any more.
    mutating func abandon(_ id: EntityID) -> Int? {
        guard let index = index(of: id) else { return nil }
        version += 1
        guard case .sending(let request) = entries.remove(at: index).state else { return nil }
        requests[request] = nil
        return request
    }

    /// Queues a failed entry once more, behind the others.
    mutating func retry(_ id: EntityID) -> Bool {
        guard let index = index(of: id), entries[index].failure != nil else { return false }
        let entry = entries.remove(at: index)
        entries.append(OutboxEntry(entry.action))
        version += 1
        return true
    }

    // MARK: Whose turn it is

    /// The first entry of each lane in which none is under way, of those that may go on now, as far as there is room. `lane` gives an action's
    /// lane, nil while it is not known which channel its name means: it may be that of any action behind it, so that those wait.
    func ready(
        lane: (Action) -> EntityID? = { $0.lane }, where isHere: (Action) -> Bool = { _ in true }
    ) -> [EntityID] {
        // An action of several steps changes its lane, and may come behind one that was asked for later.
        var taken = Set(requests.values.compactMap { self[$0].flatMap { lane($0.action) } })
        var ready: [EntityID] = []
        var room = Self.concurrency - requests.count
        var isKnown = true
        for entry in entries where entry.failure == nil && isKnown && isHere(entry.action) {
            let lane = lane(entry.action)
            isKnown = lane != nil
            guard taken.insert(lane ?? entry.action.lane).inserted else { continue }
            switch entry.state {
            case .queued, .resolving:
                guard room > 0 else { continue }
                room -= 1
                ready.append(entry.action.id)
            case .sending, .checking, .waiting, .parked, .failed: continue
            }
        }
        return ready
    }

    /// Queues what has waited long enough.
    mutating func advance(to now: Moment) {
        for index in entries.indices {
            if case .waiting(let until) = entries[index].state, until <= now { entries[index].state = .queued }
        }
    }

    /// Whoever waits for a better moment goes on: the server is there again.
    mutating func wake() {
        for index in entries.indices {
            if case .waiting = entries[index].state { entries[index].state = .queued }
        }
    }

    // MARK: How far it gets

    /// What the request needs to name is asked for.
    mutating func resolve(_ id: EntityID, _ keys: [ResourceKey]) {
        change(id) { entry in
            entry.state = .resolving(keys)
            entry.fetched += keys
            entry.fetchFailure = nil
        }
    }

    /// The channel, or message, is called otherwise.
    mutating func become(_ operation: Action.Operation, _ id: EntityID) {
        change(id) { $0.action.operation = operation }
    }

    /// The request goes out.
    mutating func send(_ id: EntityID, request: Int, baseline: Timestamp?) {
        requests[request] = id
        version += 1
        change(id) { entry in
            entry.state = .sending(request: request)
            entry.attempts += 1
            entry.isInDoubt = false
            entry.candidates = []
            entry.baseline = entry.baseline ?? baseline
        }
    }

    /// A request was answered: whose it was; nil when it was none of ours.
    mutating func answered(_ request: Int) -> EntityID? { requests.removeValue(forKey: request) }

    /// A step was done: the next one begins.
    mutating func goOn(_ id: EntityID, _ operation: Action.Operation) {
        guard let index = index(of: id) else { return }
        version += 1
        let asked = entries[index].action
        entries[index] = OutboxEntry(asked)
        entries[index].action.operation = operation
    }

    /// A file of it was uploaded: what is left is done with as many attempts.
    mutating func noteUpload(_ file: EntityID, of id: EntityID) {
        version += 1
        change(id) { entry in
            entry.action.noteUpload(file)
            (entry.state, entry.attempts, entry.refusals) = (.queued, 0, 0)
        }
    }

    /// Try again later; `isInDoubt` when it may have been done.
    mutating func wait(_ id: EntityID, until: Moment, isInDoubt: Bool) {
        version += 1
        change(id) { entry in
            entry.state = .waiting(until: until)
            entry.isInDoubt = entry.isInDoubt || isInDoubt
            entry.fetched = []
            if isInDoubt, case .run(var run) = entry.action.operation, run.phase == .write {
                run.phase = .look
                entry.action.operation = .run(run)
            }
        }
    }

    /// What would show whether it was done is being fetched.
    mutating func check(_ id: EntityID, _ key: ResourceKey) { change(id) { $0.state = .checking(key) } }

    /// What would show whether it was done is not there: look again later.
    mutating func recheck(_ id: EntityID, at due: Moment) {
        wait(id, until: due, isInDoubt: true)
        change(id) { $0.absences += 1 }
    }

    /// Wait for another token.
    mutating func park(_ id: EntityID) {
        change(id) { entry in
            entry.state = .parked
            entry.refusals += 1
        }
    }

    /// The token was renewed; gives the entries that waited for it.
    mutating func unpark() -> [EntityID] {
        var parked: [EntityID] = []
        for index in entries.indices where entries[index].state == .parked {
            entries[index].state = .queued
            parked.append(entries[index].action.id)
        }
        return parked
    }

    /// It was done, and made or changed what `subject` names: later actions that are about it are told.
    mutating func finish(_ id: EntityID, subject: EntityID?) {
        guard let index = index(of: id) else { return }
        entries.remove(at: index)
        version += 1
        guard let subject, subject != id else { return }
        remember(subject, of: id)
        for index in entries.indices { tellSubjects(at: index) }
    }

    /// Has an entry name what is known of what it is about by its real id.
    private mutating func tellSubjects(at index: Int) {
        entries[index].action.operation = entries[index].action.operation.replacing { subjects[$0] ?? $0 }
    }

    private mutating func remember(_ subject: EntityID, of id: EntityID) {
        if done.count == Self.limit { subjects[done.removeFirst()] = nil }
        subjects[id] = subject
        done.append(id)
    }

    /// It cannot be done. One that sends a message stays, so that its text is not lost. Gives what fails with it: what is about
    /// something that will never be.
    mutating func fail(_ id: EntityID, why: String) -> [EntityID] {
        guard let index = index(of: id) else { return [] }
        version += 1
        if entries[index].action.operation.isSending {
            entries[index].state = .failed(why: why)
            entries[index].isInDoubt = false
        } else {
            entries.remove(at: index)
        }
        return entries.filter { $0.failure == nil && $0.action.operation.mentions(id) }.map(\.action.id)
    }

    // MARK: What is fetched for it

    /// The entries whose requests need a resource.
    func resolved(by key: ResourceKey) -> [EntityID] {
        entries.compactMap { entry in
            guard case .resolving(let keys) = entry.state, keys.contains(key) else { return nil }
            return entry.action.id
        }
    }

    /// A resource is not there: the entry does not wait for it any more.
    mutating func resolveWithout(_ key: ResourceKey, _ id: EntityID) {
        change(id) { entry in
            guard case .resolving(let keys) = entry.state else { return }
            entry.state = .resolving(keys.filter { $0 != key })
        }
    }

    /// The entries that wait for a resource to be checked.
    func checked(by key: ResourceKey) -> [EntityID] {
        entries.compactMap { $0.state == .checking(key) ? $0.action.id : nil }
    }

    /// A resource could not be fetched. Gives the entries that waited for it to be checked.
    mutating func fetchFailed(_ key: ResourceKey, why: String) -> [EntityID] {
        for index in entries.indices {
            if case .resolving(let keys) = entries[index].state, keys.contains(key) {
                entries[index].fetchFailure = why
            }
        }
        return checked(by: key)
    }

    /// It is known not to have been done.
    mutating func clearDoubt(_ id: EntityID) {
        version += 1
        change(id) { entry in
            entry.state = .queued
            entry.isInDoubt = false
        }
    }

    /// A message came that may be the echo of an entry.
    mutating func note(candidate: EntityID, for id: EntityID) {
        change(id) { entry in
            if entry.candidates.count < 16, !entry.candidates.contains(candidate) { entry.candidates.append(candidate) }
        }
    }

    private mutating func change(_ id: EntityID, _ body: (inout OutboxEntry) -> Void) {
        guard let index = index(of: id) else { return }
        body(&entries[index])
    }
}

extension Action.Operation {
    /// Whether it takes several steps.
    package var isRun: Bool { if case .run = self { true } else { false } }
    /// Whether it sends a message.
    var isSending: Bool { if case .send = self { true } else { false } }
}
