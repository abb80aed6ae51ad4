import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

@Suite struct BackendClockTests {
    private func backend(_ start: ScriptClock.Start, pace: Int = 1) throws -> Backend {
        let lines = """
            {"do":"user","as":"ana","first":"Ana"}
            {"do":"user","as":"ben","first":"Ben"}
            {"do":"create_channel","as":"c","by":"ana","name":"C","members":["ben"]}
            {"at_ms":0,"do":"post","by":"ana","in":"c","text":"one"}
            {"at_ms":500,"do":"open_direct","as":"d","by":"ana","with":["ben"]}
            {"at_ms":500,"do":"post","by":"ana","in":"d","text":"two"}
            """
        return Backend(
            try Scenario(parsing: ArraySlice(lines.utf8), file: "clock.jsonl"), seed: 1, epoch: 1_000_000,
            tokens: Tokens(key: (1, 2)),
            tokenLifetime: .seconds(60), start: start, pace: pace, at: .zero)
    }

    private func at(_ milliseconds: Int64) -> Moment { Moment(microseconds: milliseconds * 1_000) }

    @Test func `a script set to start at once does so, and a late call plays every step at its own time`() throws {
        var backend = try backend(.atOnce)
        #expect(backend.deadline == .zero)
        #expect(!backend.advance(to: at(400)).isEmpty)
        #expect(backend.deadline == at(500))
        let frames = backend.advance(to: at(10_000))
        #expect(backend.world.messages.values.map(\.createdAt).sorted() == [1_000_000, 1_000_500])
        #expect(
            frames.contains { $0.payload["type"]?.stringValue == "user_notification_badges" }, "the delayed one, too")
        #expect(backend.deadline == nil)
    }

    @Test func `a faster pace changes only when frames are sent`() throws {
        var fast = try backend(.atOnce, pace: 7)
        _ = fast.advance(to: .zero)
        let due = try #require(fast.deadline)
        #expect(due == Moment(microseconds: 71_429))
        #expect(fast.worldTime(at: due) == 1_000_500)
        #expect(!fast.advance(to: due).isEmpty)
        var slow = try backend(.atOnce)
        _ = slow.advance(to: at(500))
        #expect(fast.world.truth(for: fast.me) == slow.world.truth(for: slow.me))
    }

    @Test func `the script waits until the first client has joined its rooms`() throws {
        var backend = try backend(.afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)))
        #expect(backend.deadline == nil)
        #expect(backend.advance(to: at(60_000)).isEmpty)
        backend.joinedRoom(at: at(60_000))
        #expect(backend.deadline == at(60_400))
        backend.joinedRoom(at: at(60_300))
        #expect(backend.deadline == at(60_700))
        _ = backend.handle(RESTRequest(method: "GET", path: "/internal/services/general/v1/server"), at: at(60_600))
        #expect(backend.deadline == at(61_000))
        #expect(backend.worldTime(at: at(60_999)) == 1_000_000, "the world's clock stands still")
        #expect(!backend.advance(to: at(61_000)).isEmpty)
        #expect(backend.deadline == at(61_500))
        #expect(backend.worldTime(at: at(61_250)) == 1_000_250)
    }

    @Test func `the script waits at most three seconds for a client that keeps sending requests`() throws {
        var backend = try backend(.afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)))
        for time in stride(from: Int64(0), through: 2_900, by: 100) { backend.joinedRoom(at: at(time)) }
        #expect(backend.deadline == at(3_000))
    }

    @Test func `a client's message does not change what the script does`() throws {
        var alone = try backend(.atOnce)
        _ = alone.advance(to: at(10_000))
        var disturbed = try backend(.atOnce)
        let token = disturbed.tokens.issue(for: disturbed.me, at: .zero, lifetime: .seconds(60)).reveal()
        let channel = try #require(disturbed.world.channels.first).id
        let body =
            #"{"resource":{"participants":[{"type":"channel","id":"\#(channel)"}]},"options":{"message":{"text":"mine"}}}"#
        let (response, _) = disturbed.handle(
            RESTRequest(
                method: "POST", path: "/internal/services/messages/v1/companies/\(disturbed.world.company.id)/threads",
                body: Array(body.utf8), bearer: token), at: at(200))
        #expect(response.status == 200)
        _ = disturbed.advance(to: at(10_000))
        let scripted = disturbed.world.messages.values.filter { $0.text != "mine" }
        #expect(Set(scripted) == Set(alone.world.messages.values))
    }
}
