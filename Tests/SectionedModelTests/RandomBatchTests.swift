import SectionedModel
import Testing

@Suite struct RandomBatchTests {
    @Test func `Every random batch is exact, minimal and reversible`() {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel random batches: seed \(seed)")
        check(seed: seed, batches: 3_000, operations: 0...14)
    }

    @Test func `Every random change of one row is exact, minimal and reversible`() {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel random single changes: seed \(seed)")
        check(seed: seed, batches: 3_000, operations: 1...1)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Every batch of a known seed is exact, minimal and reversible`(seed: UInt64) {
        check(seed: seed, batches: 500, operations: 0...14)
    }

    private func check(seed: UInt64, batches: Int, operations: ClosedRange<Int>) {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<batches {
            let problems = RandomHistory(using: &generator).problems(operations, using: &generator)
            #expect(problems.isEmpty, "seed \(seed), batch \(number)")
            if !problems.isEmpty { return }
        }
    }
}

/// A random state, and random operations on it beside the reference model.
struct RandomHistory {
    var reference: [Int: Row] = [:]
    var rows = Rows()
    private let sections: Int

    init(using generator: inout SeededGenerator) {
        sections = Int.random(in: 1...6, using: &generator)
        for _ in 0..<Int.random(in: 0...30, using: &generator) { stage(randomRow(using: &generator)) }
        _ = rows.commit()
    }

    /// One random batch from here, held against the reference.
    func problems(_ operations: ClosedRange<Int>, using generator: inout SeededGenerator) -> [String] {
        var next = self
        let old = State(of: reference.values)
        var found = State(rows) == old ? [] : ["the collection is not the reference before the batch"]
        for _ in 0..<Int.random(in: operations, using: &generator) { next.stageSomething(using: &generator) }
        for id in 0..<40 where next.rows[id] != next.reference[id] { found.append("staged id \(id) is not seen") }
        if State(next.rows) != old { found.append("what is staged shows before the commit") }
        let new = State(of: next.reference.values)
        guard let batch = next.rows.commit() else { return found + (old == new ? [] : ["no batch for a difference"]) }
        found += BatchChecks(batch: batch, old: old, new: new).problems
        found += next.disagreements(with: new)
        found += disagreements(with: old).map { "snapshot: " + $0 }
        return found + replayProblems(batch, old, new)
    }

    private func replayProblems(_ batch: Batch<Row>, _ old: State, _ new: State) -> [String] {
        var found: [String] = []
        var copy = rows
        do {
            try copy.apply(batch)
            if State(copy) != new { found.append("apply does not lead to the new state") }
            found += BatchChecks(batch: batch.inverted(), old: new, new: old).problems.map { "inverse: " + $0 }
            if batch.inverted().inverted() != batch { found.append("the inverse of the inverse is another batch") }
            try copy.apply(batch.inverted())
            found += disagreements(of: copy, with: old).map { "back: " + $0 }
        } catch {
            found.append("apply refuses: \(error.description)")
        }
        return found
    }

    func disagreements(with state: State) -> [String] { disagreements(of: rows, with: state) }

    /// Every lookup against the spelled-out state.
    private func disagreements(of rows: Rows, with state: State) -> [String] {
        var found: [String] = []
        if State(rows) != state { found.append("rows differ") }
        if rows.count != state.rows.count || rows.sectionCount != state.sections.count { found.append("counts differ") }
        for section in state.sections where rows.elementCount(in: section.key) != section.rows.count {
            found.append("count of section \(section.key) differs")
        }
        let paths = state.paths
        for id in 0..<40 where rows.path(of: id) != paths[id] { found.append("path of \(id) differs") }
        var seen: [Row] = []
        rows.forEachElement { path, row in
            seen.append(row)
            if paths[row.id] != path || rows.element(at: path) != row { found.append("\(path) differs") }
        }
        if seen != state.rows { found.append("iteration differs") }
        return found
    }

    private mutating func stageSomething(using generator: inout SeededGenerator) {
        guard let id = reference.keys.sorted().randomElement(using: &generator), var row = reference[id] else {
            return stage(randomRow(using: &generator))
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: stage(randomRow(using: &generator))
        case 2: remove(Int.random(in: 0..<40, using: &generator))
        case 3: remove(id)
        case 4: stage(row, section: Int.random(in: 0..<sections, using: &generator))
        case 5:
            row.sortKey = Int.random(in: 0..<6, using: &generator)
            stage(row)
        case 6:
            row.content += 1
            stage(row)
        default: stage(row)
        }
    }

    private func randomRow(using generator: inout SeededGenerator) -> Row {
        Row(
            Int.random(in: 0..<40, using: &generator), in: Int.random(in: 0..<sections, using: &generator),
            at: Int.random(in: 0..<6, using: &generator), content: Int.random(in: 0..<3, using: &generator))
    }

    private mutating func stage(_ row: Row, section: Int) {
        var row = row
        row.sectionKey = section
        stage(row)
    }

    private mutating func stage(_ row: Row) {
        reference[row.id] = row
        rows.put(row)
    }

    private mutating func remove(_ id: Int) {
        reference[id] = nil
        rows.remove(id)
    }
}
