extension SectionedCollection {
    /// Applies what is staged as one transaction. Nil when nothing differs.
    ///
    /// The batch has the fewest moves of all that move only rows that were staged and differ.
    @inlinable
    public mutating func commit() -> Batch<Element>? {
        let before = state.sum
        guard staging.ranks.isEmpty, staging.entries.count <= 1 else {
            return commitStaged().map { numbered($0, since: before) }
        }
        guard let entry = staging.entries.popLast(), let batch = commitSole(entry) else { return nil }
        return numbered(batch, since: before)
    }

    /// The batch that has just been committed, with the checksums of a collection that keeps them.
    @inlinable
    mutating func numbered(_ batch: consuming Batch<Element>, since before: UInt64?) -> Batch<Element> {
        state.batches += 1
        if let before, let after = state.sum { batch.checksums = .init(before: before, after: after) }
        return batch
    }

    @inlinable
    mutating func commitStaged() -> Batch<Element>? {
        var touched = netEffect()
        let ranks = staging.ranks
        staging.clear()
        guard !touched.isEmpty || !ranks.isEmpty else { return nil }
        let changes = replace(&touched, ranks)
        let batch = Batch(touched, changes)
        return batch.isEmpty ? nil : batch
    }

    /// One record for each staged id whose element differs from the committed one.
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
    mutating func commitSole(_ entry: Staging.Entry) -> Batch<Element>? {
        guard let slot = state.slot(of: entry.id, hash: entry.hash) else {
            return entry.element.map { insertSole($0, hash: entry.hash) }
        }
        let old = state.records[slot]
        guard let new = entry.element else { return removeSole(slot, old, hash: entry.hash) }
        if old == new { return nil }
        return old.sectionKey == new.sectionKey ? changeSole(slot, old, new) : moveSole(slot, old, new)
    }

    @inlinable
    mutating func insertSole(_ element: Element, hash: Int) -> Batch<Element> {
        var batch = Batch<Element>()
        let slot = state.add(element, hash: hash, freeSlots: &freeSlots)
        batch.insertions = [.init(path: putIn(element, slot, &batch), element: element)]
        return batch
    }

    @inlinable
    mutating func removeSole(_ slot: Slot, _ old: Element, hash: Int) -> Batch<Element> {
        var batch = Batch<Element>()
        batch.deletions = [.init(path: takeOut(old, &batch), element: old)]
        state.drop(slot, old, hash: hash, freeSlots: &freeSlots)
        return batch
    }

    /// A change that leaves the row in its section: a move if that changes its index, otherwise an update.
    @inlinable
    mutating func changeSole(_ slot: Slot, _ old: Element, _ new: Element) -> Batch<Element> {
        let paths: (from: SectionPath, to: SectionPath)
        if old.sortKey == new.sortKey {
            let path = state.path(of: old)
            paths = (path, path)
        } else {
            paths = state.move(slot, from: old, to: new)
        }
        state.replace(slot, old, by: new)
        var batch = Batch<Element>()
        let change = Batch<Element>.Change(from: paths.from, to: paths.to, old: old, new: new)
        if paths.from == paths.to { batch.updates = [change] } else { batch.moves = [change] }
        return batch
    }

    @inlinable
    mutating func moveSole(_ slot: Slot, _ old: Element, _ new: Element) -> Batch<Element> {
        var batch = Batch<Element>()
        let from = takeOut(old, &batch)
        state.replace(slot, old, by: new)
        batch.moves = [.init(from: from, to: putIn(new, slot, &batch), old: old, new: new)]
        return batch
    }

    /// Takes a row out, and its section if that has lost its last.
    @inlinable
    mutating func takeOut(_ element: Element, _ batch: inout Batch<Element>) -> SectionPath {
        let (path, isSectionEmpty) = state.takeOut(element)
        if isSectionEmpty {
            let place = state.place(of: element.sectionKey)
            _ = state.removeSection(place)
            batch.sectionDeletions = [.init(index: path.section, key: place.key, rank: place.rank)]
        }
        return path
    }

    /// Puts a row in, and its section if that is missing.
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
