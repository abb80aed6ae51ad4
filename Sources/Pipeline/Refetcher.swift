import Events
import Wire

/// Refetch keyed by resource: the same key never runs twice at once, different keys run side by side up to a limit.
///
/// A key is in one of these states; one that is in none is idle.
///
///     queued ──► fetching ──answer──► applying ──read──► idle
///      ▲  ▲         ▲ ╲                  │ ╲
///      │  │  dirty: │  ╲ 401/403         │  ╲ dirty: queued, or waiting when it happens again and again
///      │  │  again  │   ▼                ▼
///      │  └──────── │ parked          waiting (backoff) ──► queued
///      └────────────┘ token renewed
///
/// A list that comes in pages goes from applying to queued, until its last page came. It is current when nothing about it came between the first
/// request and the last answer.
///
/// A key that is persistent is tried again for ever, at the backoff's cap; any other is given up after some failures.
struct Refetcher: Sendable {
    /// What became of an answer.
    enum Verdict: Hashable {
        /// The answer is to be read, and `finish` to be told whether it could be; `isCurrent` is false when something about the
        /// resource came while it was in flight.
        case apply(ResourceKey, isCurrent: Bool)
        /// The server says that there is no such resource.
        case gone(ResourceKey)
        /// The token was refused: the key is parked. True when it is the first one, so that one renewal serves all.
        case tokenRefused(ResourceKey, isFirst: Bool)
        /// It will be tried again.
        case retrying(ResourceKey)
        /// It has failed as often as another key may, and is tried on; said once.
        case stalled(ResourceKey, why: String)
        /// It will not be tried again; why.
        case failed(ResourceKey, why: String)
        /// Nobody waits for this answer.
        case unknown

        /// The resource it is about; nil when it is about none.
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
        /// Its answer is being read.
        case applying(isDirty: Bool)
        case waiting
        case parked
    }

    struct Entry {
        var state: State
        var cause: Int
        /// Failures in a row.
        var failures = 0
        /// Refusals of the token in a row.
        var refusals = 0
        /// Answers in a row that were not current when they came.
        var staleAnswers = 0
    }

    /// A request under way.
    struct Flight {
        var request: Int
        var key: ResourceKey
        /// Whether something about the resource came since it was sent.
        var isDirty = false
        /// The token's generation when it was sent: a refusal of an older token says nothing about the newer one.
        var generation: Int
        /// When it was sent, and the number of the record that made it be.
        var sent: Moment
        var cause: Int
    }

    /// A list of which a page came and more are to come.
    struct Paging {
        /// What the next page is asked for with. Untrusted text.
        var next: String
        /// How many pages came, and the bytes of their bodies.
        var pages = 0
        var bytes = 0
        /// The rows of the pages that came, an array of the list's own type.
        var rows: any Sendable
        /// The rows of them that could not be read.
        var leftOut: LeftOutRows
        /// Whether something about the list came since its first page was asked for.
        var isDirty = false
    }

    private let limit: Int
    private var pace: RequestPace
    let backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
    /// Failures in a row after which a key is given up, or said to be stalled.
    static let maximumFailures = 6
    /// Refusals in a row, each after another token, after which a key is taken for forbidden.
    static let maximumRefusals = 3
    var entries: [ResourceKey: Entry] = [:]
    var queue: [ResourceKey] = []
    /// Not more than the limit, in the order they were sent.
    var flights: [Flight] = []
    private var waiting: [(due: Moment, key: ResourceKey)] = []
    /// Keys that were fetched of late: when the last time, and how often in a row it was soon after the time before. Who makes us ask, an
    /// event after each answer, could else have us ask without end.
    private var recent: [ResourceKey: (began: Moment, hasty: Int)] = [:]
    /// So many fetches of a key may follow one another at once; the next ones keep this distance.
    static let mostHasty = 10
    static let floor: Duration = .milliseconds(200)
    var parked: [ResourceKey] = []
    private(set) var paging: [ResourceKey: Paging] = [:]
    /// Lists whose last reading took more than one page: what left one between two pages made the next page pass over a row.
    private(set) var paged: [ResourceKey] = []
    private var lastRequest = 0
    /// Changes with each token that may be another one.
    var generation = 0
    /// The last of them that a request went well with.
    var provenGeneration = -1

    /// So many requests in flight at once, and in any second; nil for any number in a second.
    init(limit: Int, perSecond: Int? = nil) {
        self.limit = max(1, limit)
        pace = RequestPace(limit: perSecond)
    }

