import WeirEvents
import WeirWire

/// A scheduler for refetches, keyed by resource. A key never runs twice at once; different keys run in parallel up to a
/// limit.
///
/// A key is in one of these states. A key that is in none of them is idle.
///
///     queued ──► fetching ──answer──► applying ──read──► idle
///      ▲  ▲         ▲ ╲                  │ ╲
///      │  │  dirty: │  ╲ 401/403         │  ╲ dirty: queued, or waiting when it happens again and again
///      │  │  again  │   ▼                ▼
///      │  └──────── │ parked          waiting (back-off) ──► queued
///      └────────────┘ token renewed
///
/// A list that arrives in pages goes from applying back to queued until its last page has arrived. It is current if no
/// event about it arrived between the first request and the last answer.
///
/// A persistent key is retried without a limit, at the cap of the back-off. Any other key is given up after `maximumFailures` failures in a
/// row.
struct Refetcher: Sendable {
    /// The consequence of an answer for its resource.
    enum Verdict: Hashable {
        /// Read the answer, then call `finish`. `isCurrent` is `false` if an event about the resource arrived while the
        /// request was in flight.
        case apply(ResourceKey, isCurrent: Bool)
        /// The server answered that the resource does not exist.
        case gone(ResourceKey)
        /// The server refused the token, and the key is parked. `isFirst` is `true` for the first parked key, so that
        /// one renewal serves all of them.
        case tokenRefused(ResourceKey, isFirst: Bool)
        /// The resource will be fetched again.
        case retrying(ResourceKey)
        /// A persistent key has failed as often as any other key may. It is still retried. Returned once.
        case stalled(ResourceKey, why: String)
        /// The key was given up, for this reason.
        case failed(ResourceKey, why: String)
        /// No key waits for this answer.
        case unknown

        /// The resource that the answer is about; `nil` if there is none.
        var key: ResourceKey? {
            switch self {
            case .apply(let key, _), .gone(let key), .tokenRefused(let key, _), .retrying(let key),
                .stalled(let key, _), .failed(let key, _):
                key
            case .unknown: nil
            }
        }
    }

    enum State: Hashable {
        case queued
        case fetching(request: Int)
        /// The answer is being read.
        case applying(isDirty: Bool)
        case waiting
        case parked
    }

    struct Entry {
        var state: State
        var cause: Int
        /// The number of failures in a row.
        var failures = 0
        /// The number of refusals of the token in a row.
        var refusals = 0
        /// The number of answers in a row that were outdated on arrival.
        var staleAnswers = 0
    }

    /// A request that is in flight.
    struct Flight {
        var request: Int
        var key: ResourceKey
        /// Whether an event about the resource arrived since the request was sent.
        var isDirty = false
        /// The token's generation when the request was sent. A refusal of an older token says nothing about a newer
        /// one.
        var generation: Int
        /// The time of sending, and the number of the record that caused the request.
        var sent: Moment
        var cause: Int
    }

    /// A list of which some pages have arrived and others have not.
    struct Paging {
        /// The token that requests the next page. Untrusted text.
        var next: String
        /// The number of pages so far, and the total bytes of their bodies.
        var pages = 0
        var bytes = 0
        /// The rows of the pages so far, as an array of the list's own type.
        var rows: any Sendable
        /// The rows of the pages so far that could not be decoded.
        var leftOut: LeftOutRows
        /// Whether an event about the list arrived since its first page was requested.
        var isDirty = false
    }

    private let limit: Int
    private var pace: RequestPace
    let backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
    /// The number of failures in a row at which a key is given up, or reported as stalled if it is persistent.
    static let maximumFailures = 6
    /// The number of refusals in a row, each of another token, after which a resource counts as forbidden.
    static let maximumRefusals = 3
    var entries: [ResourceKey: Entry] = [:]
    var queue: [ResourceKey] = []
    /// The requests in flight, in the order they were sent. At most `limit`.
    var flights: [Flight] = []
    private var waiting: [(due: Moment, key: ResourceKey)] = []
    /// For recently fetched keys, the start of the last fetch and the number of fetches in a row that followed closely on each other.
    /// Without this record, a peer that sends an event after each answer could cause requests endlessly.
    private var recent: [ResourceKey: (began: Moment, hasty: Int)] = [:]
    /// The number of fetches of a key that may follow closely on each other.
    static let mostHasty = 10
    /// The minimum time between the fetches of a key beyond `mostHasty`.
    static let floor: Duration = .milliseconds(200)
    var parked: [ResourceKey] = []
    private(set) var paging: [ResourceKey: Paging] = [:]
    /// The lists that took more than one page when they were last read. A row that leaves such a list between two pages
    /// makes the next page skip another row.
    private(set) var paged: [ResourceKey] = []
    private var lastRequest = 0
    /// The generation of the token. It changes whenever the token may have changed.
    var generation = 0
    /// The newest generation of the token with which a request succeeded; -1 for none.
    var provenGeneration = -1

