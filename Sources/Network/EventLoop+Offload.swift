extension EventLoop {
    /// Runs blocking work on a new thread, then calls `completion` with its result on the loop. Any thread.
    public func offload<Result: Sendable>(
        named name: String, _ work: @escaping @Sendable () -> Result, completion: @escaping @Sendable (Result) -> Void
    ) {
        runOnThread(named: name) { [self] in
            let result = work()
            run { completion(result) }
        }
    }
}

/// Starts blocking work on a new thread, or runs it on the calling thread when the system refuses a thread.
public func runOnThread(named name: String, _ work: @escaping @Sendable () -> Void) {
    // Blocking the caller is better than dropping the work.
    if !startThread(named: name, work) { work() }
}
