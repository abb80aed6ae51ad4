/// A model of entities that tells observers what changes.
///
/// It belongs to one actor or one thread, on which observers are called too; what crosses threads is a `ModelChange` or a
/// snapshot. The model itself is a value; this class adds who is to be told, and nothing else. Do not use it inside the closures
/// given to it: they are given what they may change.
///
/// `fetch`, a move that is user-driven, and faults are not told to observers, which show them already or do not show them at all; they
/// are changes like any other for subscribers.
public final class ObservedModel<Entity: ModelEntity>: EntityReading {
    /// A subscription, to be cancelled by it.
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
    /// Changes that are not told yet: an observer that changes the model makes one while another is being told.
    @usableFromInline
    var untold: [(change: ModelChange<Entity>, isSilent: Bool)] = []
    @usableFromInline
    var isTelling = false

    /// Observes a model from now on.
    @inlinable
    public init(_ model: EntityModel<Entity>) { value = model }

    /// The model as it is now.
    @inlinable
    public var model: EntityModel<Entity> { value }

    /// The present state.
    @inlinable
    public var snapshot: EntitySnapshot<Entity> { value.snapshot }

    /// Adds an observer, which is not kept alive. The last one added is told last.
    @inlinable
    public func add(_ observer: some ModelObserver<Entity>) {
        listeners.removeAll { $0.observer == nil || $0.observer === observer }
        listeners.append(Listener(observer: observer))
    }

    /// Removes an observer.
    @inlinable
    public func remove(_ observer: some ModelObserver<Entity>) {
        listeners.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Calls `receive` with every change from now on, on the thread of the model. To read on another one, offer it to a
    /// `ChangeFeed` there.
    @inlinable
    public func subscribe(_ receive: @escaping (ModelChange<Entity>) -> Void) -> Subscription {
        subscriptions += 1
        let subscription = Subscription(number: subscriptions)
        subscribers.append((subscription, receive))
        return subscription
    }

    /// Ends a subscription.
    @inlinable
    public func cancel(_ subscription: Subscription) { subscribers.removeAll { $0.subscription == subscription } }

    /// Changes the model, by any number of operations, as one transaction that is told as one change. When `body` throws,
    /// nothing has happened. `isSilent` spares the observers, but not the subscribers.
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
        // Without anybody to tell, no snapshot is taken, and the model need not copy what it changes next.
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
