/// The acknowledgements one end waits for, in one namespace.
///
/// Ids count up from 0 as the reference's do. A peer that never acknowledges costs bounded memory: at most `limit` ids
/// lie between the oldest that is waited for and the newest; past that the oldest is given up.
struct AckLedger: Sendable {
    /// How far the newest id may be ahead of the oldest.
    static let limit = 16_384

    private struct Entry {
        var due: Moment?
        /// Whether the event has left, so that the end of the connection ends the wait.
        var isSent: Bool
    }

    private var next = 0
    private var oldest = 0
    private var waiting: [Int: Entry] = [:]
    /// When `expire` is to be called: not later than the first acknowledgement is given up, perhaps before it.
    private(set) var deadline: Moment?

    /// A new id, given up at `due`, and the id given up for it.
    mutating func issue(due: Moment? = nil, isSent: Bool = true) -> (id: Int, givenUp: Int?) {
        let id = reserve()
        waiting[id] = Entry(due: due, isSent: isSent)
        if let due { deadline = deadline.map { min($0, due) } ?? due }
        guard next - oldest > Self.limit else { return (id, nil) }
        let givenUp = waiting.removeValue(forKey: oldest).map { _ in oldest }
        while waiting[oldest] == nil { oldest += 1 }
        return (id, givenUp)
    }

    /// The id that comes next.
    var nextID: Int { next }

    /// Passes ids over, so that the next one is `id`: what happened before was not seen. Ids that lie too far ahead are no ids.
    mutating func skip(to id: Int) {
        if waiting.isEmpty { oldest = next }
        guard id > next, id - oldest < (waiting.isEmpty ? 1 << 53 : Self.limit) else { return }
        next = id
    }

    /// A new id that is not waited for here.
    mutating func reserve() -> Int {
        if waiting.isEmpty { oldest = next }
        next += 1
        return next - 1
    }

    /// The event that waits with this id has left.
    mutating func noteSent(_ id: Int) { waiting[id]?.isSent = true }

    /// Whether `id` was waited for; a duplicate or an unknown id was not (1.11).
    mutating func settle(_ id: Int) -> Bool {
        guard waiting.removeValue(forKey: id) != nil else { return false }
        if waiting.isEmpty { deadline = nil }
        return true
    }

    /// Gives up what is due by `now`, oldest first.
    mutating func expire(at now: Moment) -> [Int] {
        guard let deadline, deadline <= now else { return [] }
        let due = waiting.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for id in due { waiting[id] = nil }
        renewDeadline()
        return due
    }

    /// Gives up every event that has left, oldest first.
    mutating func giveUpSent() -> [Int] {
        let sent = waiting.filter(\.value.isSent).keys.sorted()
        for id in sent { waiting[id] = nil }
        renewDeadline()
        return sent
    }

    /// Gives up everything, oldest first.
    mutating func giveUpAll() -> [Int] {
        let ids = waiting.keys.sorted()
        waiting = [:]
        deadline = nil
        return ids
    }

    /// The peer has so much longer.
    mutating func postpone(by span: Duration) {
        waiting = waiting.mapValues { Entry(due: $0.due.map { $0 + span }, isSent: $0.isSent) }
        renewDeadline()
    }

    private mutating func renewDeadline() { deadline = waiting.values.lazy.compactMap(\.due).min() }
}
