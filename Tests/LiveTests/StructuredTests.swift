import Glibc
import TestSupport
import Testing
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirModel
import WeirNetwork
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

/// Tails and replays as a program uses them: tasks, sequences, actions with results.
@Suite(.serialized) struct StructuredTests {
    /// Runs `body` with a tail of the standup, which is not running.
    private func withTail(
        pace: Int = 5, _ change: (inout TailConfiguration) -> Void = { _ in },
        _ body: (Tail, EmbeddedServer) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "weir-backend")
        defer { runOnThread(named: "weir-end") { loop.shutDown() } }
        let scenario = try Scenario.load(packageFolder + "/samples/scenarios/standup.jsonl", seed: 3)
        let server = try EmbeddedServer(
            on: loop, scenario: scenario, seed: 3, options: EmbeddedServer.Options(pace: pace))
        defer { runOnThread(named: "weir-close") { server.close() } }
        var configuration = TailConfiguration(
            server: try URLParts(parsing: server.url), session: Configuration(backend: .twake),
            token: .provider { server.makeToken() }, seed: 5)
        change(&configuration)
        try await body(Tail(configuration), server)
    }

    /// The threads of this process that Weir started.
    private var threads: Set<String> {
        Set(
            names(in: "/proc/self/task").filter { id in
                // A thread may end meanwhile.
                guard let file = fopen("/proc/self/task/\(id)/comm", "r") else { return false }
                defer { fclose(file) }
                var name = [CChar](repeating: 0, count: 32)
                return fgets(&name, 32, file) != nil && strncmp(name, "weir-", 5) == 0
            })
    }

    // MARK: The run

    @Test func `a tail starts no thread before its run, and none is left after it`() async throws {
        try await withTail { tail, _ in
            let before = threads
            _ = await (tail.model.sectionKeys, tail.events, tail.syncStates)
            #expect(threads.subtracting(before) == [])
            let task = Task { try await tail.run() }
            for await _ in tail.events { break }
            #expect(threads.subtracting(before) != [])
            task.cancel()
            _ = try await task.value
            // A thread's entry in /proc may outlive its join for a moment.
            while !threads.subtracting(before).isEmpty { await Task.yield() }
        }
    }

    @Test func `cancelling its task ends a tail in order`() async throws {
        try await withTail { tail, _ in
            let events = tail.events
            let task = Task { try await tail.run() }
            for await _ in events { break }
            task.cancel()
            let summary = try await task.value
            #expect(summary.outcome == .interrupted(signal: 0) && summary.events > 0)
            #expect(await tail.model.sectionKeys == summary.model.sectionKeys)
        }
    }

    @Test(arguments: [true, false])
    func `a tail that was stopped before its run ends at once`(isCancelled: Bool) async throws {
        try await withTail { tail, _ in
            if !isCancelled { tail.stop() }
            let task = Task {
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                return try await tail.run()
            }
            let summary = try await task.value
            #expect(summary.outcome == .interrupted(signal: 0))
        }
    }

    @Test func `a tail runs once`() async throws {
        try await withTail { tail, _ in
            let task = Task { try await tail.run() }
            for await _ in tail.events { break }
            await #expect(throws: TailError.alreadyRun) { try await tail.run() }
            tail.stop()
            _ = try await task.value
            await #expect(throws: TailError.alreadyRun) { try await tail.run() }
        }
    }

    @Test func `a tail that cannot begin ends its sequences, its waiting calls and its run`() async throws {
        try await withTail {
            $0.recordPath = "/nowhere/at/all.weir"
        } _: { tail, _ in
            let events = tail.events
            async let sent: TailActionError? = { () async -> TailActionError? in
                do { try await tail.send("hi", to: EntityID("#general")) } catch { return error as? TailActionError }
                return nil
            }()
            await #expect(throws: TailError.self) { try await tail.run() }
            for await _ in events { Issue.record("an event of a tail that did not begin") }
            #expect(await sent == .ended)
        }
    }

    // MARK: Sequences

    /// Creates a tail of a server that sends `total` events at once.
    private func flood(_ total: Int) throws -> (server: ScriptedServer, tail: Tail) {
        let event =
            #"42["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"","channel_id":"C","user_id":"U","name":"A B","is_writing":true}}}]"#
        let server = try ScriptedServer(frames: Array(repeating: event, count: total))
        let configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(backend: .twake, revision: .v4, rooms: ["/r"]),
            token: .provider { () throws(TokenError) in Secret("t") }, seed: 1)
        return (server, Tail(configuration))
    }

    @Test func `a slow reader pauses the socket, and misses nothing`() async throws {
        let total = 30_000
        let (server, tail) = try flood(total)
        defer { server.close() }
        let (slow, newest) = (tail.events(.pause(above: 10)), tail.events(.newest(10)))
        let task = Task { try await tail.run() }
        while await tail.engine?.backPressure.isReadingPaused != true { await Task.yield() }
        let handled = await tail.engine?.counts.events ?? 0
        #expect(handled < 2 * 4096 + 4096 + 1)
        var read = 0
        for await _ in slow {
            read += 1
            if read == total + 2 { break }
        }
        tail.stop()
        let summary = try await task.value
        #expect(read == summary.events && summary.events == total + 2 && summary.gaps == 0)
        var kept = 0
        for await _ in newest { kept += 1 }
        #expect(kept == 10 && newest.dropped == total + 2 - 10)
    }

    @Test func `a stopped tail does not wait for its readers, which still get everything`() async throws {
        let (server, tail) = try flood(30_000)
        defer { server.close() }
        let events = tail.events(.pause(above: 10))
        let task = Task { try await tail.run() }
        while await tail.engine?.backPressure.isReadingPaused != true { await Task.yield() }
        task.cancel()
        let summary = try await task.value
        var read = 0
        for await _ in events { read += 1 }
        #expect(read == summary.events && read > 10)
    }

    @Test func `a reader that goes away no longer pauses the tail`() async throws {
        let (server, tail) = try flood(30_000)
        defer { server.close() }
        var events: ReportSequence<EventReport>? = tail.events(.pause(above: 10))
        let task = Task { try await tail.run() }
        while await tail.engine?.backPressure.isReadingPaused != true { await Task.yield() }
        events = nil
        #expect(events == nil)
        while await (tail.engine?.counts.events ?? 0) < 30_002 { await Task.yield() }
        tail.stop()
        _ = try await task.value
    }

    @Test func `events, changes and gaps come in order, to each reader`() async throws {
        try await withTail(pace: 100) { tail, _ in
            let (all, events, changes, again) = (tail.reports, tail.events, tail.changes, tail.changes)
            let task = Task { try await tail.run() }
            var first: [Int] = []
            for await change in changes.prefix(12) { first.append(change.sequence) }
            var second: [Int] = []
            for await change in again.prefix(12) { second.append(change.sequence) }
            #expect(first == Array(1...12) && second == first)
            tail.stop()
            let summary = try await task.value
            var (count, reported) = (0, 0)
            for await _ in events { count += 1 }
            for await report in all { if case .event = report.report { reported += 1 } }
            #expect(count == summary.events && reported == count)
        }
    }

    @Test func `a cancelled reader ends, and the tail goes on`() async throws {
        try await withTail { tail, _ in
            let task = Task { try await tail.run() }
            let gaps = tail.gaps
            let reader = Task { for await _ in gaps {} }
            for await _ in tail.events { break }
            reader.cancel()
            await reader.value
            for await _ in tail.events { break }
            tail.stop()
            _ = try await task.value
        }
    }

    // MARK: Actions

    @Test func `an action returns what it created, and the server has it`() async throws {
        try await withTail { tail, server in
            let changes = tail.changes
            let task = Task { try await tail.run() }
            for await change in changes
            where change.batch.insertions.contains(where: { $0.element.id.kind == .channel }) {
                break
            }
            let channel = try #require(await server.truth().channels.first { $0.visibility == "public" })
            let id = try #require(try await tail.send("hi", to: channel.id))
            try await tail.perform(.edit(.init(channel: channel.id, message: id), text: "hello"))
            let truth = await server.truth().channels.first { $0.id == channel.id }
            #expect(truth?.threads.flatMap(\.messages).contains { $0.id == id && $0.text == "hello" } == true)
            let refusal = await #expect(throws: TailActionError.self) {
                try await tail.send("hi", to: EntityID("#no such channel"))
            }
            #expect(refusal.map { "\($0)" }?.contains("no such channel") == true)
            tail.stop()
            _ = try await task.value
            await #expect(throws: TailActionError.ended) { try await tail.send("hi", to: channel.id) }
        }
    }

    @Test func `an action before the run waits for it`() async throws {
        try await withTail { tail, _ in
            async let rooms = tail.rooms
            let task = Task { try await tail.run() }
            _ = try await rooms
            tail.stop()
            _ = try await task.value
        }
    }

    @Test func `a cancelled action is withdrawn, and an action that waits at the end throws`() async throws {
        try await withTail { tail, server in
            let (reports, events, states) = (tail.actionReports, tail.events, tail.reports)
            let task = Task { try await tail.run() }
            for await _ in events { break }
            // Without a server, actions wait.
            runOnThread(named: "weir-close") { server.close() }
            for await state in states {
                if case .connection(.lost) = state.report { break }
            }
            let first = Task { try await tail.send("one", to: EntityID("C")) }
            for await report in reports where report.change == .queued { break }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            for await report in reports where report.change == .dropped { break }
            let second = Task { try await tail.send("two", to: EntityID("C")) }
            for await report in reports where report.change == .queued { break }
            tail.stop()
            _ = try await task.value
            await #expect(throws: TailActionError.ended) { try await second.value }
        }
    }

    @Test func `joining tells what the server answered for each room`() async throws {
        try await withTail { tail, server in
            let reports = tail.reports
            let task = Task { try await tail.run() }
            for await report in reports {
                if case .room(let room) = report.report, room.change == .joined { break }
            }
            let rooms = try await tail.rooms
            let room = try #require(rooms.first { $0.state == .joined })
            let left = try await tail.leave(room.name)
            #expect(left.map(\.state) == [.left])
            let joined = try await tail.join(room.name)
            #expect(joined.map(\.name) == [room.name] && joined.map(\.state) == [.joined])
            await #expect(throws: TailActionError.self) { try await tail.join("(") }
            tail.stop()
            _ = try await task.value
        }
    }

    // MARK: Replays

    @Test func `a replay gives the same changes as the tail, and ends its sequences`() async throws {
        let path = try temporaryFolder() + "/a.weir"
        try await TwakeSample.record(to: path)
        let replay = Replay(path: path)
        let (events, changes) = (replay.events(.pause(above: 3)), replay.changes(.pause(above: 3)))
        async let summary = replay.run()
        async let sequences = changes.reduce(into: [Int]()) { $0.append($1.sequence) }
        var count = 0
        for await _ in events { count += 1 }
        let end = try await summary
        #expect(count == end.events && count > 0)
        #expect(await sequences == Array(1...(await sequences.count)))
        await #expect(throws: TailError.alreadyRun) { try await replay.run() }
    }

    @Test func `cancelling its task ends a replay that waits for a reader, or for the next record`() async throws {
        let path = try temporaryFolder() + "/a.weir"
        try await TwakeSample.record(to: path)
        for isPaced in [true, false] {
            var configuration = ReplayConfiguration([path])
            if isPaced { configuration.pace = .rate(0.001) }
            let replay = Replay(configuration)
            let events = replay.events(.pause(above: 1))
            let task = Task { try await replay.run() }
            if !isPaced { for await _ in events { break } }
            task.cancel()
            let summary = try await task.value
            #expect(!isPaced || summary.outcome == .interrupted(signal: 0))
        }
    }
}