    /// When a waiting key is due, or one that is queued may be asked for.
    var deadline: Moment? {
        guard flights.count < limit, !queue.isEmpty, let opening = pace.opening else { return waiting.first?.due }
        return waiting.first.map { min($0.due, opening) } ?? opening
    }

    /// Whether nothing is queued, in flight, waiting or parked.
    var isIdle: Bool { entries.isEmpty }

    /// Whether anything is in flight, or between two pages, that `taint` could reach.
    var isFetching: Bool { !flights.isEmpty || !paging.isEmpty }

    /// What is under way, one line each, in an order that does not depend on the process.
    var pending: [String] { entries.map { "\($0.value.state) \($0.key.resource.label)" }.sorted() }

    /// An event says that the resource may have changed; `cause` is its record's number.
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

    /// As `invalidate`, but not before `due`, unless it is under way already: what may change again soon is asked for once.
    mutating func invalidate(_ key: ResourceKey, at due: Moment, cause: Int) {
        guard entries[key] == nil else { return invalidate(key, cause: cause) }
        entries[key] = Entry(state: .waiting, cause: cause)
        wait(key, until: due)
    }

    /// Somebody waits for the resource: it is asked for now, unless it is under way, or failed and is spared for a while.
    mutating func need(_ key: ResourceKey, cause: Int) {
        guard let entry = entries[key] else { return invalidate(key, cause: cause) }
        guard entry.state == .waiting, entry.failures == 0 else { return }
        waiting.removeAll { $0.key == key }
        entries[key]?.state = .queued
        queue.append(key)
    }

    /// What is in flight and chosen by `isConcerned` may be answered with what was true before: it is fetched again when its answer
    /// came. What is not in flight is left alone.
    mutating func taint(where isConcerned: (ResourceKey) -> Bool) {
        for index in flights.indices where !flights[index].isDirty && isConcerned(flights[index].key) {
            flights[index].isDirty = true
        }
        for key in paging.keys where isConcerned(key) { paging[key]?.isDirty = true }
    }

    /// The answer that is applied is a page: the next one is asked for.
    mutating func goOn(_ key: ResourceKey, _ paging: Paging) {
        guard let entry = entries[key], case .applying(let isDirty) = entry.state else { return }
        self.paging[key] = paging
        self.paging[key]?.isDirty = isDirty
        entries[key]?.state = .queued
        queue.append(key)
    }

    /// A list was read to its end.
    mutating func read(_ list: ResourceKey, inPages: Bool) {
        guard inPages != paged.contains(list) else { return }
        if inPages { paged.append(list) } else { paged.removeAll { $0 == list } }
    }

    /// The list's last page came, or the list is begun anew. Gives what came before.
    mutating func endPaging(_ key: ResourceKey) -> Paging? { paging.isEmpty ? nil : paging.removeValue(forKey: key) }

    /// The resource is gone or nobody cares: whatever is under way for it is dropped. Gives the request to cancel.
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

    /// Drops everything that carries the tag; gives the requests to cancel, oldest first.
    mutating func cancel(_ tag: RequestTag) -> [Int] {
        // In whatever order: each is dropped by itself.
        entries.keys.filter { $0.resource.tags.contains(tag) }.compactMap { forget($0) }.sorted()
    }

    /// The request of that number, while it is under way.
    func flight(_ request: Int) -> Flight? { flights.first { $0.request == request } }

    /// Whether something is under way for a key.
    func isBusy(_ key: ResourceKey) -> Bool { entries[key] != nil }

    /// A number for a request that fetches nothing, so that no two requests of a session have one.
    mutating func drawRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// A request that fetches nothing begins: it is not kept waiting, but the next fetches make room for it.
    mutating func makeRoom(at now: Moment) { pace.begin(at: now) }

    /// Whether a key is queued for which there is room in flight, and in this second.
    func hasNext(at now: Moment) -> Bool { flights.count < limit && !queue.isEmpty && pace.isOpen(at: now) }

    /// Takes the next queued key for which there is room; gives its request's number and cause.
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

    /// Queues what has waited long enough.
    mutating func advance(to now: Moment) {
        while let first = waiting.first, first.due <= now {
            waiting.removeFirst()
            entries[first.key]?.state = .queued
            queue.append(first.key)
        }
    }

    /// Puts a key, whose entry says that it waits, among those that do.
    mutating func wait(_ key: ResourceKey, until due: Moment) {
        entries[key]?.state = .waiting
        let index = waiting.firstIndex { $0.due > due } ?? waiting.endIndex
        waiting.insert((due, key), at: index)
    }
}
