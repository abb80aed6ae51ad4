import WeirEvents
package import WeirJSON
import WeirWire

/// The actions that are not done yet, in the order they were requested. `OutboxEntry` describes the states of each.
///
/// The actions of one lane are performed in order, one at a time. An action that refers to something an earlier action
/// creates waits for it in the same lane, and gets the real id once that is known. The caller may not know yet that the
/// earlier action is done, so the outbox remembers the last `limit` actions that were.
struct Outbox: Sendable {
    /// The maximum number of pending actions, and of remembered finished actions. Further actions are refused, and
    /// older finished ones are forgotten: a caller in a loop must not fill the memory.
    static let limit = 1000
    /// The maximum number of actions in flight, over all lanes.
    static let concurrency = 4

    /// The entries, in the order they were requested.
    private(set) var entries: [OutboxEntry] = []
    /// A counter that changes with everything that a store keeps of the entries.
    private(set) var version = 0
    private var requests: [Int: EntityID] = [:]
    /// The ids of what finished actions created or changed, keyed by the id of the action; and the keys, oldest first.
    private var subjects: [EntityID: EntityID] = [:]
    private var done: [EntityID] = []

    /// Whether the outbox has no entries, not even failed ones.
    var isEmpty: Bool { entries.isEmpty }
    /// Whether an arriving message may be the echo of a message that was sent.
    var awaitsEcho: Bool { entries.contains { $0.attempts > 0 && $0.failure == nil && $0.action.operation.isSending } }

    /// The time at which the next waiting entry is due.
    var deadline: Moment? {
        if entries.isEmpty { return nil }
        return entries.compactMap { if case .waiting(let until) = $0.state { until } else { nil } }.min()
    }

    subscript(id: EntityID) -> OutboxEntry? { index(of: id).map { entries[$0] } }

    private func index(of id: EntityID) -> Int? { entries.firstIndex { $0.action.id == id } }

    // MARK: Adding and removing entries

    /// Adds an action; returns `false` if the outbox is full or already has an action with this id.
    mutating func add(_ action: Action) -> Bool { add(OutboxEntry(action)) }

    /// Adds an entry in the state in which it was stored.
    mutating func add(_ entry: OutboxEntry) -> Bool {
        guard entries.count < Self.limit, index(of: entry.action.id) == nil else { return false }
        entries.append(entry)
        tellSubjects(at: entries.count - 1)
        version += 1
        return true
    }

    /// Removes an entry that is not in flight; returns `nil` if there is none or it is in flight.
    mutating func drop(_ id: EntityID) -> OutboxEntry? {
        guard let index = index(of: id) else { return nil }
        switch entries[index].state {
        case .sending, .checking: return nil
        case .queued, .resolving, .waiting, .parked, .failed: break
        }
        version += 1
        return entries.remove(at: index)
    }

    /// Removes an entry, even one in flight; returns the request whose answer is no longer needed.
    mutating func abandon(_ id: EntityID) -> Int? {
        guard let index = index(of: id) else { return nil }
        version += 1
        guard case .sending(let request) = entries.remove(at: index).state else { return nil }
        requests[request] = nil
        return request
    }

    /// Queues a failed entry once more, after all others.
    mutating func retry(_ id: EntityID) -> Bool {
        guard let index = index(of: id), entries[index].failure != nil else { return false }
        let entry = entries.remove(at: index)
        entries.append(OutboxEntry(entry.action))
        version += 1
        return true
    }

    // MARK: Scheduling

