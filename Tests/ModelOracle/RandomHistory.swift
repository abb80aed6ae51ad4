import WeirModel
import WeirWire

/// Runs random transactions on a collection, alongside a reference model that is rebuilt from scratch each time.
///
/// There are about 0 to 30 rows in 1 to 6 sections, or ten times as many. The few distinct keys make ties common. Some
/// rows are filtered out: this type knows them, and the collection does not.
struct RandomHistory {
    static let sortKeys = 6

    var generator: RandomSource
    let sections: Int
    /// The last known row of each id, indexed by id.
    var known: [Row?]
    var hidden: [Bool]
    var ranks: [Int: Int64] = [:]
    var rows = Rows(keepsChecksum: true)
    /// The expected state of `rows`.
    var state = State(of: [])
    /// A collection that receives only the log.
    var replica = Rows(keepsChecksum: true)
    var trail = Trail()
    /// Earlier snapshots with the states they must keep showing.
    var kept: [(snapshot: SectionedSnapshot<Row>, state: State)] = []

    init(seed: UInt64, isLarge: Bool = false) {
        known = Array(repeating: nil, count: isLarge ? 400 : 40)
        hidden = Array(repeating: false, count: known.count)
        generator = RandomSource(seed: seed)
        sections = 1 + generator.below(6)
    }

    /// Performs one transaction. Returns the errors found.
    mutating func step(operations: ClosedRange<Int>) -> [String] {
        for _ in 0..<(operations.lowerBound + generator.below(operations.count)) { stageSomething() }
        var found = stagingProblems
        let (before, old) = (rows.snapshot, state)
        if generator.oneIn(4) { kept.append((before, old)) }
        state = reference
        var expected = old.difference(to: state)
        let batch = rows.commit()
        expected?.checksums = rows.checksum.flatMap { after in before.checksum.map { .init(before: $0, after: after) } }
        if batch != expected { found.append("the batch is not the one from scratch") }
        found += LookupRules(rows: rows.snapshot, state: state).problems
        guard let batch, found.isEmpty else { return found }
        found += BatchRules(batch: batch, old: old, new: state, fewestMoves: batch.moves.count).problems
        found += replayProblems(batch, old)
        found += checkProblems(batch, before)
        found += snapshotProblems()
        found += AlgebraRules(batch: batch, old: old, new: state).problems
        found += trail.append(batch, from: old, to: state)
        return found
    }

    /// Fills the collection in one transaction. Returns the errors found.
    mutating func fill() -> [String] {
        for _ in 0..<generator.below(known.count * 3 / 4 + 1) { put(randomRow()) }
        return step(operations: 0...0)
    }

    private var reference: State {
        State(of: known.indices.lazy.compactMap { hidden[$0] ? nil : known[$0] }, ranks: ranks)
    }

    private var stagingProblems: [String] {
        var found: [String] = []
        for id in known.indices where rows[id] != (hidden[id] ? nil : known[id]) {
            found.append("staged id \(id) is not seen")
        }
        if State(rows) != state { found.append("what is staged shows before the commit") }
        return found
    }

    /// Checks the library's own check of batches, both between the right states and between others.
    private mutating func checkProblems(_ batch: Batch<Row>, _ before: SectionedSnapshot<Row>) -> [String] {
        do throws(ModelError) {
            try batch.check(from: before, to: rows.snapshot)
            if generator.oneIn(3) { try batch.inverted().check(from: rows.snapshot, to: before) }
        } catch {
            return ["check refuses: \(error)"]
        }
        guard let other = kept.first, other.state != state, other.state != State(before) else { return [] }
        var batch = batch
        batch.checksums = nil
        do throws(ModelError) { try batch.check(from: other.snapshot, to: rows.snapshot) } catch { return [] }
        return ["check lets a batch pass that leads here from elsewhere"]
    }

