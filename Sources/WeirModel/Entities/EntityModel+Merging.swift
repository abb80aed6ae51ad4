// Many entities at once: each is looked up and compared in place, and only the rows that differ are written.
extension EntityModel {
    /// Makes the model contain exactly these entities. Missing ones are removed; known ones are merged, and are updates
    /// only if their contents differ afterwards. Throws `duplicateID` if two entities have the same unique value.
    ///
    /// In a manual order, the entities are in the order of the array afterwards, and as few rows move as possible.
    @discardableResult
    @inlinable
    public mutating func apply(difference entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        var merge = Merge(entities[...], replacing: self)
        try self.merge(&merge)
        return try become(&merge)
    }

    /// Makes the model contain exactly these entities, with the caller's comparison of contents: a known entity is not
    /// written if it is equal after the merge, and is reported if it is not.
    @discardableResult
    @inlinable
    public mutating func apply(
        difference entities: [Entity], areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) -> Batch<Row>? {
        var merge = Merge(entities[...], replacing: self)
        try self.merge(&merge, skips: true, areEqual)
        return try become(&merge)
    }

    /// The former name of `apply(difference:)`.
    @discardableResult
    @inlinable
    public mutating func applyingDifference(from entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        try apply(difference: entities)
    }

    /// The former name of `apply(difference:areEqual:)`.
    @discardableResult
    @inlinable
    public mutating func applyingDifference(
        from entities: [Entity], areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) -> Batch<Row>? {
        try apply(difference: entities, areEqual: areEqual)
    }

    /// Commits a merge of all entities, and removes the others.
    @inlinable
    mutating func become(_ merge: inout Merge) throws(ModelError) -> Batch<Row>? {
        if let index = merge.duplicate { throw .duplicateID(at: index) }
        if order.isManual { place(&merge) }
        let removals = Self.ids(of: shown, except: merge.shown) + Self.ids(of: hidden, except: merge.hidden)
        return try commit(merge, removing: removals, placement: order.isManual ? .labelled : .order)
    }

    @inlinable
    static func ids(of collection: SectionedCollection<Row>, except found: [Bool]) -> [Entity.UniqueValue] {
        found.indices.filter { !found[$0] }.compactMap { collection.state.records.element(in: Slot($0))?.id }
    }

    /// Commits a merge, and returns its batch unless nothing changed.
    @discardableResult
    @inlinable
    mutating func commit(
        _ merge: Merge, removing removals: [Entity.UniqueValue] = [], placement: Placement = .order
    ) throws(ModelError) -> Batch<Row>? {
        let batch = try commit(merge.rows, hiding: merge.failing, removing: removals, placement: placement)
        for (slot, entity) in merge.same { shown.state.records.pages[slot].element?.entity = entity }
        return batch
    }
}

extension EntityModel {
    /// Entities and the results of their merge with the rows of the model.
    @usableFromInline
    struct Merge {
        @usableFromInline let entities: ArraySlice<Entity>
        /// Whether the model will contain no others.
        @usableFromInline let replaces: Bool
        /// The new and the differing rows that pass the filter.
        @usableFromInline var rows: [Row] = []
        /// The rows that do not pass the filter.
        @usableFromInline var failing: [Row] = []
        /// The entities that are the same as before, to be stored all the same: the comparison may ignore a part.
        @usableFromInline var same: [(slot: Slot, entity: Entity)] = []
        /// The index of the first entity with the id of an earlier one. The merge ends before it.
        @usableFromInline var duplicate: Int?
        /// Whether the row in each slot was found. Empty unless the model will contain no others.
        @usableFromInline var shown: [Bool] = []
        @usableFromInline var hidden: [Bool] = []
        /// The other entities by the hash of their ids.
        @usableFromInline var positions = SlotTable()
        /// The rows that will be shown, in order, if the array decides their order.
        @usableFromInline var sequence: [(section: String, label: Int64?, source: Source)] = []
        @usableFromInline let isSequence: Bool

        @inlinable
        init(_ entities: ArraySlice<Entity>) {
            self.entities = entities
            replaces = false
            isSequence = false
        }

        @inlinable
        init(_ entities: ArraySlice<Entity>, replacing model: EntityModel) {
            self.entities = entities
            replaces = true
            shown = Array(repeating: false, count: model.shown.state.records.end)
            hidden = Array(repeating: false, count: model.hidden.state.records.end)
            isSequence = model.order.isManual
            if isSequence { sequence.reserveCapacity(entities.count) }
            same.reserveCapacity(min(entities.count, model.shown.count))
        }

        /// Where a row of the sequence comes from.
        @usableFromInline
        enum Source {
            /// The index of the entity in `rows`.
            case row(Int)
            /// The index of the entity in `same`.
            case same(Int)
            /// The slot of a row that is not written.
            case skipped(Slot)
        }

