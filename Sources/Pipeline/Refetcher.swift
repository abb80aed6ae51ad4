import Wire

/// Refetch keyed by resource: the same key never runs twice at once, different keys run side by side up to a limit.
///
/// A key is in one of these states; one that is in none is idle.
///
///     queued ──► fetching ──answer──► idle
///                  │  ▲ ╲
///          dirty:  │  │  ╲ failure: waiting (backoff) ──► queued
///      fetch again ▼  │   ╲ 401/403: parked ──token renewed──► queued
///              fetching-and-dirty ──answer──► queued
struct Refetcher: Sendable {
    /// What became of an answer.
    enum Verdict: Hashable {
        /// The answer is to be applied; `isCurrent` is false when an event about the resource came while it was in flight.
        case apply(ResourceKey, isCurrent: Bool)
        /// The server says that there is no such resource.
        case gone(ResourceKey)
        /// The token was refused: the key is parked. True when it is the first one, so that one renewal serves all.
        case tokenRefused(ResourceKey, isFirst: Bool)
        /// It will be tried again.
        case retrying(ResourceKey)
        /// It will not be tried again; why.
        case failed(ResourceKey, why: String)
        /// Nobody waits for this answer.
        case unknown
    }

    private enum State: Hashable {
        case queued
        case fetching(request: Int, isDirty: Bool)
        case waiting
        case parked
    }

    private struct Entry {
        var state: State
        var failures: Int
        var cause: Int
    }

    private let limit: Int
    private let backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
    private let maximumFailures = 6
    private var entries: [ResourceKey: Entry] = [:]
    private var queue: [ResourceKey] = []
    private var requests: [Int: ResourceKey] = [:]
    private var waiting: [(due: Moment, key: ResourceKey)] = []
    private var parked: [ResourceKey] = []
    private var lastRequest = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// When a waiting key is due.
    var deadline: Moment? { waiting.first?.due }

    /// Whether nothing is queued, in flight, waiting or parked.
    var isIdle: Bool { entries.isEmpty }

    /// An event says that the resource may have changed; `cause` is its record's number.
    mutating func invalidate(_ key: ResourceKey, cause: Int) {
        guard let entry = entries[key] else {
            entries[key] = Entry(state: .queued, failures: 0, cause: cause)
            queue.append(key)
            return
        }
        if case .fetching(let request, _) = entry.state {
            entries[key]?.state = .fetching(request: request, isDirty: true)
        }
    }

    /// The resource is gone or nobody cares: whatever is under way for it is dropped. Gives the request to cancel.
    mutating func forget(_ key: ResourceKey) -> Int? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        switch entry.state {
        case .queued: queue.removeAll { $0 == key }
        case .waiting: waiting.removeAll { $0.key == key }
        case .parked: parked.removeAll { $0 == key }
        case .fetching(let request, _):
            requests[request] = nil
            return request
        }
        return nil
    }

    /// Takes the next queued key for which there is room in flight; gives its request's number and cause.
    mutating func next() -> (key: ResourceKey, request: Int, cause: Int)? {
        guard requests.count < limit, !queue.isEmpty else { return nil }
        let key = queue.removeFirst()
        lastRequest += 1
        entries[key]?.state = .fetching(request: lastRequest, isDirty: false)
        requests[lastRequest] = key
        return (key, lastRequest, entries[key]?.cause ?? 0)
    }

    /// A request ended.
    mutating func answered(_ request: Int, _ answer: Answer, at now: Moment, using random: inout RandomSource)
        -> Verdict
    {
        guard let key = requests.removeValue(forKey: request), let entry = entries[key],
            case .fetching(_, let isDirty) = entry.state
        else { return .unknown }
        switch answer {
        case .response(200..<300, _, _):
            settle(key, isDirty: isDirty)
            return .apply(key, isCurrent: !isDirty)
        case .response(401, _, _), .response(403, _, _):
            let isFirst = parked.isEmpty
            entries[key]?.state = .parked
            parked.append(key)
            return .tokenRefused(key, isFirst: isFirst)
        case .response(404, _, _), .response(410, _, _):
            settle(key, isDirty: isDirty)
            return .gone(key)
        case .response(let status, _, let retryAfter) where status == 429 || status >= 500 || status == 408:
            return retry(
                key, after: retryAfter.map { .seconds(min($0, 3600)) }, why: "HTTP \(status)", at: now, using: &random)
        case .response(let status, _, _):
            settle(key, isDirty: isDirty)
            return .failed(key, why: "HTTP \(status)")
        case .failure(_, let message):
            return retry(key, after: nil, why: message, at: now, using: &random)
        }
    }

    /// The token was renewed: whoever waited for it goes on. Without another token (`changed` false) they fail.
    mutating func tokenRenewed(changed: Bool) -> [ResourceKey] {
        let keys = parked
        parked = []
        for key in keys {
            if changed {
                entries[key]?.state = .queued
                queue.append(key)
            } else {
                entries[key] = nil
            }
        }
        return changed ? [] : keys
    }

    /// Queues what has waited long enough.
    mutating func advance(to now: Moment) {
        while let first = waiting.first, first.due <= now {
            waiting.removeFirst()
            entries[first.key]?.state = .queued
            queue.append(first.key)
        }
    }

    private mutating func settle(_ key: ResourceKey, isDirty: Bool) {
        if isDirty {
            entries[key]?.state = .queued
            entries[key]?.failures = 0
            queue.append(key)
        } else {
            entries[key] = nil
        }
    }

    private mutating func retry(
        _ key: ResourceKey, after: Duration?, why: String, at now: Moment, using random: inout RandomSource
    ) -> Verdict {
        let failures = (entries[key]?.failures ?? 0) + 1
        guard failures < maximumFailures else {
            entries[key] = nil
            return .failed(key, why: why)
        }
        let due = now + max(after ?? .zero, backoff.delay(afterFailures: failures, using: &random))
        entries[key]?.failures = failures
        entries[key]?.state = .waiting
        let index = waiting.firstIndex { $0.due > due } ?? waiting.endIndex
        waiting.insert((due, key), at: index)
        return .retrying(key)
    }
}
