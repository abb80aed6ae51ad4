import Wire

/// The counts of the last 60 seconds, in a ring of fixed size. Pure: the caller passes the time.
struct RateHistory: Sendable {
    static let seconds = 60
    private var counts: [UInt32] = []
    /// The second of the latest count.
    private var last: Int64 = 0

    /// Adds `count` to the second of `now`. A second that has left the ring is ignored.
    mutating func add(_ count: Int, at now: Moment) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.seconds) }
        let second = now.microseconds / 1_000_000
        if second > last {
            // Seconds without a count are zero.
            for step in 0..<min(second - last, Int64(Self.seconds)) { counts[Self.index(second - step)] = 0 }
            last = second
        }
        guard last - second < Int64(Self.seconds) else { return }
        let index = Self.index(second)
        let (sum, overflow) = counts[index].addingReportingOverflow(UInt32(clamping: count))
        counts[index] = overflow ? .max : sum
    }

    /// Returns the counts of the 60 seconds up to `now`, oldest first.
    func history(at now: Moment) -> [UInt32] {
        guard !counts.isEmpty else { return Array(repeating: 0, count: Self.seconds) }
        let second = now.microseconds / 1_000_000
        return (0..<Int64(Self.seconds)).map { step in
            let asked = second - Int64(Self.seconds) + 1 + step
            return asked > last || asked <= last - Int64(Self.seconds) || asked < 0 ? 0 : counts[Self.index(asked)]
        }
    }

    /// Returns the average rate per second over the last `span` complete seconds.
    func rate(over span: Int, at now: Moment) -> Double {
        let known = history(at: now).dropLast().suffix(span)
        let length = min(Int64(span), max(now.microseconds / 1_000_000, 1))
        return Double(known.reduce(0) { $0 + Int($1) }) / Double(length)
    }

    /// Returns one block for each second. The height is relative to `highest`.
    static func sparkline(_ counts: some Sequence<UInt32>, highest: UInt32) -> String {
        let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(
            counts.map { count in
                guard count > 0, highest > 0 else { return " " }
                return blocks[min(Int(UInt64(count) * UInt64(blocks.count) / UInt64(highest)), blocks.count - 1)]
            })
    }

    private static func index(_ second: Int64) -> Int {
        let rest = Int(second % Int64(seconds))
        return rest < 0 ? rest + seconds : rest
    }
}

extension Double {
    /// The rate in a few characters: `0`, `0.4`, `12`, `3.4k`.
    var rateText: String {
        func tenths(_ value: Double, _ unit: String) -> String {
            let tenths = Int((value * 10).rounded())
            return tenths % 10 == 0 || tenths >= 100 ? "\(tenths / 10)\(unit)" : "\(tenths / 10).\(tenths % 10)\(unit)"
        }
        switch self {
        case ..<1000: return tenths(self, "")
        case ..<1e6: return tenths(self / 1e3, "k")
        default: return tenths(Swift.min(self, 1e15) / 1e6, "M")
        }
    }
}
