extension SectionedCollection {
    /// Applies what is staged as one transaction. Nil when nothing differs.
    ///
    /// The batch has the fewest moves of all that move only rows that were staged and differ.
    @inlinable
    public mutating func commit() -> Batch<Element>? {
        let before = state.sum
        var batch: Batch<Element>?
        if staging.ranks.isEmpty, staging.entries.count <= 1 {
            batch = staging.entries.popLast().flatMap { commitSole($0.id, $0.element) }
        } else {
            batch = commitStaged()
        }
        guard batch != nil else { return nil }
        state.batches += 1
        if let before, let after = state.sum { batch?.checksums = .init(before: before, after: after) }
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
            let slot = state.slot(of: entry.id)
            let old = slot.map { state.records[$0] }
            if old != entry.element { touched.append(Touched(old: old, slot: slot, new: entry.element)) }
        }
        return touched
    }
}

// The transaction of one id, by far the most frequent: it needs no lists and no sorting.
extension SectionedCollection {
    @inlinable
    mutating func commitSole(_ id: Element.ID, _ element: Element?) -> Batch<Element>? {
        guard let slot = state.slot(of: id) else { return element.map { insertSole($0) } }
        let old = state.records[slot]
        guard let new = element else { return removeSole(slot, old) }
        if old == new { return nil }
        return old.sectionKey == new.sectionKey ? changeSole(slot, old, new) : moveSole(slot, old, new)
    }

    @inlinable
    mutating func insertSole(_ element: Element) -> Batch<Element> {
        var batch = Batch<Element>()
        insertSectionIfMissing(of: element, &batch)
        let slot = state.add(element, freeSlots: &freeSlots)
        batch.insertions = [.init(path: state.putIn(element, slot), element: element)]
        return batch
    }

    @inlinable
    mutating func removeSole(_ slot: Slot, _ old: Element) -> Batch<Element> {
        var batch = Batch<Element>()
        batch.deletions = [.init(path: state.takeOut(old), element: old)]
        removeSectionIfEmpty(of: old, &batch)
        state.drop(slot, old, freeSlots: &freeSlots)
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
        let from = state.takeOut(old)
        removeSectionIfEmpty(of: old, &batch)
        insertSectionIfMissing(of: new, &batch)
        state.replace(slot, old, by: new)
        batch.moves = [.init(from: from, to: state.putIn(new, slot), old: old, new: new)]
        return batch
    }

    @inlinable
    mutating func removeSectionIfEmpty(of element: Element, _ batch: inout Batch<Element>) {
        guard state.isEmptySection(element.sectionKey) else { return }
        let place = state.place(of: element.sectionKey)
        batch.sectionDeletions = [.init(index: state.removeSection(place).index, key: place.key, rank: place.rank)]
    }

    @inlinable
    mutating func insertSectionIfMissing(of element: Element, _ batch: inout Batch<Element>) {
        guard !state.hasSection(element.sectionKey) else { return }
        let place = state.place(of: element.sectionKey)
        let index = state.insertSection(SectionEntry(place))
        batch.sectionInsertions = [.init(index: index, key: place.key, rank: place.rank)]
    }
}
