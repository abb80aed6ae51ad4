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
