/// A thread of its own, fed through one bounded queue in batches: for work that may block, such as writing to a terminal.
///
/// The bound is the feeder's to keep: `push` never waits; it says when the queue is deep, and
/// `onDrained` when it was taken over. At most twice the bound is held: one part waiting, one being worked off; the bound in bytes is for
/// both.
public final class BatchThread<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        /// Bytes of what waits and of what is being worked off.
        var waitingBytes = 0
        var workingBytes = 0
        var isDeep = false
        var isFinished = false
        var hasEnded = false
    }

    private let state = Monitor(State())
    private let highWater: Int
    private let mostBytes: Int
    private let weigh: (@Sendable (Element) -> Int)?
    private let onDrained: @Sendable () -> Void

    /// Starts the thread. `body` gets each batch on it, in order, and says false when it wants no more (then later ones are dropped);
    /// `atEnd` is called on it last. `onDrained` is called on it when a deep queue has been taken over. With `weigh`, which says how many
    /// bytes an element holds, the queue is deep also when it holds `mostBytes`, what is being worked off included.
    public init(
        name: String, highWater: Int, mostBytes: Int = .max, weigh: (@Sendable (Element) -> Int)? = nil,
        onDrained: @escaping @Sendable () -> Void,
        body: @escaping @Sendable ([Element]) -> Bool,
        atEnd: @escaping @Sendable () -> Void
    ) throws(NetworkError) {
        self.highWater = highWater
        self.mostBytes = mostBytes
        self.weigh = weigh
        self.onDrained = onDrained
        let started = startThread(named: name) { [self] in
            var isOpen = true
            while let batch = take() {
                if isOpen { isOpen = body(batch) }
            }
            atEnd()
            state.change { $0.hasEnded = true }
        }
        guard started else { throw .cannotStart("no thread for \(name)") }
    }

    /// Adds elements. True when the queue is deep: the feeder must slow down until `onDrained` is called. Any thread.
    @discardableResult
    public func push(_ elements: [Element]) -> Bool {
        state.change { state in
            guard !state.isFinished else { return false }
            state.waiting.append(contentsOf: elements)
            if let weigh { state.waitingBytes += elements.reduce(0) { $0 + weigh($1) } }
            if isFull(state) { state.isDeep = true }
            return state.isDeep
        }
    }

    /// Whether the queue is deep now. Any thread.
    public var isDeep: Bool { state.look { $0.isDeep } }

    private func isFull(_ state: State) -> Bool {
        state.waiting.count >= highWater || state.waitingBytes + state.workingBytes >= mostBytes
    }

    /// Whether a queue that was deep is so no longer.
    private func isRelieved(_ state: inout State) -> Bool {
        guard state.isDeep, !isFull(state) else { return false }
        state.isDeep = false
        return true
    }

    /// Nothing follows; waits until everything was worked off and the thread has ended. Not from the thread itself.
    public func finish() {
        state.change { $0.isFinished = true }
        state.wait { $0.hasEnded ? () : nil }
    }

    private func take() -> [Element]? {
        let isDone = state.change { state in
            state.workingBytes = 0
            return isRelieved(&state)
        }
        if isDone { onDrained() }
        let (batch, isTaken): ([Element]?, Bool) = state.wait { state in
            if state.waiting.isEmpty { return state.isFinished ? (nil, false) : nil }
            let batch = state.waiting
            state.waiting = []
            (state.workingBytes, state.waitingBytes) = (state.waitingBytes, 0)
            return (batch, isRelieved(&state))
        }
        if isTaken { onDrained() }
        return batch
    }
}
