import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

@Suite struct DiffLogTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `applying the log to an empty model yields the final model and its checksum`(seed: UInt64) throws {
        let transcript = DiffHistory.transcript(seed: seed, keepsChecksum: true)
        var model = SectionedCollection<Item>(keepsChecksum: true)
        var sequence = 0
        for line in DiffHistory.lines(transcript.diffs) {
            sequence = try DiffLog.apply(line, after: sequence, to: &model)
        }
        #expect(sequence == transcript.diffs.count)
        #expect(sequence > 100)
        #expect(rows(model) == rows(transcript.session.model))
        let checksum = try #require(model.checksum)
        #expect(checksum == transcript.session.model.checksum)
        #expect(checksum == transcript.diffs.last?.batch.checksums?.after)
    }

    @Test func `logs and models with and without checksums can be combined`() throws {
        for (logs, keeps) in [(false, true), (true, false)] {
            let transcript = DiffHistory.transcript(seed: 6, keepsChecksum: logs)
            var model = SectionedCollection<Item>(keepsChecksum: keeps)
            var sequence = 0
            for line in DiffHistory.lines(transcript.diffs) {
                sequence = try DiffLog.apply(line, after: sequence, to: &model)
            }
            #expect(rows(model) == rows(transcript.session.model))
        }
    }

    @Test func `checksums of another version, or of two different versions, are not compared`()
        throws
    {
        let line = try #require(DiffHistory.lines(DiffHistory.transcript(seed: 6, keepsChecksum: true).diffs).first)
        let text = String(decoding: line, as: UTF8.self)
        let sums = try #require(text.firstMatch(of: /"base":"([0-9a-f]{16})","sum":"([0-9a-f]{16})"/))
        func apply(_ base: String, _ sum: String) throws -> Int {
            let other = text.replacing(sums.0, with: #""base":"\#(base)","sum":"\#(sum)""#)
            var model = SectionedCollection<Item>(keepsChecksum: true)
            return try DiffLog.apply(Array(other.utf8)[...], after: 0, to: &model)
        }
        let wrong = String(repeating: "f", count: 16)
        #expect(throws: DiffLogError.self) { try apply(String(sums.1), wrong) }
        #expect(try apply("3:" + wrong, "3:" + wrong) == 1)
        for mixed in ["3:" + sums.2, "1:" + sums.2, "12:" + sums.2] {
            #expect(throws: DiffLogError.self) { try apply(String(sums.1), mixed) }
        }
    }

    @Test func `the same history produces the same log, byte for byte`() {
        #expect(
            DiffHistory.lines(DiffHistory.transcript(seed: 9).diffs)
                == DiffHistory.lines(DiffHistory.transcript(seed: 9).diffs))
    }

    @Test func `a missing or damaged line is refused, and the model stays unchanged`() throws {
        let all = DiffHistory.lines(DiffHistory.transcript(seed: 1).diffs)
        var model = SectionedCollection<Item>()
        _ = try DiffLog.apply(all[0], after: 0, to: &model)
        let before = model.count
        #expect(throws: DiffLogError.self) { try DiffLog.apply(all[2], after: 1, to: &model) }
        #expect(throws: DiffLogError.outOfOrder(expected: 2, found: 1)) {
            try DiffLog.apply(all[0], after: 1, to: &model)
        }
        #expect(throws: DiffLogError.self) { try DiffLog.apply(all[1].dropLast(5), after: 1, to: &model) }
        #expect(model.count == before)
    }

    @Test(arguments: [false, true])
    func `a flipped bit is detected unless the line still leads to the same state`(
        reversible: Bool
    ) throws {
        let transcript = DiffHistory.transcript(seed: 2, keepsChecksum: true)
        var model = SectionedCollection<Item>(keepsChecksum: true)
        var harmless = 0
        for (sequence, line) in DiffHistory.lines(transcript.diffs, reversible: reversible).prefix(25).enumerated() {
            let before = model
            _ = try DiffLog.apply(line, after: sequence, to: &model)
            for index in line.indices {
                var damaged = line
                damaged[index] ^= 1 << UInt8(index % 7)
                var other = before
                do {
                    _ = try DiffLog.apply(damaged, after: sequence, to: &other)
                    harmless += 1
                    #expect(rows(other) == rows(model), "\(String(decoding: damaged, as: UTF8.self))")
                } catch {
                    #expect(other.checksum == before.checksum)
                }
            }
        }
        // Harmless flips: digits of the cause's number and time, and names of members whose value equals the default.
        #expect(harmless < 25 * 20)
    }

    @Test func `an error names the line and both checksums`() throws {
        let transcript = DiffHistory.transcript(seed: 3, keepsChecksum: true)
        let all = DiffHistory.lines(transcript.diffs)
        let text = String(decoding: all[0], as: UTF8.self)
        let name = try #require(text.firstRange(of: #""name":"n"#))
        let damaged = Array(text.replacingCharacter(at: name.upperBound, by: "x").utf8)
        var model = SectionedCollection<Item>(keepsChecksum: true)
        let error = #expect(throws: DiffLogError.self) { try DiffLog.apply(damaged[...], after: 0, to: &model) }
        guard case .checksumDiffers(sequence: 1, side: .after, let logged, let found) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(logged == transcript.diffs[0].batch.checksums?.after)
        #expect(logged != found)
        #expect(model.count == 0)
        #expect(model.sequence == 0)
        #expect(error?.description.hasPrefix("line 1: the checksum of the model after it is ") == true)
    }

    @Test func `ranks of sections are logged, applied and reversed`() throws {
        var model = SectionedCollection<Item>(keepsChecksum: true)
        var history = DiffHistory(model)
        for name in ["a", "b", "c"] { try model.upsert(DiffHistory.counter(name)) }
        history.commit(&model)
        model.setRank(7, of: Item.Section("a"))
        model.setRank(-7, of: Item.Section("c"))
        history.commit(&model)
        model.setRank(1, of: Item.Section("a"))
        model.remove(DiffHistory.counter("c").id)
        history.commit(&model)
        try model.upsert(DiffHistory.counter("c"))
        history.commit(&model)
        #expect(model.sectionKeys.map(\.name) == ["c", "b", "a"])
        #expect(String(decoding: history.log, as: UTF8.self).contains(#""section_move":[{"from":2,"to":0"#))
        var cursor = try DiffLogCursor(history.log)
        for target in [4, 0, 2, 3, 1, 4] {
            try cursor.seek(to: target)
            #expect(cursor.model.checksum == history.states[target].checksum)
            #expect(cursor.model.sectionKeys == history.states[target].sectionKeys)
        }
    }

    @Test func `a line with another version or without one is refused`() {
        var model = SectionedCollection<Item>()
        for line in [#"{"v":2,"seq":1,"n":0,"t":0}"#, #"{"seq":1,"n":0,"t":0}"#, #"{"v":1,"seq":1}"#, "", "[]"] {
            #expect(throws: DiffLogError.self) { try DiffLog.apply(ArraySlice(line.utf8), after: 0, to: &model) }
        }
    }
}

/// The rows of a model, by section.
func rows(_ model: SectionedCollection<Item>) -> [[Item]] { model.sectionKeys.map { model.elements(in: $0) } }

extension String {
    fileprivate func replacingCharacter(at index: Index, by character: Character) -> String {
        var text = self
        text.replaceSubrange(index...index, with: [character])
        return text
    }
}