    /// Checks that snapshots are unchanged. Drops the oldest, so that the collection is sometimes the only owner of its
    /// storage.
    private mutating func snapshotProblems() -> [String] {
        var found: [String] = []
        if let (snapshot, state) = kept.first, kept.count > 3 {
            found += LookupRules(rows: snapshot, state: state).problems.map { "snapshot: " + $0 }
            kept.removeFirst()
        }
        return found
    }

    /// Applies the batch and its inverse. Returns the errors found.
    private mutating func replayProblems(_ batch: Batch<Row>, _ old: State) -> [String] {
        var found: [String] = []
        let inverse = batch.inverted()
        do {
            try replica.apply(batch)
            if State(replica) != state { found.append("the log does not lead to the new state") }
            if replica.checksum != rows.checksum { found.append("the log leads to another checksum") }
            if generator.oneIn(4), let broken = replica.snapshot.brokenInvariant() {
                found.append("broken replica: \(broken)")
            }
            var back = replica
            try back.apply(inverse)
            if State(back) != old || back.checksum != batch.checksums?.before {
                found.append("the inverse does not lead back")
            }
            if generator.oneIn(2) { found += spoilingProblems(batch, back, old) }
        } catch {
            found.append("apply refuses: \(error.description)")
        }
        if generator.oneIn(2) {
            let rules = BatchRules(batch: inverse, old: state, new: old, fewestMoves: batch.moves.count)
            found += rules.problems.map { "inverse: " + $0 }
        }
        if inverse.inverted() != batch { found.append("the inverse of the inverse is another batch") }
        return found
    }
}

extension RandomHistory {
    private mutating func stageSomething() {
        if generator.oneIn(12) { return rankSection() }
        let id = generator.below(known.count)
        guard var row = known[id] else {
            if generator.oneIn(3) { put(randomRow()) }
            return
        }
        switch generator.below(11) {
        case 0: put(randomRow())
        case 1, 2: remove(id)
        case 3:
            row.sectionKey = generator.below(sections)
            put(row)
        case 4:
            row.sortKey = generator.below(RandomHistory.sortKeys)
            put(row)
        case 5:
            row.content += 1
            put(row)
        case 6: put(row)
        case 7: toggleFilter(id)
        case 8:
            toggleFilter(id)
            toggleFilter(id)
        case 9:
            remove(id)
            put(randomRow(id))
        default: if generator.oneIn(8) { stageSweep() }
        }
    }

    /// Ranks a section, with or without rows. The few distinct ranks make ties common.
    private mutating func rankSection() {
        let key = generator.below(sections)
        let rank = Int64(generator.below(4) - 1)
        ranks[key] = rank
        rows.setRank(rank, of: key)
    }

    /// Makes a change that affects nearly all rows.
    private mutating func stageSweep() {
        let section = generator.below(sections)
        let kind = generator.below(5)
        for row in known {
            guard var row else { continue }
            switch kind {
            case 0: row.sectionKey = section
            case 1: row.sortKey = RandomHistory.sortKeys - row.sortKey
            case 2: row.sectionKey = (row.sectionKey + 1) % sections
            case 3: row.content += 1
            default: if row.sectionKey == section { remove(row.id) }
            }
            if known[row.id] != nil { put(row) }
        }
    }

    private mutating func randomRow(_ id: Int? = nil) -> Row {
        Row(
            id ?? generator.below(known.count), in: generator.below(sections),
            at: generator.below(RandomHistory.sortKeys), content: generator.below(3))
    }

    private mutating func put(_ row: Row) {
        known[row.id] = row
        if generator.oneIn(12) { hidden[row.id] = true }
        stage(row.id)
    }

    private mutating func remove(_ id: Int) {
        known[id] = nil
        hidden[id] = false
        stage(id)
    }

    private mutating func toggleFilter(_ id: Int) {
        hidden[id].toggle()
        stage(id)
    }

    private mutating func stage(_ id: Int) {
        guard let row = known[id], !hidden[id] else { return rows.remove(id) }
        do { try rows.upsert(row) } catch { preconditionFailure("the keys of a row have an order: \(error)") }
    }
}
