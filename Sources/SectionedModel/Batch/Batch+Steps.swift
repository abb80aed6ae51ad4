/// One change of a list of sections of rows. Its places are those of the state that the steps before it have led to; a target
/// is a place of the state it leads to itself.
public enum BatchStep<Element: SectionedElement>: Equatable, Sendable {
    /// A row is taken out: because it leaves, or because it moves and is put in further on.
    case removeRow(SectionPath, Element)
    /// A section is taken out; it is empty.
    case removeSection(Int, Element.SectionKey)
    /// A section is moved with the rows it has: taken out at `from`, and put in so that it stands at `to`.
    case moveSection(from: Int, to: Int, Element.SectionKey)
    /// A section without rows is put in.
    case insertSection(Int, Element.SectionKey)
    /// A row is put in.
    case insertRow(SectionPath, Element)
    /// A row in place gets other contents; the element after.
    case updateRow(SectionPath, Element)
}

extension Batch {
    /// The same change as a list of single steps, each in the index space the one before it leaves, for consumers that
    /// understand nothing else. Ranks are not in it, the order they make is.
    ///
    /// Rows are taken out from the last to the first, so that the old paths hold, and put in from the first to the last, so
    /// that the new ones do; between these, sections go, and then come and move from the first to the last. Requires a
    /// well-formed batch, as `commit()` makes it. O(k log k) for k records.
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

    /// Sections come and move, in the order of their new indices.
    ///
    /// Sections still to be moved stand in the way meanwhile. What comes to index `to` is put right behind the `to` sections
    /// that are final before it; those of them that never move are `to` minus the ones put in already, and whatever waits
    /// stands before such a one or behind.
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

/// The sections that are still to be moved, in their old order, among those that never move and those put in already.
@usableFromInline
struct WaitingSections {
    /// For each, ascending: how many sections that never move stand before it.
    @usableFromInline var settledBefore: [Int] = []
    /// Where in that order the section at a position of the given list is.
    @usableFromInline var order: [Int] = []
    /// How many still wait, as sums over ranges that double (a Fenwick tree).
    @usableFromInline var sums: [Int]
    /// For each section put in already, ascending: how many that never move stand before it.
    @usableFromInline var placed: [Int] = []

    /// The old indices of those to be moved, in any order; `gone` sections are out already.
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

    /// How many wait before the section that `settled` sections that never move stand before.
    @inlinable
    func count(before settled: Int) -> Int {
        prefix(partitionPoint(settledBefore.count) { settledBefore[$0] < settled })
    }

    /// How many of the first `count` still wait.
    @inlinable
    func prefix(_ count: Int) -> Int {
        var (sum, position) = (0, count)
        while position > 0 {
            sum += sums[position]
            position -= position & -position
        }
        return sum
    }

    /// Takes a section, given by its position in the list, out of those that wait. Returns where it stands.
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

    /// A section was put in behind `settled` sections that never move.
    @inlinable
    mutating func note(_ settled: Int) { placed.append(settled) }
}
