import Glibc
import Testing
import TestSupport
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

@Suite("Verified replays") struct VerifyTests {
    private func verify(_ path: String) throws -> TailOutcome {
        var configuration = ReplayConfiguration([path])
        configuration.verifies = true
        return try Replay(configuration, outlets: []).play().outcome
    }

    @Test("An unchanged recording verifies")
    func whole() async throws {
        let path = try temporaryFolder() + "/twake.weir.jsonl"
        try await TwakeSample.record(to: path)
        #expect(try verify(path) == .limitReached)
    }

    @Test("A changed byte is found at any position, and the error names the record or line")
    func flippedBytes() throws {
        let folder = try temporaryFolder()
        let recording = try PlayedRecording(in: folder, events: 6, interval: .milliseconds(100))
        let bytes = try readFile(recording.path)
        #expect(try verify(recording.path) == .limitReached)
        let start = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
        for place in stride(from: start, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] ^= 1
            let path = folder + "/\(place)"
            let file = try #require(fopen(path, "w"))
            fwrite(changed, 1, changed.count, file)
            fclose(file)
            guard case .mismatch(let why) = try verify(path) else {
                Issue.record("a byte changed at \(place) is not found")
                continue
            }
            #expect(why.contains("record") || why.contains("line") || why.hasPrefix("the last "), "\(why)")
        }
    }

    @Test("Duplicate notes with their sync record are reported by position, since notes have no numbers")
    func doubledNotes() throws {
        let folder = try temporaryFolder()
        let path = folder + "/a.weir.jsonl"
        let head = Record.Head(
            recording: String(repeating: "e", count: 32), wallStart: 0, tool: "test", seed: 1,
            session: Configuration(backend: .socketio, revision: .v4, resyncInterval: nil).json)
        let note = Record.note(.init(level: "warn", message: "slow"))
        let records: [Record] = [.token(.init(renewed: true)), .token(.init(renewed: true)), note, note]
        try PlayedRecording.write(
            path, head,
            records.enumerated().map { (Moment(microseconds: Int64($0.offset) * 1_000_000), $0.element) })
        var lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        let first = try #require(lines.firstIndex { $0.hasPrefix(#"{"k":"note""#) })
        let sync = try #require(lines[first...].firstIndex { $0.hasPrefix(#"{"k":"sync""#) })
        func byte(_ line: Int) -> Int { lines[..<line].reduce(0) { $0 + $1.utf8.count + 1 } }
        let (begin, end) = (byte(first), byte(sync + 1))
        #expect(try verify(path) == .limitReached)
        lines.insert(contentsOf: lines[first...sync], at: sync + 1)
        try writeFile(path, lines.map { $0 + "\n" }.joined())
        #expect(
            try verify(path)
                == .mismatch(
                    "the text before line \(sync + sync - first + 2) was written at byte \(begin), but byte \(end) "
                        + "should follow: chunks are missing, doubled or out of order"))
    }

    @Test("A recorded state that the replay does not reach is reported with its record")
    func otherState() throws {
        let folder = try temporaryFolder()
        func record(_ name: String, checksum: UInt64, version: Int = Item.checksumVersion) throws -> String {
            let path = folder + "/" + name
            let head = Record.Head(
                recording: String(repeating: "d", count: 32), wallStart: 0, tool: "test", seed: 1,
                session: Configuration(backend: .socketio, revision: .v4, resyncInterval: nil).json)
            try PlayedRecording.write(
                path, head,
                [
                    (.zero, .connection(.init(connection: 1, state: .open))),
                    (
                        .zero,
                        .state(
                            .init(
                                after: 1, checksum: checksum, checksumVersion: version, sections: 0, items: 0))
                    ),
                ])
            return path
        }
        // The checksum of an empty model.
        #expect(try verify(try record("right", checksum: 0)) == .limitReached)
        #expect(
            try verify(try record("wrong", checksum: 99))
                == .mismatch("after record 1 the model differs from the recorded one"))
        let (reports, summary) = try played([try record("new", checksum: 99, version: 3)]) { $0.verifies = true }
        #expect(summary.outcome == .limitReached)
        let warnings = reports.compactMap { if case .notice(let notice) = $0.report { notice.text } else { nil } }
        #expect(
            warnings == [
                "record 1: the checksum of the state has version 3, written by a later version of weir: states of that version are not compared"
            ])
    }

    @Test("The states of a sample are compared, and a changed one is found")
    func changedState() throws {
        let day = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
        #expect(try verify(day) == .limitReached)
        let text = String(decoding: try readFile(day), as: UTF8.self)
        // The last state, which covers rows of every kind.
        let state = try #require(text.split(separator: "\n").last { $0.hasPrefix(#"{"k":"st""#) })
        let hash = try #require(state.firstMatch(of: /"at":([0-9]+),"h":"([0-9a-f]{16})"/))
        let digit = try #require(hash.2.last)
        let other = state.replacing(hash.2, with: hash.2.dropLast() + (digit == "0" ? "1" : "0"))
        let path = try temporaryFolder() + "/changed.weir.jsonl"
        // Removes the checksums of the chunks, which would detect the change first.
        let lines = text.replacing(state, with: other).split(separator: "\n").filter { line in
            !["sync", "idx", "end"].contains { line.hasPrefix(#"{"k":"\#($0)""#) }
        }
        try writeFile(path, lines.map { $0 + "\n" }.joined())
        #expect(
            try verify(path) == .mismatch("after record \(hash.1) the model differs from the recorded one"))
    }

    /// A killed process leaves the beginning of the file, up to any byte.
    @Test(
        "A recording cut anywhere is verified as far as it goes, with a warning",
        arguments: ["hello", "reconnect", "twake-day"])
    func cutOff(name: String) throws {
        let whole = try readFile(packageFolder + "/samples/recordings/\(name).weir.jsonl")
        let path = try temporaryFolder() + "/cut.weir.jsonl"
        let feeds = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }
        // Cut before and after the line feed, and inside the next line.
        let step = max(feeds.count / 40, 1)
        for (index, feed) in feeds.enumerated() where index % step == 0 {
            for cut in [feed, feed + 1, feed + 30] where cut > feeds[0] && cut < whole.count {
                try writeFile(path, String(decoding: whole[..<cut], as: UTF8.self))
                let (reports, summary) = try played([path]) { $0.verifies = true }
                #expect(summary.outcome == .limitReached, "cut at byte \(cut)")
                let warnings = reports.notices.filter { $0.level == .warning }.map(\.text)
                #expect(
                    warnings.last.map { $0.hasSuffix("was cut off") || $0.contains("has no end after") } == true,
                    "cut at byte \(cut): \(warnings)")
            }
        }
    }

    @Test("A final line feed changed to another byte is corruption, not a killed writer")
    func lastFeed() throws {
        let path = try PlayedRecording(in: try temporaryFolder(), events: 3).path
        var bytes = try readFile(path)
        try writeFile(path, String(decoding: bytes.dropLast(), as: UTF8.self))
        #expect(try verify(path) == .limitReached)
        for bit in 0..<7 {
            bytes[bytes.count - 1] = 0x0A ^ (1 << bit)
            try writeFile(path, String(decoding: bytes, as: UTF8.self))
            guard case .mismatch = try verify(path) else {
                Issue.record("bit \(bit) of the last byte")
                continue
            }
        }
    }
}
