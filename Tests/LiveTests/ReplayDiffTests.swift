import Testing
import TestSupport
import WeirJSON
import WeirLive
@testable import WeirViews
import WeirRecording

/// Tests where the replays of two recordings diverge.
@Suite struct ReplayDiffTests {
    /// Returns the recording with one text changed in line `index`, or `nil` if that line has no text.
    private func changed(_ lines: [ArraySlice<UInt8>], at index: Int) -> [UInt8]? {
        let mark = Array(#"\"text\":\""#.utf8)
        let line = Array(lines[index])
        guard let place = line.indices.first(where: { line[$0...].starts(with: mark) }).map({ $0 + mark.count }),
            place < line.count, line[place] != UInt8(ascii: "\\"), line[place] < 0x80
        else { return nil }
        var copy = line
        copy[place] = line[place] == UInt8(ascii: "Z") ? UInt8(ascii: "Y") : UInt8(ascii: "Z")
        var bytes: [UInt8] = []
        for (number, other) in lines.enumerated() {
            bytes += number == index ? copy[...] : other
            bytes.append(0x0a)
        }
        return bytes
    }

    /// A changed file simulates a decoder that reads one record differently.
    @Test func `Check 7: a difference is located by the record, the section, the row and the field`()
        async throws
    {
        let folder = try temporaryFolder()
        let (first, second) = (folder + "/a.weir.jsonl", folder + "/b.weir.jsonl")
        try await TwakeSample.record(to: first)
        let same = try ReplayDiff(first, first)
        #expect(same.modelsDiffer == nil && same.recordsDiffer == nil && same.records > 20)
        let lines = try readFile(first).split(separator: 0x0a)
        var located = 0
        var fields = Set<String>()
        for index in lines.indices.reversed() where located < 5 {
            guard let bytes = changed(lines, at: index),
                case .integer(let number)? = try JSONValue(parsing: lines[index])["n"]
            else { continue }
            try writeFile(second, String(decoding: bytes, as: UTF8.self))
            let diff = try ReplayDiff(first, second)
            #expect(diff.recordsDiffer == Int(number))
            // Not every text is shown: a late answer changes nothing.
            guard let found = diff.modelsDiffer else { continue }
            #expect(found.number == Int(number))
            located += 1
            #expect(!diff.rows.isEmpty && diff.rowCount == diff.rows.count)
            for row in diff.rows { if case .changed(let names) = row.difference { fields.formUnion(names) } }
        }
        #expect(located > 2 && fields.contains("text"), "\(fields)")
    }
}
