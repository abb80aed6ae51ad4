import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

@Suite("Playing parts of recordings") struct PlayingTests {
    @Test("A replay begins and ends at the given positions, and earlier records are applied")
    func ranges() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 9, mark: 4)
        func numbers(_ start: RecordingPosition?, _ end: RecordingPosition?, span: Duration? = nil) throws -> [Int] {
            try recording.play { ($0.start, $0.end, $0.span) = (start, end, span) }.numbers
        }
        #expect(try numbers(nil, nil) == Array(1...9))
        #expect(try numbers(.offset(3_000_000), nil) == Array(3...9))
        #expect(try numbers(.offset(2500_000), .offset(5500_000)) == [3, 4, 5])
        #expect(try numbers(.record(6), .record(8)) == [3, 4])
        #expect(try numbers(.mark("here"), nil) == Array(5...9))
        #expect(try numbers(nil, .mark("here")) == [1, 2, 3, 4])
        #expect(try numbers(.wall(1_767_323_045_000_000 + 7_000_000), nil) == [7, 8, 9])
        #expect(try numbers(.offset(2_000_000), nil, span: .seconds(2)) == [2, 3, 4])
        #expect(try numbers(nil, nil, span: .seconds(2)) == [1, 2])
    }

    @Test("A start position that does not exist is reported")
    func missingStart() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 3)
        let result = try recording.play { $0.start = .mark("nowhere") }
        #expect(result.numbers == [])
        #expect(result.outcome == .noPlace("--start: no mark is named nowhere; the recording has no marks"))
    }

    @Test("The diff log is complete from any start position, and is written once in any number of rounds")
    func wholeLog() async throws {
        let folder = try temporaryFolder()
        let path = folder + "/demo.weir.jsonl"
        try await TwakeSample.record(to: path)
        func log(_ name: String, _ change: (inout ReplayConfiguration) -> Void) throws -> [UInt8] {
            var configuration = ReplayConfiguration([path])
            change(&configuration)
            _ = try Replay(configuration, outlets: [try DiffLogFile(creating: folder + "/" + name)]).play()
            return try readFile(folder + "/" + name)
        }
        let whole = try log("whole") { _ in }
        #expect(whole.count > 1000)
        #expect(try log("from") { $0.start = .record(9) } == whole)
        #expect(try log("twice") { $0.loops = 2 } == whole)
    }

    @Test("A loop starts over each time with the same events")
    func loops() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 3)
        #expect(try recording.play { $0.loops = 3 }.numbers == [1, 2, 3, 1, 2, 3, 1, 2, 3])
        #expect(try recording.play { ($0.loops, $0.start) = (2, .record(6)) }.numbers == [3, 3])
        #expect(try recording.play { ($0.loops, $0.count) = (nil, 5) }.numbers == [1, 2, 3, 1, 2])
    }

    @Test("A replay ends at the first record that matches an expression, and reports if none does")
    func untilMatch() throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 9)
        let line = try Filter(parsing: #"/tick .*number":[5-7]/"#)
        let found = try recording.play { $0.untilMatch = line }
        #expect(found.numbers == [1, 2, 3, 4, 5])
        #expect(found.outcome == .limitReached)
        let field = try Filter(parsing: "payload.number >= 7")
        #expect(try recording.play { $0.untilMatch = field }.numbers == Array(1...7))
        let nothing = try Filter(parsing: "event = tock")
        #expect(
            try recording.play { $0.untilMatch = nothing }.outcome
                == .notFound("the recording ended before anything matched"))
    }

    @Test("Two recordings are merged by their wall clocks, each with its own session")
    func merging() throws {
        let folder = try temporaryFolder()
        let first = try PlayedRecording(in: folder, events: 3)
        let second = try PlayedRecording(
            in: folder, "b", events: 3, wallStart: 1_767_323_045_500_000, text: "tock")
        let watcher = Watcher()
        let summary = try Replay(ReplayConfiguration([second.path, first.path]), outlets: [watcher]).play()
        #expect(watcher.reports.all.events.map(\.wireName) == ["tick", "tock", "tick", "tock", "tick", "tock"])
        #expect(watcher.reports.all.numbers == [1, 1, 2, 2, 3, 3])
        #expect(summary.events == 6)
        #expect(summary.outcome == .limitReached)
    }

    @Test("A growing file is followed to its end")
    func following() async throws {
        let folder = try temporaryFolder()
        let whole = try readFile(try PlayedRecording(in: folder, events: 6).path)
        let path = folder + "/growing.weir.jsonl"
        // Cut inside a line: an incomplete line is waited for as well.
        let third = Array(#"number\":3"#.utf8)
        let half = try #require(whole.indices.first { whole[$0...].starts(with: third) })
        try writeFile(path, String(decoding: whole[..<half], as: UTF8.self))
        let (_, watcher, outcomes) = followed(path)
        await watcher.reports.wait { $0.numbers == [1, 2] }
        let file = try #require(fopen(path, "a"))
        fwrite(Array(whole[half...]), 1, whole.count - half, file)
        fclose(file)
        await watcher.reports.wait { $0.numbers == Array(1...6) }
        await outcomes.wait { $0 == [.limitReached] }
    }

    @Test(
        "A followed file that is truncated or replaced ends the replay with a message",
        arguments: [true, false])
    func followedFileGone(isReplaced: Bool) async throws {
        let folder = try temporaryFolder()
        let recording = try PlayedRecording(in: folder, events: 4, isClosed: false)
        let (_, watcher, outcomes) = followed(recording.path)
        await watcher.reports.wait { $0.numbers == Array(1...4) }
        if isReplaced {
            try writeFile(folder + "/other", try readFile(recording.path))
            #expect(rename(folder + "/other", recording.path) == 0)
        } else {
            #expect(truncate(recording.path, 300) == 0)
        }
        await outcomes.wait { $0 == [.limitReached] }
        let words = isReplaced ? "another file now has this name" : "it was cut short"
        #expect(watcher.reports.all.notices.contains { $0.text.contains(words) })
        #expect(watcher.reports.all.contains { if case .gap = $0.report { true } else { false } })
    }

    @Test("A replay that follows a file that no longer grows can be stopped")
    func stoppedFollowing() async throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 2, isClosed: false)
        let (replay, watcher, outcomes) = followed(recording.path)
        await watcher.reports.wait { $0.numbers == [1, 2] }
        replay.stop(signal: SIGINT)
        await outcomes.wait { $0 == [.interrupted(signal: SIGINT)] }
    }
}

