extension SectionedCollection {
    /// A section while the directory is rebuilt: the rows that stay, in order, and the rows to add.
    @usableFromInline
    struct Draft {
        @usableFromInline let key: Element.SectionKey
        @usableFromInline var oldIndex: Int?
        @usableFromInline var staying: [RowEntry<Element.SortKey>] = []
        @usableFromInline var coming: [RowEntry<Element.SortKey>] = []

        @inlinable
        init(_ key: Element.SectionKey, oldIndex: Int?) {
            self.key = key
            self.oldIndex = oldIndex
        }
    }

    /// Does what `replace` does by rebuilding the directory, which is cheaper if a large part of the rows
    /// is inserted, deleted or moved.
    @inlinable
    mutating func rebuild(_ touched: inout [Touched], _ ranks: [RankChange]) -> SectionChanges {
        var drafts = draftsOfOldState(&touched)
        state.slots.reserve(max(state.count, touched.count))
        record(&touched)
        let oldRanks = drafts.map { state.rank(of: $0.key) }
        for change in netRanks(ranks) { state.setRank(change.rank, of: change.key) }
        addComing(touched, to: &drafts)

        var changes = SectionChanges()
        for (draft, rank) in zip(drafts, oldRanks) where draft.isEmpty {
            changes.deletions.append(.init(index: draft.oldIndex ?? 0, key: draft.key, rank: rank))
        }
        let order = drafts.indices.filter { !drafts[$0].isEmpty }
            .map { (place: state.place(of: drafts[$0].key), draft: $0) }
            .sorted { $0.place < $1.place }
        for place in drafts.prefix(oldRanks.count).indices {
            state.count(SectionPlace(rank: oldRanks[place], key: drafts[place].key), -1)
        }
        var owners = Array(repeating: Int32(-1), count: state.records.end)
        for index in touched.indices {
            if touched[index].new != nil, let slot = touched[index].slot { owners[Int(slot.number)] = Int32(index) }
        }
        var sections: [SectionEntry<Element>] = []
        sections.reserveCapacity(order.count)
        for (index, (place, draft)) in order.enumerated() {
            if drafts[draft].oldIndex == nil {
                changes.insertions.append(.init(index: index, key: place.key, rank: place.rank))
            } else if oldRanks[draft] != place.rank {
                changes.moves.append(
                    .init(
                        from: drafts[draft].oldIndex ?? 0, to: index, key: place.key, oldRank: oldRanks[draft],
                        newRank: place.rank))
            }
            let rows = merged(&drafts[draft])
            for (item, row) in rows.enumerated() where owners[Int(row.slot.number)] >= 0 {
                touched[Int(owners[Int(row.slot.number)])].to = SectionPath(section: index, item: item)
            }
            var section = SectionEntry<Element>(place)
            section.rows = CountedTree(sorted: rows)
            sections.append(section)
            state.count(place, 1)
        }
        state.directory = CountedTree(sorted: sections)
        changes.sort()
        return changes
    }

    /// Returns the sections of the old state with the rows that keep their positions, and sets
    /// the old paths in `touched`.
    @inlinable
    func draftsOfOldState(_ touched: inout [Touched]) -> [Draft] {
        var owners = Array(repeating: Int32(-1), count: state.records.end)
        for index in touched.indices {
            if touched[index].old != nil, let slot = touched[index].slot { owners[Int(slot.number)] = Int32(index) }
        }
        var drafts: [Draft] = []
        drafts.reserveCapacity(state.sectionCount)
        state.directory.forEach { section in
            var draft = Draft(section.place.key, oldIndex: drafts.count)
            draft.staying.reserveCapacity(section.rows.count)
            var item = 0
            section.rows.forEach { row in
                let owner = Int(owners[Int(row.slot.number)])
                if owner >= 0 { touched[owner].from = SectionPath(section: drafts.count, item: item) }
                if owner < 0 || touched[owner].keepsPlace { draft.staying.append(row) }
                item += 1
            }
            drafts.append(draft)
        }
        return drafts
    }

    @inlinable
    func addComing(_ touched: [Touched], to drafts: inout [Draft]) {
        var numbers: [Element.SectionKey: Int] = [:]
        for index in drafts.indices { numbers[drafts[index].key] = index }
        for change in touched where !change.keepsPlace {
            guard let new = change.new, let slot = change.slot else { continue }
            let key = new.sectionKey
            let number: Int
            if let known = numbers[key] {
                number = known
            } else {
                number = drafts.count
                numbers[key] = number
                drafts.append(Draft(key, oldIndex: nil))
            }
            drafts[number].coming.append(RowEntry(key: new.sortKey, slot: slot))
        }
    }

    /// Returns all rows of a section, in order.
    @inlinable
    func merged(_ draft: inout Draft) -> [RowEntry<Element.SortKey>] {
        let records = state.records
        func precedes(_ a: RowEntry<Element.SortKey>, _ b: RowEntry<Element.SortKey>) -> Bool {
            a.key < b.key || (a.key == b.key && records[a.slot].id < records[b.slot].id)
        }
        draft.coming.sort(by: precedes)
        if draft.staying.isEmpty { return draft.coming }
        if draft.coming.isEmpty { return draft.staying }
        var rows: [RowEntry<Element.SortKey>] = []
        rows.reserveCapacity(draft.staying.count + draft.coming.count)
        var coming = 0
        for row in draft.staying {
            while coming < draft.coming.count, precedes(draft.coming[coming], row) {
                rows.append(draft.coming[coming])
                coming += 1
            }
            rows.append(row)
        }
        return rows + draft.coming[coming...]
    }
}

extension SectionedCollection.Draft {
    @inlinable
    var isEmpty: Bool { staying.isEmpty && coming.isEmpty }
}
