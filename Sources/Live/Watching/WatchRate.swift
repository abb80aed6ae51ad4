import Wire

/// The number of events in each of the last 30 seconds. Pure: the caller passes the time.
struct WatchRate: Sendable {
    static let seconds = 30

    /// The count of each second, oldest first. The last second is not over yet.
    private var counts: [Int] = []
    /// The second of the last count.
    private var second: Int64?

    mutating func advance(to now: Moment) {
        let wanted = now.microseconds / 1_000_000
        guard let second, wanted > second else { return }
        let passed = Int(min(wanted - second, Int64(Self.seconds)))
        counts.append(contentsOf: repeatElement(0, count: passed))
        counts.removeFirst(max(counts.count - Self.seconds, 0))
        self.second = wanted
    }

    mutating func add(at now: Moment) {
        if second == nil {
            second = now.microseconds / 1_000_000
            counts = [0]
        }
        advance(to: now)
        counts[counts.count - 1] += 1
    }

    /// Whether the values will change when a second passes.
    var isMoving: Bool { counts.contains { $0 > 0 } }

    var nextSecond: Moment { Moment(microseconds: ((second ?? 0) + 1) * 1_000_000) }

    /// Returns a copy that is advanced to another time.
    func advanced(to now: Moment) -> WatchRate {
        var rate = self
        rate.advance(to: now)
        return rate
    }

    /// The count of the last complete second.
    var perSecond: Int { counts.count > 1 ? counts[counts.count - 2] : counts.last ?? 0 }

    /// Returns the last `width` seconds as blocks of eight heights. The busiest second has the highest block.
    func sparkline(_ width: Int) -> String {
        let shown = counts.suffix(max(width, 0))
        let most = max(shown.max() ?? 0, 1)
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(shown.map { $0 == 0 ? " " : blocks[min($0 * 8 / (most + 1), 7)] })
    }
}
