import CWeirLibWebSockets
import Glibc
import WeirThreads
package import WeirWire

/// A thread that runs libwebsockets and serves Swift as a serial executor. An actor pinned to it shares its isolation
/// with the socket callbacks, so `assumeIsolated` is legal in them.
///
/// The loop lives until `shutDown`, even if no other object retains it. One turn of the loop runs the queued items and
/// the timers that are due, lets libwebsockets serve the sockets, then delivers what the sockets received to their
/// handlers. Handlers are therefore never called from inside a libwebsockets callback and may do anything with any
/// socket.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    // Unchecked: `inbox` is locked; `core` is used only on the loop's thread (every entry point checks it); the rest is
    // constant.

    /// The items that other threads post to the loop.
    let inbox: Monitor<Inbox>
    /// The state that belongs to the loop's thread.
    let core: LoopCore
    private let epoch: Int64
    private let thread: Monitor<pthread_t?>

    /// Starts the thread. `name` appears in `top` and crash reports (15 characters at most).
    package init(name: String) throws(NetworkError) {
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
    package var now: Moment {
        Moment(microseconds: (bootTime() - epoch) / 1000)
    }

    /// Runs `work` on the loop, soon. Any thread. After `shutDown` the work is dropped.
    package func run(_ work: @escaping @Sendable () -> Void) {
        post(.work(work))
    }

    /// Runs `work` on the loop at `moment` of the loop's clock, never earlier, unless it is cancelled. On the loop
    /// only.
    package func schedule(at moment: Moment, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
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
    package func shutDown() {
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
package struct LoopTimer: Sendable {
    let loop: EventLoop
    let number: UInt64

    /// Cancels the timer if it has not fired. On the loop only.
    package func cancel() {
        loop.preconditionOnLoop()
        loop.core.timers.cancel(number)
    }
}

/// The errors thrown by the `WeirNetwork` module.
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

/// Returns the system's message for an `errno` value.
func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}

/// The queue of items that other threads post to the loop, and the thread that may run them.
struct Inbox {
    /// A job of an actor, a closure, or the request to stop.
    enum Item {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
        case stop

        var isJob: Bool {
            switch self {
            case .job: true
            case .work, .stop: false
            }
        }
    }
    /// The thread that runs the items.
    enum Runner: Equatable {
        /// The loop's thread, until the loop is shut down.
        case thread(pthread_t)
        /// No thread, after the shut-down and until a job is posted.
        case nobody
        /// A thread that posted a job after the shut-down.
        case visitor(pthread_t)
    }
    var items: [Item] = []
    var runner = Runner.nobody
    /// Whether the loop is ending. It then drops work and accepts only jobs.
    var isStopping = false
    /// Whether the loop's thread has been woken for the items in the queue. One wake-up suffices.
    var isWoken = false
    let wakeDescriptor: Int32
}

extension EventLoop {
    /// Enqueues a job of an actor pinned to the loop. Any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        // The job may release the actor, and with it the last reference to the loop, while the loop still runs it.
        let loop = Unmanaged.passUnretained(self).retain()
        defer { loop.release() }
        post(.job(UnownedJob(job)))
    }

    /// Traps unless the caller is isolated to the loop, that is, on its thread. The Swift runtime calls this.
    package func checkIsolated() {
        preconditionOnLoop()
    }

    /// Returns whether the caller is isolated to the loop, without a trap.
    package func isIsolatingCurrentContext() -> Bool? {
        isOnLoop
    }

    /// Whether the caller is on the loop's thread.
    var isOnLoop: Bool {
        let caller = pthread_self()
        return inbox.change { inbox in
            switch inbox.runner {
            case .thread(let thread), .visitor(let thread): pthread_equal(thread, caller) != 0
            case .nobody: false
            }
        }
    }

    /// Posts an item to the loop. Returns `false` when the item is dropped because the loop is shut down.
    @discardableResult
    func post(_ item: Inbox.Item) -> Bool {
        let caller = pthread_self()
        let (isTaken, mustRun) = inbox.change { inbox -> (Bool, Bool) in
            switch inbox.runner {
            case .thread(let thread):
                if inbox.isStopping, !item.isJob { return (false, false) }
                inbox.items.append(item)
                if !inbox.isWoken, pthread_equal(thread, caller) == 0 {
                    inbox.isWoken = true
                    var one: UInt64 = 1
                    write(inbox.wakeDescriptor, &one, 8)
                }
                return (true, false)
            case .nobody, .visitor:
                guard item.isJob else { return (false, false) }
                inbox.items.append(item)
                guard inbox.runner == .nobody else { return (true, false) }
                inbox.runner = .visitor(caller)
                return (true, true)
            }
        }
        // After the shut-down, the queued jobs run on the thread that posted the first of them.
        if mustRun { drain(handOver: true) }
        return isTaken
    }

    /// Runs one item. Returns `true` when the item asks the loop to stop.
    func perform(_ item: Inbox.Item) -> Bool {
        switch item {
        case .job(let job):
            job.runSynchronously(on: asUnownedSerialExecutor())
            return false
        case .work(let work):
            work()
            return false
        case .stop:
            return true
        }
    }
}

extension EventLoop {
    /// Runs the loop on its thread until it ends. `started` receives `nil`, or the error that kept the context from
    /// being made.
    func runThread(_ started: Monitor<NetworkError??>) {
        inbox.change { $0.runner = .thread(pthread_self()) }
        do throws(NetworkError) {
            try makeContext()
        } catch {
            inbox.change { $0.runner = .nobody }
            started.change { $0 = error }
            return
        }
        started.change { $0 = .some(nil) }
        while turn() {}
        end()
    }

    /// Runs one turn. Returns `false` after a request to stop.
    private func turn() -> Bool {
        deliver()
        fireTimers()
        guard !runInbox() else { return false }
        core.armTimer()
        let isBusy = !core.waiting.isEmpty || inbox.change { !$0.items.isEmpty }
        // libwebsockets: a wait below zero only polls, zero waits for an event.
        look(isBusy ? -1 : 0)
        if core.noteLook() { look(-1) }
        return true
    }

    private func look(_ wait: Int32) {
        let result = lws_service(core.context, wait)
        precondition(result >= 0, "libwebsockets refuses to serve a context that is alive")
    }

    /// Delivers what the sockets received to their handlers. Anything the handlers cause waits for the next turn.
    private func deliver() {
        for socket in core.takeWaiting() {
            socket.isWaiting = false
            socket.arrival = nil
            socket.deliver()
        }
    }

    /// A timer that is later than this was not delayed by other work: the process stood still (SIGSTOP, a closed lid).
    package static let standstill: Duration = .milliseconds(500)
    /// The time after a standstill during which waiting bytes are read, before any timer declares a peer silent.
    static let readingTime: Duration = .milliseconds(200)

    private func fireTimers() {
        let now = self.now
        if let wait = core.timersWait {
            guard now >= wait else { return }
            core.timersWait = nil
        } else if let due = core.timers.nextDeadline(), now - due > Self.standstill {
            return core.timersWait = now + Self.readingTime
        }
        // Timers set in the meantime fire in a later turn even when they are due, because `now` is older.
        while let work = core.timers.popDue(at: now) { work() }
    }

    /// Runs the items of the inbox. Returns `true` when one of them asks the loop to stop.
    private func runInbox() -> Bool {
        let items = inbox.change { inbox -> [Inbox.Item] in
            inbox.isWoken = false
            defer { inbox.items = [] }
            return inbox.items
        }
        var mustStop = false
        for item in items where perform(item) { mustStop = true }
        return mustStop
    }

    /// Ends the loop: runs the queued items, closes the sockets, and gives up the thread's ownership.
    private func end() {
        inbox.change { $0.isStopping = true }
        drain(handOver: false)
        for socket in core.sockets.values { socket.silence() }
        core.waiting = []
        // No thread may write to the descriptor any more, because destroying the context closes it.
        inbox.change { $0.isWoken = true }
        destroyContext()
        core.sockets = [:]
        core.timers = TimerQueue()
        drain(handOver: true)
    }

    /// Runs queued items until the queue is empty. With `handOver`, the inbox then has no runner.
    func drain(handOver: Bool) {
        while true {
            let items = inbox.change { inbox -> [Inbox.Item] in
                let items = inbox.items
                inbox.items = []
                if items.isEmpty, handOver { inbox.runner = .nobody }
                return items
            }
            guard !items.isEmpty else { return }
            for item in items { _ = perform(item) }
        }
    }

    /// Reads the descriptors that wake the loop, so that they stay silent until the next wake-up.
    func descriptorIsReadable(_ socket: OpaquePointer) {
        var count: UInt64 = 0
        let descriptor = lws_get_socket_fd(socket)
        if descriptor == core.descriptors.arrivals { return core.noteArrivals() }
        while read(descriptor, &count, 8) > 0 {}
        if descriptor == core.descriptors.timer { core.armedDeadline = nil }
    }
}

extension EventLoop {
    /// Runs blocking work on a new thread, then calls `completion` with its result on the loop. Any thread.
    package func offload<Result: Sendable>(
        named name: String, _ work: @escaping @Sendable () -> Result, completion: @escaping @Sendable (Result) -> Void
    ) {
        runOnThread(named: name) { [self] in
            let result = work()
            run { completion(result) }
        }
    }
}
