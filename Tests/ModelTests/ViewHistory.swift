import ModelOracle
import WeirModel
import WeirWire

/// A collection that undergoes random transactions, its views, and their expected contents.
struct ViewHistory {
    typealias Regrouped = RegroupedElement<Row, Int, Int>

    private var generator: RandomSource
    private var rows = Rows()
    private var ranks: [Int: Int64] = [:]
    private var filtered: SectionedView<Row, Row>
    private var regrouped: SectionedView<Row, Regrouped>
    private var limited: [LimitedView<SectionedSnapshot<Row>>]
    private var limitedFiltered: LimitedView<SectionedView<Row, Row>>

    init(seed: UInt64) {
        generator = RandomSource(seed: seed)
        filtered = SectionedView(of: rows.snapshot) { $0.content != 1 }
        do {
            regrouped = try SectionedView(
                of: rows.snapshot, sectionedBy: { $0.content }, sortedBy: { -$0.sortKey }, where: { $0.id % 5 != 0 })
        } catch {
            preconditionFailure("the keys have an order: \(error)")
        }
        limited = [1, 3, 7, 100].map { [rows] in LimitedView(of: rows.snapshot, limit: $0) }
        limitedFiltered = LimitedView(of: filtered, limit: 4)
    }

    /// Performs one transaction and returns the problems.
    mutating func step(operations: ClosedRange<Int>) throws -> [String] {
        let old = state
        for _ in 0..<(operations.lowerBound + below(operations.count)) { stageSomething() }
        guard let batch = rows.commit() else { return [] }
        let new = state
        var found: [String] = []

        let filteredBatch = try filtered.follow(batch, to: rows.snapshot)
        let thinned = (old.filtered { $0.content != 1 }, new.filtered { $0.content != 1 })
        found += problems("filtered", filtered, filteredBatch, from: thinned.0, to: thinned.1)
        for index in limited.indices {
            let limit = limited[index].limit
            let given = try limited[index].follow(batch, to: rows.snapshot)
            found += problems("first \(limit)", limited[index], given, from: old.first(limit), to: new.first(limit))
        }
        if let filteredBatch {
            let given = try limitedFiltered.follow(filteredBatch, to: filtered)
            found += problems(
                "first of filtered", limitedFiltered, given, from: thinned.0.first(4), to: thinned.1.first(4))
        }
        let given = try regrouped.follow(batch, to: rows.snapshot)?.asRows
        found += regroupedProblems(given, from: old.regrouped, to: new.regrouped)
        return found
    }

    private var state: State {
        State(of: rows.snapshot.elements, ranks: ranks)
    }

    private func problems(
        _ name: String, _ view: some SectionedRows<Row>, _ batch: Batch<Row>?, from old: State, to new: State
    ) -> [String] {
        var found = LookupProblems(view, new).found
        if batch != old.difference(to: new) { found.append("the batch is not the one from scratch") }
        if let batch { found += BatchRules(batch: batch, old: old, new: new).problems }
        return found.map { "\(name): \($0)" }
    }

    private func regroupedProblems(_ batch: Batch<Row>?, from old: State, to new: State) -> [String] {
        var found: [String] = []
        if regrouped.elements.map(\.asRow) != new.rows { found.append("other rows") }
        if regrouped.sectionKeys != new.sections.map(\.key) { found.append("other sections") }
        if batch != old.difference(to: new) { found.append("the batch is not the one from scratch") }
        for (path, row) in regrouped.elements.map({ (regrouped.path(of: $0.id), $0.asRow) }) {
            if path.flatMap({ new.row(at: $0) }) != row { found.append("\(row) stands elsewhere") }
        }
        return found.map { "regrouped: \($0)" }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func stageSomething() {
        let id = below(40)
        switch below(12) {
        case 0: rows.remove(id)
        case 1:
            let (key, rank) = (below(5), Int64(below(4) - 1))
            ranks[key] = rank
            rows.setRank(rank, of: key)
        case 2:
            let section = below(5)
            for row in rows.elements(in: section) where below(2) == 0 { rows.remove(row.id) }
        case 3: if below(6) == 0 { for id in 0..<40 { rows.remove(id) } }
        default:
            rows.put(Row(id, in: below(5), at: below(4), content: below(3)))
        }
    }
}

/// Checks every lookup of a view against a state.
private struct LookupProblems {
    var found: [String] = []

    init(_ view: some SectionedRows<Row>, _ state: State) {
        if view.elements != state.rows || view.count != state.rows.count { found.append("other rows") }
        if view.sectionKeys != state.sections.map(\.key) { found.append("other sections") }
        for (index, section) in state.sections.enumerated() {
            if view.elementCount(at: index) != section.rows.count { found.append("another count of \(section.key)") }
            if view.sectionIndex(of: section.key) != index { found.append("\(section.key) is not at \(index)") }
            if view.rank(of: section.key) != section.rank { found.append("another rank of \(section.key)") }
        }
        let paths = state.paths
        for id in 0..<40 where view.path(of: id) != paths[id] { found.append("\(id) stands elsewhere") }
        for (number, row) in state.rows.enumerated() where view.path(ofRow: number) != paths[row.id] {
            found.append("row \(number) stands elsewhere")
        }
        if view.path(ofRow: state.rows.count) != nil { found.append("a row behind the last one") }
    }
}

extension State {
    fileprivate func filtered(_ isIncluded: (Row) -> Bool) -> State {
        var state = self
        for index in sections.indices { state.sections[index].rows.removeAll { !isIncluded($0) } }
        state.sections.removeAll(where: \.rows.isEmpty)
        return state
    }

    fileprivate func first(_ limit: Int) -> State {
        var state = self
        var rest = limit
        for index in sections.indices {
            state.sections[index].rows = Array(sections[index].rows.prefix(rest))
            rest -= state.sections[index].rows.count
        }
        state.sections.removeAll(where: \.rows.isEmpty)
        return state
    }

    /// The state with the section keys of the regrouped view.
    fileprivate var regrouped: State {
        State(of: rows.filter { $0.id % 5 != 0 }.map { $0.regrouped })
    }
}

extension Row {
    /// The same row in the section given by its content; its new content combines its other values.
    fileprivate var regrouped: Row {
        Row(id, in: content, at: -sortKey, content: sectionKey)
    }
}

extension RegroupedElement<Row, Int, Int> {
    fileprivate var asRow: Row { Row(id, in: sectionKey, at: sortKey, content: base.sectionKey) }
}

extension Batch<RegroupedElement<Row, Int, Int>> {
    fileprivate var asRows: Batch<Row> {
        var batch = Batch<Row>()
        batch.sectionDeletions = sectionDeletions.map { .init(index: $0.index, key: $0.key, rank: $0.rank) }
        batch.sectionInsertions = sectionInsertions.map { .init(index: $0.index, key: $0.key, rank: $0.rank) }
        batch.deletions = deletions.map { .init(path: $0.path, element: $0.element.asRow) }
        batch.insertions = insertions.map { .init(path: $0.path, element: $0.element.asRow) }
        batch.moves = moves.map { .init(from: $0.from, to: $0.to, old: $0.old.asRow, new: $0.new.asRow) }
        batch.updates = updates.map { .init(from: $0.from, to: $0.to, old: $0.old.asRow, new: $0.new.asRow) }
        return batch
    }
}
