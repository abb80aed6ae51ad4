import Glibc
import Testing
import TestSupport
import WeirJSON
import WeirPipeline
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// A format that Weir writes and publishes a schema for.
enum WrittenFormat: String, CaseIterable, CustomTestStringConvertible {
    case envelope
    case diffLog = "diff-log"
    case recording

    var testDescription: String { rawValue }

    /// Returns the published schema of the format.
    func schema() throws -> Schema {
        let path = "\(packageFolder)/schemas/\(rawValue).schema.json"
        return Schema(try JSONValue(parsing: try readFile(path)[...]))
    }

    /// Members whose contents the schema does not describe: a peer's payload, an entity's fields, a session's
    /// configuration, and the parts of an entity kept as the server wrote them.
    var foreign: Set<String> {
        switch self {
        case .envelope: ["payload", "fields"]
        case .diffLog: ["blocks", "links", "context", "bookmarks", "connectors", "attachments", "event", "symbol"]
        case .recording: ["session", "what"]
        }
    }

    /// Returns lines written by the real writers.
    func lines() throws -> [JSONValue] {
        let folder = try temporaryFolder()
        let path = folder + "/written"
        defer {
            unlink(path)
            rmdir(folder)
        }
        switch self {
        case .envelope: try writeEnvelopes(path)
        case .diffLog: try writeDiffLog(path)
        case .recording: try writeRecording(path)
        }
        return try readFile(path).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
    }

    private func writeEnvelopes(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let printer = EventPrinter(format: .json, descriptor: descriptor, colour: false, width: nil)
        try printer.write(Conversation.everything())
        let mark = Notice(Notice.Mark(label: "deploy", author: "ctl"))
        try printer.write([
            StampedReport(stamp: Stamp(n: 9, time: .zero, wall: 0), report: .notice(mark), context: "work")
        ])
        var said = EmitReport(Emit("join", patience: .seconds(1)), to: "/")
        said.ackID = 0
        let answer = SocketIO.Acknowledgement(id: 0, arguments: RawJSON(unchecked: Array("[true]".utf8)[...]))
        for outcome in [.sent, .answered(answer), .timedOut, .lost(why: "gone"), .refused(why: "no")]
            as [EmitReport.Outcome]
        {
            said.outcome = outcome
            try printer.write([
                StampedReport(stamp: Stamp(n: 9, time: .zero, wall: 0), report: .emit(said), context: "work")
            ])
        }
        try printer.finish()
        try writeSummary(descriptor)
    }

    /// Writes the summary lines that follow the envelopes with `--summary json`.
    private func writeSummary(_ descriptor: Int32) throws {
        let collector = SummaryCollector()
        try collector.write(Conversation.everything())
        let seen = TailSummary(
            outcome: .limitReached, events: 1, gaps: 1, undecodable: 1,
            sections: [(Item.Section("messages"), 1)], context: "work")
        var writer = JSONWriter()
        collector.summary.write(seen, words: "done", code: 0, filtered: try tally(), into: &writer)
        try DescriptorWriter(descriptor: descriptor, name: "the lines").write(writer.bytes)
    }

    /// Returns the tally of reports that a filter removes from the conversation.
    private func tally() throws -> FilterTally {
        var judge = FilterJudge(try Filter(parsing: "kind = message"))
        for report in Conversation.everything() { _ = judge.mark(report) }
        #expect(judge.tally.removed.events > 0)
        return judge.tally
    }

    /// Writes a plain and a reversible log, one after the other.
    private func writeDiffLog(_ path: String) throws {
        let other = path + "-reversible"
        defer { unlink(other) }
        for (file, reversible) in [(path, false), (other, true)] {
            let log = try DiffLogFile(creating: file, reversible: reversible)
            try log.write(Conversation.everything() + RankedSections.reports())
            // A line's previous row is described like any other row.
            if !reversible { try log.write(GroupMeConversation.everything()) }
            try log.finish()
        }
        let descriptor = open(path, O_WRONLY | O_APPEND)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = try readFile(other)
        #expect(bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
    }

    private func writeRecording(_ path: String) throws {
        var writer = try RecordingWriter(creating: path, head: RecordSample.head, durability: .never)
        for record in RecordSample.records {
            let time = Moment(microseconds: Int64(writer.nextNumber) * 1000)
            try writer.append(record, at: time, wall: 1_767_323_045_123_456)
        }
        let restated = Stamp(n: 0, time: Moment(microseconds: 800_000), wall: 0, isRestated: true)
        try writer.append(.connection(Record.ConnectionRecord(connection: 2, state: .open)), restated)
        try writer.close(why: .signal, at: Stamp(n: 0, time: Moment(microseconds: 900_000), wall: 0))
    }
}
