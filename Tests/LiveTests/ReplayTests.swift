import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

@Suite(.serialized) struct ReplayTests {
    static let isInstalled = environment("socketio5") != nil

    /// Tails a real server into a recording and a diff log. Returns the reports.
    private func record(
        in folder: String, restart: Bool = false, transport: EngineIO.TransportChoice = .auto
    ) async throws -> [StampedReport] {
        var server = try PythonServer(try #require(environment("socketio5")))
        defer { server.stop() }
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: server.port),
            session: Configuration(
                backend: .twake, transport: transport,
                rooms: ["/companies/C/workspaces/W/channels?type=public", "/other"],
                reconnect: Backoff(base: .milliseconds(50), cap: .milliseconds(200))),
            token: .provider { () throws(TokenError) in Secret("the-secret-token") }, seed: 11)
        configuration.recordPath = folder + "/tail.weir.jsonl"
        let tail = Tail(configuration, outlets: [watcher, try DiffLogFile(creating: folder + "/tail.diff")])
        async let summary = tail.run()
        await watcher.reports.wait { $0.diffs.count > 100 }
        if restart {
            try server.restart()
            let before = watcher.reports.all.diffs.count
            await watcher.reports.wait { $0.gaps.count == 1 && $0.diffs.count > before + 100 }
        }
        tail.stop()
        #expect(try await summary.outcome == .interrupted(signal: 0))
        return watcher.reports.all
    }

    private func replay(_ path: String, to log: String, speed: Replay.Speed = .maximum) throws -> [StampedReport] {
        let watcher = Watcher()
        let summary = try Replay(path: path, speed: speed, outlets: [watcher, try DiffLogFile(creating: log)]).play()
        #expect(summary.outcome == .limitReached)
        return watcher.reports.all
    }

    @Test(
        .enabled(if: isInstalled, "python-socketio is not installed: run Tests/run"), arguments: [false, true],
        [EngineIO.TransportChoice.websocket, .polling, .upgrade])
    func `a recording replays to the same diff log, byte for byte, and to the same events`(
        restart: Bool, transport: EngineIO.TransportChoice
    ) async throws {
        let folder = try temporaryFolder()
        let live = try await record(in: folder, restart: restart, transport: transport)
        let first = try replay(folder + "/tail.weir.jsonl", to: folder + "/1.diff")
        _ = try replay(folder + "/tail.weir.jsonl", to: folder + "/2.diff", speed: .factor(50))
        let log = try readFile(folder + "/tail.diff")
        #expect(log.count > 10_000)
        #expect(try readFile(folder + "/1.diff") == log)
        #expect(try readFile(folder + "/2.diff") == log)
        #expect(first.events.map(\.payload) == live.events.map(\.payload))
        #expect(first.events.count == live.events.count)
        #expect(first.gaps.count == live.gaps.count)
    }

    @Test(.enabled(if: isInstalled, "python-socketio is not installed: run Tests/run"))
    func `the recording does not contain the token, and only the user can read the file`() async throws {
        let folder = try temporaryFolder()
        _ = try await record(in: folder)
        let path = folder + "/tail.weir.jsonl"
        let text = String(decoding: try readFile(path), as: UTF8.self)
        #expect(text.contains("authenticate"))
        #expect(!text.contains("the-secret-token"))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test(.enabled(if: isInstalled, "python-socketio is not installed: run Tests/run"))
    func `a truncated recording replays to a prefix of the diff log and reports it`() async throws {
        let folder = try temporaryFolder()
        _ = try await record(in: folder)
        let bytes = try readFile(folder + "/tail.weir.jsonl")
        // Cut in the middle of a line. At a line's end the loss would be invisible.
        let lineStart = try #require(bytes.prefix(bytes.count * 2 / 3).lastIndex(of: UInt8(ascii: "\n"))) + 1
        try writeFile(folder + "/cut.weir.jsonl", String(decoding: bytes.prefix(lineStart + 20), as: UTF8.self))
        let reports = try replay(folder + "/cut.weir.jsonl", to: folder + "/cut.diff")
        #expect(reports.gaps.count == 1)
        #expect(reports.notices.contains { $0.text.contains("cut off") })
        let log = try readFile(folder + "/cut.diff")
        #expect(!log.isEmpty)
        #expect(try readFile(folder + "/tail.diff").starts(with: log))
    }

    @Test(.enabled(if: isInstalled, "python-socketio is not installed: run Tests/run"))
    func `applying the diff log to an empty model results in the final model`() async throws {
        let folder = try temporaryFolder()
        let reports = try await record(in: folder)
        var model = SectionedCollection<Item>()
        var other = SectionedCollection<Item>()
        var sequence = 0
        for line in try readFile(folder + "/tail.diff").split(separator: UInt8(ascii: "\n")) {
            sequence = try DiffLog.apply(line, after: sequence, to: &model)
        }
        for diff in reports.diffs { try other.apply(diff.batch) }
        #expect(sequence == reports.diffs.count)
        #expect(model.sectionKeys == other.sectionKeys)
        for key in model.sectionKeys { #expect(model.elements(in: key) == other.elements(in: key)) }
    }

    @Test func `reading ahead on other threads reports the same as reading entry by entry, even with damage`()
        async throws
    {
        let folder = try temporaryFolder()
        let path = folder + "/twake.weir.jsonl"
        try await TwakeSample.record(to: path)
        let bytes = try readFile(path)
        var dice = RandomSource(seed: 77)
        for round in 0..<12 {
            var damaged = bytes
            for _ in 0..<round {
                let place = Int(dice.next() % UInt64(bytes.count))
                // The head is needed. A line feed splits a line in two, which is also covered.
                if place > bytes.firstIndex(of: 10) ?? 0 { damaged[place] = round.isMultiple(of: 3) ? 10 : 64 }
            }
            try writeFile(path, String(decoding: damaged, as: UTF8.self))
            var texts: [[String]] = []
            for loops in [1, 2] {
                // A looped replay must go back and therefore does not read ahead.
                var configuration = ReplayConfiguration([path])
                configuration.loops = loops
                let watcher = Watcher()
                _ = try Replay(configuration, outlets: [watcher]).play()
                texts.append(watcher.reports.all.map { "\($0.stamp) \($0.report)" })
            }
            #expect(!texts[0].isEmpty)
            #expect(Array(texts[1].prefix(texts[0].count)) == texts[0], "round \(round)")
        }
    }

    @Test func `the refusal of a file that is not a recording names it`() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/notes.txt", "hello\n")
        #expect(throws: RecordingError.self) { try Replay(path: folder + "/notes.txt", outlets: []).play() }
    }
}
