/// The events that the client has emitted to one namespace and that are not finished. It outlives a connection.
struct EmitLedger: Sendable {
    private struct Pending {
        var emission: SocketIO.Emission
        var id: Int?
    }

    let namespace: String
    var acks = AckLedger()
    private var buffered = BoundedBuffer<Pending>()
    private var retries = RetryQueue()
    var recovery = RecoveryPoint()

    init(namespace: String) { self.namespace = namespace }

    /// When to call `advance` next; `nil` if nothing is pending.
    var deadline: Moment? {
        guard let retry = retries.deadline else { return acks.deadline }
        return acks.deadline.map { min($0, retry) } ?? retry
    }

    /// Extends the peer's deadlines for its acknowledgements.
    mutating func postpone(by span: Duration) {
        acks.postpone(by: span)
        retries.postpone(by: span)
    }

    // MARK: Emitting

    /// Sends an event to a joined namespace.
    mutating func send(
        _ emission: SocketIO.Emission, at now: Moment, _ revision: EngineIO.Revision,
        into effects: inout [SocketIOClientMachine.Effect]
    ) -> Int? {
        switch emission.delivery {
        case .volatile, .buffered:
            let id = issue(emission.ack, at: now, isSent: true, into: &effects)
            emission.send(to: namespace, id: id, revision, into: &effects)
            return id
        case .retried:
            let id = queue(emission, into: &effects)
            sendRetried(at: now, revision, into: &effects)
            return id
        }
    }

    /// Keeps an event for a namespace that is not joined, if its delivery mode and the available room permit.
    mutating func hold(
        _ emission: SocketIO.Emission, at now: Moment, _ policy: SocketIO.OverflowPolicy,
        into effects: inout [SocketIOClientMachine.Effect]
    ) -> Int? {
        switch emission.delivery {
        case .volatile: return drop(emission, .notJoined, into: &effects)
        case .buffered: return buffer(emission, at: now, policy, into: &effects)
        case .retried: return queue(emission, into: &effects)
        }
    }

    /// Drops an event instead of sending it, and reports that.
    mutating func drop(
        _ emission: SocketIO.Emission, _ why: SocketIOClientMachine.DropCause,
        into effects: inout [SocketIOClientMachine.Effect]
    ) -> Int? {
        let wantsAck =
            switch (emission.delivery, emission.ack) {
            case (.retried, _), (_, .unlimited), (_, .within): true
            case (.volatile, .none), (.buffered, .none): false
            }
        let id = wantsAck ? acks.reserve() : nil
        tellDropped(emission, id, why, into: &effects)
        return id
    }

    private mutating func buffer(
        _ emission: SocketIO.Emission, at now: Moment, _ policy: SocketIO.OverflowPolicy,
        into effects: inout [SocketIOClientMachine.Effect]
    ) -> Int? {
        let id = issue(emission.ack, at: now, isSent: false, into: &effects)
        let pending = Pending(emission: emission, id: id)
        while !buffered.append(pending, bytes: emission.weight) {
            guard policy == .dropOldest, let oldest = buffered.popFirst() else {
                if let id { _ = acks.settle(id) }
                tellDropped(emission, id, .overflow, into: &effects)
                break
            }
            if let id = oldest.id { _ = acks.settle(id) }
            tellDropped(oldest.emission, oldest.id, .overflow, into: &effects)
        }
        return id
    }

    private mutating func queue(_ emission: SocketIO.Emission, into effects: inout [SocketIOClientMachine.Effect])
        -> Int?
    {
        let id = acks.reserve()
        if !retries.append(RetryQueue.Item(emission: emission, id: id)) {
            tellDropped(emission, id, .overflow, into: &effects)
        }
        return id
    }

    private mutating func issue(
        _ request: SocketIO.AckRequest, at now: Moment, isSent: Bool, into effects: inout [SocketIOClientMachine.Effect]
    ) -> Int? {
        let due: Moment? =
            switch request {
            case .none, .unlimited: nil
            case .within(let span): now + span
            }
        if request == .none { return nil }
        let (id, givenUp) = acks.issue(due: due, isSent: isSent)
        if let givenUp { tellUnacknowledged(givenUp, .overflow, into: &effects) }
        return id
    }

    // MARK: What happens to it

    /// Sends the waiting events, in order, after the namespace is joined.
    mutating func flush(
        at now: Moment, _ revision: EngineIO.Revision, into effects: inout [SocketIOClientMachine.Effect]
    ) {
        for pending in buffered.drain() {
            if let id = pending.id { acks.noteSent(id) }
            pending.emission.send(to: namespace, id: pending.id, revision, into: &effects)
        }
        sendRetried(at: now, revision, into: &effects)
    }

