// MARK: - Loading and inserting

extension EntityModel {
    /// Loads entities as `insert(_:)` does, but throws `duplicateID` if two of them have the same unique value.
    ///
    /// A model with observers does not call them for it: views load the list from the model afterwards.
    @discardableResult
    @inlinable
    public mutating func fetch(_ entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        var merge = Merge(entities[...])
        try self.merge(&merge)
        if let index = merge.duplicate { throw .duplicateID(at: index) }
        return try commit(merge)
    }

    /// Inserts entities, and merges those that are known.
    @discardableResult
    @inlinable
    public mutating func insert(_ entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        var merge = Merge(entities[...])
        try self.merge(&merge)
        guard merge.duplicate != nil else { return try commit(merge) }
        // A second entity with an id is merged into what the first one left.
        return try perform { model throws(ModelError) in
            var rest = entities[...]
            while !rest.isEmpty {
                var run = Merge(rest)
                try model.merge(&run)
                try model.commit(run)
                rest = rest[(run.duplicate ?? rest.endIndex)...]
            }
        }
    }

    /// Inserts an entity, or merges it if it is known.
    @discardableResult
    @inlinable
    public mutating func insert(_ entity: Entity) throws(ModelError) -> Batch<Row>? {
        try commit([merged(entity, into: row(of: entity.uniqueValue))])
    }

    /// Inserts an entity at a path, or merges it and moves it there.
    ///
    /// The entity goes to the section with this index, whatever section it names. The index after the last section
    /// means the section that the entity names, if that does not exist yet. In a manual order, the entity is placed
    /// before the item with this index among the others of the section; any other order determines the position itself.
    @discardableResult
    @inlinable
    public mutating func insert(_ entity: Entity, at path: SectionPath) throws(ModelError) -> Batch<Row>? {
        var row = try merged(entity, into: row(of: entity.uniqueValue))
        if path.section == numberOfSections, shown.sectionIndex(of: row.ownSectionName) == nil {
            guard path.item == 0 else { throw .noElement(path) }
            row.sectionName = row.ownSectionName
            return try commit([row])
        }
        return try put(row, at: path)
    }

    /// Returns the row after a merge with the entity, or a new row.
    @inlinable
    mutating func merged(_ entity: Entity, into row: Row?) throws(ModelError) -> Row {
        guard let row else { return newRow(entity) }
        var merged = row.entity
        merged.update(with: entity)
        return try self.row(row, with: merged)
    }

    /// Writes a row into a section that exists.
    @inlinable
    mutating func put(_ row: Row, at path: SectionPath) throws(ModelError) -> Batch<Row>? {
        guard let name = shown.sectionKey(at: path.section) else { throw .noSection(path.section) }
        let isThere = shown.path(of: row.id)?.section == path.section
        let others = shown.elementCount(at: path.section) - (isThere ? 1 : 0)
        guard path.item >= 0, path.item <= others else { throw .noElement(path) }
        var row = row
        row.sectionName = name
        return try commit([row], placement: order.isManual ? .item(path.item) : .order)
    }
}

// MARK: - Moving and updating

extension EntityModel {
    /// Moves the entity at a path.
    ///
    /// The entity goes to the section that has the index `target.section` before the move. In a manual order, it is
    /// placed before the item with the index `target.item` among the others; any other order determines the position
    /// itself. A row that was moved into another section stays there until its entity names another section than now. A
    /// section that becomes empty is deleted.
    @discardableResult
    @inlinable
    public mutating func move(at path: SectionPath, to target: SectionPath) throws(ModelError) -> Batch<Row>? {
        try put(row(at: path), at: target)
    }

    /// Changes the entity at a path. The row is reported even if its contents are the same afterwards.
    @discardableResult
    @inlinable
    public mutating func update(
        at path: SectionPath, _ mutate: (inout Entity) -> Void
    ) throws(ModelError) -> Batch<Row>? {
        try update(row(at: path), mutate)
    }

    /// Changes the entity with this unique value, whether it passes the filter or not.
    @discardableResult
    @inlinable
    public mutating func update(
        withUniqueValue value: Entity.UniqueValue, _ mutate: (inout Entity) -> Void
    ) throws(ModelError) -> Batch<Row>? {
        guard let row = row(of: value) else { throw .unknownID }
        return try update(row, mutate)
    }

    /// Changes the model's entity with the same unique value as `entity`. The contents of `entity` are not used.
    @discardableResult
    @inlinable
    public mutating func update(
        _ entity: Entity, _ mutate: (inout Entity) -> Void
    ) throws(ModelError) -> Batch<Row>? {
        try update(withUniqueValue: entity.uniqueValue, mutate)
    }

