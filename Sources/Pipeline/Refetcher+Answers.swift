import Wire

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
