import CLibWebSockets
import Glibc
public import Wire

/// A thread that runs libwebsockets and serves Swift as a serial executor. An actor pinned to it shares its isolation
/// with the socket callbacks, so `assumeIsolated` is legal in them.
///
/// The loop lives until `shutDown`, even if no other object retains it. One turn of the loop runs the queued items and
/// the timers that are due, lets libwebsockets serve the sockets, then delivers what the sockets received to their
/// handlers. Handlers are therefore never called from inside a libwebsockets callback and may do anything with any
/// socket.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
    // Unchecked: `inbox` is locked; `core` is used only on the loop's thread (every entry point checks it); the rest is
    // constant.

    /// The items that other threads post to the loop.
    let inbox: Monitor<Inbox>
    /// The state that belongs to the loop's thread.
    let core: LoopCore
    private let epoch: Int64
    private let thread: Monitor<pthread_t?>

    /// Starts the thread. `name` appears in `top` and crash reports (15 characters at most).
    public init(name: String) throws(NetworkError) {
        epoch = bootTime()
        let wake = try LoopDescriptors()
        inbox = Monitor(Inbox(wakeDescriptor: wake.event))
        core = LoopCore(descriptors: wake, epoch: epoch)
        thread = Monitor(nil)
        let started = Monitor<NetworkError??>(nil)
        let handle = startJoinableThread(named: name) { [self] in runThread(started) }
        guard let handle else {
            wake.close()
            throw .cannotStart("the system refuses a new thread")
        }
        if let failure = started.wait({ $0 }) {
            pthread_join(handle, nil)
            throw failure
        }
        thread.change { $0 = handle }
    }

    /// The time since the loop was created, in microseconds of the monotonic clock (boot time). Any thread.
    public var now: Moment {
        Moment(microseconds: (bootTime() - epoch) / 1000)
    }

    /// Runs `work` on the loop, soon. Any thread. After `shutDown` the work is dropped.
    public func run(_ work: @escaping @Sendable () -> Void) {
        post(.work(work))
    }

    /// Runs `work` on the loop at `moment` of the loop's clock, never earlier, unless it is cancelled. On the loop
    /// only.
    public func schedule(at moment: Moment, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
        preconditionOnLoop()
        let now = self.now
        // The process stood still after the caller read the clock. Without this, the timer would count as being on
        // time.
        if core.timersWait == nil, moment < now, moment + Self.standstill < now {
            core.timersWait = now + Self.readingTime
        }
        return LoopTimer(loop: self, number: core.timers.insert(at: max(moment, now), work))
    }

    /// Closes every socket, runs the queued items, and waits for the thread to end. Not from the loop.
    ///
    /// No handler is called after this returns. Jobs of actors pinned to the loop still run, one at a time, on the
    /// threads that post them, so that code that awaits such an actor does not hang.
    public func shutDown() {
        precondition(!isOnLoop, "an event loop cannot wait for its own end")
        thread.change { handle in
            guard let running = handle else { return }
            post(.stop)
            pthread_join(running, nil)
            handle = nil
        }
    }

    /// Traps when the caller is not on the loop's thread.
    func preconditionOnLoop() {
        precondition(isOnLoop, "this may be called on the event loop's thread only")
    }

    /// Runs `body` on the loop and waits for its result. Returns `nil` when the loop has been shut down. Not from the
    /// loop.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        precondition(!isOnLoop, "this may not be called on the event loop's thread")
        let result = Monitor<Result?>(nil)
        let isPosted = post(
            .work {
                let made = body()
                result.change { $0 = made }
            })
        return isPosted ? result.wait { $0 } : nil
    }
}

/// A handle for cancelling a timer of an `EventLoop`.
public struct LoopTimer: Sendable {
    let loop: EventLoop
    let number: UInt64

    /// Cancels the timer if it has not fired. On the loop only.
    public func cancel() {
        loop.preconditionOnLoop()
        loop.core.timers.cancel(number)
    }
}

/// The errors thrown by the `Network` module.
public enum NetworkError: Error, Hashable, Sendable {
    /// libwebsockets, libcurl or a thread could not be started.
    case cannotStart(String)
    /// The server cannot listen on the address.
    case cannotListen(address: String, message: String)
    /// A certificate, key or CA file cannot be used.
    case badTLSFile(path: String, message: String)
    /// An exchange over the local socket at `path` failed.
    case localSocket(path: String, message: String)
}

extension NetworkError: CustomStringConvertible {
    /// The error as one line for people.
    public var description: String {
        switch self {
        case .cannotStart(let message): message
        case .cannotListen(let address, let message): "\(address): \(message)"
        case .badTLSFile(let path, let message), .localSocket(let path, let message): "\(path): \(message)"
        }
    }
}

/// Returns the nanoseconds since the machine started, sleep included.
func bootTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Returns the system's message for an `errno` value.
func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}