    @inlinable
    mutating func update(_ row: Row, _ mutate: (inout Entity) -> Void) throws(ModelError) -> Batch<Row>? {
        var entity = row.entity
        mutate(&entity)
        return try commit([self.row(row, with: entity, isReported: true)])
    }
}

// MARK: - Removing

extension EntityModel {
    /// Removes the entity at a path.
    @discardableResult
    @inlinable
    public mutating func remove(at path: SectionPath) throws(ModelError) -> Batch<Row>? { try remove(at: [path]) }

    /// Removes the entities at several paths, which all refer to the state before.
    @discardableResult
    @inlinable
    public mutating func remove(at paths: [SectionPath]) throws(ModelError) -> Batch<Row>? {
        var ids: [Entity.UniqueValue] = []
        for path in paths { ids.append(try row(at: path).id) }
        return try commit([], removing: ids)
    }

    /// Removes the entity with the same unique value as `entity`.
    @discardableResult
    @inlinable
    public mutating func remove(_ entity: Entity) throws(ModelError) -> Batch<Row>? {
        try remove(withUniqueValue: entity.uniqueValue)
    }

    /// Removes the entities with the same unique values as `entities`. If one is unknown, none is removed.
    @discardableResult
    @inlinable
    public mutating func remove(_ entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        for entity in entities where row(of: entity.uniqueValue) == nil { throw .unknownID }
        return try commit([], removing: entities.map(\.uniqueValue))
    }

    /// Removes the entity with this unique value, whether it passes the filter or not.
    @discardableResult
    @inlinable
    public mutating func remove(withUniqueValue value: Entity.UniqueValue) throws(ModelError) -> Batch<Row>? {
        guard row(of: value) != nil else { throw .unknownID }
        return try commit([], removing: [value])
    }

    /// Removes all entities of a section.
    @discardableResult
    @inlinable
    public mutating func removeSection(at index: Int) throws(ModelError) -> Batch<Row>? {
        try removeSections(at: [index])
    }

    /// Removes all entities of several sections, whose indices all refer to the state before.
    @discardableResult
    @inlinable
    public mutating func removeSections(at indices: [Int]) throws(ModelError) -> Batch<Row>? {
        var ids: [Entity.UniqueValue] = []
        for index in indices {
            guard shown.sectionKey(at: index) != nil else { throw .noSection(index) }
            ids += shown.elements(at: index).map(\.id)
        }
        return try commit([], removing: ids)
    }

    /// Removes all entities, including those that do not pass the filter.
    @discardableResult
    @inlinable
    public mutating func removeAll() -> Batch<Row>? {
        for row in Self.rows(of: shown) { shown.remove(row.id) }
        for row in Self.rows(of: hidden) { hidden.remove(row.id) }
        _ = hidden.commit()
        let batch = shown.commit()
        if let batch { forgetRanks(batch.sectionDeletions) }
        return record(batch)
    }

    @inlinable
    static func rows(of collection: SectionedCollection<Row>) -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(collection.count)
        collection.forEachElement { _, row in rows.append(row) }
        return rows
    }
}

extension EntityModel where Entity: FaultableEntity {
    /// Drops the heavy properties of a section's entities in `items`, unless they are dropped already.
    ///
    /// The rows keep their positions, which do not depend on these properties. A model with
    /// observers does not call them for it.
    @discardableResult
    @inlinable
    public mutating func fault(at section: Int, in items: Range<Int>) throws(ModelError) -> Batch<Row>? {
        try change(items, of: section) { entity in
            guard !entity.isFault else { return false }
            entity.fault()
            return true
        }
    }

    /// Loads the dropped properties of a section's entities in `items` again.
    @discardableResult
    @inlinable
    public mutating func fire(at section: Int, in items: Range<Int>) throws(ModelError) -> Batch<Row>? {
        try change(items, of: section) { entity in
            guard entity.isFault else { return false }
            entity.fire()
            return true
        }
    }

    @inlinable
    mutating func change(
        _ items: Range<Int>, of section: Int, _ body: (inout Entity) -> Bool
    ) throws(ModelError) -> Batch<Row>? {
        guard shown.sectionKey(at: section) != nil else { throw .noSection(section) }
        var rows: [Row] = []
        for item in items {
            var row = try row(at: SectionPath(section: section, item: item))
            let id = row.id
            guard body(&row.entity) else { continue }
            guard row.id == id else { throw .changedID }
            row.revision &+= 1
            rows.append(row)
        }
        do throws(ModelError) {
            for row in rows { try shown.upsert(row) }
        } catch {
            shown.rollBack()
            throw error
        }
        return record(shown.commit())
    }
}
