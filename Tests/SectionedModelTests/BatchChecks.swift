import SectionedModel

/// What is wrong with a batch between two states, by the rules themselves and by nothing the collection computes.
struct BatchChecks {
    let batch: Batch<Row>
    let old: State
    let new: State

    var problems: [String] {
        var found: [String] = []
        if batch.isEmpty { found.append("W6: nothing in it") }
        found += distinctness + contents + counts + residue + emptyWork
        if interpreted != new { found.append("the batch, interpreted, does not lead to the new state") }
        if batch.moves.count != fewestMoves { found.append("\(batch.moves.count) moves, \(fewestMoves) would do") }
        return found
    }

    /// W1 and W2, and the order that makes the form canonical.
    private var distinctness: [String] {
        var found: [String] = []
        let sources = batch.deletions.map(\.path) + (batch.moves + batch.updates).map(\.from)
        let targets = batch.insertions.map(\.path) + (batch.moves + batch.updates).map(\.to)
        if Set(sources).count != sources.count { found.append("W1: a source path occurs twice") }
        if Set(targets).count != targets.count { found.append("W2: a target path occurs twice") }
        let ordered = [
            batch.deletions.map(\.path), batch.insertions.map(\.path), batch.moves.map(\.to), batch.updates.map(\.to),
            batch.sectionDeletions.map { SectionPath(section: $0.index, item: 0) },
            batch.sectionInsertions.map { SectionPath(section: $0.index, item: 0) },
        ]
        for paths in ordered where zip(paths, paths.dropFirst()).contains(where: { $0 >= $1 }) {
            found.append("not ascending and distinct: \(paths)")
        }
        return found
    }

    /// W3.
    private var counts: [String] {
        var found: [String] = []
        let sections = old.sections.count - batch.sectionDeletions.count + batch.sectionInsertions.count
        if new.sections.count != sections { found.append("W3: section count") }
        for (index, section) in new.sections.enumerated() {
            let before = old.sections.firstIndex { $0.key == section.key }
            let left = departures.filter { $0.section == before }.count
            let came = arrivals.filter { $0.section == index }.count
            let count = (before.map { old.sections[$0].rows.count } ?? 0) - left + came
            if section.rows.count != count { found.append("W3: row count of section \(section.key)") }
        }
        return found
    }

    private var departures: [SectionPath] { batch.deletions.map(\.path) + batch.moves.map(\.from) }
    private var arrivals: [SectionPath] { batch.insertions.map(\.path) + batch.moves.map(\.to) }

    /// W4, section by section and row by row.
    private var residue: [String] {
        let gone = Set(batch.sectionDeletions.map(\.index))
        let fresh = Set(batch.sectionInsertions.map(\.index))
        let before = Self.residue(of: old, without: Set(departures), sections: gone)
        let after = Self.residue(of: new, without: Set(arrivals), sections: fresh)
        return before == after ? [] : ["W4: what stays is not the same sequence"]
    }

    private static func residue(of state: State, without paths: Set<SectionPath>, sections: Set<Int>) -> [[Int]] {
        state.sections.enumerated().compactMap { index, section in
            let kept = section.rows.enumerated().filter {
                !paths.contains(SectionPath(section: index, item: $0.offset))
            }
            if sections.contains(index) { return kept.isEmpty ? nil : [section.key, -1] }
            return [section.key] + kept.map(\.element.id)
        }
    }

    /// W5, and that every record names what stands at its paths.
    private var contents: [String] {
        var found: [String] = []
        let changes = batch.moves + batch.updates
        let ids = batch.deletions.map(\.element.id) + batch.insertions.map(\.element.id) + changes.map(\.new.id)
        if Set(ids).count != ids.count { found.append("W5: an id occurs twice") }
        let recorded = Set(ids)
        for row in old.rows where !recorded.contains(row.id) && !new.rows.contains(row) {
            found.append("W5: \(row) changed without a record")
        }
        let left = batch.deletions.map { ($0.path, $0.element) } + changes.map { ($0.from, $0.old) }
        let came = batch.insertions.map { ($0.path, $0.element) } + changes.map { ($0.to, $0.new) }
        for (path, row) in left where old.row(at: path) != row { found.append("\(row) was not at \(path)") }
        for (path, row) in came where new.row(at: path) != row { found.append("\(row) is not at \(path)") }
        for change in batch.sectionDeletions
        where !old.sections.indices.contains(change.index)
            || old.sections[change.index].key != change.key
        {
            found.append("section \(change.key) was not at \(change.index)")
        }
        return found
    }

    /// W6: no update without a change, no section that goes and comes, no move that leaves a row between its neighbours.
    private var emptyWork: [String] {
        var found: [String] = []
        if batch.updates.contains(where: { $0.old == $0.new }) { found.append("W6: empty update") }
        let gone = Set(batch.sectionDeletions.map(\.key))
        if batch.sectionInsertions.contains(where: { gone.contains($0.key) }) {
            found.append("W6: section goes and comes")
        }
        for (position, move) in batch.moves.enumerated() where move.old.sectionKey == move.new.sectionKey {
            var without = self.batch
            without.moves.remove(at: position)
            let rest = BatchChecks(batch: without, old: old, new: new)
            if rest.residue.isEmpty { found.append("W6: empty move of \(move.new)") }
        }
        return found
    }

    /// The five steps of an interpreter that knows nothing of order: out in descending old order, in in ascending new order.
    private var interpreted: State {
        var state = old
        for path in departures.sorted(by: >) { state.sections[path.section].rows.remove(at: path.item) }
        for change in batch.sectionDeletions.reversed() { state.sections.remove(at: change.index) }
        for change in batch.sectionInsertions {
            state.sections.insert(State.Section(key: change.key, rows: []), at: change.index)
        }
        let coming = batch.insertions.map { ($0.path, $0.element) } + batch.moves.map { ($0.to, $0.new) }
        for (path, row) in coming.sorted(by: { $0.0 < $1.0 }) {
            state.sections[path.section].rows.insert(row, at: path.item)
        }
        for update in batch.updates { state.sections[update.to.section].rows[update.to.item] = update.new }
        return state
    }

    /// By a quadratic search for the heaviest increasing subsequence, in which an untouched row outweighs all touched ones.
    private var fewestMoves: Int {
        let (oldPaths, newRows) = (old.paths, new.rows)
        let oldRows = Dictionary(uniqueKeysWithValues: old.rows.map { ($0.id, $0) })
        let common = newRows.filter { oldPaths[$0.id] != nil }
        let within = common.filter { oldRows[$0.id]?.sectionKey == $0.sectionKey }
        let heavy = within.count + 1
        let sequence = within.compactMap { row in
            oldPaths[row.id].map { (path: $0, weight: oldRows[row.id] == row ? heavy : 1) }
        }
        var best: [Int] = []
        for (position, entry) in sequence.enumerated() {
            let before = (0..<position).filter { sequence[$0].path < entry.path }.map { best[$0] }.max() ?? 0
            best.append(before + entry.weight)
        }
        let (untouched, kept) = (best.max() ?? 0).quotientAndRemainder(dividingBy: heavy)
        precondition(untouched == sequence.filter { $0.weight == heavy }.count, "untouched rows keep their order")
        return common.count - untouched - kept
    }
}
