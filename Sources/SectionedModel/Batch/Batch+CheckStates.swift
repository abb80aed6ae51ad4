extension Batch {
    /// Checks that this is a well-formed batch between two states: the rules W1 to W6 of a sectioned batch
    /// (diff log DL-4 to DL-9), in full.
    ///
    /// In addition to `check()`: the named rows and sections are where the batch places them, and the checksums are
    /// those of the states; sections and rows add up (W3); the rows that are neither removed nor inserted are the same
    /// sequence in both states (W4); and every difference among them is an update (W5). Then every interpreter that
    /// removes in descending old order and inserts in ascending new order leads from one state to the other. O(n + k
    /// log k) for states of n elements and k records.
    ///
    /// - Throws: `badBatch` with the rule and the position, or `checksumDiffers`.
    @inlinable
    public func check(
        from old: SectionedSnapshot<Element>, to new: SectionedSnapshot<Element>
    ) throws(ModelError) {
        try check()
        try checkChecksums(old, new)
        try checkSections(old, .old)
        try checkSections(new, .new)
        let back = passage.reversed
        if new.sectionCount != old.sectionCount - sectionDeletions.count + sectionInsertions.count {
            throw .badBatch("W3: \(old.sectionCount) sections become \(new.sectionCount)")
        }
        var walk = RowWalk(self)
        for section in 0..<new.sectionCount {
            guard let origin = back.section(section) else {
                try walk.enter(section, new.elements(at: section))
                continue
            }
            guard let key = old.sectionKey(at: origin), key == new.sectionKey(at: section) else {
                throw .badBatch("W4: section \(section) is another than section \(origin) was")
            }
            if !back.isMoved(section), old.rank(of: key) != new.rank(of: key) {
                throw .badBatch("W5: section \(section) changes its rank without a record")
            }
            try walk.pass(origin, old.elements(at: origin), section, new.elements(at: section))
        }
        for section in sectionDeletions { try walk.leave(section.index, old.elements(at: section.index)) }
        try walk.checkEnd()
    }

    @inlinable
    func checkChecksums(
        _ old: SectionedSnapshot<Element>, _ new: SectionedSnapshot<Element>
    ) throws(ModelError) {
        guard let checksums else { return }
        if let before = old.checksum, before != checksums.before {
            throw .checksumDiffers(after: false, expected: checksums.before, found: before)
        }
        if let after = new.checksum, after != checksums.after {
            throw .checksumDiffers(after: true, expected: checksums.after, found: after)
        }
    }

    /// Checks that the named sections are at the indices that the batch contains.
    @inlinable
    func checkSections(_ state: SectionedSnapshot<Element>, _ side: Side) throws(ModelError) {
        for section in sectionSides(side) {
            guard state.sectionKey(at: section.index) == section.key, state.rank(of: section.key) == section.rank else {
                throw .badBatch("the section that \(side.verb) at \(section.index) differs from the batch")
            }
        }
    }

    /// A walk through both states, section by section, that compares every row with the records.
    @usableFromInline
    struct RowWalk {
        @usableFromInline let old: [RowSide]
        @usableFromInline let new: [RowSide]
        @usableFromInline let updates: [Change]
        /// The number of records that were found.
        @usableFromInline var met = 0

        @inlinable
        init(_ batch: Batch) {
            old = batch.sides(.old)
            new = batch.sides(.new)
            updates = batch.updates
        }
    }
}

extension Batch.RowWalk {
    /// Checks an inserted section: all its rows must be inserted.
    @inlinable
    mutating func enter(_ section: Int, _ rows: [Element]) throws(ModelError) {
        let coming = try passing(section, rows, new)
        if coming.count != rows.count { throw .badBatch("W3: section \(section) comes, but not all its rows") }
    }

    /// Checks a deleted section: all its rows must be deleted.
    @inlinable
    mutating func leave(_ section: Int, _ rows: [Element]) throws(ModelError) {
        let leaving = try passing(section, rows, old)
        if leaving.count != rows.count { throw .badBatch("W3: section \(section) leaves, but not all its rows") }
    }

    /// Checks a section of both states: its remaining rows are the same, and every difference is an update.
    @inlinable
    mutating func pass(
        _ origin: Int, _ before: [Element], _ section: Int, _ after: [Element]
    ) throws(ModelError) {
        let leaving = try passing(origin, before, old)
        let coming = try passing(section, after, new)
        if before.count - leaving.count != after.count - coming.count {
            throw .badBatch("W3: section \(section) has \(after.count) rows, which the batch does not add up to")
        }
        var (left, came) = (leaving[...], coming[...])
        var (from, to) = (0, 0)
        while true {
            while left.first == from { (left, from) = (left.dropFirst(), from + 1) }
            while came.first == to { (came, to) = (came.dropFirst(), to + 1) }
            if to == after.count || from == before.count { return }
            let places = (SectionPath(section: origin, item: from), SectionPath(section: section, item: to))
            if before[from].id != after[to].id { throw .badBatch("W4: another row stays at \(places.1)") }
            if before[from] != after[to] { try meetUpdate(places.0, places.1) }
            (from, to) = (from + 1, to + 1)
        }
    }

    /// Returns the items, ascending, of a section's rows that are removed or inserted. Every
    /// named row must be in the section.
    @inlinable
    mutating func passing(
        _ section: Int, _ rows: [Element], _ sides: [Batch<Element>.RowSide]
    ) throws(ModelError) -> [Int] {
        var items: [Int] = []
        var position = partitionPoint(sides.count) { sides[$0].path.section < section }
        while position < sides.count, sides[position].path.section == section {
            let rowSide = sides[position]
            guard rowSide.path.item < rows.count, rows[rowSide.path.item] == rowSide.element else {
                throw .badBatch("the element at \(rowSide.path) differs from the batch")
            }
            if rowSide.passes { items.append(rowSide.path.item) }
            met += 1
            position += 1
        }
        return items
    }

    /// Checks that differing elements are an update. The elements themselves were already compared
    /// with the records of both sides.
    @inlinable
    func meetUpdate(_ from: SectionPath, _ to: SectionPath) throws(ModelError) {
        let position = partitionPoint(updates.count) { updates[$0].to < to }
        guard position < updates.count, updates[position].to == to, updates[position].from == from else {
            throw .badBatch("W5: the element at \(to) changes without a record")
        }
    }

    /// Checks that all records were found, which those of sections in neither state are not.
    @inlinable
    func checkEnd() throws(ModelError) {
        if met != old.count + new.count { throw .badBatch("W3: a row of a section that does not exist") }
    }
}
