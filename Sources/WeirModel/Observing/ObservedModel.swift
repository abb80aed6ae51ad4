/// A model of entities that notifies observers of changes.
///
/// It belongs to one actor or one thread, on which it also calls the observers. Only a `ModelChange` or a snapshot
/// crosses threads. The model itself is a value; this class adds the observers, and nothing else. Do not use it inside
/// the closures passed to it: they receive the value that they may change.
///
/// `fetch`, a user-driven move, and faults do not notify observers, which show the result already or do not show it at
/// all. For subscribers, these are changes like any other.
public final class ObservedModel<Entity: ModelEntity>: EntityReading {
    /// A subscription, with which it can be cancelled.
    public struct Subscription: Hashable, Sendable {
        @usableFromInline
        let number: Int

        @inlinable
        init(number: Int) { self.number = number }
    }

    @usableFromInline
    struct Listener {
        @usableFromInline
        weak var observer: (any ModelObserver<Entity>)?

        @inlinable
        init(observer: any ModelObserver<Entity>) { self.observer = observer }
    }

    @usableFromInline
    var value: EntityModel<Entity>
    @usableFromInline
    var listeners: [Listener] = []
    @usableFromInline
    var subscribers: [(subscription: Subscription, receive: (ModelChange<Entity>) -> Void)] = []
    @usableFromInline
    var subscriptions = 0
    /// The changes not reported yet: an observer that changes the model makes one while another is being reported.
    @usableFromInline
    var untold: [(change: ModelChange<Entity>, isSilent: Bool)] = []
    @usableFromInline
    var isTelling = false

    /// Creates an observed model from a value.
    @inlinable
    public init(_ model: EntityModel<Entity>) { value = model }

    /// The current value of the model.
    @inlinable
    public var model: EntityModel<Entity> { value }

    /// The current state of the model.
    @inlinable
    public var snapshot: EntitySnapshot<Entity> { value.snapshot }

    /// Adds an observer, which is not kept alive. Observers are notified in the order in which they were added.
    @inlinable
    public func add(_ observer: some ModelObserver<Entity>) {
        listeners.removeAll { $0.observer == nil || $0.observer === observer }
        listeners.append(Listener(observer: observer))
    }

    /// Removes an observer from the model.
    @inlinable
    public func remove(_ observer: some ModelObserver<Entity>) {
        listeners.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Calls `receive` with every change from now on, on the thread of the model. To read on another thread, offer the
    /// change to a `ChangeFeed` there.
    @inlinable
    public func subscribe(_ receive: @escaping (ModelChange<Entity>) -> Void) -> Subscription {
        subscriptions += 1
        let subscription = Subscription(number: subscriptions)
        subscribers.append((subscription, receive))
        return subscription
    }

    /// Ends a subscription of this model.
    @inlinable
    public func cancel(_ subscription: Subscription) { subscribers.removeAll { $0.subscription == subscription } }

    /// Changes the model by any number of operations, as one transaction that is reported as one change. If `body`
    /// throws, nothing has changed. With `isSilent`, observers are not notified, but subscribers are.
    @discardableResult
    @inlinable
    public func perform<Failure: Error>(
        isSilent: Bool = false, _ body: (inout EntityModel<Entity>) throws(Failure) -> Void
    ) throws(Failure) -> Batch<EntityRow<Entity>>? {
        let batch = try value.perform(body)
        tell(batch, isSilent: isSilent)
        return batch
    }

    /// Changes the model by one operation.
    @inlinable
    func apply<Failure: Error>(
        isSilent: Bool = false,
        _ operation: (inout EntityModel<Entity>) throws(Failure) -> Batch<EntityRow<Entity>>?
    ) throws(Failure) -> Batch<EntityRow<Entity>>? {
        let batch = try operation(&value)
        tell(batch, isSilent: isSilent)
        return batch
    }

    @inlinable
    func tell(_ batch: Batch<EntityRow<Entity>>?, isSilent: Bool) {
        // Without observers and subscribers no snapshot is taken, and the model need not copy what it changes next.
        guard let batch, !listeners.isEmpty || !subscribers.isEmpty else { return }
        untold.append((ModelChange(batch: batch, snapshot: value.snapshot), isSilent))
        if isTelling { return }
        isTelling = true
        while !untold.isEmpty {
            let (change, isSilent) = untold.removeFirst()
            for subscriber in subscribers { subscriber.receive(change) }
            if isSilent { continue }
            for listener in listeners { listener.observer.map { change.tell($0) } }
        }
        isTelling = false
    }
}

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

    /// Makes the model contain exactly these entities; see `EntityModel.apply(difference:)`.
    @discardableResult
    @inlinable
    public func apply(difference entities: [Entity]) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.apply(difference: entities) }
    }

    /// Makes the model contain exactly these entities, with the caller's comparison of contents.
    @discardableResult
    @inlinable
    public func apply(
        difference entities: [Entity], areEqual: (Entity, Entity) -> Bool
    ) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.apply(difference: entities, areEqual: areEqual) }
    }

    /// The former name of `apply(difference:)`.
    @discardableResult
    @inlinable
    public func applyingDifference(from entities: [Entity]) throws(ModelError) -> Changes? {
        try apply(difference: entities)
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

    /// Groups the entities by another section name; a `nil` function makes one section.
    @discardableResult
    @inlinable
    public func groupEntities(by name: (@Sendable (Entity) -> String?)?) throws(ModelError) -> Changes? {
        try apply { model throws(ModelError) in try model.groupEntities(by: name) }
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
