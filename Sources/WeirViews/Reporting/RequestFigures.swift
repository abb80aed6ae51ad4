package import WeirWire

/// The number of a session's requests and the latencies of their answers. Pure, with a fixed size regardless of the
/// number of requests.
public struct RequestFigures: Hashable, Sendable {
    /// The number of requests that failed for one reason.
    public struct Reason: Hashable, Sendable {
        /// `timeout`, `lost` or another kind of failure, or a status such as `HTTP 503`.
        public var name: String
        /// The number of requests that failed for this reason.
        public var count: Int
    }

    /// The number of requests that ended, with an answer or a failure.
    public private(set) var answered = 0
    /// The number of these that failed: no answer, or a status of 300 or more other than 304.
    public private(set) var failed = 0
    /// The reasons for the failures, in the order in which each first occurred.
    public private(set) var reasons: [Reason] = []
    /// The number of requests without an answer yet.
    public var open: Int { asking.count }

    /// The maximum number of open requests whose latency is measured.
    private static let mostOpen = 4096
    /// The maximum number of separate reasons. Later ones count as the last.
    private static let mostReasons = 32
    private var asking: [Int: Moment] = [:]
    private var latencies = LatencyHistogram()

    /// Creates figures without any request.
    public init() {}

    package mutating func asked(_ id: Int, at now: Moment) {
        if asking.count < Self.mostOpen { asking[id] = now }
    }

    /// Removes a request whose answer is no longer awaited.
    package mutating func cancelled(_ id: Int) { asking[id] = nil }

    package mutating func answered(_ id: Int, status: Int, at now: Moment) {
        answered(id, failure: status < 300 || status == 304 ? nil : "HTTP \(status)", at: now)
    }

    /// Counts an ended request. `failure` is the reason if it failed.
    package mutating func answered(_ id: Int, failure: String?, at now: Moment) {
        answered += 1
        if let failure { count(failure) }
        guard let asked = asking.removeValue(forKey: id) else { return }
        latencies.add((now - asked).microseconds)
    }

    private mutating func count(_ failure: String) {
        failed += 1
        if let index = reasons.firstIndex(where: { $0.name == failure }) {
            reasons[index].count += 1
        } else if reasons.count < Self.mostReasons {
            reasons.append(Reason(name: failure, count: 1))
        } else {
            reasons[reasons.count - 1].count += 1
        }
    }

    /// Returns the latency that `percentile` percent of the answers did not exceed, or `nil` if no latency is known. It
    /// is rounded up to the end of its step; at most a fifth of the result is rounding.
    public func latency(percentile: Int) -> Duration? {
        latencies.percentile(percentile).map { .microseconds($0) }
    }
}

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