    /// Returns the entries to continue now: the first of each lane in which none is in flight, as many as the limit
    /// allows.
    ///
    /// - Parameters:
    ///   - lane: Returns the lane of an action; `nil` while it is unknown which channel the action's name refers to.
    ///     Later actions then wait, because they may belong to the same lane.
    ///   - isHere: Returns whether the action may continue in the session's current place.
    func ready(
        lane: (Action) -> EntityID? = { $0.lane }, where isHere: (Action) -> Bool = { _ in true }
    ) -> [EntityID] {
        // An action of several steps changes its lane, and may then queue after an action that was requested later.
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

    /// Queues the entries whose waiting time is over.
    mutating func advance(to now: Moment) {
        for index in entries.indices {
            if case .waiting(let until) = entries[index].state, until <= now { entries[index].state = .queued }
        }
    }

    /// Queues all waiting entries, because the server is available again.
    mutating func wake() {
        for index in entries.indices {
            if case .waiting = entries[index].state { entries[index].state = .queued }
        }
    }

    // MARK: Changing the state of an entry

    /// Makes an entry wait for the resources that its request needs.
    mutating func resolve(_ id: EntityID, _ keys: [ResourceKey]) {
        change(id) { entry in
            entry.state = .resolving(keys)
            entry.fetched += keys
            entry.fetchFailure = nil
        }
    }

    /// Replaces the operation of an entry, after a channel or message in it got another name.
    mutating func become(_ operation: Action.Operation, _ id: EntityID) {
        change(id) { $0.action.operation = operation }
    }

    /// Records that the request of an entry is sent.
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

    /// Returns the entry whose request was answered; `nil` if the request belongs to none.
    mutating func answered(_ request: Int) -> EntityID? { requests.removeValue(forKey: request) }

    /// Starts the next step of an action of several steps.
    mutating func goOn(_ id: EntityID, _ operation: Action.Operation) {
        guard let index = index(of: id) else { return }
        version += 1
        let asked = entries[index].action
        entries[index] = OutboxEntry(asked)
        entries[index].action.operation = operation
    }

    /// Records that a file of an entry was uploaded. The remaining work gets the full number of attempts again.
    mutating func noteUpload(_ file: EntityID, of id: EntityID) {
        version += 1
        change(id) { entry in
            entry.action.noteUpload(file)
            (entry.state, entry.attempts, entry.refusals) = (.queued, 0, 0)
        }
    }

    /// Schedules another attempt. `isInDoubt` is `true` if the action may have been done.
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

    /// Makes an entry wait for the resource that shows whether its action was done.
    mutating func check(_ id: EntityID, _ key: ResourceKey) { change(id) { $0.state = .checking(key) } }

    /// Schedules another check, because the evidence was not there.
    mutating func recheck(_ id: EntityID, at due: Moment) {
        wait(id, until: due, isInDoubt: true)
        change(id) { $0.absences += 1 }
    }

    /// Makes an entry wait for another token.
    mutating func park(_ id: EntityID) {
        change(id) { entry in
            entry.state = .parked
            entry.refusals += 1
        }
    }

    /// Queues the entries that wait for another token, and returns them.
    mutating func unpark() -> [EntityID] {
        var parked: [EntityID] = []
        for index in entries.indices where entries[index].state == .parked {
            entries[index].state = .queued
            parked.append(entries[index].action.id)
        }
        return parked
    }

    /// Removes a finished entry. Later actions that refer to it get the id in `subject`, which it created or changed.
    mutating func finish(_ id: EntityID, subject: EntityID?) {
        guard let index = index(of: id) else { return }
        entries.remove(at: index)
        version += 1
        guard let subject, subject != id else { return }
        remember(subject, of: id)
        for index in entries.indices { tellSubjects(at: index) }
    }

    /// Replaces the ids of finished actions in an entry by the real ids.
    private mutating func tellSubjects(at index: Int) {
        entries[index].action.operation = entries[index].action.operation.replacing { subjects[$0] ?? $0 }
    }

    private mutating func remember(_ subject: EntityID, of id: EntityID) {
        if done.count == Self.limit { subjects[done.removeFirst()] = nil }
        subjects[id] = subject
        done.append(id)
    }

    /// Fails an entry. An entry that sends a message stays, so that its text is not lost; any other is removed.
    ///
    /// - Returns: The entries that fail too, because they depend on what this action would have created.
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

    // MARK: Resources and evidence

    /// Returns the entries whose requests need a resource.
    func resolved(by key: ResourceKey) -> [EntityID] {
        entries.compactMap { entry in
            guard case .resolving(let keys) = entry.state, keys.contains(key) else { return nil }
            return entry.action.id
        }
    }

    /// Stops an entry from waiting for a resource that does not exist.
    mutating func resolveWithout(_ key: ResourceKey, _ id: EntityID) {
        change(id) { entry in
            guard case .resolving(let keys) = entry.state else { return }
            entry.state = .resolving(keys.filter { $0 != key })
        }
    }

    /// Returns the entries that wait for a resource as evidence.
    func checked(by key: ResourceKey) -> [EntityID] {
        entries.compactMap { $0.state == .checking(key) ? $0.action.id : nil }
    }

    /// Records that a resource could not be fetched; returns the entries that wait for it as evidence.
    mutating func fetchFailed(_ key: ResourceKey, why: String) -> [EntityID] {
        for index in entries.indices {
            if case .resolving(let keys) = entries[index].state, keys.contains(key) {
                entries[index].fetchFailure = why
            }
        }
        return checked(by: key)
    }

    /// Queues an entry that is known not to have been done.
    mutating func clearDoubt(_ id: EntityID) {
        version += 1
        change(id) { entry in
            entry.state = .queued
            entry.isInDoubt = false
        }
    }

    /// Records a message that may be the echo of an entry.
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
    /// Whether the operation takes several steps.
    package var isRun: Bool { if case .run = self { true } else { false } }
    /// Whether the operation sends a message.
    var isSending: Bool { if case .send = self { true } else { false } }
}

/// An action that is not done yet, and its progress.
///
///     queued ──► resolving ──► sending ──answer──► done (it leaves the outbox), or failed
///       ▲ ▲          │          │  │ ╲
///       │ └──────────┘          │  │  ╲ 401: parked ──token renewed──► queued
///       │         waiting ◄─────┘  │ no answer to a creation: in doubt
///       │            │ due         ▼
///       └────────────┴──────── checking (was it done?) ──yes──► done
///
/// A failed entry that sends a message stays, and can be retried or dropped. Any other failed entry leaves the outbox.
package struct OutboxEntry: Hashable, Sendable {
    /// The states of an entry, each with the states that may follow.
    enum State: Hashable, Sendable {
        /// The entry waits for its turn in its lane. Next: `resolving`, `checking`, `sending`, `failed`.
        case queued
        /// The resources that the request needs are being fetched. Next: `sending`, `waiting`, `failed`.
        case resolving([ResourceKey])
        /// The request is in flight. Next: done, `failed`, `waiting`, `parked`.
        case sending(request: Int)
        /// The action may have been done, and the resource that shows it is being fetched. Next: done, `queued`,
        /// `waiting`.
        case checking(ResourceKey)
        /// The next attempt starts at that moment. Next: `queued`.
        case waiting(until: Moment)
        /// The entry waits for the token to be renewed. Next: `queued`, `failed`.
        case parked
        /// The action was refused or cannot be done, for this reason. Next: `queued`, on a retry.
        case failed(why: String)
    }

    /// The action that the entry performs.
    package internal(set) var action: Action
    /// The number of times that the request was sent.
    package internal(set) var attempts = 0
    /// Whether the request was sent and its outcome is unknown.
    package internal(set) var isInDoubt = false
    /// The number of requests that failed because the token was refused. They do not count as attempts.
    var refusals = 0
    /// The number of checks that did not find the evidence.
    var absences = 0
    /// For a message, the time of the newest message that was known before the first attempt. An older message is not
    /// the echo.
    var baseline: Timestamp?
    var state = State.queued
    /// The resources fetched for the entry. Each is requested only once.
    var fetched: [ResourceKey] = []
    /// The reason why one of these resources could not be fetched.
    var fetchFailure: String?
    /// Messages that arrived since the first attempt and look like the action: its echo, or the same text from another
    /// device.
    var candidates: [EntityID] = []

    /// Creates an entry for an action that has not been tried.
    package init(_ action: Action) { self.action = action }

    /// Returns whether the entry continues once a resource is fetched.
    func waits(for key: ResourceKey) -> Bool {
        switch state {
        case .resolving(let keys): keys.contains(key)
        case .checking(let checked): checked == key
        case .queued, .sending, .waiting, .parked, .failed: false
        }
    }

    /// The reason why the action was refused or cannot be done; `nil` while it still can be.
    package var failure: String? { if case .failed(let why) = state { why } else { nil } }
}

// The state of an entry that outlives the process.
extension OutboxEntry {
    /// Writes the entry as a JSON object: the members of its action, and its progress. An action without a place of its
    /// own gets `place`.
    package func encode(into writer: inout JSONWriter, in place: Action.Place? = nil) {
        var action = action
        action.place = action.place ?? place
        writer.beginObject()
        action.encodeMembers(into: &writer)
        writer.member("attempts", attempts)
        if isInDoubt || isUnderWay { writer.member("doubt", true) }
        if let baseline { writer.member("baseline", baseline.milliseconds) }
        writer.member("failure", failure)
        writer.endObject()
    }

    /// Creates an entry from the JSON that `encode` wrote, or returns `nil` for anything else. An entry that was in
    /// flight when it was written is in doubt.
    package init?(_ value: JSONValue) {
        guard let action = Action(value) else { return nil }
        self.init(action)
        attempts = Int(clamping: max(0, value["attempts"]?.int64 ?? 0))
        isInDoubt = value["doubt"] == .bool(true)
        baseline = value["baseline"]?.int64.map { Timestamp(milliseconds: $0) }
        if let why = value["failure"]?.text { state = .failed(why: why) }
    }

    private var isUnderWay: Bool { if case .sending = state { true } else { false } }
}
