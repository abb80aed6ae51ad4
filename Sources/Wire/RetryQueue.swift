/// A queue of events that are sent until they are acknowledged, one at a time and in order, like the reference client's
/// queue (Socket.IO SIO-14).
struct RetryQueue: Sendable {
    /// An event and its acknowledgement id. Every attempt uses the same id, so a late answer to the first attempt
    /// counts.
    struct Item: Sendable {
        var emission: SocketIO.Emission
        var id: Int
    }

    private var items = BoundedBuffer<Item>()
    /// How often the first event has been sent.
    private var sends = 0
    /// When the pending attempt ends; `nil` if no attempt is pending.
    private(set) var deadline: Moment?

    /// Whether the queue contains no events.
    var isEmpty: Bool { items.isEmpty }

    /// Appends an event. Returns false if it does not fit.
    mutating func append(_ item: Item) -> Bool { items.append(item, bytes: item.emission.weight) }

    /// Returns the event to send now, if no attempt is pending and an event waits. This starts an attempt.
    mutating func next(at now: Moment) -> Item? {
        guard deadline == nil, let item = items.first, case .retried(_, let timeout) = item.emission.delivery else {
            return nil
        }
        sends += 1
        deadline = now + timeout
        return item
    }

    /// Removes the first event if `id` is its id. Returns whether it was.
    mutating func settle(_ id: Int) -> Bool {
        guard sends > 0, items.first?.id == id else { return false }
        removeFirst()
        return true
    }

    /// Ends the pending attempt, if any, because it timed out or its connection was lost. Returns the event if it has
    /// no attempts left.
    mutating func endAttempt() -> Item? {
        guard deadline != nil, let item = items.first, case .retried(let attempts, _) = item.emission.delivery else {
            return nil
        }
        deadline = nil
        guard sends >= attempts else { return nil }
        removeFirst()
        return item
    }

    /// Extends the deadline of the pending attempt.
    mutating func postpone(by span: Duration) { deadline = deadline.map { $0 + span } }

    /// Removes and returns all events, oldest first.
    mutating func drain() -> [Item] {
        (sends, deadline) = (0, nil)
        return items.drain()
    }

    private mutating func removeFirst() {
        _ = items.popFirst()
        (sends, deadline) = (0, nil)
    }
}
