/// A single change to a list of sections of rows. Its positions refer to the state that the previous steps lead to; a
/// target position refers to the state after the step.
public enum BatchStep<Element: SectionedElement>: Equatable, Sendable {
    /// Removes a row, because it is deleted, or because it moves and a later step inserts it.
    case removeRow(SectionPath, Element)
    /// Removes a section, which has no rows.
    case removeSection(Int, Element.SectionKey)
    /// Moves a section with its rows: removes it at `from`, and inserts it so that its index is `to`.
    case moveSection(from: Int, to: Int, Element.SectionKey)
    /// Inserts a section without rows.
    case insertSection(Int, Element.SectionKey)
    /// Inserts a row at a path.
    case insertRow(SectionPath, Element)
    /// Replaces the contents of a row in place by the given element.
    case updateRow(SectionPath, Element)
}

extension Batch {
    /// The batch as a list of single steps, each in the index space that the previous step leaves, for consumers that
    /// understand nothing else. The steps do not contain ranks, only the order that follows from them.
    ///
    /// Rows are removed from the last to the first, so that the old paths stay valid, and inserted from the first to
    /// the last, so that the new ones do. In between, sections are removed, and then inserted and moved from the first
    /// to the last. Requires a well-formed batch, as `commit()` returns it. O(k log k) for k records.
    @inlinable
    public var steps: [BatchStep<Element>] {
        var steps: [BatchStep<Element>] = []
        let departures = deletions.map { ($0.path, $0.element) } + moves.map { ($0.from, $0.old) }
        for (path, element) in departures.sorted(by: { $0.0 > $1.0 }) { steps.append(.removeRow(path, element)) }
        for section in sectionDeletions.reversed() { steps.append(.removeSection(section.index, section.key)) }
        appendSectionSteps(to: &steps)
        let arrivals = insertions.map { ($0.path, $0.element) } + moves.map { ($0.to, $0.new) }
        for (path, element) in arrivals.sorted(by: { $0.0 < $1.0 }) { steps.append(.insertRow(path, element)) }
        for update in updates { steps.append(.updateRow(update.to, update.new)) }
        return steps
    }

    /// Appends the insertions and moves of sections, in the order of their new indices.
    ///
    /// Sections that are still to be moved remain in the list meanwhile. A section with the new index `to` is placed
    /// directly after the `to` sections that are final before it. Of those, `to` minus the number of sections already
    /// placed never move, and each waiting section is before or after such a section.
    @inlinable
    func appendSectionSteps(to steps: inout [BatchStep<Element>]) {
        let moves = neededSectionMoves
        var targets: [(to: Int, key: Element.SectionKey, move: Int?)] = sectionInsertions.map {
            ($0.index, $0.key, nil)
        }
        for (position, move) in moves.enumerated() { targets.append((move.to, move.key, position)) }
        if targets.count > 1 { targets.sort { $0.to < $1.to } }
        var waiting = WaitingSections(
            moves.map(\.from), gone: SurvivingSections(without: sectionDeletions.map(\.index)))
        for (placed, target) in targets.enumerated() {
            let settledBefore = target.to - placed
            guard let move = target.move else {
                let index = target.to + waiting.count(before: settledBefore)
                steps.append(.insertSection(index, target.key))
                waiting.note(settledBefore)
                continue
            }
            let from = waiting.remove(move)
            let index = target.to + waiting.count(before: settledBefore)
            steps.append(.moveSection(from: from, to: index, target.key))
            waiting.note(settledBefore)
        }
    }
}

/// The sections that still have to be moved, in their old order, among the sections that never
/// move and those already placed.
@usableFromInline
struct WaitingSections {
    /// For each waiting section, ascending: the number of sections before it that never move.
    @usableFromInline var settledBefore: [Int] = []
    /// The position in that order of the section at each position of the given list.
    @usableFromInline var order: [Int] = []
    /// The number of sections that still wait, as sums over ranges that double (a Fenwick tree).
    @usableFromInline var sums: [Int]
    /// For each section already placed, ascending: the number of sections before it that never move.
    @usableFromInline var placed: [Int] = []

    /// Creates the list from the old indices of the sections to be moved, in any order. The `gone`
    /// sections are already removed.
    @inlinable
    init(_ sources: [Int], gone: SurvivingSections) {
        let current = sources.map { $0 - gone.countBefore($0) }
        let sorted = current.indices.sorted { current[$0] < current[$1] }
        order = Array(repeating: 0, count: sources.count)
        for (position, source) in sorted.enumerated() {
            order[source] = position
            settledBefore.append(current[source] - position)
        }
        sums = (0..<(sources.count + 1)).map { $0 & -$0 }
    }

    /// Returns the number of waiting sections before the section that follows `settled` sections that never move.
    @inlinable
    func count(before settled: Int) -> Int {
        prefix(partitionPoint(settledBefore.count) { settledBefore[$0] < settled })
    }

    /// Returns how many of the first `count` sections still wait.
    @inlinable
    func prefix(_ count: Int) -> Int {
        var (sum, position) = (0, count)
        while position > 0 {
            sum += sums[position]
            position -= position & -position
        }
        return sum
    }

