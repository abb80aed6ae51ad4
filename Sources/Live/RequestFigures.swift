import Wire

/// How many requests a session made and how long their answers took. Pure, and of a fixed size however many there are.
public struct RequestFigures: Hashable, Sendable {
    /// Why so many requests came to nothing.
    public struct Reason: Hashable, Sendable {
        /// Why.
        public var name: String
        /// How many.
        public var count: Int
    }

    /// Requests that were answered, however.
    public private(set) var answered = 0
    /// Of these, the ones that came to nothing: no answer, or a status of 400 and more.
    public private(set) var failed = 0
    /// Why these came to nothing, in the order each reason first came: `timeout`, `lost` and the other kinds of failure, or `HTTP 503`.
    public private(set) var reasons: [Reason] = []
    /// Requests that have no answer yet.
    public var open: Int { asking.count }

    /// Requests under way that are watched at most.
    private static let mostOpen = 4096
    /// Four steps for each doubling of a microsecond, up to some hours.
    private static let steps = 140
    /// The most reasons counted apart; later ones count as the last.
    private static let mostReasons = 32
    private var asking: [Int: Moment] = [:]
    private var latencies = Array(repeating: 0, count: steps)

    /// None yet.
    public init() {}

    mutating func asked(_ id: Int, at now: Moment) {
        if asking.count < Self.mostOpen { asking[id] = now }
    }

    /// Nobody waits for the answer any more.
    mutating func cancelled(_ id: Int) { asking[id] = nil }

    mutating func answered(_ id: Int, status: Int, at now: Moment) {
        answered(id, failure: status < 300 || status == 304 ? nil : "HTTP \(status)", at: now)
    }

    /// `failure`: why it came to nothing, if it did.
    mutating func answered(_ id: Int, failure: String?, at now: Moment) {
        answered += 1
        if let failure { count(failure) }
        guard let asked = asking.removeValue(forKey: id) else { return }
        latencies[Self.step(of: (now - asked).microseconds)] += 1
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

    /// The time that so many of a hundred answers did not exceed, to a fifth; nil when none is known.
    public func latency(percentile: Int) -> Duration? {
        let count = latencies.reduce(0, +)
        guard count > 0 else { return nil }
        var rank = max((count * percentile + 99) / 100, 1)
        for (step, count) in latencies.enumerated() {
            rank -= count
            if rank <= 0 { return .microseconds(Self.upper(of: step)) }
        }
        return nil
    }

    /// Steps 0 to 3 are 0 to 3 µs; then each power of two has four.
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
