extension EventLoop {
    /// Runs work that may block on a thread of its own, and `completion` with its result on the loop. Any thread.
    public func offload<Result: Sendable>(
        named name: String, _ work: @escaping @Sendable () -> Result, completion: @escaping @Sendable (Result) -> Void
    ) {
        runOnThread(named: name) { [self] in
            let result = work()
            run { completion(result) }
        }
    }
}

/// Runs work that may block on a thread of its own, at once; on the calling thread when the system has none to spare.
public func runOnThread(named name: String, _ work: @escaping @Sendable () -> Void) {
    // Late is better than never.
    if !startThread(named: name, work) { work() }
}
