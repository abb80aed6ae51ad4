extension SectionedCollection {
    /// Applies the staged changes as one transaction. Returns `nil` if nothing differs.
    ///
    /// The batch has the fewest moves of all batches that move only rows that were staged and differ.
    @inlinable
    public mutating func commit() -> Batch<Element>? {
        let before = state.sum
        var batch = Batch<Element>()
        if !staging.ranks.isEmpty || staging.entries.count > 1 {
            commitStaged(into: &batch)
        } else if let entry = staging.entries.popLast() {
            commitSole(entry, into: &batch)
        }
        guard number(&batch, since: before) else { return nil }
        return batch
    }

    /// Counts the batch that was just committed, and sets its checksums if the collection keeps them.
    /// Returns false if the batch is empty.
    @inlinable
    mutating func number(_ batch: inout Batch<Element>, since before: UInt64?) -> Bool {
        if batch.isEmpty { return false }
        state.batches += 1
        if let before, let after = state.sum { batch.checksums = .init(before: before, after: after) }
        return true
    }

    @inlinable
    mutating func commitStaged(into batch: inout Batch<Element>) {
        var touched = netEffect()
        let ranks = staging.ranks
        staging.clear()
        guard !touched.isEmpty || !ranks.isEmpty else { return }
        let changes = replace(&touched, ranks)
        batch = Batch(touched, changes)
    }

    /// Returns one record for each staged id whose element differs from the committed one.
    @inlinable
    func netEffect() -> [Touched] {
        var touched: [Touched] = []
        touched.reserveCapacity(staging.entries.count)
        for entry in staging.entries {
            let slot = state.slot(of: entry.id, hash: entry.hash)
            let old = slot.map { state.records[$0] }
            guard old != entry.element else { continue }
            touched.append(Touched(old: old, slot: slot, new: entry.element, hash: entry.hash))
        }
        return touched
    }
}

// The transaction of one id, by far the most frequent: it needs no lists and no sorting.
extension SectionedCollection {
    @inlinable
    mutating func commitSole(_ entry: consuming Staging.Entry, into batch: inout Batch<Element>) {
        guard let slot = state.slot(of: entry.id, hash: entry.hash) else {
            if let new = entry.element { insertSole(new, hash: entry.hash, into: &batch) }
            return
        }
        guard let new = entry.element.take() else {
            return removeSole(slot, state.records[slot], hash: entry.hash, into: &batch)
        }
        let change = state.records.withElement(in: slot) { old in
            old == new ? nil : (staysInSection: old.sectionKey == new.sectionKey, sortKey: old.sortKey)
        }
        guard let change else { return }
        if change.staysInSection {
            changeSole(slot, from: change.sortKey, to: new, into: &batch)
        } else {
            moveSole(slot, state.records[slot], new, into: &batch)
        }
    }

    @inlinable
    mutating func insertSole(_ element: Element, hash: Int, into batch: inout Batch<Element>) {
        let slot = state.add(element, hash: hash, freeSlots: &freeSlots)
        batch.insertions = [.init(path: putIn(element, slot, &batch), element: element)]
    }

    @inlinable
    mutating func removeSole(_ slot: Slot, _ old: Element, hash: Int, into batch: inout Batch<Element>) {
        batch.deletions = [.init(path: takeOut(old, slot, &batch), element: old)]
        state.drop(slot, hash: hash, freeSlots: &freeSlots)
    }

    /// Changes a row that stays in its section: a move if its index changes, otherwise an update.
    @inlinable
    mutating func changeSole(
        _ slot: Slot, from sortKey: Element.SortKey, to new: Element, into batch: inout Batch<Element>
    ) {
        let paths: (from: SectionPath, to: SectionPath)
        if sortKey == new.sortKey {
            let path = state.path(of: new, slot: slot)
            paths = (path, path)
        } else {
            paths = state.move(slot, in: new.sectionKey, from: sortKey, to: new.sortKey)
        }
        let old = state.replace(slot, by: new, inSameSection: true)
        let moves = paths.from != paths.to
        batch.contents = .sole(.init(.init(from: paths.from, to: paths.to, old: old, new: new), moves: moves))
    }

    @inlinable
    mutating func moveSole(_ slot: Slot, _ old: Element, _ new: Element, into batch: inout Batch<Element>) {
        let from = takeOut(old, slot, &batch)
        state.replace(slot, by: new)
        batch.moves = [.init(from: from, to: putIn(new, slot, &batch), old: old, new: new)]
    }

    /// Removes a row, and its section if that was the last row.
    @inlinable
    mutating func takeOut(_ element: Element, _ slot: Slot, _ batch: inout Batch<Element>) -> SectionPath {
        let (path, isSectionEmpty) = state.takeOut(element, slot)
        if isSectionEmpty {
            let place = state.place(of: element.sectionKey)
            _ = state.removeSection(place)
            batch.sectionDeletions = [.init(index: path.section, key: place.key, rank: place.rank)]
        }
        return path
    }

    /// Inserts a row, and its section if that is missing.
    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot, _ batch: inout Batch<Element>) -> SectionPath {
        if let path = state.putIn(element, slot) { return path }
        let place = state.place(of: element.sectionKey)
        var section = SectionEntry<Element>(place)
        section.rows = CountedTree(sorted: [RowEntry(key: element.sortKey, slot: slot)])
        let index = state.insertSection(section)
        batch.sectionInsertions = [.init(index: index, key: place.key, rank: place.rank)]
        return SectionPath(section: index, item: 0)
    }
}
