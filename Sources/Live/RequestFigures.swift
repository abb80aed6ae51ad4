import Wire

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

    mutating func asked(_ id: Int, at now: Moment) {
        if asking.count < Self.mostOpen { asking[id] = now }
    }

    /// Removes a request whose answer is no longer awaited.
    mutating func cancelled(_ id: Int) { asking[id] = nil }

    mutating func answered(_ id: Int, status: Int, at now: Moment) {
        answered(id, failure: status < 300 || status == 304 ? nil : "HTTP \(status)", at: now)
    }

    /// Counts an ended request. `failure` is the reason if it failed.
    mutating func answered(_ id: Int, failure: String?, at now: Moment) {
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
