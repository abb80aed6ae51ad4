import Glibc
import Testing
import TestSupport
import WeirDemoServer
@testable import WeirLive
@testable import WeirViews
import WeirModel
@testable import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Tests a tail of the embedded server that records in segments and in memory.
@Suite(.serialized) struct RecordingRunTests {
    /// Tails the demo's workspace. `during` receives the tail and the watcher of its reports.
    private func tail(
        _ change: (inout TailConfiguration) -> Void, _ during: (Tail, Watcher) async throws -> Void
    ) async throws -> (Watcher, TailSummary) {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options())
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url), session: Configuration(backend: .twake),
            token: .provider { server.makeToken() }, seed: 5)
        change(&configuration)
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        try await during(tail, watcher)
        tail.stop()
        let end = try await summary
        server.close()
        return (watcher, end)
    }

    private func entries(of path: String) throws -> (head: Record.Head, entries: [(Record, Stamp)]) {
        var reader = try RecordingReader(opening: path)
        var entries: [(Record, Stamp)] = []
        while let entry = try reader.next() {
            guard case .record(let record, let stamp) = entry else {
                Issue.record("\(path): \(entry)")
                continue
            }
            entries.append((record, stamp))
        }
        return (reader.head, entries)
    }

    @Test func `segments form one recording that a replay verifies, and each begins with the model`()
        async throws
    {
        let path = try temporaryFolder() + "/mon.weir.jsonl"
        _ = try await tail { configuration in
            configuration.recordPath = path
            configuration.recording.rotation = .init()
        } _: { tail, watcher in
            for count in [10, 20, 25] {
                await watcher.reports.wait { $0.events.count >= count }
                tail.rotateRecording()
            }
            await watcher.reports.wait { $0.events.count >= 30 }
        }
        let plan = SegmentPlan(path: path, rotation: .init())
        let segments = try (1...4).map { try entries(of: plan.path(ofSegment: $0)) }
        let head = segments[0].head
        var session = Session(try Configuration(json: head.session), seed: head.seed, keepsChecksum: true)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        var verified = 0
        var numbers: [Int] = []
        for (index, segment) in segments.enumerated() {
            #expect(segment.head.recording == head.recording)
            #expect(
                segment.head.redactions == [
                    "secrets", "authorization", "cookies", "credentials", "sessions", "received",
                ])
            if index > 0 {
                try expectBeginning(of: segment, like: session.model)
            }
            for (record, stamp) in segment.entries where !stamp.isRestated {
                if case .state(let state) = record {
                    #expect(state.checksum == session.model.checksum, "segment \(index + 1), record \(stamp.n)")
                    verified += 1
                }
                if !record.isUnnumbered { numbers.append(stamp.n) }
                guard let input = Input(record) else { continue }
                session.advance(to: stamp.time, into: &effects)
                session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
            }
        }
        #expect(numbers == Array(1...numbers.count))
        #expect(verified >= 3)
    }

    /// Expects that a new session fed with the restated records has the rows of `model` and is connected.
    private func expectBeginning(
        of segment: (head: Record.Head, entries: [(Record, Stamp)]), like model: SectionedCollection<Item>
    ) throws {
        var session = Session(try Configuration(json: segment.head.session), seed: segment.head.seed)
        var effects: [Effect] = []
        var continuation = MidRecordingReplay()
        session.handle(.start, n: 0, at: .zero, into: &effects)
        var isReady = false
        var isFilled = false
        for (record, stamp) in segment.entries where stamp.isRestated {
            effects.removeAll()
            guard let input = continuation.input(record, isRestated: true) else { continue }
            session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
            if case .memory = record {
                isFilled = true
                #expect(rows(of: session.model) == rows(of: model))
            }
            for case .report(.connection(.ready)) in effects { isReady = true }
        }
        #expect(isFilled)
        #expect(isReady)
        #expect(session.subscriptions.entries.contains { if case .joined = $0.state { true } else { false } })
    }

    private func rows(of model: SectionedCollection<Item>) -> Set<Item.ID> {
        var ids: Set<Item.ID> = []
        for key in model.sectionKeys {
            for item in model.elements(in: key) where item.delivery == nil { ids.insert(item.id) }
        }
        return ids
    }

    @Test func `the flight recorder writes its last records on demand`() async throws {
        let folder = try temporaryFolder()
        let (watcher, _) = try await tail { configuration in
            configuration.recording.flight = FlightPlan(window: .seconds(600), prefix: folder + "/flight")
        } _: { tail, watcher in
            await watcher.reports.wait { $0.events.count >= 20 }
            tail.dumpFlight()
            await watcher.reports.wait { $0.notices.contains { $0.text.contains(folder) } }
        }
        let text = try #require(watcher.reports.all.notices.first { $0.text.contains(folder) }?.text)
        let path = String(text.drop { $0 != "/" })
        let (head, entries) = try entries(of: path)
        #expect(head.segment == 1)
        #expect(entries.contains { if case .frame = $0.0 { true } else { false } })
    }

    @Test func `a tail that is stopped while it connects ends at once, and its recording is complete`() async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let handler = EndingHandler()
        let server = try HTTPServer(on: loop, handler: handler)
        let path = try temporaryFolder() + "/x.weir.jsonl"
        let run = try LiveTests.tail(port: server.port, rooms: ["/channels"], watcher: Watcher()) {
            $0.recordPath = path
        }
        handler.end.change { $0 = { run.stop() } }
        let summary = try await run.run()
        server.close()
        #expect(summary.outcome == .interrupted(signal: 0))
        #expect(summary.unwritten.isEmpty, "\(summary.unwritten)")
        guard case .end? = try entries(of: path).entries.last?.0 else {
            Issue.record("the recording has no end")
            return
        }
    }

    /// Returns the number of complete lines that contain `word` in a file that is being written.
    private func received(in path: String, _ word: String) throws -> Int {
        String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().count { $0.contains(word) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `received messages are in the file, even if the output is stuck and no more messages come`() async throws {
        let events = (1...30).map { #"42["realtime:event",{"name":"/r","data":{"type":"tick","number":\#($0)}}]"# }
        let server = try ScriptedServer(frames: events)
        defer { server.close() }
        let path = try temporaryFolder() + "/x.weir.jsonl"
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(backend: .twake, revision: .v4, rooms: ["/r"]),
            token: .provider { () throws(TokenError) in Secret("made-up") }, seed: 1)
        configuration.recordPath = path
        let outlet = GatedOutlet(permits: 0)
        let tail = Tail(configuration, outlets: [outlet])
        try tail.open()
        async let summary = tail.run()
        // Each iteration waits for a turn of the loop.
        while try received(in: path, "tick") < events.count, !Task.isCancelled { _ = tail.engine?.loop.perform {} }
        #expect(outlet.written.all.isEmpty)
        outlet.permit(.max)
        tail.stop()
        _ = try await summary
        #expect(outlet.written.all.events.count >= events.count)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a compressed recording is flushed without waiting for the next message`() async throws {
        let events = (1...30).map { #"42["realtime:event",{"name":"/r","data":{"type":"tick","number":\#($0)}}]"# }
        let server = try ScriptedServer(frames: events)
        defer { server.close() }
        let path = try temporaryFolder() + "/x.weir.jsonl.zst"
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(backend: .twake, revision: .v4, rooms: ["/r"]),
            token: .provider { () throws(TokenError) in Secret("made-up") }, seed: 1)
        configuration.recordPath = path
        configuration.recording.options.isCompressed = true
        let tail = Tail(configuration)
        try tail.open()
        async let summary = tail.run()
        func ticks() throws -> Int {
            var reader = try RecordingReader(opening: path)
            var count = 0
            while let entry = try reader.next() {
                if case .record(.frame(let frame), _) = entry, frame.direction == .in,
                    String(decoding: frame.message.bytes, as: UTF8.self).contains("tick")
                {
                    count += 1
                }
            }
            return count
        }
        while try ticks() < events.count, !Task.isCancelled { _ = tail.engine?.loop.perform {} }
        tail.stop()
        _ = try await summary
    }

    @Test func `a connection's records contain the protocol, the transport and the next attempt`() async throws {
        let path = try temporaryFolder() + "/x.weir.jsonl"
        _ = try await tail {
            $0.recordPath = path
        } _: { _, watcher in
            await watcher.reports.wait { $0.events.count >= 5 && !$0.diffs.isEmpty }
        }
        let (_, entries) = try entries(of: path)
        var opened: [Record.ConnectionRecord] = []
        for case (.connection(let change), _) in entries where change.state == .open { opened.append(change) }
        #expect(opened.map(\.transport) == ["websocket"])
        #expect(opened.allSatisfy { $0.spoken?.hasPrefix("eio") == true })
        #expect(entries.contains { if case .clock = $0.0 { true } else { false } })
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.contains(#"{\"sid\":\"sid-"#))
        // States are verified up to the end.
        guard case .state? = entries.last(where: { if case .state = $0.0 { true } else { false } })?.0 else {
            Issue.record("no state")
            return
        }
    }
}

/// Stops the tail when it opens a WebSocket, and greets it nevertheless.
private final class EndingHandler: HTTPServerHandler {
    let end = Monitor<@Sendable () -> Void>({})

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(HTTPResponse(status: 404, headers: [], body: []))
    }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        end.change { $0 }()
        return nil
    }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        socket.send(.text(#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#))
    }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
