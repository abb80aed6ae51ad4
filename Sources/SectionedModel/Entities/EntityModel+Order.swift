// What changes for the whole model at once. Everything is looked at again, and what differs is one batch.
extension EntityModel {
    /// Orders the entities of every section otherwise from now on.
    ///
    /// Entities that the new order holds equal stay as they stand. A manual order leaves all as they stand.
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

    /// Puts the entities of one section into an order, once. Of use in a manual order only: any other says itself where
    /// entities stand.
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

    /// Groups the entities by another section key from now on; nil makes one section. Rows that were moved into a section by
    /// hand go where they belong.
    @discardableResult
    @inlinable
    public mutating func groupEntities(bySectionKey key: String?) throws(ModelError) -> Batch<Row>? {
        try groupEntities(by: Self.naming(by: key))
    }

    /// Groups the entities by another name from now on, nil and the empty name being the same; nil makes one section.
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

    /// Filters the entities otherwise from now on; nil shows them all. Those that do not pass stay known.
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

    /// Writes all rows anew.
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
    /// Makes the model hold exactly these entities: what is not among them is removed, what is known is merged, and is an
    /// update only when its contents differ after that. Two entities with the same unique value are an error.
    ///
    /// In a manual order they stand in the order of the array afterwards, and as few rows move as possible.
    @discardableResult
    @inlinable
    public mutating func applyingDifference(from entities: [Entity]) throws(ModelError) -> Batch<Row>? {
        try applyingDifference(from: entities) { $0 == $1 }
    }

    /// The same with a comparison of your own for whether contents are equal.
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
                // A manual order needs them all, to find who moves.
                if order.isManual { rows.append(present) }
            } else {
                rows.append(row)
            }
        }
        let removals = known.filter { absent.contains($0.id) }.map(\.id)
        return try commit(rows, removing: removals, placement: order.isManual ? .given : .order)
    }
}