    /// Removes a section, given by its position in the list, from those that wait, and returns its current index.
    @inlinable
    mutating func remove(_ source: Int) -> Int {
        let position = order[source]
        let settled = settledBefore[position]
        let index = prefix(position) + settled + partitionPoint(placed.count) { placed[$0] <= settled }
        var next = position + 1
        while next < sums.count {
            sums[next] -= 1
            next += next & -next
        }
        return index
    }

    /// Records that a section was placed after `settled` sections that never move.
    @inlinable
    mutating func note(_ settled: Int) { placed.append(settled) }
}

/// A batch in the form that animating views need, for example the table and collection views of UIKit.
///
/// As in the batch, deletions have indices of the old state, and insertions of the new one. The rows of a deleted or
/// inserted section are deleted or inserted with it and are not listed. A row that moves out of a deleted section is an
/// insertion, a row that moves into an inserted section is a deletion, and a row that does both is not listed. A
/// section is moved only if it has to be, because views do not know ranks.
///
/// No row is named twice. A row that moves is not also updated, which such views forbid. If its contents changed too,
/// its new path is in `reconfigured`: redraw it after the batch.
public struct ViewForm<Element: SectionedElement>: Equatable, Sendable {
    /// The deleted sections, by old index, ascending.
    public var sectionDeletions: [Batch<Element>.SectionChange] = []
    /// The inserted sections, by new index, ascending.
    public var sectionInsertions: [Batch<Element>.SectionChange] = []
    /// The moved sections, ascending by new index: the fewest moves that lead to the new order.
    public var sectionMoves: [Batch<Element>.SectionMove] = []
    /// The rows deleted from sections that remain, by old path, ascending.
    public var deletions: [Batch<Element>.Deletion] = []
    /// The rows inserted into sections that remain, by new path, ascending.
    public var insertions: [Batch<Element>.Insertion] = []
    /// The rows that move between sections that remain, or within one, ascending by new path.
    public var moves: [Batch<Element>.Change] = []
    /// The rows to redraw in place, ascending by new path. A view that reloads rows needs their old paths.
    public var updates: [Batch<Element>.Change] = []
    /// The new paths, ascending, of the moved rows to redraw.
    public var reconfigured: [SectionPath] = []

    /// Whether the form contains no change. This is also true for a batch that only gives a section
    /// another rank at its old index.
    @inlinable
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && sectionMoves.isEmpty
            && deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

extension Batch {
    /// Returns the batch in the form for animating views.
    ///
    /// A row that moves or is updated always has another element, if only by its sort key. `looksAlike` returns whether
    /// the elements before and after look the same; a row for which it returns true is neither updated nor
    /// reconfigured. Requires a well-formed batch, as `commit()` returns it.
    @inlinable
    public func viewForm(looksAlike: (Element, Element) -> Bool = { $0 == $1 }) -> ViewForm<Element> {
        let gone = SurvivingSections(without: sectionDeletions.map(\.index))
        let fresh = SurvivingSections(without: sectionInsertions.map(\.index))
        var form = ViewForm(sections: self)
        form.deletions = deletions.filter { !gone.isAbsent($0.path.section) }
        form.insertions = insertions.filter { !fresh.isAbsent($0.path.section) }
        for move in moves {
            switch (gone.isAbsent(move.from.section), fresh.isAbsent(move.to.section)) {
            case (true, true): break
            case (true, false): form.insertions.append(Insertion(path: move.to, element: move.new))
            case (false, true): form.deletions.append(Deletion(path: move.from, element: move.old))
            case (false, false):
                form.moves.append(move)
                if !looksAlike(move.old, move.new) { form.reconfigured.append(move.to) }
            }
        }
        if form.deletions.count > 1 { form.deletions.sort { $0.path < $1.path } }
        if form.insertions.count > 1 { form.insertions.sort { $0.path < $1.path } }
        form.updates = updates.filter { !looksAlike($0.old, $0.new) }
        return form
    }

    /// The section moves that lead to the new order. The others leave a section between the same sections.
    @inlinable
    var neededSectionMoves: [SectionMove] {
        if sectionMoves.isEmpty { return [] }
        let before = SurvivingSections(without: sectionDeletions.map(\.index) + sectionMoves.map(\.from))
        let after = SurvivingSections(without: sectionInsertions.map(\.index) + sectionMoves.map(\.to))
        var candidates: [(from: Int, to: Int, index: Int)] = []
        for (index, move) in sectionMoves.enumerated() {
            let number = move.from - before.countBefore(move.from)
            if number == move.to - after.countBefore(move.to) { candidates.append((move.from, move.to, index)) }
        }
        candidates.sort { $0.from < $1.from }
        var stays = Array(repeating: false, count: sectionMoves.count)
        for position in longestIncreasingSubsequence(candidates.map(\.to)) { stays[candidates[position].index] = true }
        return sectionMoves.indices.filter { !stays[$0] }.map { sectionMoves[$0] }
    }
}

extension ViewForm {
    @inlinable
    init(sections batch: Batch<Element>) {
        sectionDeletions = batch.sectionDeletions
        sectionInsertions = batch.sectionInsertions
        sectionMoves = batch.neededSectionMoves
    }
}
