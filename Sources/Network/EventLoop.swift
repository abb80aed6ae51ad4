import CLibWebSockets
public import Wire

/// One thread that runs libwebsockets, lent to Swift as a serial executor: an actor pinned to it shares its isolation with the
/// socket callbacks, so `assumeIsolated` is legal in them.
public final class EventLoop: SerialExecutor {
    /// Starts the thread. `name` shows in `top` and crash reports (15 characters at most).
    public init(name: String) throws(NetworkError) { fatalError("stub") }

    public func enqueue(_ job: consuming ExecutorJob) { fatalError("stub") }

    /// Microseconds of the monotonic clock (boot time) since the loop was made. Any thread.
    public var now: Moment { fatalError("stub") }

    /// Runs `work` on the loop, soon. Any thread.
    public func run(_ work: @escaping @Sendable () -> Void) { fatalError("stub") }

    /// Runs `work` on the loop at `moment` of the loop's clock, unless cancelled. On the loop only.
    public func schedule(at moment: Moment, _ work: @escaping @Sendable () -> Void) -> LoopTimer { fatalError("stub") }

    /// Closes every socket, runs what is queued, ends the thread and waits for it. Not from the loop.
    public func shutDown() { fatalError("stub") }
}

/// A timer of an `EventLoop`.
public struct LoopTimer: Sendable {
    /// Keeps the timer from firing, if it has not. On the loop only.
    public func cancel() { fatalError("stub") }
}

/// What the network room throws.
public enum NetworkError: Error, Hashable, Sendable {
    /// libwebsockets or the thread could not be started.
    case cannotStart(String)
    /// The address cannot be listened on.
    case cannotListen(address: String, message: String)
    /// A certificate, key or CA file cannot be used.
    case badTLSFile(path: String, message: String)
}
