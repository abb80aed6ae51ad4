import Glibc

/// What other threads leave for the loop, and who may take it.
struct Inbox {
    /// One thing to do.
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
    /// Who runs the items.
    enum Runner: Equatable {
        /// The loop's thread.
        case thread(pthread_t)
        /// After the shut-down: nobody, until a job is brought.
        case nobody
        /// After the shut-down: a thread that brought a job.
        case visitor(pthread_t)
    }
    var items: [Item] = []
    var runner = Runner.nobody
    /// Whether the loop is ending: no work is taken any more, only jobs.
    var isStopping = false
    /// Whether the loop's thread has been told that there is something; it is told once.
    var isWoken = false
    let wakeDescriptor: Int32
}

extension EventLoop {
    /// Takes a job of an actor pinned to the loop. Any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        post(.job(UnownedJob(job)))
    }

    /// Lets the runtime ask whether the caller is isolated to the loop: it is when it is on its thread.
    public func checkIsolated() {
        preconditionOnLoop()
    }

    /// The same question, without the trap.
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

    /// Leaves an item for the loop. False when it was dropped since the loop is shut down.
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
        // After the shut-down: the jobs that are there run on the thread that brought the first of them.
        if mustRun { drain(handOver: true) }
        return isTaken
    }

    /// Does one item; true when it asks the loop to stop.
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
