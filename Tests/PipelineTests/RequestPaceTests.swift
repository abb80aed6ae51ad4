import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for services that limit the requests per second, with the time passed in.
@Suite struct RequestPaceTests {
    private let ok = Answer.response(status: 200, body: [], retryAfter: nil)

    private static func key(_ number: Int) -> ResourceKey { .groupMe(.group(GroupMe.GroupID("\(number)"))) }

    @Test
    func `no second has more requests than allowed, and no request waits longer than necessary`() {
        var random = RandomSource(seed: 3)
        var refetcher = Refetcher(limit: 8, perSecond: 8)
        for number in 0..<100 { refetcher.invalidate(Self.key(number), cause: 1) }
        var (now, began) = (Moment.zero, [Moment]())
        while !refetcher.isIdle {
            while let next = refetcher.next(at: now) {
                began.append(now)
                _ = refetcher.answered(next.request, ok, at: now, using: &random)
                _ = refetcher.finish(next.key, isReadable: true, at: now, using: &random)
            }
            guard let due = refetcher.deadline else { break }
            #expect(due > now, "it would be asked again and again")
            now = due
            refetcher.advance(to: now)
        }
        #expect(began.count == 100)
        for index in began.indices.dropFirst(8) { #expect(began[index] - began[index - 8] >= .seconds(1)) }
        #expect(began.last.map { $0 - .zero } == .seconds(12), "8 at once, then 8 a second")
    }

    @Test func `a request that is not a fetch does not wait, but counts`() {
        var refetcher = Refetcher(limit: 8, perSecond: 2)
        refetcher.makeRoom(at: .zero)
        refetcher.makeRoom(at: .zero)
        refetcher.makeRoom(at: .zero)
        refetcher.invalidate(Self.key(1), cause: 1)
        #expect(refetcher.next(at: .zero) == nil)
        #expect(refetcher.deadline == .zero + .seconds(1))
        #expect(refetcher.next(at: .zero + .seconds(1))?.key == Self.key(1))
    }

    @Test func `without a rate, only the requests in flight are limited`() {
        var refetcher = Refetcher(limit: 50)
        for number in 0..<50 { refetcher.invalidate(Self.key(number), cause: 1) }
        for _ in 0..<50 { #expect(refetcher.next(at: .zero) != nil) }
    }

    @Test func `a session of forty groups sends GroupMe eight requests a second until it knows them all`() {
        let rooms = (1...40).map { "/group/1000\($0)" }
        var peer = GroupMeTranscript(Configuration(backend: .groupme, rooms: rooms, resyncInterval: nil))
        peer.open()
        peer.answer("/users/me", #"{"id":"20000001","name":"Me"}"#)
        var asked = 1
        for second in 1...20 {
            var mine = 0
            while !peer.targets.isEmpty {
                mine += 1
                if peer.targets[0].contains("messages") {
                    peer.answer("messages", #"{"count":0,"messages":[]}"#)
                } else {
                    peer.answer("/groups/", status: 404)
                }
            }
            #expect(mine + (second == 1 ? 1 : 0) <= 8)
            asked += mine
            peer.pass(.seconds(1))
        }
        #expect(asked > 40)
        #expect(peer.transcript.session.isSettled)
    }

    @Test func `a recording keeps the request rate, and an old one has none`() throws {
        let configuration = Configuration(backend: .groupme)
        #expect(configuration.requestsPerSecond == 8)
        #expect(try Configuration(json: configuration.json) == configuration)
        let before = RawJSON(unchecked: ArraySlice(#"{"backend":"groupme"}"#.utf8))
        #expect(try Configuration(json: before).requestsPerSecond == nil)
        #expect(Configuration(backend: .twake).requestsPerSecond == nil)
    }
}
