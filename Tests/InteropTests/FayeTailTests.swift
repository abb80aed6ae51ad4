import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirThreads
import WeirWire

/// Tests a whole GroupMe tail against Debian's Faye with GroupMe's rules, over real sockets (Bayeux BX-7 to BX-26).
/// Whatever the network or the server does, the model ends up equal to the REST state.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: access("/usr/lib/ruby/vendor_ruby/faye.rb", R_OK) == 0, "run Tests/run to install ruby-faye"))
struct FayeTailTests {
    @Test(arguments: [EngineIO.TransportChoice.websocket, .polling])
    func `published messages arrive as events and appear in the model`(transport: EngineIO.TransportChoice) async throws
    {
        let tail = try FayeTail(timeout: 10, transport: transport)
        await tail.waitForJoins(1)
        for (index, text) in ["one", "two", "three"].enumerated() { try await tail.say(text, id: 10 + index) }
        await tail.wait(for: ["one", "two", "three"])
        await tail.wait(forPushes: ["one", "two", "three"])
        let summary = try await tail.end()
        #expect(summary.undecodable == 0 && summary.gaps == 0)
        #expect(summary.sections.contains { $0.section.name == "groups" && $0.count == 1 })
    }

    @Test func `a token that only the push service refuses ends the tail with the server's words`()
        async throws
    {
        let tail = try FayeTail(timeout: 10, token: "stale-20000001")
        guard case .refused(let words) = try await tail.ended().outcome else {
            Issue.record("it was not refused")
            return
        }
        #expect(words.contains("access token authentication failed"))
    }

    @Test func `a token that REST and the push service refuse ends the tail`() async throws {
        let tail = try FayeTail(timeout: 10, token: "nonsense")
        guard case .refused = try await tail.ended().outcome else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func `the tail resubscribes to a restarted server and fetches the missed messages`()
        async throws
    {
        let tail = try FayeTail(timeout: 10)
        await tail.waitForJoins(1)
        try await tail.say("before", id: 10)
        await tail.wait(for: ["before"])
        tail.stage.kill()
        await tail.reports.wait(seconds: 30) { $0.isDown }
        try tail.stage.start()
        try await tail.say("after", id: 11)
        await tail.wait(for: ["before", "after"])
        await tail.waitForJoins(2)
        try await tail.say("again", id: 12)
        await tail.wait(for: ["before", "after", "again"])
        await tail.reports.wait(seconds: 30) { $0.pushed.last == "again" }
        #expect(try await tail.end().gaps == 1)
    }

    @Test func `within its window the session resumes, and messages published meanwhile are pushed`()
        async throws
    {
        let tail = try FayeTail(timeout: 20)
        await tail.waitForJoins(1)
        await tail.network("refuse")
        try tail.stage.server?.readLine(startingWith: "closed")
        for (index, text) in ["one", "two", "three"].enumerated() { try await tail.say(text, id: 10 + index) }
        await tail.network("accept")
        await tail.wait(for: ["one", "two", "three"])
        await tail.reports.wait(seconds: 30) { $0.gaps == 1 }
        try await tail.say("four", id: 14)
        await tail.wait(for: ["one", "two", "three", "four"])
        await tail.wait(forPushes: ["one", "two", "three", "four"])
        let log = try await log(of: tail)
        #expect(!log.contains { $0.hasPrefix("handshake") || $0.hasPrefix("subscribe") }, "\(log)")
    }

    @Test func `outside its window the session is new, and messages never pushed are fetched`() async throws {
        let tail = try FayeTail(timeout: 1)
        await tail.waitForJoins(1)
        await tail.network("refuse")
        try tail.stage.server?.readLine(startingWith: "disconnect")
        try await tail.say("lost", id: 10)
        await tail.network("accept")
        await tail.wait(for: ["lost"])
        #expect(tail.pushed == [])
        await tail.waitForJoins(2)
        try await tail.say("pushed", id: 11)
        await tail.wait(for: ["lost", "pushed"])
        await tail.wait(forPushes: ["pushed"])
        #expect(try await log(of: tail).count { $0.hasPrefix("handshake") } == 1, "after the one that was read over")
    }

    @Test func `a connection that swallows everything is detected, and the lost messages are fetched`() async throws {
        let tail = try FayeTail(timeout: 2)
        await tail.waitForJoins(1)
        await tail.network("hole")
        // Faye believes that it has delivered this message and does not send it again.
        try await tail.say("swallowed", id: 10)
        await tail.reports.wait(seconds: 60) { $0.gaps == 1 }
        await tail.wait(for: ["swallowed"])
        await tail.waitForJoins(2)
        try await tail.say("heard", id: 11)
        await tail.wait(for: ["swallowed", "heard"])
        await tail.wait(forPushes: ["heard"])
        try await tail.end()
    }

    /// Stops the server and the tail, and returns the server's unread log lines.
    private func log(of tail: FayeTail) async throws -> [String] {
        let server = tail.stage.server
        if let server { kill(server.pid, SIGTERM) }
        var lines: [String] = []
        while let line = server?.readLine() { lines.append(line) }
        try await tail.end()
        return lines
    }
}

extension [StampedReport] {
    /// Whether a report says that the connection was lost.
    fileprivate var isDown: Bool { contains { if case .connection(.lost(_, _)) = $0.report { true } else { false } } }
}
