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
