// The operations of `EntityModel`, each reported as one change.
extension ObservedModel {
    /// The batch that an operation returns.
    public typealias Changes = Batch<EntityRow<Entity>>

    /// Loads entities without a call to observers. Throws `duplicateID` if two entities have the same unique value.
    @discardableResult
    @inlinable
    public func fetch(_ entities: [Entity]) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fetch(entities) }
    }

    /// Inserts entities, and merges those that are known.
    @discardableResult
    @inlinable
    public func insert(_ entities: [Entity]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entities) }
    }

    /// Inserts an entity, or merges it if it is known.
    @discardableResult
    @inlinable
    public func insert(_ entity: Entity) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entity) }
    }

    /// Inserts an entity at a path, or merges it and moves it there; see `EntityModel.insert(_:at:)`.
    @discardableResult
    @inlinable
    public func insert(_ entity: Entity, at path: SectionPath) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entity, at: path) }
    }

    /// Moves the entity at a path; see `EntityModel.move(at:to:)`. A move is user-driven if the user has already
    /// dragged the row there; observers are then not notified.
    @discardableResult
    @inlinable
    public func move(
        at path: SectionPath, to target: SectionPath, isUserDriven: Bool = false
    ) throws(ModelError) -> Changes? {
        try apply(isSilent: isUserDriven) { model throws(ModelError) in try model.move(at: path, to: target) }
    }

    /// Changes the entity at a path.
    @discardableResult
    @inlinable
    public func update(at path: SectionPath, _ mutate: (inout Entity) -> Void) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.update(at: path, mutate) }
    }

    /// Changes the entity with this unique value, whether it passes the filter or not.
    @discardableResult
    @inlinable
    public func update(
        withUniqueValue value: Entity.UniqueValue, _ mutate: (inout Entity) -> Void
    ) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.update(withUniqueValue: value, mutate) }
    }

    /// Changes the model's entity with the same unique value as `entity`. The contents of `entity` are not used.
    @discardableResult
    @inlinable
    public func update(_ entity: Entity, _ mutate: (inout Entity) -> Void) throws(ModelError) -> Changes? {
        try update(withUniqueValue: entity.uniqueValue, mutate)
    }

    /// Makes the model contain exactly these entities; see `EntityModel.applyingDifference(from:)`.
    @discardableResult
    @inlinable
    public func applyingDifference(from entities: [Entity]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.applyingDifference(from: entities) }
    }
}

// MARK: - Removing

extension ObservedModel {
    /// Removes the entity at a path.
    @discardableResult
    @inlinable
    public func remove(at path: SectionPath) throws(ModelError) -> Changes? { try remove(at: [path]) }

    /// Removes the entities at several paths, which all refer to the state before.
    @discardableResult
    @inlinable
    public func remove(at paths: [SectionPath]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.remove(at: paths) }
    }

    /// Removes the entity with the same unique value as `entity`.
    @discardableResult
    @inlinable
    public func remove(_ entity: Entity) throws(ModelError) -> Changes? { try remove([entity]) }

    /// Removes the entities with the same unique values as `entities`. If one is unknown, none is removed.
    @discardableResult
    @inlinable
    public func remove(_ entities: [Entity]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.remove(entities) }
    }

    /// Removes the entity with this unique value, whether it passes the filter or not.
    @discardableResult
    @inlinable
    public func remove(withUniqueValue value: Entity.UniqueValue) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.remove(withUniqueValue: value) }
    }

    /// Removes all entities of a section.
    @discardableResult
    @inlinable
    public func removeSection(at index: Int) throws(ModelError) -> Changes? { try removeSections(at: [index]) }

    /// Removes all entities of several sections, whose indices all refer to the state before.
    @discardableResult
    @inlinable
    public func removeSections(at indices: [Int]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.removeSections(at: indices) }
    }

    /// Removes all entities, including those that do not pass the filter.
    @discardableResult
    @inlinable
    public func removeAll() -> Changes? { apply { model in model.removeAll() } }
}

// MARK: - Order, sections and filter

extension ObservedModel {
    /// Changes the order of the entities in every section.
    @discardableResult
    @inlinable
    public func sortEntities(by order: EntityOrder<Entity>) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.sortEntities(by: order) }
    }

    /// Sorts the entities of one section, once; only useful in a manual order.
    @discardableResult
    @inlinable
    public func sortEntities(
        atSection section: Int, by order: EntityOrder<Entity>
    ) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.sortEntities(atSection: section, by: order) }
    }

    /// Changes the order of the sections.
    @discardableResult
    @inlinable
    public func sortSections(by order: SectionOrder<Entity>) -> Changes? {
        apply { model in model.sortSections(by: order) }
    }

    /// Groups the entities by another section key; `nil` makes one section.
    @discardableResult
    @inlinable
    public func groupEntities(bySectionKey key: String?) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.groupEntities(bySectionKey: key) }
    }

    /// Changes the filter; `nil` shows all entities. Those that do not pass remain known.
    @discardableResult
    @inlinable
    public func filterEntities(by isIncluded: (@Sendable (Entity) -> Bool)?) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.filterEntities(by: isIncluded) }
    }
}

// MARK: - Faults

extension ObservedModel where Entity: FaultableEntity {
    /// Drops the heavy properties of a section's entities in `items`, without a call to observers.
    @discardableResult
    @inlinable
    public func fault(at section: Int, in items: Range<Int>) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fault(at: section, in: items) }
    }

    /// Loads the dropped properties of a section's entities in `items` again, without a call to observers.
    @discardableResult
    @inlinable
    public func fire(at section: Int, in items: Range<Int>) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fire(at: section, in: items) }
    }
}
