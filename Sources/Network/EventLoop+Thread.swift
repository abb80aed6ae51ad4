import CLibWebSockets
import Glibc
import Wire

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
    public static let standstill: Duration = .milliseconds(500)
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
