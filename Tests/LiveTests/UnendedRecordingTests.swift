import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirRecording

/// Tests recordings with only complete lines and without an `end` record: their writer was killed between two lines.
@Suite struct UnendedRecordingTests {
    private static let words =
        "the recording has no end after record 6: it was not closed, or is still being written"

    @Test func `a recording without an end is reported after its last record and otherwise played normally`() throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 3, isClosed: false).path
        let (reports, summary) = try played([path])
        #expect(reports.notices.map(\.text) == [Self.words])
        #expect(reports.notices.map(\.level) == [.warning])
        #expect(reports.last?.stamp.n == 6)
        #expect(reports.last?.stamp.time == Moment(microseconds: 3_000_000))
        #expect(reports.numbers == [1, 2, 3])
        #expect(summary.gaps == 0)
        #expect(summary.outcome == .limitReached)
        #expect(try played([path]) { $0.verifies = true }.summary.outcome == .limitReached)
    }

    @Test func `a replay uses the doctor's words`() throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 3, isClosed: false).path
        var doctor = RecordingDoctor()
        var said: [String] = []
        _ = try doctor.examine(path) { said.append($1.description) }
        #expect(said == ["it has no end: " + Self.words.split(separator: ": ").dropFirst().joined()])
    }

    @Test func `reading ahead, entry by entry or from a pipe reports the same, once per round`() throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 3, isClosed: false).path
        let ahead = try played([path]).reports.map { "\($0.stamp) \($0.report)" }
        let twice = try played([path]) { $0.loops = 2 }.reports
        #expect(twice.map { "\($0.stamp) \($0.report)" } == ahead + ahead)
        let pipe = path + ".pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let bytes = try readFile(path)
        runOnThread(named: "writer") {
            guard let file = fopen(pipe, "w") else { return }
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
        #expect(try played([pipe]).reports.map { "\($0.stamp) \($0.report)" } == ahead)
    }

    @Test func `a recording with only a head is reported without an end as well`() throws {
        let folder = try temporaryFolder()
        let whole = try readFile(try PlayedRecording(in: folder, events: 3).path)
        let head = whole.prefix { $0 != UInt8(ascii: "\n") }
        try writeFile(folder + "/head.weir.jsonl", String(decoding: head, as: UTF8.self) + "\n")
        let reports = try played([folder + "/head.weir.jsonl"]).reports
        #expect(
            reports.notices.map(\.text) == [
                "the recording has no end after its head: it was not closed, or is still being written"
            ])
    }

    @Test func `an ended, torn or partly played recording is not reported as without an end`() throws {
        let folder = try temporaryFolder()
        let ended = try PlayedRecording(in: folder, events: 3).path
        #expect(try played([ended]).reports.notices.isEmpty)
        let open = try PlayedRecording(in: folder, "b", events: 3, isClosed: false).path
        #expect(try played([open]) { $0.count = 3 }.reports.notices.isEmpty)
        #expect(try played([open]) { $0.end = .record(6) }.reports.notices.isEmpty)
        #expect(try played([open]) { $0.start = .record(6) }.reports.notices.map(\.text) == [Self.words])
        try writeFile(open, String(decoding: try readFile(open).dropLast(10), as: UTF8.self))
        let torn = try played([open]).reports
        #expect(torn.notices.count == 1)
        #expect(torn.notices.allSatisfy { $0.text.hasSuffix("the recording was cut off") })
    }

    @Test func `the last segment must have an end, and so must each merged recording`() throws {
        let folder = try temporaryFolder()
        let records = try PlayedRecording(in: folder, events: 3).records()
        let open = records.dropLast()
        try writeFile(folder + "/1.weir.jsonl", open.prefix(5).joined(separator: "\n") + "\n")
        let second = [open[0].replacing(#""seg":1"#, with: #""seg":2"#)] + open.dropFirst(5)
        try #require(second[0] != open[0])
        try writeFile(folder + "/2.weir.jsonl", second.joined(separator: "\n") + "\n")
        let paths = [folder + "/1.weir.jsonl", folder + "/2.weir.jsonl"]
        #expect(try played(paths).reports.notices.map(\.text) == [paths[1] + ": " + Self.words])
        #expect(try played(paths).reports.numbers == [1, 2, 3])
        try writeFile(paths[1], (second + [records[records.count - 1]]).joined(separator: "\n") + "\n")
        #expect(try played(paths).reports.notices.isEmpty)
        // A recording that continues elsewhere ends without a number of its own.
        var rotated = Array(
            records[records.count - 1].replacing(#""why":"closed""#, with: #""why":"rotated""#)
                .replacing(#""n":7"#, with: #""n":6"#).utf8.dropLast(LineChecksum.bytes))
        LineChecksum.close(&rotated)
        try writeFile(paths[0], (open + [String(decoding: rotated, as: UTF8.self)]).joined(separator: "\n") + "\n")
        try writeFile(paths[1], second[0] + "\n")
        #expect(try played([paths[0]]).reports.notices.isEmpty)
        #expect(try played(paths).reports.notices.map(\.text) == [paths[1] + ": " + Self.words])

        let other = try temporaryFolder()
        let one = try PlayedRecording(in: other, events: 3, isClosed: false).path
        let two = try PlayedRecording(
            in: other, "b", events: 3, wallStart: 1_767_323_045_500_000, isClosed: false
        ).path
        #expect(try played([one, two]).reports.notices.map(\.text) == [one, two].map { $0 + ": " + Self.words })
    }

    @Test func `a followed file without an end is not reported`() async throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 2, isClosed: false).path
        let (replay, watcher, outcomes) = followed(path)
        await watcher.reports.wait { $0.numbers == [1, 2] }
        replay.stop(signal: SIGINT)
        await outcomes.wait { $0 == [.interrupted(signal: SIGINT)] }
        #expect(watcher.reports.all.notices.isEmpty)
    }
}
