extension Batch {
    /// One of the two states of a batch, as far as the batch describes it.
    @usableFromInline
    enum Side {
        case old
        case new

        /// The verb for a record on this side, for messages.
        @inlinable
        var verb: String {
            switch self {
            case .old: "leaves"
            case .new: "comes"
            }
        }
    }

    /// A row on one side: its path, and whether it is removed from there or inserted there.
    @usableFromInline
    struct RowSide {
        @usableFromInline let path: SectionPath
        @usableFromInline let element: Element
        @usableFromInline let passes: Bool

        @inlinable
        init(_ path: SectionPath, _ element: Element, passes: Bool) {
            self.path = path
            self.element = element
            self.passes = passes
        }
    }

    /// A section on one side: its index, key and rank, and whether all its rows are removed or inserted.
    @usableFromInline
    struct SectionSide {
        @usableFromInline let index: Int
        @usableFromInline let key: Element.SectionKey
        @usableFromInline let rank: Int64
        @usableFromInline let isWhole: Bool

        @inlinable
        init(_ index: Int, _ key: Element.SectionKey, _ rank: Int64, isWhole: Bool) {
            self.index = index
            self.key = key
            self.rank = rank
            self.isWhole = isWhole
        }
    }

    /// Returns the rows that the batch names on one side, in order.
    @inlinable
    func sides(_ side: Side) -> [RowSide] {
        var sides: [RowSide] = []
        switch side {
        case .old:
            sides = deletions.map { RowSide($0.path, $0.element, passes: true) }
            sides += moves.map { RowSide($0.from, $0.old, passes: true) }
            sides += updates.map { RowSide($0.from, $0.old, passes: false) }
        case .new:
            sides = insertions.map { RowSide($0.path, $0.element, passes: true) }
            sides += moves.map { RowSide($0.to, $0.new, passes: true) }
            sides += updates.map { RowSide($0.to, $0.new, passes: false) }
        }
        if sides.count > 1 { sides.sort { $0.path < $1.path } }
        return sides
    }

    /// Returns the sections that the batch names on one side, in order.
    @inlinable
    func sectionSides(_ side: Side) -> [SectionSide] {
        var sides: [SectionSide] = []
        switch side {
        case .old:
            sides = sectionDeletions.map { SectionSide($0.index, $0.key, $0.rank, isWhole: true) }
            sides += sectionMoves.map { SectionSide($0.from, $0.key, $0.oldRank, isWhole: false) }
        case .new:
            sides = sectionInsertions.map { SectionSide($0.index, $0.key, $0.rank, isWhole: true) }
            sides += sectionMoves.map { SectionSide($0.to, $0.key, $0.newRank, isWhole: false) }
        }
        if sides.count > 1 { sides.sort { $0.index < $1.index } }
        return sides
    }

    /// Checks W1 or W2, and the order of what the batch names on this side: sections by (rank, key), rows by
    /// (sort key, id), each row in the section of its key. A section that is deleted or inserted must include
    /// all its rows, and at least one.
    @inlinable
    func checkSide(_ side: Side) throws(ModelError) {
        let rows = sides(side)
        let sections = sectionSides(side)
        try Batch.checkOrder(sections, side)
        try Batch.checkOrder(rows, side)
        var indices: [Element.SectionKey: Int] = [:]
        for section in sections { indices[section.key] = section.index }
        var next = 0
        for (position, row) in rows.enumerated()
        where position == 0 || rows[position - 1].path.section != row.path.section {
            while next < sections.count, sections[next].index < row.path.section {
                try Batch.checkPassed(sections[next], side)
                next += 1
            }
            let (index, key) = (row.path.section, row.element.sectionKey)
            if let other = indices.updateValue(index, forKey: key), other != index {
                throw .badBatch("sections \(other) and \(index) have the same key")
            }
            guard next < sections.count, sections[next].index == index else { continue }
            if sections[next].key != key { throw .badBatch("the element at \(row.path) belongs to another section") }
            if sections[next].isWhole { try Batch.checkWhole(rows[position...], side) }
            next += 1
        }
        for section in sections[next...] { try Batch.checkPassed(section, side) }
    }

    /// Checks a section without named rows.
    @inlinable
    static func checkPassed(_ section: SectionSide, _ side: Side) throws(ModelError) {
        if section.isWhole { throw .badBatch("W3: section \(section.index) \(side.verb) without a row") }
    }

    /// Checks the rows of a deleted or inserted section: all of them must be named, from the first on.
    @inlinable
    static func checkWhole(_ rows: ArraySlice<RowSide>, _ side: Side) throws(ModelError) {
        let section = rows.first?.path.section
        for (item, row) in rows.enumerated() {
            if row.path.section != section { return }
            if row.path.item != item || !row.passes {
                throw .badBatch("W3: section \(row.path.section) \(side.verb), but not all its rows")
            }
        }
    }

    @inlinable
    static func checkOrder(_ rows: [RowSide], _ side: Side) throws(ModelError) {
        for (a, b) in zip(rows, rows.dropFirst()) {
            if a.path == b.path {
                throw .badBatch("\(side == .old ? "W1" : "W2"): more than one row \(side.verb) at \(b.path)")
            }
            if a.path.section != b.path.section { continue }
            if a.element.sectionKey != b.element.sectionKey {
                throw .badBatch("the element at \(b.path) belongs to another section")
            }
            let isBefore =
                a.element.sortKey < b.element.sortKey
                || (a.element.sortKey == b.element.sortKey && a.element.id < b.element.id)
            if !isBefore { throw .badBatch("the element at \(b.path) has its place elsewhere") }
        }
    }

    @inlinable
    static func checkOrder(_ sections: [SectionSide], _ side: Side) throws(ModelError) {
        for (a, b) in zip(sections, sections.dropFirst()) {
            if a.index == b.index {
                throw .badBatch("\(side == .old ? "W1" : "W2"): more than one section \(side.verb) at \(b.index)")
            }
            if a.rank > b.rank || (a.rank == b.rank && a.key >= b.key) {
                throw .badBatch("section \(b.index) has its place elsewhere")
            }
        }
    }

    /// Checks each section record by itself, the canonical order, and that every key occurs once.
    @inlinable
    func checkSections() throws(ModelError) {
        try Batch.checkIndices(sectionDeletions.map(\.index), "section deletions")
        try Batch.checkIndices(sectionInsertions.map(\.index), "section insertions")
        try Batch.checkIndices(sectionMoves.map(\.to), "section moves")
        for move in sectionMoves {
            if !(0..<Batch.indexLimit).contains(move.from) { throw .badBatch("no section \(move.from)") }
            if move.oldRank == move.newRank { throw .badBatch("W6: the move to section \(move.to) changes no rank") }
        }
        if sectionDeletions.count + sectionInsertions.count + sectionMoves.count < 2 { return }
        var keys: Set<Element.SectionKey> = []
        try forEachSection { key, _, _ throws(ModelError) in
            if !keys.insert(key).inserted { throw .badBatch("W6: a section is named twice in the batch") }
        }
    }

    @inlinable
    static func checkIndices(_ indices: [Int], _ name: String) throws(ModelError) {
        for (position, index) in indices.enumerated() {
            if !(0..<indexLimit).contains(index) { throw .badBatch("no section \(index)") }
            if position > 0, indices[position - 1] >= index {
                throw .badBatch("the \(name) are not in ascending order at \(index)")
            }
        }
    }
}
