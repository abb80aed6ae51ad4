import Wire

/// How many came in each of the last seconds. Pure: seconds of the time it is told.
struct WatchRate: Sendable {
    static let seconds = 30

    /// The last second's is the last; it is not over.
    private var counts: [Int] = []
    /// The second of that one.
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

    /// Whether another second makes a difference.
    var isMoving: Bool { counts.contains { $0 > 0 } }

    var nextSecond: Moment { Moment(microseconds: ((second ?? 0) + 1) * 1_000_000) }

    /// The same at another time.
    func advanced(to now: Moment) -> WatchRate {
        var rate = self
        rate.advance(to: now)
        return rate
    }

    /// Of the last whole second.
    var perSecond: Int { counts.count > 1 ? counts[counts.count - 2] : counts.last ?? 0 }

    /// The last seconds as blocks of eight heights, the busiest one the highest.
    func sparkline(_ width: Int) -> String {
        let shown = counts.suffix(max(width, 0))
        let most = max(shown.max() ?? 0, 1)
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(shown.map { $0 == 0 ? " " : blocks[min($0 * 8 / (most + 1), 7)] })
    }
}
