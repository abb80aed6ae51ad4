import WeirEvents
import WeirModel
import WeirWire

// The answers of the REST service.
extension Session {
    mutating func answered(_ request: Int, _ answer: Answer, into effects: inout [Effect]) {
        let asked = answer.retryAfter
        let answer = answer.asking(atMost: configuration.longestRetryAfter)
        if !outbox.isEmpty, answeredAction(request, answer, asked: asked, into: &effects) { return }
        let body: ArraySlice<UInt8> = if case .response(_, let body, _) = answer { body } else { [] }
        let flight = context.refetcher.flight(request)
        let verdict = context.refetcher.answered(request, answer, at: context.now, using: &random)
        var isReadable = true
        if case .apply(let key, let isCurrent) = verdict {
            history.toldOfRefusedRequests = false
            isReadable = apply(body, of: key, isCurrent: isCurrent, into: &effects)
        } else {
            carryOut(verdict, answer, into: &effects)
            if let asked, verdict.isToBeRepeated, let key = verdict.key {
                tellWait(of: key.resource.label, asked: asked, waits: .seconds(answer.retryAfter ?? 0))
            }
            if case .retrying(let key) = verdict {
                tellDelay(of: key, answer)
                actionResourceDelayed(key, answer, into: &effects)
            }
        }
        guard let flight, let outcome = verdict.outcome(isReadable: isReadable) else { return }
        let status: Int? = if case .response(let status, _, _) = answer { status } else { nil }
        let report = RefetchReport(
            resource: flight.key.resource.label, outcome: outcome, status: status, cause: flight.cause,
            duration: context.now - flight.sent)
        effects.append(.report(.refetch(report)))
    }

    /// Applies a successful answer; returns whether the answer could be decoded.
    private mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into effects: inout [Effect]
    ) -> Bool {
        var isReadable = true
        (context.leftOut, context.confirmed) = (LeftOutRows(), [])
        do {
            try backend.apply(body, of: key, isCurrent: isCurrent, into: &context)
            for row in context.confirmed { remembered.confirm(row) }
            context.refetched.append(key.resource.label)
            history.toldDelays.wentWell(key)
            if context.refetcher.paging[key] == nil { fetched(key, isCurrent: isCurrent, into: &effects) }
            tellLeftOut(of: key, into: &effects)
        } catch {
            isReadable = false
            reportUndecodable(.response, subject: key.resource.label, error.description, body, into: &effects)
        }
        let verdict = context.refetcher.finish(
            key, isReadable: isReadable, at: context.now, using: &random)
        if let verdict { carryOut(verdict, nil, into: &effects) }
        if isReadable, isCurrent, context.refetcher.paging[key] == nil {
            actionResourceFetched(key, into: &effects)
        }
        return isReadable
    }

    /// The maximum number of unreadable rows that are reported in one session.
    private static let mostRows = 1000

    /// Reports each row that cannot be decoded once, however often its answer is fetched.
    private mutating func tellLeftOut(of key: ResourceKey, into effects: inout [Effect]) {
        let leftOut = context.leftOut
        for (index, row) in leftOut.rows.enumerated() {
            guard history.toldRows.count < Self.mostRows,
                history.toldRows.insert("\(key.resource.label) \(row.id ?? row.failure.message)").inserted
            else { continue }
            let name = row.id.map { "row \($0)" } ?? "the row"
            let others = leftOut.count - leftOut.rows.count
            let rest = index == leftOut.rows.count - 1 && others > 0 ? ", and \(others) more" : ""
            let place = "\(row.failure.message) (byte \(row.failure.offset))"
            reportUndecodable(
                .response, subject: key.resource.label, "\(place); \(name) is left out\(rest)", row.excerpt,
                into: &effects)
        }
    }

    /// Reports a wait that the server requires. Waits of less than 5 s, which users do not notice, are not reported.
    mutating func tellWait(of what: String, asked: Int, waits span: Duration) {
        guard span >= .seconds(5) else { return }
        let seconds = span.components.seconds
        let most = seconds < asked ? ", of which \(seconds) s are heeded (--max-retry-after)" : ""
        var notice = Notice(.warning, "\(what) waits \(seconds) s: the server requests \(asked) s (Retry-After)\(most)")
        notice.wait = span
        context.plans.append(.notice(notice))
    }

    /// The maximum number of failing requests that are reported, until one of them succeeds. A service that answers
    /// nothing is only one piece of news.
    private static let mostDelays = 3

    /// Warns the user at once of a service that accepts a request and does not answer it properly, because it may never
    /// do so. A broken connection is retried without a message.
    private mutating func tellDelay(of key: ResourceKey, _ answer: Answer) {
        guard let why = answer.misbehaviour, history.toldDelays.count < Self.mostDelays, history.toldDelays.isNews(key)
        else { return }
        let rest = history.toldDelays.count == Self.mostDelays ? "; the summary counts the others" : ""
        context.notice(.warning, "\(key.resource.label) could not be fetched: \(why); it is tried again\(rest)")
    }

    mutating func carryOut(_ verdict: Refetcher.Verdict, _ answer: Answer?, into effects: inout [Effect]) {
        switch verdict {
        case .gone(let key):
            let body: ArraySlice<UInt8> = if case .response(_, let body, _)? = answer { body } else { [] }
            let isServicesWord = backend.gone(key, body: body, into: &context)
            actionResourceMissing(key, isServicesWord: isServicesWord, into: &effects)
        case .tokenRefused(_, let isFirst):
            if isFirst { renewToken(into: &effects) }
        case .failed(let key, let why), .stalled(let key, let why):
            backend.failed(key, why: why, answer, into: &context)
            actionResourceFailed(key, why: why, into: &effects)
        case .apply, .retrying, .unknown: break
        }
    }

    /// Performs a full resync when it is due: refetches the resources of every joined room, and asks again for rooms
    /// without an answer.
    /// This repairs losses that the session could not detect.
    mutating func resync(at due: Moment, into effects: inout [Effect]) {
        guard let look = history.nextResync, look <= due, let span = configuration.resyncInterval else { return }
        history.nextResync = due + span
        backend.resync(into: &context)
        rooms.forgetRefusals(all: false)
        joinWantedRooms(into: &effects)
        for room in rooms.entries {
            guard case .joined = room.state else { continue }
            for key in backend.resources(of: room.name, context.model) {
                context.refetcher.invalidate(key, cause: context.cause)
            }
        }
    }

    /// Requests another token, once for all requests that wait for one.
    mutating func renewToken(into effects: inout [Effect]) {
        guard !isRenewingToken else { return }
        isRenewingToken = true
        effects.append(.renewToken)
    }
}

