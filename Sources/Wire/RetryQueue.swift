/// Events that are sent until they are acknowledged, one at a time and in order, as the reference client's queue does (1.11).
struct RetryQueue: Sendable {
    /// An event and the id it is acknowledged by; every attempt has the same, so that a late answer to the first one counts.
    struct Item: Sendable {
        var emission: SocketIO.Emission
        var id: Int
    }

    private var items = BoundedBuffer<Item>()
    /// How often the first item was sent.
    private var sends = 0
    /// When the attempt that is out ends; nil while none is out.
    private(set) var deadline: Moment?

    /// Whether nothing is to be sent.
    var isEmpty: Bool { items.isEmpty }

    /// Puts an event at the end; false when there is no room.
    mutating func append(_ item: Item) -> Bool { items.append(item, bytes: item.emission.weight) }

    /// The event to send now, if none is out and one waits. The attempt counts from now on.
    mutating func next(at now: Moment) -> Item? {
        guard deadline == nil, let item = items.first, case .retried(_, let timeout) = item.emission.delivery else {
            return nil
        }
        sends += 1
        deadline = now + timeout
        return item
    }

    /// Whether `id` is the first event's, which is then done.
    mutating func settle(_ id: Int) -> Bool {
        guard sends > 0, items.first?.id == id else { return false }
        removeFirst()
        return true
    }

    /// Ends the attempt that is out, if any: its time is up or its connection gone. Gives the event when it has no attempt left.
    mutating func endAttempt() -> Item? {
        guard deadline != nil, let item = items.first, case .retried(let attempts, _) = item.emission.delivery else {
            return nil
        }
        deadline = nil
        guard sends >= attempts else { return nil }
        removeFirst()
        return item
    }

    /// The peer has so much longer.
    mutating func postpone(by span: Duration) { deadline = deadline.map { $0 + span } }

    /// Gives everything, in order.
    mutating func drain() -> [Item] {
        (sends, deadline) = (0, nil)
        return items.drain()
    }

    private mutating func removeFirst() {
        _ = items.popFirst()
        (sends, deadline) = (0, nil)
    }
}