    /// Handles an acknowledgement. One that is not pending is ignored.
    mutating func settle(
        _ answer: SocketIO.Acknowledgement, at now: Moment, _ revision: EngineIO.Revision,
        into effects: inout [SocketIOClientMachine.Effect]
    ) {
        if acks.settle(answer.id) {
            effects.append(.acknowledged(answer))
        } else if retries.settle(answer.id) {
            effects.append(.acknowledged(answer))
            sendRetried(at: now, revision, into: &effects)
        }
    }

    /// Performs the steps that are due by `now`. `revision` is `nil` while the namespace is not joined.
    mutating func advance(
        to now: Moment, _ revision: EngineIO.Revision?, into effects: inout [SocketIOClientMachine.Effect]
    ) {
        for id in acks.expire(at: now) {
            if let pending = buffered.remove(where: { $0.id == id }) {
                tellDropped(pending.emission, id, .timeout, into: &effects)
            } else {
                tellUnacknowledged(id, .timeout, into: &effects)
            }
        }
        if let due = retries.deadline, due <= now {
            if let item = retries.endAttempt() { tellUnacknowledged(item.id, .timeout, into: &effects) }
            if let revision { sendRetried(at: now, revision, into: &effects) }
        }
    }

    /// Handles the loss of the connection, or of the namespace on it. Events already sent are reported as
    /// unacknowledged; waiting events keep waiting.
    mutating func disconnected(into effects: inout [SocketIOClientMachine.Effect]) {
        for id in acks.giveUpSent() { tellUnacknowledged(id, .disconnected, into: &effects) }
        if let item = retries.endAttempt() { tellUnacknowledged(item.id, .disconnected, into: &effects) }
    }

    /// Gives up all events, because the namespace will not be joined again.
    mutating func abandon(into effects: inout [SocketIOClientMachine.Effect]) {
        recovery = RecoveryPoint()
        let waiting = buffered.drain()
        for pending in waiting {
            if let id = pending.id { _ = acks.settle(id) }
        }
        for id in acks.giveUpAll() { tellUnacknowledged(id, .disconnected, into: &effects) }
        for pending in waiting { tellDropped(pending.emission, pending.id, .notJoined, into: &effects) }
        for item in retries.drain() { tellUnacknowledged(item.id, .disconnected, into: &effects) }
    }

    private mutating func sendRetried(
        at now: Moment, _ revision: EngineIO.Revision, into effects: inout [SocketIOClientMachine.Effect]
    ) {
        guard let item = retries.next(at: now) else { return }
        item.emission.send(to: namespace, id: item.id, revision, into: &effects)
    }

    private func tellUnacknowledged(
        _ id: Int, _ cause: SocketIOClientMachine.AckFailure, into effects: inout [SocketIOClientMachine.Effect]
    ) {
        effects.append(.unacknowledged(namespace: namespace, id: id, cause))
    }

    private func tellDropped(
        _ emission: SocketIO.Emission, _ id: Int?, _ cause: SocketIOClientMachine.DropCause,
        into effects: inout [SocketIOClientMachine.Effect]
    ) {
        effects.append(
            .dropped(SocketIOClientMachine.Dropped(emission: emission, namespace: namespace, id: id, cause: cause)))
    }
}

/// A queue of events that are sent until they are acknowledged, one at a time and in order, like the reference client's
/// queue (Socket.IO SIO-14).
struct RetryQueue: Sendable {
    /// An event and its acknowledgement id. Every attempt uses the same id, so a late answer to the first attempt
    /// counts.
    struct Item: Sendable {
        var emission: SocketIO.Emission
        var id: Int
    }

    private var items = BoundedBuffer<Item>()
    /// How often the first event has been sent.
    private var sends = 0
    /// When the pending attempt ends; `nil` if no attempt is pending.
    private(set) var deadline: Moment?

    /// Whether the queue contains no events.
    var isEmpty: Bool { items.isEmpty }

    /// Appends an event. Returns false if it does not fit.
    mutating func append(_ item: Item) -> Bool { items.append(item, bytes: item.emission.weight) }

    /// Returns the event to send now, if no attempt is pending and an event waits. This starts an attempt.
    mutating func next(at now: Moment) -> Item? {
        guard deadline == nil, let item = items.first, case .retried(_, let timeout) = item.emission.delivery else {
            return nil
        }
        sends += 1
        deadline = now + timeout
        return item
    }

