import WeirWire

/// A priority queue of events by time. Events with the same time keep the order in which they were scheduled.
struct EventQueue<Event> {
    private struct Entry {
        var due: Moment
        var serial: Int
        var event: Event

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : serial < other.serial
        }
    }

    /// The entries as a binary heap.
    private var entries: [Entry] = []
    private var serial = 0

    var next: Moment? { entries.first?.due }
    var isEmpty: Bool { entries.isEmpty }

    mutating func schedule(_ event: Event, at due: Moment) {
        serial += 1
        entries.append(Entry(due: due, serial: serial, event: event))
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> Event? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first.event }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            if least == parent { return first.event }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
