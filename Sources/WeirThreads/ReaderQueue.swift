/// The elements that wait for one reader of a sequence. Any thread.
///
/// Several tasks may read from one queue; each element goes to one of them.
package final class ReaderQueue<Element: Sendable>: Sendable {
    /// What happens to elements above the bound.
    package enum Policy: Sendable {
        /// They are kept, and the feeder should pause.
        case pause
        /// The oldest elements are dropped to make room.
        case keepNewest
    }

    private struct State {
        /// The elements from `head` on wait. Those before it are taken.
        var items: [Element?] = []
        var head = 0
        var bytes = 0
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
        var lastID: UInt64 = 0
        var isDeep = false
        var isFinished = false
        var dropped = 0

        var count: Int { items.count - head }

        mutating func take(_ weigh: (Element) -> Int) -> Element? {
            guard head < items.count, let first = items[head] else { return nil }
            defer {
                items[head] = nil
                head += 1
                if head == items.count || head >= 1024 { items.removeFirst(head); head = 0 }
            }
            bytes -= weigh(first)
            return first
        }
    }

    private let state = Monitor(State())
    private let bound: Int
    private let policy: Policy
    private let weigh: @Sendable (Element) -> Int
    /// Called when a deep queue has been read half, on the reader's thread.
    private let relieved: @Sendable () -> Void

    /// The bytes above which a queue is deep, whatever its bound.
    package static var mostBytes: Int { 8 << 20 }

    /// Creates an empty queue. `weigh` returns how many bytes an element holds.
    package init(
        bound: Int, _ policy: Policy, weigh: @escaping @Sendable (Element) -> Int = { _ in 0 },
        relieved: @escaping @Sendable () -> Void = {}
    ) {
        self.bound = max(bound, 1)
        self.policy = policy
        self.weigh = weigh
        self.relieved = relieved
    }

    /// Adds elements, or gives them to waiting tasks.
    package func push(_ elements: [Element]) {
        let given = state.change { state -> [(CheckedContinuation<Element?, Never>, Element)] in
            if state.isFinished { return [] }
            let direct = min(state.waiting.count, elements.count)
            let given = zip(state.waiting[..<direct], elements).map { ($0.continuation, $1) }
            state.waiting.removeFirst(direct)
            for element in elements[direct...] {
                state.items.append(element)
                state.bytes += weigh(element)
            }
            switch policy {
            case .pause: if state.count >= bound || state.bytes >= Self.mostBytes { state.isDeep = true }
            case .keepNewest:
                while state.count > bound || state.count > 1 && state.bytes > Self.mostBytes {
                    _ = state.take(weigh)
                    state.dropped += 1
                }
            }
            return given
        }
        for (continuation, element) in given { continuation.resume(returning: element) }
    }

    /// The number of elements that were dropped to make room.
    package var dropped: Int { state.look { $0.dropped } }

    /// The number of elements that wait.
    package var count: Int { state.look { $0.count } }

    /// Whether the feeder should pause: the bound or 8 MiB were reached, and more than half still waits. With `hard`, whether
    /// sixteen times as much waits.
    package func isFull(hard: Bool) -> Bool {
        state.look { state in
            hard ? state.count / 16 >= bound || state.bytes / 16 >= Self.mostBytes : state.isDeep
        }
    }

    /// Returns the next element. Returns `nil` at the end, and when the task is cancelled.
    package func next() async -> Element? {
        if Task.isCancelled { return nil }
        let (id, ready) = state.change { state -> (UInt64, Element?) in
            state.lastID += 1
            return (state.lastID, state.take(weigh))
        }
        if let ready {
            relieve()
            return ready
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, element) = state.change { state -> (Bool, Element?) in
                    if let element = state.take(weigh) { return (true, element) }
                    // A task that was cancelled before this finds no waiting entry to remove.
                    if state.isFinished || Task.isCancelled { return (true, nil) }
                    state.waiting.append((id, continuation))
                    return (false, nil)
                }
                if isReady {
                    relieve()
                    continuation.resume(returning: element)
                }
            }
        } onCancel: {
            let continuation = state.change { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: nil)
        }
    }

    private func relieve() {
        let isRelieved = state.change { state -> Bool in
            guard state.isDeep, state.count <= bound / 2, state.bytes <= Self.mostBytes / 2 else { return false }
            state.isDeep = false
            return true
        }
        if isRelieved { relieved() }
    }

    /// Ends the sequence after the elements that wait.
    package func finish() {
        let waiting = state.change { state in
            state.isFinished = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for entry in waiting { entry.continuation.resume(returning: nil) }
    }
}
