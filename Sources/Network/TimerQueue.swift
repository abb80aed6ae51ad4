import Wire

/// A queue of closures ordered by deadline. Closures with the same deadline keep the order in which they were
/// scheduled.
struct TimerQueue {
    /// The key by which a timer is ordered.
    private struct Entry {
        var deadline: Moment
        var number: UInt64

        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : number < other.number
        }
    }

    /// A binary heap. Entries of cancelled timers stay until they reach the front or become too many.
    private var heap: [Entry] = []
    private var work: [UInt64: @Sendable () -> Void] = [:]
    private var lastNumber: UInt64 = 0

    /// Adds a closure. Returns the number that cancels it.
    mutating func insert(at deadline: Moment, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        lastNumber += 1
        work[lastNumber] = body
        heap.append(Entry(deadline: deadline, number: lastNumber))
        siftUp(from: heap.count - 1)
        return lastNumber
    }

    /// Removes a closure that has not run.
    mutating func cancel(_ number: UInt64) {
        guard work.removeValue(forKey: number) != nil else { return }
        if heap.count > 64, heap.count > 2 * work.count { compact() }
    }

    /// Returns the earliest deadline, or `nil` when the queue is empty.
    mutating func nextDeadline() -> Moment? {
        dropCancelled()
        return heap.first?.deadline
    }

    /// Removes and returns the earliest closure that is due at `now`.
    mutating func popDue(at now: Moment) -> (@Sendable () -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        return work.removeValue(forKey: first.number)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, work[first.number] == nil { removeFirst() }
    }

    private mutating func compact() {
        let kept = heap.filter { work[$0.number] != nil }
        // A sorted array is a heap.
        heap = kept.sorted { $0.precedes($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
