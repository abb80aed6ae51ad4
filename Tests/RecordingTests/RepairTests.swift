import Testing
import WeirWire

@testable import WeirRecording

@Suite struct `Repair` {
    /// The readable lines of a file, in order.
    private func readable(_ bytes: [UInt8]) throws -> [String] {
        var reader = LineReader(try RecordingReader(bytes: bytes), path: "memory")
        var found: [String] = []
        while let item = try reader.next() {
            if case .line(let line) = item, !line.record.isWritersOwn {
                var changes = MemberChanges()
                for key in ["n", "t", "for", "at"] { changes.remove(key) }
                found.append(String(decoding: changes.applied(to: line.text), as: UTF8.self))
            }
        }
        return found
    }

    @Test(arguments: 1...40) func `no readable record is lost, whatever is damaged, and the new file is complete`(
        seed: UInt64
    ) throws {
        try withTemporaryFolder { folder in
            var random = RandomSource(seed: seed)
            var bytes = try generatedRecording(seed: seed, count: 60)
            let head = (bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: head..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 100))
                case 2: bytes.insert(contentsOf: Array("junk\n{\"k\":".utf8), at: place)
                default: bytes.removeSubrange(max(head + 1, place)...)
                }
                if bytes.count <= head + 1 { break }
            }
            try write(bytes, to: folder + "/a")
            var problems = 0
            let report = try RecordingRepair.repair(folder + "/a", to: ToolDestination(path: folder + "/b")) { _, _ in
                problems += 1
            }
            let repaired = try contents(of: folder + "/b")
            #expect(try findings(folder + "/b").map(\.description) == [])
            let kept = try readable(repaired).filter { !$0.contains("\"k\":\"gap\"") }
            let before = try readable(bytes)
            let states = before.filter { $0.contains("\"k\":\"st\"") }
            let expected = before.filter { !$0.contains("\"k\":\"gap\"") }
            #expect(kept == expected || kept.count + states.count >= expected.count)
            #expect(report.problems == problems)
            let aside = try report.aside.reduce(0) { try $0 + contents(of: $1).count }
            #expect(aside == report.unreadableBytes)
        }
    }

    @Test func `a record of an unknown kind without a number gets none, not even after a hole`() throws {
        try withTemporaryFolder { folder in
            var bytes = try generatedRecording(seed: 1, count: 1)
            bytes.removeSubrange(((bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1)...)
            let lines = [
                #"{"k":"mark","n":1,"t":5,"label":"a"}"#,
                #"{"k":"sync","n":3,"t":5,"off":0,"bytes":1,"recs":1,"t0":5,"t1":5,"crc":1}"#,
                #"{"k":"sy"}"#, #"{"k":"mark","n":4,"t":6,"label":"b"}"#,
            ]
            bytes += Array((lines.joined(separator: "\n") + "\n").utf8)
            try write(bytes, to: folder + "/a")
            _ = try RecordingRepair.repair(folder + "/a", to: ToolDestination(path: folder + "/b"))
            #expect(try findings(folder + "/b").map(\.description) == [])
        }
    }

    @Test func `a damaged line leaves a gap at its position, and the other numbers stay`() throws {
        try withTemporaryFolder { folder in
            let whole = try recording { writer in
                for number in 1...5 {
                    let mark = Record.mark(.init(label: "m\(number)"))
                    try writer.append(mark, at: Moment(microseconds: Int64(number)), wall: 0)
                }
            }
            var text = lines(of: whole)
            text[3] = "{\"k\":\"mark\",\"n\":3,,"
            try write(Array((text.joined(separator: "\n") + "\n").utf8), to: folder + "/a")
            let report = try RecordingRepair.repair(folder + "/a", to: ToolDestination(path: folder + "/b"))
            let repaired = lines(of: try contents(of: folder + "/b"))
            #expect(
                repaired[1] == text[1] && repaired[2] == text[2] && repaired[4] == text[4] && repaired[5] == text[5])
            #expect(repaired[3].hasPrefix(#"{"k":"gap","n":3,"t":4,"#))
            #expect(repaired[3].hasSuffix(#""why":"damage","from":2,"to":4,"lost":1}"#))
            #expect(report.kept == 4 && report.unreadable == 1 && report.missing == 0 && report.isLossy)
            #expect(report.aside == [folder + "/b.damaged"])
            #expect(try contents(of: folder + "/b.damaged") == Array((text[3] + "\n").utf8))
        }
    }
}