extension Answer {
    /// The fault of an answer that a working service would never give, even when busy; `nil` for any other answer.
    fileprivate var misbehaviour: String? {
        switch self {
        case .response(300..<400, _, _): failureWords
        case .response: nil
        case .failure("timeout", let message), .failure("protocolError", let message): message
        case .failure: nil
        }
    }

    /// A description of the failure, for people.
    var failureWords: String {
        switch self {
        case .response(let status, _, _):
            status / 100 == 3 ? "HTTP \(status), and redirects are not followed" : "HTTP \(status)"
        case .failure(_, let message): message
        }
    }
}

extension Refetcher.Verdict {
    /// Returns the outcome to report; `nil` if the session did not expect the answer.
    fileprivate func outcome(isReadable: Bool) -> RefetchReport.Outcome? {
        switch self {
        case .apply(_, let isCurrent): isReadable ? isCurrent ? .fetched : .outdated : .unreadable
        case .gone: .missing
        case .tokenRefused: .refused
        case .retrying, .stalled: .delayed
        case .failed: .failed
        case .unknown: nil
        }
    }
}

extension Answer {
    /// The number of seconds that the server asks to wait.
    fileprivate var retryAfter: Int? { if case .response(_, _, let seconds) = self { seconds } else { nil } }

    /// Returns the answer with its requested wait limited to `most`.
    fileprivate func asking(atMost most: Duration) -> Answer {
        guard case .response(let status, let body, let seconds?) = self else { return self }
        let heeded = min(max(0, seconds), Int(most.components.seconds))
        return .response(status: status, body: body, retryAfter: heeded)
    }
}

extension Refetcher.Verdict {
    fileprivate var isToBeRepeated: Bool {
        switch self {
        case .retrying, .stalled: true
        case .apply, .gone, .tokenRefused, .failed, .unknown: false
        }
    }
}

/// The failures that the session has reported to the user. A failure is not reported again until its request has succeeded.
struct ReportedFailures: Sendable {
    private var keys: Set<ResourceKey> = []

    /// The number of failures that the session has reported.
    var count: Int { keys.count }

    /// Records a failure; returns whether it is the first one since the request last succeeded.
    mutating func isNews(_ key: ResourceKey) -> Bool { keys.insert(key).inserted }

    /// Forgets the failure of a request that has succeeded.
    mutating func wentWell(_ key: ResourceKey) {
        if !keys.isEmpty { keys.remove(key) }
    }
}

/// The number of messages that a gap missed, counted while the resources of joined rooms are refetched.
struct GapCount: Sendable {
    let from: Moment
    let to: Moment
    /// The sort key of the newest message before the gap. A fetched message that is newer was sent during the gap; an
    /// older one is history.
    let newest: UInt64
    var missed = 0

    mutating func count(_ batch: borrowing Batch<Item>) {
        for insertion in batch.insertions {
            let row = insertion.element
            if row.id.kind == .message, row.delivery == nil, row.sortKey.magnitude > newest { missed += 1 }
        }
    }
}

extension Session {
    /// Starts to count, because the connection is ready again. A gap that is not caught up with yet is extended.
    mutating func beginCount(since lostAt: Moment) {
        let before = history.missing
        history.missing = GapCount(
            from: before?.from ?? lostAt, to: context.now, newest: before?.newest ?? newestMessage,
            missed: before?.missed ?? 0)
    }

    /// Reports the count once no work is under way any more.
    mutating func endCount(into effects: inout [Effect]) {
        guard let gap = history.missing, link.isReady, isSettled, !rooms.isJoining else { return }
        history.missing = nil
        effects.append(
            .report(.gap(GapReport(cause: .refetched, from: gap.from, to: gap.to, lost: 0, missed: gap.missed))))
    }

    private var newestMessage: UInt64 {
        let model = context.model
        return model.sectionKeys.reduce(0) { newest, section in
            let rows = model.elements(in: section)
            guard rows.first?.id.kind == .message else { return newest }
            // Lists grow at either end. Rows that the server does not have yet do not count.
            let ends = [rows.first { $0.delivery == nil }, rows.last { $0.delivery == nil }]
            return ends.reduce(newest) { max($0, $1?.sortKey.magnitude ?? 0) }
        }
    }
}
