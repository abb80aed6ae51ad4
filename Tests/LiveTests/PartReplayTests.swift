import Testing
import TestSupport
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// Checks that a part of a recording can be replayed alone, with its events and its changes of the model.
@Suite("Parts of recordings") struct PartReplayTests {
    private func sample(_ name: String) -> String { packageFolder + "/samples/recordings/\(name).weir.jsonl" }

    /// Returns the events of a part, without restated ones. Those have the number of the record before the part.
    private func events(_ reports: [StampedReport], from first: Int = 1) -> [String] {
        reports.compactMap { report in
            guard report.stamp.n >= first, case .event(let event) = report.report else { return nil }
            return event.payload.description
        }
    }

    @Test("A part that was cut out is replayed to its end and changes the model", arguments: [false, true])
    func cut(ripples: Bool) throws {
        let path = try temporaryFolder() + "/part.weir.jsonl"
        _ = try RecordingCopy.cut(
            sample("twake-day"), RecordingSpan(start: .offset(3_000_000)), ripples: ripples,
            to: ToolDestination(path: path))
        let (part, summary) = try played([path])
        #expect(summary.outcome == .limitReached)
        let whole = try played([sample("twake-day")]).reports.filter { $0.stamp.time >= Moment.zero + .seconds(3) }
        #expect(events(part) == events(whole))
        #expect(part.diffs.count > 10)
        #expect(part.gaps.isEmpty)
    }

    @Test("Each segment can be replayed alone, and together they contain every event")
    func segments() throws {
        let prefix = try temporaryFolder() + "/part"
        let (paths, _) = try RecordingSplit.split(sample("twake-day"), by: .records(100), to: prefix)
        #expect(paths.count == 4)
        var told: [String] = []
        for path in paths {
            let (part, summary) = try played([path])
            #expect(summary.outcome == .limitReached)
            #expect(!part.diffs.isEmpty, "nothing of \(path) reaches the model")
            told += events(part, from: try RecordingOverview(reading: path).firstNumber ?? 1)
        }
        #expect(told == events(try played([sample("twake-day")]).reports))
    }

    @Test("A segment that begins between connections plays the next one")
    func betweenConnections() throws {
        let prefix = try temporaryFolder() + "/part"
        let (paths, _) = try RecordingSplit.split(sample("reconnect"), by: .connections, to: prefix)
        let whole = events(try played([sample("reconnect")]).reports)
        #expect(try paths.flatMap { events(try played([$0]).reports) } == whole)
        #expect(paths.count == 2)
    }
}
