// Changes that affect the whole model at once. Everything is evaluated again, and the differences are one batch.
extension EntityModel {
    /// Changes the order of the entities in every section.
    ///
    /// Entities that are equal in the new order keep their relative order. A manual order
    /// leaves all entities where they are.
    @discardableResult
    @inlinable
    public mutating func sortEntities(by order: EntityOrder<Entity>) throws(ModelError) -> Batch<Row>? {
        let before = self.order
        entityRule = order
        do throws(ModelError) {
            return try rewrite(placement: order.isManual ? .given : .order) { row in
                row.sortKey.key = order.key(of: row.entity)
            }
        } catch {
            entityRule = before
            throw error
        }
    }

    /// Sorts the entities of one section, once. This is only useful in a manual order: any other
    /// determines the positions itself.
    @discardableResult
    @inlinable
    public mutating func sortEntities(
        atSection section: Int, by order: EntityOrder<Entity>
    ) throws(ModelError) -> Batch<Row>? {
        guard shown.sectionKey(at: section) != nil else { throw .noSection(section) }
        guard self.order.isManual else { return nil }
        let rows = shown.elements(at: section).sorted { order.precedes($0.entity, $1.entity) }
        return try commit(rows, placement: .given)
    }

    /// Groups the entities by another section key; `nil` makes one section. Rows that were moved into a section by hand
    /// return to the section that their entity names.
    @discardableResult
    @inlinable
    public mutating func groupEntities(bySectionKey key: String?) throws(ModelError) -> Batch<Row>? {
        try groupEntities(by: Self.naming(by: key))
    }

    /// Groups the entities by another section name; a `nil` name and an empty one are the same. A
    /// `nil` function makes one section.
    @discardableResult
    @inlinable
    public mutating func groupEntities(
        by name: (@Sendable (Entity) -> String?)?
    ) throws(ModelError) -> Batch<Row>? {
        sectionName = name
        return try rewrite(placement: .order) { row in
            row.ownSectionName = name?(row.entity) ?? ""
            row.sectionName = row.ownSectionName
        }
    }

    /// Changes the filter; `nil` shows all entities. Those that do not pass remain known.
    @discardableResult
    @inlinable
    public mutating func filterEntities(
        by isIncluded: (@Sendable (Entity) -> Bool)?
    ) throws(ModelError) -> Batch<Row>? {
        filter = isIncluded
        var leaving = Self.rows(of: shown)
        leaving.removeAll { isIncluded?($0.entity) ?? true }
        return try commit(leaving + Self.rows(of: hidden))
    }

    /// Changes all rows and writes them again.
    @inlinable
    mutating func rewrite(
        placement: Placement, _ change: (inout Row) -> Void
    ) throws(ModelError) -> Batch<Row>? {
        var rows = Self.rows(of: shown) + Self.rows(of: hidden)
        for index in rows.indices { change(&rows[index]) }
        return try commit(rows, placement: placement)
    }
}

extension EntityModel {
    /// Makes the model contain exactly these entities. Missing ones are removed; known ones are merged, and are updates
    /// only if their contents differ afterwards. Throws `duplicateID` if two entities have the same unique value.
    ///
    /// In a manual order, the entities are in the order of the array afterwards, and as few rows move as possible.
    @discardableResult
    @inlinable
    public mutating func applyingDifference(from entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        try applyingDifference(from: entities) { $0 == $1 }
    }

    /// Makes the model contain exactly these entities, with the caller's comparison of contents.
    @discardableResult
    @inlinable
    public mutating func applyingDifference(
        from entities: [Entity], areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) -> Batch<Row>? {
        try Self.checkDistinct(entities)
        var absent: Set<Entity.UniqueValue> = []
        let known = Self.rows(of: shown) + Self.rows(of: hidden)
        for row in known { absent.insert(row.id) }
        var rows: [Row] = []
        for entity in entities {
            absent.remove(entity.uniqueValue)
            let present = row(of: entity.uniqueValue)
            let row = try merged(entity, into: present)
            if let present, areEqual(present.entity, row.entity) {
                // A manual order needs all rows, to find those that move.
                if order.isManual { rows.append(present) }
            } else {
                rows.append(row)
            }
        }
        let removals = known.filter { absent.contains($0.id) }.map(\.id)
        return try commit(rows, removing: removals, placement: order.isManual ? .given : .order)
    }
}
