import Testing
import TestSupport
import WeirJSON
import WeirRecording
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirNetwork
@testable import WeirPipeline

@Suite struct BackpressureTests {
    private static let total = 30_000

    /// Creates a tail of a server that sends `total` events, with the outlet `outlet`.
    private func stuck(
        _ outlet: GatedOutlet, _ change: (inout TailConfiguration) -> Void = { _ in }
    ) throws -> (server: ScriptedServer, tail: Tail) {
        let event =
            #"42["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"","channel_id":"C","user_id":"U","name":"A B","is_writing":true}}}]"#
        let server = try ScriptedServer(frames: Array(repeating: event, count: Self.total))
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(backend: .twake, revision: .v4, rooms: ["/r"]),
            token: .provider { () throws(TokenError) in Secret("t") }, seed: 1)
        change(&configuration)
        let tail = Tail(configuration, outlets: [outlet])
        try tail.open()
        return (server, tail)
    }

    /// Returns the result of `look` on the loop once the socket is no longer read.
    private func whenPaused<Value: Sendable>(
        _ tail: Tail, _ look: @escaping @Sendable (isolated TailEngine) -> Value
    ) async throws -> Value? {
        guard let tail = tail.engine else { return nil }
        let seen = Mailbox<Value?>()
        runOnThread(named: "weir-test") {
            // Each `perform` waits for a turn of the loop, so the loop continues in between.
            while tail.loop.perform({ tail.assumeIsolated { $0.backPressure.isReadingPaused } }) == false {}
            seen.put(tail.loop.perform { tail.assumeIsolated { look($0) } })
        }
        return try await seen.first()
    }

    @Test func `a stuck outlet stops the reading at a limit, and nothing is missing once it continues`() async throws {
        let outlet = GatedOutlet(permits: 0)
        let (server, tail) = try stuck(outlet)
        defer { server.close() }
        async let summary = tail.run()
        // At most one limit's worth waits, another may be in a write to the outlet, and the messages of one turn are
        // added.
        #expect(try await whenPaused(tail) { $0.counts.events } ?? .max < 2 * 4096 + 4096)
        outlet.permit(.max)
        await outlet.written.wait { $0.events.count == Self.total + 2 }
        #expect(outlet.written.all.notices.contains { $0.text.contains("is too slow") })
        tail.stop()
        #expect(try await summary.events == Self.total + 2)
    }

    @Test func `the idle timeout does not end a tail that stopped reading because its output is stuck`() async throws {
        let outlet = GatedOutlet(permits: 0)
        let (server, tail) = try stuck(outlet) { $0.idleTimeout = .seconds(2) }
        defer { server.close() }
        async let summary = tail.run()
        // A timer of the same loop that fires after the idle timeout would have.
        _ = try await whenPaused(tail) { tail in
            tail.loop.schedule(at: tail.loop.now + .milliseconds(2500)) { outlet.permit(.max) }
        }
        let end = try await summary
        #expect(end.outcome == .limitReached && end.events == Self.total + 2)
    }

    @Test func `reports that wait for an outlet are weighed by their bytes`() throws {
        let stamp = Stamp(n: 1, time: .zero, wall: 0)
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        let text = String(decoding: large, as: UTF8.self)
        let answers = [
            SocketIO.Acknowledgement(id: 1, arguments: RawJSON(unchecked: Array("[\"\(text)\"]".utf8)[...])),
            SocketIO.Acknowledgement(
                id: 1, arguments: RawJSON(unchecked: Array("[]".utf8)[...]), attachments: [large[...]]),
        ]
        let emits = answers.map { answer in
            var emit = EmitReport(Emit("e"), to: "/")
            emit.outcome = .answered(answer)
            return Report.emit(emit)
        }
        let reports: [Report] = [
            .notice(Notice(.info, text)), .room(RoomReport(change: .left, room: "r", source: "", why: text)),
            .refetch(RefetchReport(resource: text, outcome: .fetched, status: 200, cause: 1, duration: .zero)),
            .undecodable(UndecodableReport(layer: .event, subject: "s", message: text, excerpt: [])),
            .connection(.lost(why: text, retryIn: nil)),
        ]
        let unit = WireUnit(
            stamp: stamp, isSent: false, channel: "ws", title: "", bytes: large[...], isBinary: false, size: large.count
        )
        let items =
            (emits + reports).map { OutletThread.Item.report(StampedReport(stamp: stamp, report: $0)) } + [.wire(unit)]
        for item in items {
            #expect(item.weight >= large.count)
            let outlet = GatedOutlet(permits: 0)
            let thread = try OutletThread(
                outlets: [outlet], recording: nil, flight: nil, attachments: nil, wire: nil, onError: { _ in },
                onWord: { _ in }, onChange: {})
            // The outlet is stuck with the first report, which weighs almost nothing.
            thread.push([.report(StampedReport(stamp: stamp, report: .notice(Notice(.info, "first"))))])
            thread.push(Array(repeating: item, count: 7))
            #expect(thread.lateWords == nil)
            thread.push([item])
            #expect(thread.lateWords == "the output is too slow")
            outlet.permit(.max)
            #expect(thread.finish().isEmpty)
        }
    }
}
