/// The rows that stay in one state when some are taken out, numbered from 0 in each section.
///
/// What stays across a batch is the same sequence in both of its states, so a number of one is a number of the other.
/// Items and sections are those of a checked batch, small enough to be added without overflow.
@usableFromInline
struct SurvivingRows: Sendable {
    /// Ascending and distinct.
    @usableFromInline let absent: [SectionPath]

    @inlinable
    init(without paths: [SectionPath]) { absent = paths.count > 1 ? paths.sorted() : paths }

    /// Whether the row at this path is taken out.
    @inlinable
    func isAbsent(_ path: SectionPath) -> Bool {
        let position = partitionPoint(absent.count) { absent[$0] < path }
        return position < absent.count && absent[position] == path
    }

    /// The number of a row that stays; for one that does not, how many stay before it.
    @inlinable
    func number(of path: SectionPath) -> Int {
        path.item - (partitionPoint(absent.count) { absent[$0] < path } - start(of: path.section))
    }

    /// The item of the row of this section that has this number.
    @inlinable
    func item(_ number: Int, in section: Int) -> Int {
        let start = start(of: section)
        // `absent[i].item - (i - start)` rows stay before an absent one of this section: an ascending sequence.
        let end = partitionPoint(absent.count) { index in
            let path = absent[index]
            return path.section < section || (path.section == section && path.item - (index - start) <= number)
        }
        return number + (end - start)
    }

    @inlinable
    func start(of section: Int) -> Int {
        partitionPoint(absent.count) { absent[$0].section < section }
    }
}

/// The sections that stay in their order when some are taken out, numbered from 0.
@usableFromInline
struct SurvivingSections: Sendable {
    /// Ascending and distinct.
    @usableFromInline let absent: [Int]

    @inlinable
    init(without indices: [Int]) { absent = indices.count > 1 ? indices.sorted() : indices }

    /// Whether the section at this index is taken out.
    @inlinable
    func isAbsent(_ index: Int) -> Bool {
        let before = countBefore(index)
        return before < absent.count && absent[before] == index
    }

    /// The number of a section that stays; nil for one that does not.
    @inlinable
    func number(of index: Int) -> Int? { isAbsent(index) ? nil : index - countBefore(index) }

    /// How many absent ones come before this index.
    @inlinable
    func countBefore(_ index: Int) -> Int { partitionPoint(absent.count) { absent[$0] < index } }

    /// The index of the section that has this number.
    @inlinable
    func index(_ number: Int) -> Int { number + partitionPoint(absent.count) { absent[$0] - $0 <= number } }
}

/// Carries the places of what a batch does not touch from one of its states to the other.
@usableFromInline
struct Passage: Sendable {
    @usableFromInline let sections: (from: SurvivingSections, to: SurvivingSections)
    @usableFromInline let rows: (from: SurvivingRows, to: SurvivingRows)
    /// Ascending by `from`.
    @usableFromInline let moved: [(from: Int, to: Int)]

    @inlinable
    init(
        sections: (from: SurvivingSections, to: SurvivingSections), rows: (from: SurvivingRows, to: SurvivingRows),
        moved: [(from: Int, to: Int)]
    ) {
        self.sections = sections
        self.rows = rows
        self.moved = moved.count > 1 ? moved.sorted { $0.from < $1.from } : moved
    }

    /// The way back.
    @inlinable
    var reversed: Passage {
        Passage(
            sections: (sections.to, sections.from), rows: (rows.to, rows.from), moved: moved.map { ($0.to, $0.from) })
    }

    /// Where a section stands on the other side; nil when it is not there.
    @inlinable
    func section(_ index: Int) -> Int? {
        if let number = sections.from.number(of: index) { return sections.to.index(number) }
        let position = partitionPoint(moved.count) { moved[$0].from < index }
        return position < moved.count && moved[position].from == index ? moved[position].to : nil
    }

    /// Whether a section, given by its index on this side, is one of those that move.
    @inlinable
    func isMoved(_ index: Int) -> Bool {
        let position = partitionPoint(moved.count) { moved[$0].from < index }
        return position < moved.count && moved[position].from == index
    }

    /// Where a row stands on the other side; nil when the batch takes it out.
    @inlinable
    func path(_ path: SectionPath) -> SectionPath? {
        if rows.from.isAbsent(path) { return nil }
        guard let section = section(path.section) else { return nil }
        return SectionPath(section: section, item: rows.to.item(rows.from.number(of: path), in: section))
    }
}

extension Batch {
    /// From the old state to the new one.
    @inlinable
    var passage: Passage {
        Passage(
            sections: (
                SurvivingSections(without: sectionDeletions.map(\.index) + sectionMoves.map(\.from)),
                SurvivingSections(without: sectionInsertions.map(\.index) + sectionMoves.map(\.to))
            ),
            rows: (
                SurvivingRows(without: deletions.map(\.path) + moves.map(\.from)),
                SurvivingRows(without: insertions.map(\.path) + moves.map(\.to))
            ),
            moved: sectionMoves.map { ($0.from, $0.to) })
    }
}
