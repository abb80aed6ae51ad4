import Network
import Wire

/// An actor on the loop that serves a declared backend: it gives the service what the sockets say and the time, and
/// sends what that answers.
protocol DeclaredHost: Actor {
    nonisolated var loop: EventLoop { get }
    var service: DeclaredService { get set }
    /// When the script goes on.
    var alarm: (due: Moment, timer: LoopTimer)? { get set }
    /// Whether the server listens.
    var isOpen: Bool { get set }
    /// When something is due.
    var deadline: Moment? { get }
    /// Does what is due of the clients.
    func advanceClients()
    func carryOut(_ effects: [DeclaredService.Effect])
    /// Forgets the clients, which are gone with the listener.
    func forgetClients()
}

extension DeclaredHost {
    var deadline: Moment? { service.deadline }
    func advanceClients() {}

    /// Begins.
    func open() {
        isOpen = true
        turn()
    }

    /// Nothing happens any more.
    func stop() {
        isOpen = false
        alarm?.timer.cancel()
        alarm = nil
        forgetClients()
    }

    /// Does what is due in the world, and asks to be called again.
    func turn() {
        guard isOpen else { return }
        carryOut(service.advance(to: loop.now))
        advanceClients()
        setAlarm()
    }

    func setAlarm() {
        guard isOpen else { return }
        let due = deadline
        if let alarm, alarm.due == due { return }
        alarm?.timer.cancel()
        alarm = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.alarmRang() } })
        }
    }

    private func alarmRang() {
        alarm = nil
        turn()
    }

    /// Answers a request, and tells others of what it changed.
    func rest(_ request: ServerRequest) -> HTTPResponse {
        let (response, news) = service.answer(request, at: loop.now)
        carryOut(service.tell(news))
        setAlarm()
        return response
    }
}
