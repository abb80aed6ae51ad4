import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for the refetcher's rules that make the model converge to the server's truth, whatever the service does.
@Suite struct RefetchRuleTests {
    private let ok = Answer.response(status: 200, body: [], retryAfter: nil)
    private let path = TwakeChannelPath(company: EntityID("C"), workspace: EntityID("W"), channel: EntityID("CH"))
    private var feed: ResourceKey { .twake(.feed(.b, path)) }
    private var message: ResourceKey { .twake(.message(.b, path, thread: EntityID("M"), id: EntityID("M"))) }

    /// Starts the next request and fails it with a status.
    private func fail(_ refetcher: inout Refetcher, status: Int, at now: Moment) -> Refetcher.Verdict {
        var random = RandomSource(seed: 1)
        let request = refetcher.next(at: now)?.request ?? 0
        return refetcher.answered(
            request, .response(status: status, body: [], retryAfter: nil), at: now, using: &random)
    }

    @Test(arguments: [408, 409, 425, 429, 500, 503]) func `a status that may be temporary is retried`(status: Int) {
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(message, cause: 1)
        #expect(fail(&refetcher, status: status, at: .zero) == .retrying(message))
    }

    @Test func `an essential resource is retried for ever, and reported as stalled once`() {
        var refetcher = Refetcher(limit: 8)
        var now = Moment.zero
        var verdicts: [Refetcher.Verdict] = []
        refetcher.invalidate(feed, cause: 1)
        for _ in 1...50 {
            verdicts.append(fail(&refetcher, status: 500, at: now))
            now = refetcher.deadline ?? now
            refetcher.advance(to: now)
        }
        #expect(verdicts.filter { $0 == .stalled(feed, why: "HTTP 500") }.count == 1)
        #expect(verdicts.filter { $0 == .retrying(feed) }.count == 49)
    }

    @Test func `a resource that keeps changing is fetched at growing intervals, and once at the end`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        var now = Moment.zero
        var requests = 0
        refetcher.invalidate(feed, cause: 1)
        while now < Moment(microseconds: 60_000_000) {
            if let next = refetcher.next(at: now) {
                requests += 1
                refetcher.invalidate(feed, cause: 2)
                _ = refetcher.answered(next.request, ok, at: now, using: &random)
                _ = refetcher.finish(feed, isReadable: true, at: now, using: &random)
            }
            now = now + .milliseconds(10)
            refetcher.advance(to: now)
        }
        #expect(requests < 40)
        while refetcher.next(at: now) == nil {
            now = refetcher.deadline ?? now
            refetcher.advance(to: now)
        }
        #expect(refetcher.isFetching)
    }

    @Test func `requests of a place that was left are cancelled at once, and no others`() {
        var refetcher = Refetcher(limit: 8)
        let other = TwakeChannelPath(company: EntityID("C"), workspace: EntityID("X"), channel: EntityID("Y"))
        let keys: [ResourceKey] = [
            feed, message, .twake(.feed(.b, other)), .twake(.directs(.b, company: EntityID("C"))),
            .twake(.channels(.b, company: EntityID("C"), workspace: EntityID("W"))),
        ]
        for key in keys { refetcher.invalidate(key, cause: 1) }
        let requests = keys.compactMap { _ in refetcher.next(at: .zero)?.request }
        #expect(
            refetcher.cancel(.workspace(EntityID("W"), company: EntityID("C"))) == [
                requests[0], requests[1], requests[4],
            ])
        var random = RandomSource(seed: 1)
        #expect(refetcher.answered(requests[0], ok, at: .zero, using: &random) == .unknown)
        #expect(refetcher.answered(requests[2], ok, at: .zero, using: &random) == .apply(keys[2], isCurrent: true))
    }

    @Test func `two concurrent requests are answered independently`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(feed, cause: 1)
        refetcher.invalidate(message, cause: 1)
        let first = refetcher.next(at: .zero)?.request ?? 0
        let second = refetcher.next(at: .zero)?.request ?? 0
        #expect(refetcher.answered(second, ok, at: .zero, using: &random) == .apply(message, isCurrent: true))
        #expect(refetcher.answered(first, ok, at: .zero, using: &random) == .apply(feed, isCurrent: true))
    }

    @Test func `an unreadable answer does not count as an answer`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(feed, cause: 1)
        let request = refetcher.next(at: .zero)?.request ?? 0
        #expect(refetcher.answered(request, ok, at: .zero, using: &random) == .apply(feed, isCurrent: true))
        #expect(refetcher.finish(feed, isReadable: false, at: .zero, using: &random) == .retrying(feed))
        #expect(refetcher.deadline != nil)
    }

    @Test func `a resource forbidden to every token is given up, and retried rarely when essential`() {
        var random = RandomSource(seed: 1)
        for key in [feed, message] {
            var refetcher = Refetcher(limit: 8)
            refetcher.invalidate(key, cause: 1)
            for _ in 1...3 {
                #expect(fail(&refetcher, status: 403, at: .zero) == .tokenRefused(key, isFirst: true))
                #expect(refetcher.tokenRenewed(changed: true, at: .zero, using: &random).isEmpty)
            }
            let verdict = fail(&refetcher, status: 403, at: .zero)
            #expect(
                verdict
                    == (key.resource.isPersistent
                        ? .stalled(key, why: "the service forbids it") : .failed(key, why: "the service forbids it")))
            #expect(refetcher.isIdle != key.resource.isPersistent)
        }
    }

    @Test func `only requests in flight are overtaken`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 1)
        refetcher.invalidate(feed, cause: 1)
        refetcher.invalidate(message, cause: 1)
        let first = refetcher.next(at: .zero)?.request ?? 0
        refetcher.markStale { _ in true }
        #expect(refetcher.answered(first, ok, at: .zero, using: &random) == .apply(feed, isCurrent: false))
        _ = refetcher.finish(feed, isReadable: true, at: .zero, using: &random)
        let second = refetcher.next(at: .zero)
        #expect(second?.key == message)
        #expect(
            refetcher.answered(second?.request ?? 0, ok, at: .zero, using: &random) == .apply(message, isCurrent: true))
    }

    @Test func `an answer read on another thread has the same effect as one read here, valid or not`() throws {
        for body in [Frames.list(Frames.head("M1", "hi", at: 1), Frames.head("M2", "ho", at: 2)), "no JSON at all"] {
            var own = Transcript.ready(rooms: [Frames.feedRoom], company: "C", workspace: "W")
            var given = own
            let request = try #require(own.requests.first { $0.target.contains("/feed") })
            let reader = try #require(given.session.reader(of: request.id))
            #expect(given.session.reader(of: request.id + 1) == nil)
            given.session.take(reader.read(ArraySlice(body.utf8)))
            own.answer("/feed", body)
            given.answer("/feed", body)
            #expect(
                own.session.model.elements(in: .messages(EntityID("CH")))
                    == given.session.model.elements(in: .messages(EntityID("CH"))))
            #expect(own.session.pending == given.session.pending)
            #expect("\(own.effects)" == "\(given.effects)")
        }
    }
}
