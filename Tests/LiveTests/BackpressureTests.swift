@testable import Live
@testable import Network
import Pipeline
import TestSupport
import Testing
import Wire

@Suite struct BackpressureTests {
    @Test func `a stuck outlet stops the reading at a bound, and once it is free nothing is missing`() async throws {
        let total = 30_000
        let event =
            #"42["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"","channel_id":"C","user_id":"U","name":"A B","is_writing":true}}}]"#
        let server = try ScriptedServer(frames: Array(repeating: event, count: total))
        defer { server.close() }
        let outlet = GatedOutlet(permits: 0)
        let configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(backend: .twake, revision: .v4, rooms: ["/r"]),
            token: .provider { () throws(TokenError) in Secret("t") }, seed: 1)
        let tail = try Tail(configuration, outlets: [outlet])
        async let summary = tail.run()
        let seen = Mailbox<Int>()
        runOnThread(named: "weir-test") {
            // Each look waits for a turn of the loop, so the loop goes on in between.
            while tail.loop.perform({ tail.assumeIsolated { $0.isReadingPaused } }) == false {}
            seen.put(tail.loop.perform { tail.assumeIsolated { $0.counts.events } } ?? .max)
        }
        // One bound's worth waits, one may be in the outlet's hands, and the messages of one turn of the loop come on top.
        #expect(try await seen.first() < 2 * 4096 + 4096)
        outlet.permit(.max)
        await outlet.written.wait { $0.events.count == total + 2 }
        #expect(outlet.written.all.notices.contains { $0.text.contains("does not keep up") })
        tail.stop()
        #expect(await summary.events == total + 2)
    }
}