    /// Creates a refetcher.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of requests in flight.
    ///   - perSecond: The maximum number of requests that start in any second; `nil` for no maximum.
    init(limit: Int, perSecond: Int? = nil) {
        self.limit = max(1, limit)
        pace = RequestPace(limit: perSecond)
    }

    /// The time at which a waiting key is due or a queued key may be requested.
    var deadline: Moment? {
        guard flights.count < limit, !queue.isEmpty, let opening = pace.opening else { return waiting.first?.due }
        return waiting.first.map { min($0.due, opening) } ?? opening
    }

    /// Whether no key is queued, in flight, waiting or parked.
    var isIdle: Bool { entries.isEmpty }

    /// Whether a request is in flight or a list is between two pages, so that `markStale` would have an effect.
    var isFetching: Bool { !flights.isEmpty || !paging.isEmpty }

    /// The work under way, one line for each key, in an order that does not depend on the process.
    var pending: [String] { entries.map { "\($0.value.state) \($0.key.resource.label)" }.sorted() }

    /// Records an event that may have changed the resource. `cause` is the number of the event's record.
    mutating func invalidate(_ key: ResourceKey, cause: Int) {
        guard let entry = entries[key] else {
            entries[key] = Entry(state: .queued, cause: cause)
            queue.append(key)
            return
        }
        paging[key]?.isDirty = true
        switch entry.state {
        case .fetching(let request):
            if let index = flights.firstIndex(where: { $0.request == request }) { flights[index].isDirty = true }
        case .applying: entries[key]?.state = .applying(isDirty: true)
        case .queued, .waiting, .parked: break
        }
    }

    /// Invalidates a resource like `invalidate(_:cause:)`, but not before `due` unless it is already under way. A
    /// resource that may soon change again is then requested only once.
    mutating func invalidate(_ key: ResourceKey, at due: Moment, cause: Int) {
        guard entries[key] == nil else { return invalidate(key, cause: cause) }
        entries[key] = Entry(state: .waiting, cause: cause)
        wait(key, until: due)
    }

    /// Requests a resource now, because an action waits for it. Has no effect if the resource is under way or waits
    /// after a failure.
    mutating func need(_ key: ResourceKey, cause: Int) {
        guard let entry = entries[key] else { return invalidate(key, cause: cause) }
        guard entry.state == .waiting, entry.failures == 0 else { return }
        waiting.removeAll { $0.key == key }
        entries[key]?.state = .queued
        queue.append(key)
    }

    /// Marks matching requests in flight as outdated, because they may be answered with an older state. Their resources
    /// are fetched again after the answers arrive. Resources that are not in flight are left alone.
    mutating func markStale(where isConcerned: (ResourceKey) -> Bool) {
        for index in flights.indices where !flights[index].isDirty && isConcerned(flights[index].key) {
            flights[index].isDirty = true
        }
        for key in paging.keys where isConcerned(key) { paging[key]?.isDirty = true }
    }

    /// Requests the next page, because the answer being applied is a page of a list.
    mutating func goOn(_ key: ResourceKey, _ paging: Paging) {
        guard let entry = entries[key], case .applying(let isDirty) = entry.state else { return }
        self.paging[key] = paging
        self.paging[key]?.isDirty = isDirty
        entries[key]?.state = .queued
        queue.append(key)
    }

    /// Records that a list was read to its end.
    mutating func read(_ list: ResourceKey, inPages: Bool) {
        guard inPages != paged.contains(list) else { return }
        if inPages { paged.append(list) } else { paged.removeAll { $0 == list } }
    }

    /// Ends the paging of a list, because its last page arrived or because the list starts over; returns the earlier
    /// pages.
    mutating func endPaging(_ key: ResourceKey) -> Paging? { paging.isEmpty ? nil : paging.removeValue(forKey: key) }

