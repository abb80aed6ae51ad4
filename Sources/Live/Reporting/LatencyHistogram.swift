import Wire

/// Counts durations in steps of a fifth. Pure, and of a fixed size.
struct LatencyHistogram: Hashable, Sendable {
    /// Four steps for each power of two in microseconds, up to several hours.
    private static let steps = 140
    /// The counts by step. Empty until the first duration, since most histograms of a history stay empty.
    private var counts: [UInt32] = []
    /// The number of all added durations.
    private(set) var count = 0
    /// The longest duration, in microseconds.
    private(set) var longest: Int64 = 0

    /// Adds a duration in microseconds. A negative one counts as 0.
    mutating func add(_ microseconds: Int64) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.steps) }
        counts[Self.step(of: microseconds)] &+= 1
        count += 1
        longest = max(longest, microseconds)
    }

    /// Adds the durations of another histogram.
    mutating func add(_ other: Self) {
        guard other.count > 0 else { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.steps) }
        for step in other.counts.indices { counts[step] &+= other.counts[step] }
        count += other.count
        longest = max(longest, other.longest)
    }

    /// Returns the given percentile in microseconds, to a precision of a fifth; `nil` if the histogram is empty.
    func percentile(_ percentile: Int) -> Int64? {
        guard count > 0 else { return nil }
        var rank = max((count * percentile + 99) / 100, 1)
        for (step, count) in counts.enumerated() {
            rank -= Int(count)
            if rank <= 0 { return Self.upper(of: step) }
        }
        return nil
    }

    /// Steps 0 to 3 are 0 to 3 µs. After them, each power of two has four steps.
    private static func step(of microseconds: Int64) -> Int {
        guard microseconds > 3 else { return Int(max(microseconds, 0)) }
        let power = 63 - microseconds.leadingZeroBitCount
        return min(4 * (power - 1) + Int(microseconds >> Int64(power - 2)) - 4, steps - 1)
    }

    private static func upper(of step: Int) -> Int64 {
        guard step > 3 else { return Int64(step) }
        let power = Int64(step / 4 + 1)
        return (Int64(step % 4) + 5) << (power - 2)
    }
}
