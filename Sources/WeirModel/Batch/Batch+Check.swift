extension Batch {
    /// Checks that the batch is well formed, as far as that is possible without the states. It must be canonical, name
    /// every id and every key once, remove from and insert at every path once, empty the sections it deletes, fill
    /// those it inserts, and do no needless work. The rows that it names must be in order.
    ///
    /// These are the rules W1 to W6 of a sectioned batch (diff log DL-4 to DL-9). W3 and W4 can only be checked
    /// completely with both states: `check(from:to:)`. A batch that passes can be inverted, composed and converted to
    /// its other forms without a trap. O(k log k) for k records.
    ///
    /// - Throws: `badBatch` with the rule and the position.
    @inlinable
    public func check() throws(ModelError) {
        if isEmpty { throw .badBatch("the batch is empty") }
        if let sole = soleChange { return try sole.check() }
        try checkSections()
        try checkRecords()
        let count = rowCount
        if count > 1 { try checkIDs(count) }
        let hasSections = !sectionDeletions.isEmpty || !sectionInsertions.isEmpty || !sectionMoves.isEmpty
        if count > 1 || hasSections {
            try checkSide(.old)
            try checkSide(.new)
        }
        if count > 1 { try checkWork() } else { try checkSoleWork() }
    }

    /// The limit of the numbers of rows and sections. Larger ones are rejected, so that sums of
    /// indices cannot overflow.
    @inlinable
    static var indexLimit: Int { 1 << 40 }

    /// Checks each record by itself, and the canonical order.
    @inlinable
    func checkRecords() throws(ModelError) {
        try Batch.checkPaths(deletions.count, "deletions") { deletions[$0].path }
        try Batch.checkPaths(insertions.count, "insertions") { insertions[$0].path }
        try Batch.checkPaths(moves.count, "moves") { moves[$0].to }
        try Batch.checkPaths(updates.count, "updates") { updates[$0].to }
        for record in deletions { try Batch.checkKeys(of: record.element) }
        for record in insertions { try Batch.checkKeys(of: record.element) }
        for change in moves { try Batch.checkChange(change, "move") }
        for change in updates { try Batch.checkChange(change, "update") }
    }

    @inlinable
    static func checkPaths(_ count: Int, _ name: String, path: (Int) -> SectionPath) throws(ModelError) {
        for position in 0..<count {
            try checkRange(path(position))
            if position > 0, path(position - 1) >= path(position) {
                throw .badBatch("the \(name) are not in ascending order at \(path(position))")
            }
        }
    }

    @inlinable
    static func checkRange(_ path: SectionPath) throws(ModelError) {
        let limit = 0..<indexLimit
        if limit.contains(path.section), limit.contains(path.item) { return }
        throw .badBatch("no element at \(path)")
    }

    @inlinable
    static func checkKeys(of element: Element) throws(ModelError) {
        if !element.isOrdered { throw .badBatch("an element has a key that has no order") }
    }

    @inlinable
    static func checkChange(_ change: Change, _ name: String) throws(ModelError) {
        try checkRange(change.from)
        try checkKeys(of: change.old)
        try checkKeys(of: change.new)
        if change.old.id != change.new.id {
            throw .badBatch("the change to \(change.to) replaces an element by one of another id")
        }
        if change.old == change.new { throw .badBatch("W6: the \(name) to \(change.to) changes nothing") }
    }

    /// Checks W5: an id occurs once.
    @inlinable
    func checkIDs(_ count: Int) throws(ModelError) {
        var ids: Set<Element.ID> = []
        ids.reserveCapacity(count)
        try forEachRow { id, _, _ throws(ModelError) in
            if !ids.insert(id).inserted { throw .badBatch("W5: an id occurs twice in the batch") }
        }
    }

    /// Checks W6: the batch has no more moves than needed, and no fewer.
    @inlinable
    func checkWork() throws(ModelError) {
        let before = SurvivingRows(without: deletions.map(\.path) + moves.map(\.from))
        let after = SurvivingRows(without: insertions.map(\.path) + moves.map(\.to))
        for update in updates {
            guard update.old.sectionKey == update.new.sectionKey,
                before.number(of: update.from) == after.number(of: update.to)
            else { throw .badBatch("W4: the update at \(update.to) is a move") }
        }
        var movesWithin = 0
        for move in moves where move.old.sectionKey == move.new.sectionKey {
            movesWithin += 1
            if before.number(of: move.from) == after.number(of: move.to) {
                throw .badBatch("W6: the move to \(move.to) moves nothing")
            }
        }
        // A move to another section is needed, and so is a sole move that passed the loop above.
        if movesWithin > 1 { try checkMoveCount() }
    }

    /// Checks that no batch with these rows and this outcome has fewer moves.
    @inlinable
    func checkMoveCount() throws(ModelError) {
        var touched: [Touched] = []
        try forEachRow { _, old, new throws(ModelError) in
            touched.append(Touched(old, new))
        }
        let fewest = moves.count + updates.count - Batch.staying(touched).count { $0 }
        if moves.count > fewest { throw .badBatch("W6: \(moves.count) moves, but \(fewest) would suffice") }
    }

    /// Checks the same for a batch of one row: no other row is removed or inserted.
    @inlinable
    func checkSoleWork() throws(ModelError) {
        for update in updates { try SoleChange(update, moves: false).checkWork() }
        for move in moves { try SoleChange(move, moves: true).checkWork() }
    }
}

extension Batch.SoleChange {
    /// Checks the form that almost all batches have, as `Batch.check()` does.
    @inlinable
    func check() throws(ModelError) {
        try Batch.checkRange(change.to)
        try Batch.checkChange(change, moves ? "move" : "update")
        try checkWork()
    }

    @inlinable
    func checkWork() throws(ModelError) {
        let (from, to) = (change.from, change.to)
        let isInSection = change.old.sectionKey == change.new.sectionKey
        if moves {
            if isInSection, from.item == to.item { throw .badBatch("W6: the move to \(to) moves nothing") }
        } else if !isInSection || from.item != to.item {
            throw .badBatch("W4: the update at \(to) is a move")
        }
    }
}

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
