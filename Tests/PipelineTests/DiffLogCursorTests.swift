import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

@Suite struct DiffLogCursorTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a reversible log can seek from any state to any other`(seed: UInt64) throws {
        let diffs = DiffHistory.transcript(seed: seed, keepsChecksum: true).diffs
        var states = [SectionedCollection<Item>(keepsChecksum: true)]
        for diff in diffs {
            var next = states[states.count - 1]
            try next.apply(diff.batch)
            states.append(next)
        }
        var cursor = try DiffLogCursor(DiffHistory.log(diffs, reversible: true))
        #expect(cursor.states == 0...diffs.count)
        var random = RandomSource(seed: seed)
        for target in (0..<60).map({ _ in Int.random(in: cursor.states, using: &random) }) + [diffs.count, 0] {
            try cursor.seek(to: target)
            #expect(cursor.sequence == target)
            #expect(rows(cursor.model) == rows(states[target]))
            #expect(cursor.model.checksum == states[target].checksum)
        }
        #expect(cursor.model.count == 0)
    }

    @Test func `Check 11: a part of a log continues from a state kept at its beginning, middle or end`() throws {
        let diffs = DiffHistory.transcript(seed: 4, keepsChecksum: true).diffs
        var model = SectionedCollection<Item>(keepsChecksum: true)
        var kept: [Int: SectionedCollection<Item>] = [:]
        for diff in diffs {
            try model.apply(diff.batch)
            kept[diff.sequence] = model
        }
        let part = DiffHistory.log(Array(diffs[50..<100]), reversible: true)
        for start in [50, 77, 100] {
            var cursor = try DiffLogCursor(part, model: try #require(kept[start]), at: start)
            #expect(cursor.states == 50...100)
            for target in [60, 100, 50] {
                try cursor.seek(to: target)
                #expect(rows(cursor.model) == (kept[target].map(rows)))
            }
        }
    }

    @Test func `an irreversible log can only seek forward`() throws {
        let diffs = DiffHistory.transcript(seed: 5, keepsChecksum: true).diffs
        var cursor = try DiffLogCursor(DiffHistory.log(diffs))
        try cursor.seek(to: diffs.count)
        let irreversible = try #require(diffs.last { !$0.batch.moves.isEmpty || !$0.batch.updates.isEmpty })
        #expect(throws: DiffLogError.irreversible(sequence: irreversible.sequence)) { try cursor.seek(to: 0) }
        #expect(cursor.sequence == irreversible.sequence)
    }

    @Test func `a state outside the log and a damaged line are refused by name`() throws {
        let diffs = DiffHistory.transcript(seed: 7, keepsChecksum: true).diffs
        var log = DiffHistory.log(diffs, reversible: true)
        var cursor = try DiffLogCursor(log)
        let outside = DiffLogError.outside(diffs.count + 1, first: 0, last: diffs.count)
        #expect(throws: outside) { try cursor.seek(to: diffs.count + 1) }
        #expect(throws: DiffLogError.outside(-1, first: 0, last: diffs.count)) { try cursor.seek(to: -1) }
        let middle = try #require(log[(log.count / 2)...].firstIndex(of: UInt8(ascii: "{")))
        log[middle] = UInt8(ascii: "[")
        cursor = try DiffLogCursor(log)
        #expect(throws: DiffLogError.self) { try cursor.seek(to: diffs.count) }
        let damaged = log[..<middle].count { $0 == UInt8(ascii: "\n") }
        #expect(cursor.sequence == damaged)
        try cursor.seek(to: 3)
        #expect(cursor.sequence == 3)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `lines are numbered from 1, and a log with other numbers is refused`(number: Int64) {
        let line = #"{"v":1,"seq":\#(number),"n":0,"t":0}"# + "\n"
        #expect(
            throws: DiffLogError.unreadable(message: "seq is not the number of a line", offset: line.utf8.count - 1)
        ) {
            try DiffLogCursor(Array((line + line).utf8))
        }
    }

    @Test func `an incomplete last line is ignored`() throws {
        let diffs = DiffHistory.transcript(seed: 8, keepsChecksum: true).diffs
        let cursor = try DiffLogCursor(DiffHistory.log(diffs, reversible: true).dropLast(3))
        #expect(cursor.states == 0...(diffs.count - 1))
        #expect(try DiffLogCursor([]).states == 0...0)
    }
}
