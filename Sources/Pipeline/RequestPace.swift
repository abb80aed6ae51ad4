import Wire

/// A limit on the number of requests that start in any second. Services refuse requests beyond their rate, which they
/// count over everything that a user runs.
///
/// The window slides, so that no second contains more requests, wherever it starts. It keeps one moment for each
/// request of the last second.
struct RequestPace: Sendable {
    private let limit: Int?
    /// The start times of the last requests, oldest first. At most `limit`.
    private var begun: [Moment] = []

    /// Creates a pace of at most `limit` requests a second, which is at least 1; `nil` for no limit.
    init(limit: Int?) { self.limit = limit.map { max(1, $0) } }

    /// The time at which another request may start; `nil` if it may start at any time.
    var opening: Moment? {
        guard let limit, begun.count >= limit, let oldest = begun.first else { return nil }
        return oldest + .seconds(1)
    }

    /// Returns whether another request may start.
    func isOpen(at now: Moment) -> Bool { opening.map { $0 <= now } ?? true }

    /// Records the start of a request, whether the limit allows it or not.
    mutating func begin(at now: Moment) {
        guard let limit else { return }
        begun.removeAll { $0 + .seconds(1) <= now }
        if begun.count >= limit { begun.removeFirst() }
        begun.append(now)
    }
}