        /// Returns whether no earlier entity has this id.
        @inlinable
        mutating func isFirst(
            _ id: Entity.UniqueValue, _ hash: Int, at index: Int, shown slot: Slot?, hidden concealed: Slot?
        ) -> Bool {
            if replaces, let slot { return !exchange(&shown[Int(slot.number)], with: true) }
            if replaces, let concealed { return !exchange(&hidden[Int(concealed.number)], with: true) }
            if entities.count <= 8 { return !entities[..<index].contains { $0.uniqueValue == id } }
            let earlier = positions.slot(hash: hash) { entities[Int($0.number)].uniqueValue == id }
            if earlier == nil { positions.insert(Slot(index), hash: hash) }
            return earlier == nil
        }

        /// Appends a row to the sequence.
        @inlinable
        mutating func append(_ row: Row, labelled label: Int64?, _ source: Source) {
            if isSequence { sequence.append((row.sectionName, label, source)) }
        }
    }

    /// Merges the entities with the rows of the model.
    @inlinable
    mutating func merge(_ merge: inout Merge) throws(ModelError) {
        try self.merge(&merge, skips: false) { $0 == $1 && $1.hasSameContents(as: $0) }
    }

    /// Merges the entities with the rows of the model. If `skips`, equal rows are not written, and the others are
    /// always reported.
    @inlinable
    mutating func merge(
        _ merge: inout Merge, skips: Bool, _ areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) {
        var found: [SectionedCollection<Row>.Found] = []
        var start = merge.entities.startIndex
        while start < merge.entities.endIndex {
            let end = min(start + SectionedCollection<Row>.Found.together, merge.entities.endIndex)
            shown.find(merge.entities[start..<end], by: { $0.uniqueValue }, &found)
            for index in start..<end {
                try add(index, found[index - start], to: &merge, skips: skips, areEqual)
                if merge.duplicate != nil { return }
            }
            start = end
        }
    }

    @inlinable
    mutating func add(
        _ index: Int, _ found: SectionedCollection<Row>.Found, to merge: inout Merge, skips: Bool,
        _ areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) {
        let entity = merge.entities[index]
        let id = entity.uniqueValue
        let concealed = found.slot == nil && hidden.count > 0 ? hidden.state.slot(of: id, hash: found.hash) : nil
        guard merge.isFirst(id, found.hash, at: index, shown: found.slot, hidden: concealed) else {
            merge.duplicate = index
            return
        }
        guard let present = found.slot.map({ shown.state.records[$0] }) ?? concealed.map({ hidden.state.records[$0] })
        else { return add(newRow(entity), from: nil, to: &merge) }
        var merged = present.entity
        merged.update(with: entity)
        guard merged.uniqueValue == id else { throw .changedID }
        let isEqual = areEqual(present.entity, merged)
        if skips, isEqual {
            if let slot = found.slot { merge.append(present, labelled: present.label, .skipped(slot)) }
        } else if isEqual, let slot = found.slot, isInPlace(merged, present), filter?(merged) ?? true {
            merge.append(present, labelled: present.label, .same(merge.same.count))
            merge.same.append((slot, merged))
        } else {
            let row = try row(present, with: merged, isReported: skips)
            add(row, from: found.slot == nil ? nil : present, to: &merge)
        }
    }

    /// Adds a row to be written. `present` is the row that is shown, if any.
    @inlinable
    func add(_ row: Row, from present: Row?, to merge: inout Merge) {
        guard filter?(row.entity) ?? true else { return merge.failing.append(row) }
        let staysInSection = present?.sectionName == row.sectionName
        merge.append(row, labelled: staysInSection ? present?.label : nil, .row(merge.rows.count))
        merge.rows.append(row)
    }

    /// Returns whether an entity belongs where its row is.
    @inlinable
    func isInPlace(_ entity: Entity, _ row: Row) -> Bool {
        guard name(of: entity) == row.ownSectionName else { return false }
        return switch order.rule {
        case .manual: true
        case .keys(let key): key(entity) == row.sortKey.key
        case .comparing(let precedes): !precedes(entity, row.entity) && !precedes(row.entity, entity)
        }
    }

    /// Gives the rows labels that ascend in the order of the array, in each section. As few as possible differ.
    @inlinable
    func place(_ merge: inout Merge) {
        var groups: [String: Int] = [:]
        var members: [[Int]] = []
        for (index, member) in merge.sequence.enumerated() {
            if let group = groups[member.section] {
                members[group].append(index)
            } else {
                groups[member.section] = members.count
                members.append([index])
            }
        }
        for group in members {
            let present = group.map { LabelledSequence.Newcomer(gap: 0, present: merge.sequence[$0].label) }
            let labels = LabelledSequence(count: 0) { _ in 0 }.labelling(present).newcomers
            for (index, label) in zip(group, labels) where merge.sequence[index].label != label {
                place(merge.sequence[index].source, at: label, &merge)
            }
        }
    }

    @inlinable
    func place(_ source: Merge.Source, at label: Int64, _ merge: inout Merge) {
        switch source {
        case .row(let index): merge.rows[index].label = label
        case .skipped(let slot): merge.rows.append(shown.state.records[slot].labelled(label))
        case .same(let index):
            var row = shown.state.records[merge.same[index].slot].labelled(label)
            row.entity = merge.same[index].entity
            merge.rows.append(row)
        }
    }
}