    /// Drops everything under way for a resource that is gone or no longer needed; returns the request to cancel.
    mutating func forget(_ key: ResourceKey) -> Int? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        _ = endPaging(key)
        switch entry.state {
        case .queued: queue.removeAll { $0 == key }
        case .waiting: waiting.removeAll { $0.key == key }
        case .parked: parked.removeAll { $0 == key }
        case .applying: break
        case .fetching(let request):
            flights.removeAll { $0.request == request }
            return request
        }
        return nil
    }

    /// Drops everything that is under way for the resources with the tag; returns the requests to cancel, oldest first.
    mutating func cancel(_ tag: RequestTag) -> [Int] {
        // The order does not matter, because each key is dropped by itself.
        entries.keys.filter { $0.resource.tags.contains(tag) }.compactMap { forget($0) }.sorted()
    }

    /// Returns the request with that number while it is in flight.
    func flight(_ request: Int) -> Flight? { flights.first { $0.request == request } }

    /// Returns whether anything is under way for a key.
    func isBusy(_ key: ResourceKey) -> Bool { entries[key] != nil }

    /// Returns a number for a request that fetches no resource, so that all requests of a session have different
    /// numbers.
    mutating func drawRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// Counts a request that fetches no resource. Such a request is never delayed, but the next fetches make room for
    /// it.
    mutating func makeRoom(at now: Moment) { pace.begin(at: now) }

    /// Returns whether a key is queued and the limits, in flight and per second, allow another request.
    func hasNext(at now: Moment) -> Bool { flights.count < limit && !queue.isEmpty && pace.isOpen(at: now) }

    /// Takes the next queued key that the limits allow; returns the number and the cause of its request.
    mutating func next(at now: Moment) -> (key: ResourceKey, request: Int, cause: Int)? {
        while hasNext(at: now), let last = queue.first.flatMap({ recent[$0] }), last.hasty >= Self.mostHasty,
            now - last.began < Self.floor
        {
            wait(queue.removeFirst(), until: last.began + Self.floor)
        }
        guard hasNext(at: now) else { return nil }
        pace.begin(at: now)
        let key = queue.removeFirst()
        noteFetch(of: key, at: now)
        lastRequest += 1
        entries[key]?.state = .fetching(request: lastRequest)
        let cause = entries[key]?.cause ?? 0
        flights.append(Flight(request: lastRequest, key: key, generation: generation, sent: now, cause: cause))
        return (key, lastRequest, cause)
    }

    private mutating func noteFetch(of key: ResourceKey, at now: Moment) {
        let isHasty = { (began: Moment) in now - began < Self.floor * 2 }
        if recent.count >= 1000 { recent = recent.filter { isHasty($0.value.began) } }
        let last = recent[key].flatMap { isHasty($0.began) ? $0 : nil }
        recent[key] = (now, last.map { $0.hasty + 1 } ?? 0)
    }

    /// Queues the keys whose waiting time is over.
    mutating func advance(to now: Moment) {
        while let first = waiting.first, first.due <= now {
            waiting.removeFirst()
            entries[first.key]?.state = .queued
            queue.append(first.key)
        }
    }

    /// Makes a key wait until `due`, and inserts it in the order of time.
    mutating func wait(_ key: ResourceKey, until due: Moment) {
        entries[key]?.state = .waiting
        let index = waiting.firstIndex { $0.due > due } ?? waiting.endIndex
        waiting.insert((due, key), at: index)
    }
}

// The end of a request, and the next state of its key.
extension Refetcher {
    /// Handles the end of a request; returns its consequence.
    mutating func answered(_ request: Int, _ answer: Answer, at now: Moment, using random: inout RandomSource)
        -> Verdict
    {
        guard let index = flights.firstIndex(where: { $0.request == request }) else { return .unknown }
        let flight = flights.remove(at: index)
        let key = flight.key
        let isDirty = flight.isDirty || paging[key]?.isDirty ?? false
        switch answer {
        case .response(let status, _, _) where key.resource.isSuccess(status):
            provenGeneration = max(provenGeneration, flight.generation)
            entries[key]?.state = .applying(isDirty: isDirty)
            return .apply(key, isCurrent: !isDirty)
        // If the current token has succeeded for another resource, the token is not the problem. Era A answers 403 to
        // an expired token, with words of its own.
        case .response(403, let body, _) where provenGeneration == generation && !Self.isOfToken(body):
            return retry(key, after: nil, why: Self.forbidden, at: now, using: &random, isFinal: true)
        case .response(401, _, _), .response(403, _, _):
            return refused(key, by: flight.generation, at: now, using: &random)
        case .response(let status, _, _) where key.resource.isMissing(by: status):
            settle(key, isDirty: isDirty, at: now)
            return .gone(key)
        case .response(let status, _, let retryAfter):
            guard key.resource.isPersistent || Self.isPassing(status) else {
                settle(key, isDirty: isDirty, at: now)
                return .failed(key, why: answer.failureWords)
            }
            return retry(key, after: retryAfter.map { .seconds($0) }, why: answer.failureWords, at: now, using: &random)
        case .failure(let kind, let message):
            // A response that is too large will be too large the next time.
            return retry(key, after: nil, why: message, at: now, using: &random, isFinal: kind == "tooLarge")
        }
    }

