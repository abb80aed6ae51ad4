extension SectionedCollection {
    /// Applies a batch made by `commit()` elsewhere, or its inverse.
    ///
    /// Staged changes stay staged, and are committed on top of the new state.
    ///
    /// - Throws: An error, and nothing is changed, if the batch does not fit this state or is not well formed: no
    ///   interpreter of it could then reach an ordered state.
    @inlinable
    public mutating func apply(_ batch: Batch<Element>) throws(ModelError) {
        try batch.check()
        if let before = state.sum, let checksums = batch.checksums, checksums.before != before {
            throw .checksumDiffers(after: false, expected: checksums.before, found: before)
        }
        if applySole(batch) {
            state.batches += 1
            return
        }
        var touched = try matched(batch)
        let ranks = state.ranks
        let changes = replace(&touched, batch.newRanks)
        do throws(ModelError) {
            try batch.checkOutcome(touched, changes)
            if let after = state.sum, let checksums = batch.checksums, checksums.after != after {
                throw .checksumDiffers(after: true, expected: checksums.after, found: after)
            }
        } catch {
            // The state is a function of its elements and ranks: putting the old ones back restores it.
            var back = touched.map { Touched(old: $0.new, slot: $0.slot, new: $0.old, hash: $0.hash) }
            _ = replace(&back, batch.rankedKeys.map { ($0, ranks[$0] ?? 0) })
            state.ranks = ranks
            throw error
        }
        state.batches += 1
    }

    /// Applies a batch of one row, which needs no lists. Returns whether the batch is of that form and fits. If not,
    /// nothing has changed, and the general path applies the batch or reports the error.
    @inlinable
    mutating func applySole(_ batch: Batch<Element>) -> Bool {
        if let sole = batch.soleChange { return applySole(sole.change, batch.checksums) }
        guard let (old, new) = batch.sole, let id = old?.id ?? new?.id else { return false }
        let hash = Element.hash(of: id)
        var made = Batch<Element>()
        commitSole(.init(id: id, hash: hash, element: new), into: &made)
        if made.isEmpty { return false }
        made.checksums = batch.checksums
        if made == batch, state.sum == nil || batch.checksums == nil || state.sum == batch.checksums?.after {
            return true
        }
        let before = made.sole?.old
        commitSole(.init(id: id, hash: hash, element: before), into: &made)
        return false
    }

    /// Applies a change of a row between sections that remain, by far the most frequent case: its path leads to the
    /// row without a lookup of its id.
    @inlinable
    mutating func applySole(_ change: Batch<Element>.Change, _ checksums: Batch<Element>.Checksums?) -> Bool {
        let (old, new) = (change.old, change.new)
        guard let slot = state.slot(at: change.from), state.records[slot] == old,
            let to = relocate(slot, from: old, at: change.from, to: new)
        else { return false }
        state.replace(slot, by: new)
        if to == change.to, state.sum == nil || checksums == nil || state.sum == checksums?.after { return true }
        _ = relocate(slot, from: new, at: to, to: old)
        state.replace(slot, by: old)
        return false
    }

    /// Moves a row to the position of its new element and returns the path. Returns `nil`, and nothing has changed, if
    /// a section would be deleted or inserted.
    @inlinable
    mutating func relocate(_ slot: Slot, from old: Element, at path: SectionPath, to new: Element) -> SectionPath? {
        guard old.sectionKey == new.sectionKey else {
            let isSectionEmpty = state.takeOut(old, slot).isSectionEmpty
            if !isSectionEmpty, let to = state.putIn(new, slot) { return to }
            _ = state.putIn(old, slot)
            return nil
        }
        if old.sortKey == new.sortKey { return path }
        return state.move(slot, in: old.sectionKey, from: old.sortKey, to: new.sortKey).to
    }

    /// Returns the records of the batch in the order deletions, insertions, moves, updates,
    /// with the elements of this state.
    @inlinable
    func matched(_ batch: Batch<Element>) throws(ModelError) -> [Touched] {
        var touched: [Touched] = []
        touched.reserveCapacity(batch.rowCount)
        for deletion in batch.deletions {
            touched.append(try standing(deletion.element, at: deletion.path, becoming: nil))
        }
        for insertion in batch.insertions {
            let hash = Element.hash(of: insertion.element.id)
            guard state.slot(of: insertion.element.id, hash: hash) == nil else {
                throw ModelError.badBatch("the element inserted at \(insertion.path) is already here")
            }
            touched.append(Touched(old: nil, slot: nil, new: insertion.element, hash: hash))
        }
        for change in batch.moves { touched.append(try standing(change.old, at: change.from, becoming: change.new)) }
        for change in batch.updates { touched.append(try standing(change.old, at: change.from, becoming: change.new)) }
        return touched
    }

    /// Returns the record of an element that the batch places at a path.
    @inlinable
    func standing(
        _ element: Element, at path: SectionPath, becoming new: Element?
    ) throws(ModelError) -> Touched {
        guard let here = state.element(at: path) else {
            throw ModelError.badBatch("no element at \(path)")
        }
        let hash = Element.hash(of: element.id)
        guard here == element, let slot = state.slot(of: element.id, hash: hash), state.records[slot].id == here.id
        else {
            throw ModelError.badBatch("the element at \(path) differs from the batch")
        }
        var touched = Touched(old: here, slot: slot, new: new, hash: hash)
        touched.from = path
        return touched
    }
}

extension Batch {
    /// The element before and after, in a batch of one row and no ranks; `nil` for other batches.
    @inlinable
    var sole: (old: Element?, new: Element?)? {
        if let soleChange { return (soleChange.change.old, soleChange.change.new) }
        guard rowCount == 1, sectionMoves.isEmpty else {
            return nil
        }
        if let change = moves.first ?? updates.first { return (change.old, change.new) }
        return (deletions.first?.element, insertions.first?.element)
    }

    /// The ranks that the batch sets, including those of inserted sections.
    @inlinable
    var newRanks: [SectionedCollection<Element>.RankChange] {
        sectionMoves.map { ($0.key, $0.newRank) } + sectionInsertions.map { ($0.key, $0.rank) }
    }

    /// The keys of the sections whose ranks the batch sets.
    @inlinable
    var rankedKeys: [Element.SectionKey] { sectionMoves.map(\.key) + sectionInsertions.map(\.key) }
}

extension Batch {
    /// Checks that the transaction led to the outcome that the batch describes.
    ///
    /// `touched` contains the records in the order deletions, insertions, moves, updates.
    @inlinable
    func checkOutcome(
        _ touched: [Touched], _ changes: SectionedCollection<Element>.SectionChanges
    ) throws(ModelError) {
        guard sectionDeletions == changes.deletions else {
            throw ModelError.badBatch("the sections that lose their last element differ from the batch")
        }
        guard sectionInsertions == changes.insertions else {
            throw ModelError.badBatch("the sections that get their first element differ from the batch")
        }
        guard sectionMoves == changes.moves else {
            throw ModelError.badBatch("the sections with a new rank differ from the batch")
        }
        let targets = insertions.map(\.path) + (moves + updates).map(\.to)
        for (record, target) in zip(touched.dropFirst(deletions.count), targets) where record.to != target {
            throw ModelError.badBatch("the element for \(target) has its place elsewhere")
        }
    }
}
