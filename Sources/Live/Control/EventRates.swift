import Wire

/// Counts events by the second, for a minute. Pure.
struct EventRates {
    static let span = 60

    /// The second of each place, and what was counted in it.
    private var seconds = [Int64](repeating: -1, count: span)
    private var counts = [Int](repeating: 0, count: span)
    private let began: Moment

    /// Nothing was counted before.
    init(from began: Moment) { self.began = began }

    /// Something happened, so often.
    mutating func note(_ times: Int = 1, at now: Moment) {
        let second = max(now.microseconds, 0) / 1_000_000
        let place = Int(second % Int64(Self.span))
        if seconds[place] != second {
            seconds[place] = second
            counts[place] = 0
        }
        counts[place] += times
    }

    /// How many a second, over so many whole seconds before this one, or as many as there are.
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