    /// Returns whether a status is likely to change soon: too many requests, a conflict, or a fault of the server.
    static func isPassing(_ status: Int) -> Bool {
        switch status {
        case 408, 409, 420, 423, 425, 429: true
        default: status >= 500
        }
    }

    /// Completes the answer that was being applied, depending on whether it could be read.
    mutating func finish(
        _ key: ResourceKey, isReadable: Bool, at now: Moment, using random: inout RandomSource
    ) -> Verdict? {
        guard let entry = entries[key], case .applying(let isDirty) = entry.state else { return nil }
        if isReadable {
            settle(key, isDirty: isDirty, at: now)
            return nil
        }
        _ = endPaging(key)
        return retry(key, after: nil, why: "the answer cannot be read", at: now, using: &random)
    }

    /// Returns whether the body of a 403 refers to the token (Twake TW-63).
    private static func isOfToken(_ body: ArraySlice<UInt8>) -> Bool {
        let words = String(decoding: body.prefix(200), as: UTF8.self)
        return words.contains("Wrong token") || words.contains("Token is not provided")
    }

    private static let forbidden = "the service forbids it"

    /// The reason given if no better token is available for a resource.
    static let tokenRefusal = "the token was refused"

    /// Begins another generation, because the token may have changed.
    mutating func tokenMayDiffer() { generation += 1 }

    /// Resumes the keys that wait for another token. If the token is unchanged (`changed` is `false`), they fail, and
    /// persistent keys are retried later.
    mutating func tokenRenewed(changed: Bool, at now: Moment, using random: inout RandomSource) -> [Verdict] {
        let keys = parked
        parked = []
        if changed {
            generation += 1
            for key in keys { enqueue(key) }
            return []
        }
        return keys.map { retry($0, after: nil, why: Self.tokenRefusal, at: now, using: &random, isFinal: true) }
    }

    /// Handles a refusal of the token. If the token was replaced since the request was sent, the request is repeated
    /// with the new token.
    private mutating func refused(
        _ key: ResourceKey, by sentWith: Int, at now: Moment, using random: inout RandomSource
    ) -> Verdict {
        guard sentWith == generation else {
            enqueue(key)
            return .retrying(key)
        }
        let refusals = (entries[key]?.refusals ?? 0) + 1
        entries[key]?.refusals = refusals
        guard refusals <= Self.maximumRefusals else {
            // The token may expire before the next attempt, and another one may then help.
            entries[key]?.refusals = Self.maximumRefusals - 1
            return retry(key, after: nil, why: Self.forbidden, at: now, using: &random, isFinal: true)
        }
        let isFirst = parked.isEmpty
        entries[key]?.state = .parked
        parked.append(key)
        return .tokenRefused(key, isFirst: isFirst)
    }

    private mutating func enqueue(_ key: ResourceKey) {
        entries[key]?.state = .queued
        queue.append(key)
    }

    /// Completes a key after an answer. A dirty key is fetched again: at once, or after a growing delay if this
    /// repeats.
    private mutating func settle(_ key: ResourceKey, isDirty: Bool, at now: Moment) {
        _ = endPaging(key)
        guard isDirty else {
            entries[key] = nil
            return
        }
        let staleAnswers = (entries[key]?.staleAnswers ?? 0) + 1
        entries[key]?.staleAnswers = staleAnswers
        entries[key]?.failures = 0
        entries[key]?.refusals = 0
        guard staleAnswers > 2 else { return enqueue(key) }
        wait(key, until: now + .milliseconds(50 << min(staleAnswers - 3, 6)))
    }

    /// Schedules another attempt. With `isFinal`, a key that is not persistent is given up at once.
    private mutating func retry(
        _ key: ResourceKey, after: Duration?, why: String, at now: Moment, using random: inout RandomSource,
        isFinal: Bool = false
    ) -> Verdict {
        let failures = (entries[key]?.failures ?? 0) + 1
        // The token of the next page may have expired, so the list starts over.
        if isFinal || failures >= Self.maximumFailures { _ = endPaging(key) }
        if !key.resource.isPersistent, isFinal || failures >= Self.maximumFailures {
            entries[key] = nil
            return .failed(key, why: why)
        }
        entries[key]?.failures = failures
        wait(key, until: now + max(after ?? .zero, backoff.delay(afterFailures: failures, using: &random)))
        let isWorthSaying = failures == Self.maximumFailures || (isFinal && failures == 1)
        return isWorthSaying ? .stalled(key, why: why) : .retrying(key)
    }
}

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
