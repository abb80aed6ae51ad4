import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording

/// Checks that errors in a replay of several files name the file.
@Suite struct SeveralRecordingsTests {
    private func play(
        _ paths: [String], verifies: Bool = false
    ) throws -> (notices: [String], outcome: TailOutcome) {
        let (reports, summary) = try played(paths) { $0.verifies = verifies }
        return (reports.notices.map(\.text), summary.outcome)
    }

    /// Writes a recording whose second line after the head is unreadable, and which begins half a second later than
    /// others. Returns its path.
    private func damagedRecording(in folder: String) throws -> String {
        let recording = try PlayedRecording(in: folder, "b", events: 3, wallStart: 1_767_323_045_500_000)
        var lines = try recording.records()
        lines[2] = "{"
        try writeFile(recording.path, lines.joined(separator: "\n") + "\n")
        return recording.path
    }

    @Test func `damage in one of two merged recordings is reported with its path`() throws {
        let folder = try temporaryFolder()
        let sound = try PlayedRecording(in: folder, events: 3).path
        let damaged = try damagedRecording(in: folder)
        let alone = try play([damaged]).notices
        try #require(alone.count == 2 && alone[0].hasPrefix("line 3 at byte "))
        #expect(try play([sound, damaged]).notices == alone.map { damaged + ": " + $0 })
        #expect(try play([damaged, sound]).notices == alone.map { damaged + ": " + $0 })
    }

    @Test func `a failed verification in one of several recordings is reported once, with its path`() throws {
        let folder = try temporaryFolder()
        let sound = try PlayedRecording(in: folder, events: 3).path
        let damaged = try damagedRecording(in: folder)
        guard case .mismatch(let alone) = try play([damaged], verifies: true).outcome else { throw CannotHappen() }
        try #require(!alone.contains(damaged))
        #expect(try play([sound, damaged], verifies: true).outcome == .mismatch(damaged + ": " + alone))
    }

    @Test func `damage in a segment of a recording is reported with its path`() throws {
        let folder = try temporaryFolder()
        let lines = try PlayedRecording(in: folder, events: 3).records()
        let paths = [folder + "/1.weir.jsonl", folder + "/2.weir.jsonl"]
        try writeFile(paths[0], lines.prefix(4).joined(separator: "\n") + "\n")
        let head = lines[0].replacing(#""seg":1"#, with: #""seg":2"#)
        var second = [head] + lines.dropFirst(4)
        try writeFile(paths[1], second.joined(separator: "\n") + "\n")
        try #require(try play(paths).notices.isEmpty)
        second[2] = "{"
        try writeFile(paths[1], second.joined(separator: "\n") + "\n")
        let notices = try play(paths).notices
        #expect(notices.count == 2)
        #expect(notices.first?.hasPrefix(paths[1] + ": line 3 at byte ") == true)
    }
}
