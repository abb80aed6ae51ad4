/// The acknowledgements one end waits for, in one namespace.
///
/// Ids count up from 0 as the reference's do. A peer that never acknowledges costs bounded memory: at most `limit` ids
/// lie between the oldest that is waited for and the newest; past that the oldest is given up.
struct AckLedger: Sendable {
    /// How far the newest id may be ahead of the oldest.
    static let limit = 16_384

    private var next = 0
    private var oldest = 0
    private var waiting: Set<Int> = []

    /// A new id, and the id given up for it.
    mutating func issue() -> (id: Int, givenUp: Int?) {
        let id = next
        next += 1
        waiting.insert(id)
        guard next - oldest > Self.limit else { return (id, nil) }
        let givenUp = waiting.remove(oldest)
        while !waiting.contains(oldest) { oldest += 1 }
        return (id, givenUp)
    }

    /// Whether `id` was waited for; a duplicate or an unknown id was not (1.11).
    mutating func settle(_ id: Int) -> Bool {
        guard waiting.remove(id) != nil else { return false }
        if waiting.isEmpty { oldest = next }
        return true
    }

    /// Gives up everything, oldest first.
    mutating func giveUpAll() -> [Int] {
        let ids = waiting.sorted()
        waiting = []
        oldest = next
        return ids
    }
}