@Suite("Playing by keys", .serialized) struct PlayingByKeysTests {
    /// A replay that begins paused, and the pipe for its keys.
    private final class Stage: Sendable {
        let watcher = Watcher()
        let outcomes = Mailbox<TailOutcome>()
        private let keys: Int32

        init(_ recording: PlayedRecording) throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            keys = ends[1]
            var configuration = ReplayConfiguration([recording.path])
            configuration.pace = .factor(0.01)
            configuration.isStepping = true
            let (replay, outcomes, input) = (
                Replay(configuration, console: ReplayConsole(keys: ends[0]), outlets: [watcher]), self.outcomes, ends[0]
            )
            runOnThread(named: "replay") {
                outcomes.put((try? replay.play().outcome) ?? .timedOut)
                close(input)
            }
        }

        func press(_ text: String) { _ = write(keys, text, text.utf8.count) }
        func leave() { close(keys) }

        func shows(_ numbers: [Int]) async { await watcher.reports.wait { $0.numbers == numbers } }
    }

    @Test("Steps go forward and back event by event, and the current event is shown")
    func steps() async throws {
        let stage = try Stage(try PlayedRecording(in: try temporaryFolder(), events: 9))
        stage.press("...")
        await stage.shows([1, 2, 3])
        stage.press(",")
        await stage.shows([1, 2, 3, 2])
        stage.press(",.")
        await stage.shows([1, 2, 3, 2, 1, 2])
        stage.press("q")
        await stage.outcomes.wait { $0 == [.limitReached] }
        stage.leave()
    }

    @Test("Arrows, numbers, marks and searches move to any place")
    func places() async throws {
        let stage = try Stage(try PlayedRecording(in: try temporaryFolder(), events: 90, mark: 40))
        stage.press("g+20s\r")
        await stage.shows([19])
        stage.press("\u{1B}[C")
        await stage.shows([19, 23])
        stage.press("\u{1B}[D")
        await stage.shows([19, 23, 17])
        stage.press("]")
        await stage.shows([19, 23, 17, 40])
        stage.press("g\(PlayedRecording.firstEvent + 79 + 1)\r")
        await stage.shows([19, 23, 17, 40, 80])
        stage.press("[")
        await stage.shows([19, 23, 17, 40, 80, 40])
        stage.press("/number\":6[56]\r")
        await stage.shows([19, 23, 17, 40, 80, 40, 65])
        stage.press("/nothing like it\r.")
        await stage.shows([19, 23, 17, 40, 80, 40, 65, 66])
        stage.leave()
        // No more keys are pressed.
        await stage.outcomes.wait { $0 == [.limitReached] }
    }

    @Test("A new mark is stored next to the unchanged recording and exists in the next replay")
    func marks() async throws {
        let recording = try PlayedRecording(in: try temporaryFolder(), events: 9)
        let before = try readFile(recording.path)
        let stage = try Stage(recording)
        stage.press("...mfound it\r.")
        await stage.shows([1, 2, 3, 4])
        stage.leave()
        await stage.outcomes.wait { $0 == [.limitReached] }
        #expect(try readFile(recording.path) == before)
        #expect(try MarkFile(beside: recording.path).marks().map(\.label) == ["found it"])
        let again = try Stage(recording)
        again.press("gmark:found it\r")
        await again.shows([3])
        again.leave()
        await again.outcomes.wait { $0 == [.limitReached] }
    }
}
