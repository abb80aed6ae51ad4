import Wire

// What becomes of a key when its request ends.
extension Refetcher {
    /// A request ended.
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
        // A token that serves for other things is not what is wrong with this one. Era A says 403 to a token that is too old, with its words.
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
            // What is too large will be so the next time.
            return retry(key, after: nil, why: message, at: now, using: &random, isFinal: kind == "tooLarge")
        }
    }

    /// Whether a status may be another one soon: too many requests, a conflict, trouble of the server's own.
    static func isPassing(_ status: Int) -> Bool {
        switch status {
        case 408, 409, 420, 423, 425, 429: true
        default: status >= 500
        }
    }

    /// The answer that was to be applied was read, or could not be.
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

    /// Whether the body of a 403 speaks of the token (4.1).
    private static func isOfToken(_ body: ArraySlice<UInt8>) -> Bool {
        let words = String(decoding: body.prefix(200), as: UTF8.self)
        return words.contains("Wrong token") || words.contains("Token is not provided")
    }

    private static let forbidden = "the service forbids it"

    /// Why a resource cannot be fetched for which there is no better token.
    static let tokenRefusal = "the token was refused"

    /// The token may be another one from now on.
    mutating func tokenMayDiffer() { generation += 1 }

    /// The token was renewed: whoever waited for it goes on. Without another token (`changed` false) they fail; those that are
    /// persistent are tried again later.
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

    /// A refusal of a token that was replaced meanwhile only means: ask with the new one.
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
            // When it is asked again, another token may help: this one may have become too old meanwhile.
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

    /// An answer came. What was dirty is fetched again: at once, but at a growing distance when that goes on.
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

    /// `isFinal`: one that is not persistent is given up at once.
    private mutating func retry(
        _ key: ResourceKey, after: Duration?, why: String, at now: Moment, using random: inout RandomSource,
        isFinal: Bool = false
    ) -> Verdict {
        let failures = (entries[key]?.failures ?? 0) + 1
        // A token may have become too old for its server: the list is begun anew.
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