    /// Removes the first event if `id` is its id. Returns whether it was.
    mutating func settle(_ id: Int) -> Bool {
        guard sends > 0, items.first?.id == id else { return false }
        removeFirst()
        return true
    }

    /// Ends the pending attempt, if any, because it timed out or its connection was lost. Returns the event if it has
    /// no attempts left.
    mutating func endAttempt() -> Item? {
        guard deadline != nil, let item = items.first, case .retried(let attempts, _) = item.emission.delivery else {
            return nil
        }
        deadline = nil
        guard sends >= attempts else { return nil }
        removeFirst()
        return item
    }

    /// Extends the deadline of the pending attempt.
    mutating func postpone(by span: Duration) { deadline = deadline.map { $0 + span } }

    /// Removes and returns all events, oldest first.
    mutating func drain() -> [Item] {
        (sends, deadline) = (0, nil)
        return items.drain()
    }

    private mutating func removeFirst() {
        _ = items.popFirst()
        (sends, deadline) = (0, nil)
    }
}

/// The acknowledgements that one end awaits in one namespace.
///
/// Ids count up from 0, as in the reference implementation. A peer that never acknowledges costs bounded memory: the
/// newest id is at most `limit` ahead of the oldest pending one, and beyond that the oldest is given up.
struct AckLedger: Sendable {
    /// How far the newest id may be ahead of the oldest.
    static let limit = 16_384

    private struct Entry {
        var due: Moment?
        /// Whether the event was sent, so that the loss of the connection ends the wait.
        var isSent: Bool
    }

    private var next = 0
    private var oldest = 0
    private var waiting: [Int: Entry] = [:]
    /// When to call `expire(at:)`: at or before the time at which the first acknowledgement is given up.
    private(set) var deadline: Moment?

    /// Issues a new id, which is given up at `due`. Also returns the id that was given up to make room for it.
    mutating func issue(due: Moment? = nil, isSent: Bool = true) -> (id: Int, givenUp: Int?) {
        let id = reserve()
        waiting[id] = Entry(due: due, isSent: isSent)
        if let due { deadline = deadline.map { min($0, due) } ?? due }
        guard next - oldest > Self.limit else { return (id, nil) }
        let givenUp = waiting.removeValue(forKey: oldest).map { _ in oldest }
        while waiting[oldest] == nil { oldest += 1 }
        return (id, givenUp)
    }

    /// The id that `issue` or `reserve` returns next.
    var nextID: Int { next }

    /// Skips ids, so that the next one is `id`. Use it if earlier events were not seen. An `id` too far ahead is
    /// ignored.
    mutating func skip(to id: Int) {
        if waiting.isEmpty { oldest = next }
        guard id > next, id - oldest < (waiting.isEmpty ? 1 << 53 : Self.limit) else { return }
        next = id
    }

    /// Returns a new id that this ledger does not track.
    mutating func reserve() -> Int {
        if waiting.isEmpty { oldest = next }
        next += 1
        return next - 1
    }

    /// Records that the event with this id was sent.
    mutating func noteSent(_ id: Int) { waiting[id]?.isSent = true }

    /// Ends the wait for `id`. Returns false if the id was not pending, as for a duplicate or unknown id
    /// (Socket.IO SIO-13).
    mutating func settle(_ id: Int) -> Bool {
        guard waiting.removeValue(forKey: id) != nil else { return false }
        if waiting.isEmpty { deadline = nil }
        return true
    }

    /// Gives up the ids due by `now`, and returns them, oldest first.
    mutating func expire(at now: Moment) -> [Int] {
        guard let deadline, deadline <= now else { return [] }
        let due = waiting.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for id in due { waiting[id] = nil }
        renewDeadline()
        return due
    }

    /// Gives up the ids of all events that were sent, and returns them, oldest first.
    mutating func giveUpSent() -> [Int] {
        let sent = waiting.filter(\.value.isSent).keys.sorted()
        for id in sent { waiting[id] = nil }
        renewDeadline()
        return sent
    }

    /// Gives up all ids, and returns them, oldest first.
    mutating func giveUpAll() -> [Int] {
        let ids = waiting.keys.sorted()
        waiting = [:]
        deadline = nil
        return ids
    }

    /// Extends the deadlines of all pending ids.
    mutating func postpone(by span: Duration) {
        waiting = waiting.mapValues { Entry(due: $0.due.map { $0 + span }, isSent: $0.isSent) }
        renewDeadline()
    }

    private mutating func renewDeadline() { deadline = waiting.values.lazy.compactMap(\.due).min() }
}
