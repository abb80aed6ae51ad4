extension SectionedCollection {
    /// One id of a transaction: its element and path before and after.
    @usableFromInline
    struct Touched {
        @usableFromInline var old: Element?
        /// The slot of the old element, then of the new one.
        @usableFromInline var slot: Slot?
        @usableFromInline var new: Element?
        /// The hash of the element's id.
        @usableFromInline let hash: Int
        /// The path in the old state. `replace` sets it for an `old` element, unless it is already known.
        @usableFromInline var from: SectionPath?
        /// The path in the new state. `replace` sets it for a `new` element.
        @usableFromInline var to: SectionPath?

        @inlinable
        init(old: Element?, slot: Slot?, new: Element?, hash: Int) {
            self.old = old
            self.slot = slot
            self.new = new
            self.hash = hash
        }

        /// Whether the row keeps its position in the order.
        @inlinable
        var keepsPlace: Bool {
            guard let old, let new else { return false }
            return old.sharesPlace(with: new)
        }
    }

    /// The sections that were deleted, inserted, or given another rank.
    @usableFromInline
    struct SectionChanges {
        @usableFromInline var deletions: [Batch<Element>.SectionChange] = []
        @usableFromInline var insertions: [Batch<Element>.SectionChange] = []
        @usableFromInline var moves: [Batch<Element>.SectionMove] = []

        @inlinable
        init() {}
    }

    @usableFromInline typealias RankChange = (key: Element.SectionKey, rank: Int64)

    /// Leads from the state with the old elements and ranks to the state with the new ones, and sets slots and paths.
    ///
    /// Ids must be distinct, and the old elements must be those of the state. Old paths are found before any row is
    /// removed, new paths after all rows are inserted, so each path is final.
    @inlinable
    mutating func replace(_ touched: inout [Touched], _ ranks: [RankChange]) -> SectionChanges {
        let moving = touched.indices.filter { !touched[$0].keepsPlace }
        if moving.count > max(64, state.count / 4) { return rebuild(&touched, ranks) }
        for index in touched.indices where touched[index].from == nil {
            touched[index].from = state.path(of: touched[index].old, slot: touched[index].slot)
        }
        for index in moving {
            if let old = touched[index].old, let slot = touched[index].slot { _ = state.takeOut(old, slot) }
        }
        let changes = settleSections(leftBy: moving, touched, ranks)
        record(&touched)
        for index in moving {
            if let new = touched[index].new, let slot = touched[index].slot { _ = state.putIn(new, slot) }
        }
        let arePathsKept = moving.isEmpty && changes.moves.isEmpty
        for index in touched.indices {
            touched[index].to =
                arePathsKept ? touched[index].from : state.path(of: touched[index].new, slot: touched[index].slot)
        }
        return changes
    }

    /// Stores the elements in the records, and assigns slots to new ones.
    @inlinable
    mutating func record(_ touched: inout [Touched]) {
        for index in touched.indices {
            let hash = touched[index].hash
            switch (touched[index].new, touched[index].old == nil ? nil : touched[index].slot) {
            case (let new?, let slot?): state.replace(slot, by: new)
            case (nil, let slot?): state.drop(slot, hash: hash, freeSlots: &freeSlots)
            case (let new?, nil): touched[index].slot = state.add(new, hash: hash, freeSlots: &freeSlots)
            case (nil, nil): preconditionFailure("an element without a slot")
            }
        }
    }

    /// Removes the sections that lost all their rows and get none, inserts those that are missing, and sets ranks.
    ///
    /// Called after rows are removed and before rows are inserted. Old indices are found before any section is removed,
    /// new ones after all are inserted.
    @inlinable
    mutating func settleSections(
        leftBy moving: [Int], _ touched: [Touched], _ ranks: [RankChange]
    ) -> SectionChanges {
        var changes = SectionChanges()
        let left = Self.distinct(moving.compactMap { touched[$0].old?.sectionKey })
        let entered = Self.distinct(moving.compactMap { touched[$0].new?.sectionKey })
        for key in left where state.isEmptySection(key) && !Self.contains(key, in: entered) {
            let place = state.place(of: key)
            changes.deletions.append(.init(index: state.directory.rank(of: place), key: key, rank: place.rank))
        }
        let gone = Set(changes.deletions.map(\.key))
        let ranked = netRanks(ranks)
        for change in ranked where !gone.contains(change.key) {
            guard let index = state.sectionIndex(of: change.key) else { continue }
            let oldRank = state.rank(of: change.key)
            changes.moves.append(.init(from: index, to: index, key: change.key, oldRank: oldRank, newRank: change.rank))
        }
        for change in changes.deletions { _ = state.removeSection(state.place(of: change.key)) }
        let moved = changes.moves.map { state.removeSection(state.place(of: $0.key)).entry }
        for change in ranked { state.setRank(change.rank, of: change.key) }
        for section in moved { state.insertSection(section.placed(at: state.place(of: section.place.key))) }
        let missing = entered.filter { !state.hasSection($0) }
        for key in missing { state.insertSection(SectionEntry(state.place(of: key))) }
        for key in missing {
            let place = state.place(of: key)
            changes.insertions.append(.init(index: state.directory.rank(of: place), key: key, rank: place.rank))
        }
        for index in changes.moves.indices {
            changes.moves[index].to = state.directory.rank(of: state.place(of: changes.moves[index].key))
        }
        changes.sort()
        return changes
    }

    /// Returns, for each key, the last requested rank if it differs from the current one.
    @inlinable
    func netRanks(_ ranks: [RankChange]) -> [RankChange] {
        guard !ranks.isEmpty else { return [] }
        var last: [Element.SectionKey: Int64] = [:]
        for change in ranks { last[change.key] = change.rank }
        return Self.distinct(ranks.map(\.key)).compactMap { key in
            guard let rank = last[key], rank != state.rank(of: key) else { return nil }
            return (key, rank)
        }
    }

    /// Returns the keys in ascending order, each once.
    @inlinable
    static func distinct(_ keys: [Element.SectionKey]) -> [Element.SectionKey] {
        var distinct: [Element.SectionKey] = []
        for key in keys.sorted() where key != distinct.last { distinct.append(key) }
        return distinct
    }

    @inlinable
    static func contains(_ key: Element.SectionKey, in keys: [Element.SectionKey]) -> Bool {
        let index = partitionPoint(keys.count) { keys[$0] < key }
        return index < keys.count && keys[index] == key
    }
}

extension SectionedCollection.SectionChanges {
    @inlinable
    mutating func sort() {
        deletions.sort { $0.index < $1.index }
        insertions.sort { $0.index < $1.index }
        moves.sort { $0.to < $1.to }
    }
}

extension SectionEntry {
    /// Returns the same rows at another position of the directory.
    @inlinable
    func placed(at place: SectionPlace<Element.SectionKey>) -> SectionEntry {
        var section = SectionEntry(place)
        section.rows = rows
        return section
    }
}

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
        for index in touched.indices where !touched[index].keepsPlace {
            guard let new = touched[index].new, let slot = touched[index].slot else { continue }
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
