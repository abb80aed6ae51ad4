import CLibWebSockets
import Glibc
import Wire

extension EventLoop {
    /// The body of the loop's thread.
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

    /// One turn; false when the loop has been told to stop.
    private func turn() -> Bool {
        deliver()
        fireTimers()
        guard !runInbox() else { return false }
        core.armTimer()
        let isBusy = !core.waiting.isEmpty || inbox.change { !$0.items.isEmpty }
        // libwebsockets: below zero only looks, zero waits until something happens.
        look(isBusy ? -1 : 0)
        if core.noteLook() { look(-1) }
        return true
    }

    private func look(_ wait: Int32) {
        let result = lws_service(core.context, wait)
        precondition(result >= 0, "libwebsockets refuses to serve a context that is alive")
    }

    /// Hands what the sockets gave to their handlers. What handlers cause waits for the next turn.
    private func deliver() {
        for socket in core.takeWaiting() {
            socket.isWaiting = false
            socket.arrival = nil
            socket.deliver()
        }
    }

    /// A timer that is later than this was not kept waiting by other work: the process stood still (SIGSTOP, a closed lid).
    public static let standstill: Duration = .milliseconds(500)
    /// For so long what waits in the sockets then is read, before any timer judges who did not speak.
    static let readingTime: Duration = .milliseconds(200)

    private func fireTimers() {
        let now = self.now
        if let wait = core.timersWait {
            guard now >= wait else { return }
            core.timersWait = nil
        } else if let due = core.timers.nextDeadline(), now - due > Self.standstill {
            return core.timersWait = now + Self.readingTime
        }
        // Timers set meanwhile are for a later turn, even when they are due: the time they are compared with is older.
        while let work = core.timers.popDue(at: now) { work() }
    }

    /// Runs what is in the inbox now; true when asked to stop.
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

    /// Ends the loop: what is queued runs, then the sockets are closed, and the loop belongs to nobody.
    private func end() {
        inbox.change { $0.isStopping = true }
        drain(handOver: false)
        for socket in core.sockets.values { socket.silence() }
        core.waiting = []
        // Nobody may write to the descriptor any more: destroying the context closes it.
        inbox.change { $0.isWoken = true }
        destroyContext()
        core.sockets = [:]
        core.timers = TimerQueue()
        drain(handOver: true)
    }

    /// Runs what is there, until there is nothing more.
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

    /// Reads the descriptors that wake the loop, so that they are quiet until the next time.
    func descriptorIsReadable(_ socket: OpaquePointer) {
        var count: UInt64 = 0
        let descriptor = lws_get_socket_fd(socket)
        if descriptor == core.descriptors.arrivals { return core.noteArrivals() }
        while read(descriptor, &count, 8) > 0 {}
        if descriptor == core.descriptors.timer { core.armedDeadline = nil }
    }
}
