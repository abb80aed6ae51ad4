package import WeirModel

/// Checks a batch between two states against the rules W1 to W6, independently of the collection's own code.
package struct BatchRules {
    let batch: Batch<Row>
    let old: State
    let new: State
    private let departures: [SectionPath]
    private let arrivals: [SectionPath]

    /// The fewest possible moves, if the caller knows the number already.
    private let fewestMoves: Int?

    /// Creates the rules for a batch between two states. The fewest possible moves are computed unless the caller
    /// passes them.
    package init(batch: Batch<Row>, old: State, new: State, fewestMoves: Int? = nil) {
        self.batch = batch
        self.fewestMoves = fewestMoves
        self.old = old
        self.new = new
        departures = (batch.deletions.map(\.path) + batch.moves.map(\.from)).sorted()
        arrivals = (batch.insertions.map(\.path) + batch.moves.map(\.to)).sorted()
    }

    /// The broken rules, one sentence each; empty for a correct batch.
    package var problems: [String] {
        var found = order + names
        // The other checks use the paths, which must be valid.
        if found.isEmpty { found = counts + contents + residue + emptyWork }
        if found.isEmpty, interpreted != new { found.append("the batch, interpreted, does not lead to the new state") }
        return found
    }

    /// Checks W1, W2 and the order that makes the form canonical.
    private var order: [String] {
        let sources = (departures + batch.updates.map(\.from)).sorted()
        let targets = (arrivals + batch.updates.map(\.to)).sorted()
        let sectionSources = batch.sectionDeletions.map(\.index) + batch.sectionMoves.map(\.from)
        let sectionTargets = batch.sectionInsertions.map(\.index) + batch.sectionMoves.map(\.to)
        var found: [String] = []
        if !ascends(sources) || !ascends(sectionSources.sorted()) { found.append("W1: a source occurs twice") }
        if !ascends(targets) || !ascends(sectionTargets.sorted()) { found.append("W2: a target occurs twice") }
        let paths = [
            batch.deletions.map(\.path), batch.insertions.map(\.path), batch.moves.map(\.to), batch.updates.map(\.to),
        ]
        let indices = [
            batch.sectionDeletions.map(\.index), batch.sectionInsertions.map(\.index), batch.sectionMoves.map(\.to),
        ]
        if !paths.allSatisfy(ascends) || !indices.allSatisfy(ascends) { found.append("a list is not ascending") }
        return found
    }

    private func ascends<Value: Comparable>(_ values: [Value]) -> Bool {
        zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Checks that every record describes the element at its paths.
    private var names: [String] {
        var found: [String] = []
        func expect(_ row: Row, at path: SectionPath, in state: State) {
            if state.row(at: path) != row { found.append("\(row) is not at \(path)") }
        }
        func expect(_ key: Int, _ rank: Int64, at index: Int, in state: State) {
            let fits = state.sections.indices.contains(index)
            if !fits || state.sections[index].key != key || state.sections[index].rank != rank {
                found.append("section \(key) of rank \(rank) is not at \(index)")
            }
        }
        for record in batch.deletions { expect(record.element, at: record.path, in: old) }
        for record in batch.insertions { expect(record.element, at: record.path, in: new) }
        for list in [batch.moves, batch.updates] {
            for record in list {
                expect(record.old, at: record.from, in: old)
                expect(record.new, at: record.to, in: new)
            }
        }
        for record in batch.sectionDeletions { expect(record.key, record.rank, at: record.index, in: old) }
        for record in batch.sectionInsertions { expect(record.key, record.rank, at: record.index, in: new) }
        for record in batch.sectionMoves {
            expect(record.key, record.oldRank, at: record.from, in: old)
            expect(record.key, record.newRank, at: record.to, in: new)
        }
        return found
    }

    /// Checks rule W3: the counts of sections and rows.
    private var counts: [String] {
        let sections = old.sections.count - batch.sectionDeletions.count + batch.sectionInsertions.count
        if new.sections.count != sections { return ["W3: section count"] }
        var counts: [Int: Int] = [:]
        for section in old.sections { counts[section.key] = section.rows.count }
        for path in departures { counts[old.sections[path.section].key, default: 0] -= 1 }
        for path in arrivals { counts[new.sections[path.section].key, default: 0] += 1 }
        var found: [String] = []
        for section in new.sections where counts[section.key] != section.rows.count {
            found.append("W3: row count of section \(section.key)")
        }
        for section in batch.sectionDeletions where counts[section.key] != 0 {
            found.append("W3: section \(section.key) is deleted with rows in it")
        }
        return found
    }

    /// Checks rule W4, for the sections and for the rows.
    private var residue: [String] {
        let gone = Set(batch.sectionDeletions.map(\.key) + batch.sectionMoves.map(\.key))
        let fresh = Set(batch.sectionInsertions.map(\.key) + batch.sectionMoves.map(\.key))
        if old.sections.map(\.key).filter({ !gone.contains($0) })
            != new.sections.map(\.key).filter({ !fresh.contains($0) })
        {
            return ["W4: the sections that stay are not the same sequence"]
        }
        let before = BatchRules.residue(of: old, without: departures)
        let after = BatchRules.residue(of: new, without: arrivals)
        return before == after ? [] : ["W4: the rows that stay are not the same sequences"]
    }

    /// Returns the ids that stay, by section key, without sections from which no row stays. `paths` must be ascending.
    static func residue(of state: State, without paths: [SectionPath]) -> [Int: [Int]] {
        var residue: [Int: [Int]] = [:]
        var next = 0
        state.forEach { path, row in
            if next < paths.count, paths[next] == path {
                next += 1
            } else {
                residue[row.sectionKey, default: []].append(row.id)
            }
        }
        return residue
    }

    /// Checks rule W5: every changed row has exactly one record.
    private var contents: [String] {
        var found: [String] = []
        let changes = batch.moves + batch.updates
        let ids = batch.deletions.map(\.element.id) + batch.insertions.map(\.element.id) + changes.map(\.new.id)
        let recorded = Set(ids)
        if recorded.count != ids.count { found.append("W5: an id occurs twice") }
        var before: [Int: Row] = [:]
        old.forEach { before[$1.id] = $1 }
        new.forEach { _, row in
            if !recorded.contains(row.id), before[row.id] != row { found.append("W5: \(row) without a record") }
        }
        return found
    }

    /// Checks W6: no update without a change, no section that is both deleted and inserted, and no unnecessary move.
    private var emptyWork: [String] {
        var found: [String] = []
        if batch.isEmpty { found.append("W6: nothing in it") }
        if batch.updates.contains(where: { $0.old == $0.new }) { found.append("W6: empty update") }
        if batch.sectionMoves.contains(where: { $0.oldRank == $0.newRank }) { found.append("W6: empty section move") }
        let gone = Set(batch.sectionDeletions.map(\.key))
        if batch.sectionInsertions.contains(where: { gone.contains($0.key) }) {
            found.append("W6: a section goes and comes")
        }
        let fewest = fewestMoves ?? old.difference(to: new)?.moves.count ?? 0
        if batch.moves.count > fewest { found.append("W6: \(batch.moves.count) moves, \(fewest) would do") }
        return found
    }

    /// The result of a simple five-step interpreter: it removes in descending order of the old state, and inserts in
    /// ascending order of the new state.
    var interpreted: State {
        var state = old
        for path in departures.reversed() { state.sections[path.section].rows.remove(at: path.item) }
        var moved: [Int: [Row]] = [:]
        for index in (batch.sectionDeletions.map(\.index) + batch.sectionMoves.map(\.from)).sorted(by: >) {
            let section = state.sections.remove(at: index)
            moved[section.key] = section.rows
        }
        let sections =
            batch.sectionInsertions.map { ($0.index, State.Section(key: $0.key, rank: $0.rank, rows: [])) }
            + batch.sectionMoves.map {
                ($0.to, State.Section(key: $0.key, rank: $0.newRank, rows: moved[$0.key] ?? []))
            }
        for (index, section) in sections.sorted(by: { $0.0 < $1.0 }) { state.sections.insert(section, at: index) }
        let coming = batch.insertions.map { ($0.path, $0.element) } + batch.moves.map { ($0.to, $0.new) }
        for (path, row) in coming.sorted(by: { $0.0 < $1.0 }) {
            state.sections[path.section].rows.insert(row, at: path.item)
        }
        for update in batch.updates { state.sections[update.to.section].rows[update.to.item] = update.new }
        return state
    }
}
