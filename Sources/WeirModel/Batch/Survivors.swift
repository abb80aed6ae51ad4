/// The rows that remain in a state when some are removed, numbered from 0 in each section.
///
/// The rows that remain across a batch are the same sequence in both of its states, so a number in one is a number in
/// the other. Items and sections are those of a checked batch, small enough to be added without overflow.
@usableFromInline
struct SurvivingRows: Sendable {
    /// The removed paths, ascending and distinct.
    @usableFromInline let absent: [SectionPath]

    @inlinable
    init(without paths: [SectionPath]) { absent = paths.count > 1 ? paths.sorted() : paths }

    /// Returns whether the row at this path is removed.
    @inlinable
    func isAbsent(_ path: SectionPath) -> Bool {
        let position = partitionPoint(absent.count) { absent[$0] < path }
        return position < absent.count && absent[position] == path
    }

    /// Returns the number of a row that remains; for a removed row, the number of remaining rows before it.
    @inlinable
    func number(of path: SectionPath) -> Int {
        path.item - (partitionPoint(absent.count) { absent[$0] < path } - start(of: path.section))
    }

    /// Returns the item of the row with this number in this section.
    @inlinable
    func item(_ number: Int, in section: Int) -> Int {
        let start = start(of: section)
        // `absent[i].item - (i - start)` rows remain before a removed one of this section: an ascending sequence.
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

/// The sections that remain, in their order, when some are removed, numbered from 0.
@usableFromInline
struct SurvivingSections: Sendable {
    /// The removed indices, ascending and distinct.
    @usableFromInline let absent: [Int]

    @inlinable
    init(without indices: [Int]) { absent = indices.count > 1 ? indices.sorted() : indices }

    /// Returns whether the section at this index is removed.
    @inlinable
    func isAbsent(_ index: Int) -> Bool {
        let before = countBefore(index)
        return before < absent.count && absent[before] == index
    }

    /// Returns the number of a section that remains; `nil` for a removed one.
    @inlinable
    func number(of index: Int) -> Int? { isAbsent(index) ? nil : index - countBefore(index) }

    /// Returns the number of removed sections before this index.
    @inlinable
    func countBefore(_ index: Int) -> Int { partitionPoint(absent.count) { absent[$0] < index } }

    /// Returns the index of the section with this number.
    @inlinable
    func index(_ number: Int) -> Int { number + partitionPoint(absent.count) { absent[$0] - $0 <= number } }
}

/// Maps the positions of what a batch does not touch from one of its states to the other.
@usableFromInline
struct Passage: Sendable {
    @usableFromInline let sections: (from: SurvivingSections, to: SurvivingSections)
    @usableFromInline let rows: (from: SurvivingRows, to: SurvivingRows)
    /// The sections that move, ascending by `from`.
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

    /// The map in the opposite direction.
    @inlinable
    var reversed: Passage {
        Passage(
            sections: (sections.to, sections.from), rows: (rows.to, rows.from), moved: moved.map { ($0.to, $0.from) })
    }

    /// Returns the index of a section in the other state; `nil` if the other state does not contain it.
    @inlinable
    func section(_ index: Int) -> Int? {
        if let number = sections.from.number(of: index) { return sections.to.index(number) }
        let position = partitionPoint(moved.count) { moved[$0].from < index }
        return position < moved.count && moved[position].from == index ? moved[position].to : nil
    }

    /// Returns whether the section at this index moves.
    @inlinable
    func isMoved(_ index: Int) -> Bool {
        let position = partitionPoint(moved.count) { moved[$0].from < index }
        return position < moved.count && moved[position].from == index
    }

    /// Returns the path of a row in the other state; `nil` if the batch removes the row.
    @inlinable
    func path(_ path: SectionPath) -> SectionPath? {
        if rows.from.isAbsent(path) { return nil }
        guard let section = section(path.section) else { return nil }
        return SectionPath(section: section, item: rows.to.item(rows.from.number(of: path), in: section))
    }
}

extension Batch {
    /// The map from the old state to the new one.
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
