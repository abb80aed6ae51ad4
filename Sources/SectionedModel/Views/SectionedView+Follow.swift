extension SectionedView {
    /// Shows another state of the collection, whatever the differences are. Readers of the view must
    /// discard what they have. O(n log n).
    ///
    /// - Throws: `unorderedKey`, and nothing is changed, if a key of the view does not equal itself.
    @inlinable
    public mutating func reset(to base: SectionedSnapshot<Base>) throws(ModelError) {
        var rows: [Element.SectionKey: [(entry: RowEntry<Element.SortKey>, id: Element.ID)]] = [:]
        var keys: [Element.SectionKey] = []
        try base.directory.forEach { (section) throws(ModelError) in
            try section.rows.forEach { (row) throws(ModelError) in
                guard let element = rule.shown(base.records[row.slot]) else { return }
                guard element.isOrdered else { throw .unorderedKey }
                if rows[element.sectionKey] == nil { keys.append(element.sectionKey) }
                rows[element.sectionKey, default: []].append(
                    (RowEntry(key: element.sortKey, slot: row.slot), element.id))
            }
        }
        let places = keys.map { place(of: $0, in: base) }.sorted()
        directory = Directory(
            sorted: places.map { place in
                let sorted = (rows[place.key] ?? []).sorted {
                    $0.entry.key < $1.entry.key || ($0.entry.key == $1.entry.key && $0.id < $1.id)
                }
                var section = SectionEntry<Element>(place)
                section.rows = CountedTree(sorted: sorted.map(\.entry))
                return section
            })
        state = base
    }

    /// Follows a batch of the collection, which led to `base`. Returns the batch of the visible
    /// rows; `nil` if they do not differ.
    ///
    /// Every batch must be followed, in order.
    ///
    /// - Throws: `badBatch`, and nothing is changed, if this batch does not lead from the state that is shown to
    ///   `base`; call `reset(to:)` then. `unorderedKey` if a key of the view does not equal itself.
    @inlinable
    public mutating func follow(
        _ batch: Batch<Base>, to base: SectionedSnapshot<Base>
    ) throws(ModelError) -> Batch<Element>? {
        guard base.sequence == state.sequence + 1 else {
            throw .badBatch("the view shows the state after batch \(state.sequence); this is batch \(base.sequence)")
        }
        var touched = try touchedRows(by: batch, in: base)
        let moving = touched.indices.filter { !touched[$0].keepsPlace }
        for index in moving {
            if let old = touched[index].old { takeOut(old) }
        }
        let changes = settleSections(leftBy: moving, touched, rule.ranked(batch), base)
        state = base
        for index in moving {
            if let new = touched[index].new, let slot = touched[index].slot { putIn(new, slot) }
        }
        for index in touched.indices {
            if let new = touched[index].new, let slot = touched[index].slot { touched[index].to = path(of: new, slot) }
        }
        let shown = Batch<Element>(touched, changes)
        if shown.isEmpty { return nil }
        batches += 1
        return shown
    }

    /// Returns the rows of a batch that are visible before or after it and differ, with their old paths.
    @inlinable
    func touchedRows(by batch: Batch<Base>, in base: SectionedSnapshot<Base>) throws(ModelError) -> [Touched] {
        var touched: [Touched] = []
        for record in batch.deletions { try touch(record.element, nil, base, &touched) }
        for record in batch.insertions { try touch(nil, record.element, base, &touched) }
        for record in batch.moves { try touch(record.old, record.new, base, &touched) }
        for record in batch.updates { try touch(record.old, record.new, base, &touched) }
        return touched
    }

    @inlinable
    func touch(
        _ old: Base?, _ new: Base?, _ base: SectionedSnapshot<Base>, _ touched: inout [Touched]
    ) throws(ModelError) {
        guard let id = (old ?? new)?.id else { return }
        let (left, came) = (state.slot(of: id), base.slot(of: id))
        guard left.map({ state.records[$0] }) == old, came.map({ base.records[$0] }) == new, let slot = left ?? came
        else { throw .badBatch("the view's collection did not apply the batch") }
        let (before, after) = (rule.shown(old), rule.shown(new))
        guard before != after else { return }
        if let after, !after.isOrdered { throw .unorderedKey }
        var row = Touched(old: before, slot: slot, new: after, hash: 0)
        row.from = before.flatMap { path(of: $0, slot) }
        if before != nil, row.from == nil {
            throw .badBatch("the view does not show an element at its place in the batch")
        }
        touched.append(row)
    }

    // MARK: - Trees

    @inlinable
    mutating func takeOut(_ element: Element) {
        let row = ViewPlace(of: element, in: state.records)
        _ = directory.modify(at: place(of: element.sectionKey, in: state), recent: &recentSection) {
            $0.rows.remove(at: row).index
        }
    }

    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot) {
        let row = ViewPlace(of: element, in: state.records)
        let entry = RowEntry(key: element.sortKey, slot: slot)
        _ = directory.modify(at: place(of: element.sectionKey, in: state), recent: &recentSection) {
            $0.rows.insert(entry, at: row)
        }
    }

    /// Removes the sections that lost all their rows and get none, inserts those that are missing, and applies the
    /// ranks that the collection set. Called after rows are removed and before rows are inserted.
    @inlinable
    mutating func settleSections(
        leftBy moving: [Int], _ touched: [Touched], _ ranked: [Element.SectionKey], _ base: SectionedSnapshot<Base>
    ) -> SectionedCollection<Element>.SectionChanges {
        var changes = SectionedCollection<Element>.SectionChanges()
        let left = SectionedCollection<Element>.distinct(moving.compactMap { touched[$0].old?.sectionKey })
        let entered = SectionedCollection<Element>.distinct(moving.compactMap { touched[$0].new?.sectionKey })
        for key in left where !SectionedCollection<Element>.contains(key, in: entered) {
            let place = place(of: key, in: state)
            guard directory.withEntry(at: place, { $1.rows.isEmpty }) == true else { continue }
            changes.deletions.append(.init(index: directory.rank(of: place), key: key, rank: place.rank))
        }
        let gone = Set(changes.deletions.map(\.key))
        for key in ranked where !gone.contains(key) {
            let (old, new) = (place(of: key, in: state), place(of: key, in: base))
            guard old.rank != new.rank, let index = directory.withEntry(at: old, { index, _ in index }) else {
                continue
            }
            changes.moves.append(.init(from: index, to: index, key: key, oldRank: old.rank, newRank: new.rank))
        }
        for change in changes.deletions { directory.remove(at: SectionPlace(rank: change.rank, key: change.key)) }
        let moved = changes.moves.map { directory.remove(at: SectionPlace(rank: $0.oldRank, key: $0.key)).entry }
        for section in moved {
            let place = place(of: section.place.key, in: base)
            directory.insert(section.placed(at: place), at: place)
        }
        let missing = entered.map { place(of: $0, in: base) }.filter {
            directory.withEntry(at: $0) { _, _ in true } == nil
        }
        for place in missing { directory.insert(SectionEntry(place), at: place) }
        for place in missing {
            changes.insertions.append(.init(index: directory.rank(of: place), key: place.key, rank: place.rank))
        }
        for index in changes.moves.indices {
            let place = place(of: changes.moves[index].key, in: base)
            changes.moves[index].to = directory.rank(of: place)
        }
        changes.sort()
        return changes
    }
}
