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
