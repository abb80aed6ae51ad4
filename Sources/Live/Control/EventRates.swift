import Wire

/// Counts events per second over the last minute. Pure.
struct EventRates {
    static let span = 60

    /// The second that each slot counts. `counts` contains the slots' counts.
    private var seconds = [Int64](repeating: -1, count: span)
    private var counts = [Int](repeating: 0, count: span)
    private let began: Moment

    /// Creates an empty count that starts at `began`.
    init(from began: Moment) { self.began = began }

    /// Counts a number of events.
    mutating func note(_ times: Int = 1, at now: Moment) {
        let second = max(now.microseconds, 0) / 1_000_000
        let place = Int(second % Int64(Self.span))
        if seconds[place] != second {
            seconds[place] = second
            counts[place] = 0
        }
        counts[place] += times
    }

    /// Returns the events per second over the last `span` whole seconds, or over the time since the beginning if that
    /// is shorter.
    func rate(over span: Int, at now: Moment) -> Double {
        let second = max(now.microseconds, 0) / 1_000_000
        let first = max(second - Int64(min(span, Self.span)), max(began.microseconds, 0) / 1_000_000)
        guard second > first else { return 0 }
        var total = 0
        for (place, counted) in seconds.enumerated() where counted >= first && counted < second {
            total += counts[place]
        }
        return Double(total) / Double(second - first)
    }
}
