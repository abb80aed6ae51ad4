import Testing
import WeirEvents
import WeirWire

@testable import WeirPipeline

@Suite struct RefetcherTests {
    private let key = ResourceKey.twake(.channel(path("c")))
    private let ok = Answer.response(status: 200, body: [], retryAfter: nil)

    private static func path(_ channel: String) -> TwakeChannelPath {
        TwakeChannelPath(company: EntityID("c"), workspace: EntityID("w"), channel: EntityID(channel))
    }

    @Test func `many invalidations of one resource cause one request`() {
        var refetcher = Refetcher(limit: 8)
        for cause in 1...100 { refetcher.invalidate(key, cause: cause) }
        #expect(refetcher.next(at: .zero)?.key == key)
        #expect(refetcher.next(at: .zero) == nil)
    }

    @Test func `an invalidation in flight causes one refetch, and the first answer is marked as possibly old`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(key, cause: 1)
        let first = refetcher.next(at: .zero)
        refetcher.invalidate(key, cause: 2)
        refetcher.invalidate(key, cause: 3)
        #expect(refetcher.next(at: .zero) == nil)
        #expect(refetcher.answered(first?.request ?? 0, ok, at: .zero, using: &random) == .apply(key, isCurrent: false))
        #expect(refetcher.finish(key, isReadable: true, at: .zero, using: &random) == nil)
        let second = refetcher.next(at: .zero)
        #expect(second?.key == key)
        #expect(refetcher.answered(second?.request ?? 0, ok, at: .zero, using: &random) == .apply(key, isCurrent: true))
        #expect(refetcher.finish(key, isReadable: true, at: .zero, using: &random) == nil)
        #expect(refetcher.isIdle)
    }

    @Test func `requests in flight never exceed the limit`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        for index in 0..<20 { refetcher.invalidate(.twake(.channel(Self.path("c\(index)"))), cause: 1) }
        var requests: [Int] = []
        while let next = refetcher.next(at: .zero) { requests.append(next.request) }
        #expect(requests.count == 8)
        _ = refetcher.answered(requests[3], ok, at: .zero, using: &random)
        #expect(refetcher.next(at: .zero) != nil)
        #expect(refetcher.next(at: .zero) == nil)
    }

    @Test func `a failed request is retried after growing delays, and given up after six attempts`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        var now = Moment.zero
        refetcher.invalidate(key, cause: 1)
        for _ in 1...5 {
            let request = refetcher.next(at: .zero)?.request ?? 0
            #expect(
                refetcher.answered(request, .failure(kind: "timeout", message: "x"), at: now, using: &random)
                    == .retrying(key))
            #expect(refetcher.next(at: .zero) == nil)
            now = refetcher.deadline ?? now
            refetcher.advance(to: now)
        }
        let last = refetcher.next(at: .zero)?.request ?? 0
        let verdict = refetcher.answered(last, .failure(kind: "timeout", message: "x"), at: now, using: &random)
        #expect(verdict == .failed(key, why: "x"))
        #expect(refetcher.isIdle)
    }

    @Test func `the server's Retry-After is obeyed`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(key, cause: 1)
        let request = refetcher.next(at: .zero)?.request ?? 0
        _ = refetcher.answered(request, .response(status: 429, body: [], retryAfter: 40), at: .zero, using: &random)
        #expect((refetcher.deadline ?? .zero) >= Moment(microseconds: 40_000_000))
    }

    @Test func `one renewal of the token serves all waiting requests`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        let refused = Answer.response(status: 401, body: [], retryAfter: nil)
        let keys = (0..<3).map { ResourceKey.twake(.channel(Self.path("c\($0)"))) }
        for key in keys { refetcher.invalidate(key, cause: 1) }
        let requests = keys.map { _ in refetcher.next(at: .zero)?.request ?? 0 }
        #expect(
            refetcher.answered(requests[0], refused, at: .zero, using: &random) == .tokenRefused(keys[0], isFirst: true)
        )
        #expect(
            refetcher.answered(requests[1], refused, at: .zero, using: &random)
                == .tokenRefused(keys[1], isFirst: false))
        #expect(
            refetcher.answered(requests[2], refused, at: .zero, using: &random)
                == .tokenRefused(keys[2], isFirst: false))
        #expect(refetcher.tokenRenewed(changed: true, at: .zero, using: &random).isEmpty)
        #expect(keys.map { _ in refetcher.next(at: .zero)?.key } == keys)
    }

    @Test func `the answer to a forgotten resource is ignored`() {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        refetcher.invalidate(key, cause: 1)
        let request = refetcher.next(at: .zero)?.request
        #expect(refetcher.forget(key) == request)
        #expect(refetcher.answered(request ?? 0, ok, at: .zero, using: &random) == .unknown)
    }

    @Test func `a key invalidated after each answer is fetched ten times at once, then with pauses`() throws {
        var random = RandomSource(seed: 1)
        var refetcher = Refetcher(limit: 8)
        var (now, fetches) = (Moment.zero, 0)
        while now < Moment(microseconds: 2_000_000) {
            refetcher.advance(to: now)
            refetcher.invalidate(key, cause: 1)
            if let next = refetcher.next(at: now) {
                fetches += 1
                _ = refetcher.answered(next.request, ok, at: now, using: &random)
                _ = refetcher.finish(key, isReadable: true, at: now, using: &random)
                now = now + .milliseconds(1)
            } else {
                now = try #require(refetcher.deadline)
            }
        }
        #expect((11...22).contains(fetches), "\(fetches)")
    }
}
