import Wire

/// How many requests may begin in any second: services refuse whoever asks more often, for all that a user runs.
///
/// A sliding window, so that no second has more, wherever it begins. Holds one moment for each request of the last second.
struct RequestPace: Sendable {
    private let limit: Int?
    /// When the last ones began, oldest first; not more than the limit.
    private var begun: [Moment] = []

    /// At most `limit` in a second, 1 at least; nil for as many as anybody likes.
    init(limit: Int?) { self.limit = limit.map { max(1, $0) } }

    /// When one more may begin; nil when nothing is in the way, now or later.
    var opening: Moment? {
        guard let limit, begun.count >= limit, let oldest = begun.first else { return nil }
        return oldest + .seconds(1)
    }

    /// Whether one may begin.
    func isOpen(at now: Moment) -> Bool { opening.map { $0 <= now } ?? true }

    /// One begins, whether or not it may.
    mutating func begin(at now: Moment) {
        guard let limit else { return }
        begun.removeAll { $0 + .seconds(1) <= now }
        if begun.count >= limit { begun.removeFirst() }
        begun.append(now)
    }
}
