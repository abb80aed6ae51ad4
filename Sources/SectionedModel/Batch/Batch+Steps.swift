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
