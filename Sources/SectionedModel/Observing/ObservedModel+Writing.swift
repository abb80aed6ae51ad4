// The operations of `EntityModel`, each told as one change.
extension ObservedModel {
    /// What an operation gives.
    public typealias Changes = Batch<EntityRow<Entity>>

    /// Loads entities; observers are not told. Two with the same unique value are an error.
    @discardableResult
    @inlinable
    public func fetch(_ entities: [Entity]) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fetch(entities) }
    }

    /// Inserts entities; those that are known are merged.
    @discardableResult
    @inlinable
    public func insert(_ entities: [Entity]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entities) }
    }

    /// Inserts an entity, or merges it when it is known.
    @discardableResult
    @inlinable
    public func insert(_ entity: Entity) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entity) }
    }

    /// Inserts an entity at a place, or merges it and moves it there; see `EntityModel.insert(_:at:)`.
    @discardableResult
    @inlinable
    public func insert(_ entity: Entity, at path: SectionPath) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.insert(entity, at: path) }
    }

    /// Moves the entity at a path; see `EntityModel.move(at:to:)`. What a user has dragged where it is now is user-driven, and
    /// observers are not told.
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

    /// Changes an entity, known by its unique value: the model's, not the one that is given.
    @discardableResult
    @inlinable
    public func update(_ entity: Entity, _ mutate: (inout Entity) -> Void) throws(ModelError) -> Changes? {
        try update(withUniqueValue: entity.uniqueValue, mutate)
    }

    /// Makes the model hold exactly these entities; see `EntityModel.applyingDifference(from:)`.
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

    /// Removes the entities at some paths, which are all of the state before.
    @discardableResult
    @inlinable
    public func remove(at paths: [SectionPath]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.remove(at: paths) }
    }

    /// Removes an entity, known by its unique value.
    @discardableResult
    @inlinable
    public func remove(_ entity: Entity) throws(ModelError) -> Changes? { try remove([entity]) }

    /// Removes some entities, known by their unique values. When one is unknown, none is removed.
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

    /// Removes all entities that stand in a section.
    @discardableResult
    @inlinable
    public func removeSection(at index: Int) throws(ModelError) -> Changes? { try removeSections(at: [index]) }

    /// Removes all entities that stand in some sections, whose indices are all of the state before.
    @discardableResult
    @inlinable
    public func removeSections(at indices: [Int]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.removeSections(at: indices) }
    }

    /// Removes all entities, those that do not pass the filter too.
    @discardableResult
    @inlinable
    public func removeAll() -> Changes? { apply { model in model.removeAll() } }
}

// MARK: - Order, sections and filter

extension ObservedModel {
    /// Orders the entities of every section otherwise from now on.
    @discardableResult
    @inlinable
    public func sortEntities(by order: EntityOrder<Entity>) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.sortEntities(by: order) }
    }

    /// Puts the entities of one section into an order, once; of use in a manual order only.
    @discardableResult
    @inlinable
    public func sortEntities(
        atSection section: Int, by order: EntityOrder<Entity>
    ) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.sortEntities(atSection: section, by: order) }
    }

    /// Orders the sections otherwise from now on.
    @discardableResult
    @inlinable
    public func sortSections(by order: SectionOrder<Entity>) -> Changes? {
        apply { model in model.sortSections(by: order) }
    }

    /// Groups the entities by another section key from now on; nil makes one section.
    @discardableResult
    @inlinable
    public func groupEntities(bySectionKey key: String?) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.groupEntities(bySectionKey: key) }
    }

    /// Filters the entities otherwise from now on; nil shows them all. Those that do not pass stay known.
    @discardableResult
    @inlinable
    public func filterEntities(by isIncluded: (@Sendable (Entity) -> Bool)?) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.filterEntities(by: isIncluded) }
    }
}

// MARK: - Faults

extension ObservedModel where Entity: FaultableEntity {
    /// Drops the heavy properties of some entities of a section; observers are not told.
    @discardableResult
    @inlinable
    public func fault(at section: Int, in items: Range<Int>) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fault(at: section, in: items) }
    }

    /// Brings back the heavy properties of some entities of a section; observers are not told.
    @discardableResult
    @inlinable
    public func fire(at section: Int, in items: Range<Int>) throws(ModelError) -> Changes? {
        try apply(isSilent: true) { model throws(ModelError) in try model.fire(at: section, in: items) }
    }
}
