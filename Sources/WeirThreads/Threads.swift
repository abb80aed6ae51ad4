import CWeirThreads
package import Glibc

/// Starts a detached thread that runs `body`. Returns `false` when the system refuses a thread.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = startJoinableThread(named: name, body) else { return false }
    pthread_detach(thread)
    return true
}

/// Starts a thread that runs `body`. Returns `nil` when the system refuses a thread. The caller must join it to free
/// its stack.
package func startJoinableThread(named name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
    var thread = pthread_t()
    let failed = pthread_create(&thread, nil, runThread, box.toOpaque())
    guard failed == 0 else {
        box.release()
        return nil
    }
    return thread
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

/// Runs a thread. It consumes the reference to the `ThreadBody` that was retained for it.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    weir_name_thread(body.name)
    body.run()
    return nil
}

/// Starts blocking work on a new thread, or runs it on the calling thread when the system refuses a thread.
package func runOnThread(named name: String, _ work: @escaping @Sendable () -> Void) {
    // Blocking the caller is better than dropping the work.
    if !startThread(named: name, work) { work() }
}

/// The system refuses a new thread.
package struct ThreadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name that the thread would have had.
    package var name: String

    /// The error as one line for people.
    package var description: String { "the system refuses a new thread (\(name))" }
}

/// A thread fed in batches through one bounded queue, for work that may block, such as writing to a terminal.
///
/// The feeder must respect the bound. `push` never waits; it reports when the queue is deep, and `onDrained` is called
/// when the thread takes over the queue. At most twice the bound is held: one batch that waits and one that is being
/// processed. The bound in bytes covers both.
package final class BatchThread<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        /// Bytes of the waiting elements. `workingBytes` counts those of the batch being processed.
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

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name.
    ///   - highWater: The number of waiting elements from which the queue is deep.
    ///   - mostBytes: The number of bytes from which the queue is deep, the batch being processed included. It needs
    ///     `weigh`.
    ///   - weigh: Returns how many bytes an element holds.
    ///   - onDrained: Called on the thread when a deep queue has been taken over.
    ///   - body: Called on the thread with each batch, in order. If it returns `false`, later batches are dropped.
    ///   - atEnd: Called on the thread after the last batch.
    package init(
        name: String, highWater: Int, mostBytes: Int = .max, weigh: (@Sendable (Element) -> Int)? = nil,
        onDrained: @escaping @Sendable () -> Void,
        body: @escaping @Sendable ([Element]) -> Bool,
        atEnd: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
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
        guard started else { throw ThreadError(name: name) }
    }

    /// Adds elements and returns whether the queue is deep. If so, the feeder must slow down until `onDrained` is
    /// called. Any thread.
    @discardableResult
    package func push(_ elements: [Element]) -> Bool {
        state.change { state in
            guard !state.isFinished else { return false }
            state.waiting.append(contentsOf: elements)
            if let weigh { state.waitingBytes += elements.reduce(0) { $0 + weigh($1) } }
            if isFull(state) { state.isDeep = true }
            return state.isDeep
        }
    }

    /// Whether the queue is deep now. Any thread.
    package var isDeep: Bool { state.look { $0.isDeep } }

    /// The number of waiting elements, and the bytes of these and of the batch that is being processed. Any thread.
    package var depth: (count: Int, bytes: Int) {
        state.look { ($0.waiting.count, $0.waitingBytes + $0.workingBytes) }
    }

    private func isFull(_ state: State) -> Bool {
        state.waiting.count >= highWater || state.waitingBytes + state.workingBytes >= mostBytes
    }

    /// Clears the deep mark of a queue that is no longer full, and returns whether it did.
    private func isRelieved(_ state: inout State) -> Bool {
        guard state.isDeep, !isFull(state) else { return false }
        state.isDeep = false
        return true
    }

    /// Closes the queue, then waits until every batch is processed and the thread has ended. Not from the thread
    /// itself.
    package func finish() {
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
