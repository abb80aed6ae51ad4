import Glibc

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
    public func enqueue(_ job: consuming ExecutorJob) {
        post(.job(UnownedJob(job)))
    }

    /// Traps unless the caller is isolated to the loop, that is, on its thread. The Swift runtime calls this.
    public func checkIsolated() {
        preconditionOnLoop()
    }

    /// Returns whether the caller is isolated to the loop, without a trap.
    public func isIsolatingCurrentContext() -> Bool? {
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
