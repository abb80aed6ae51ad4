import Network
import Wire

/// An actor on the loop that serves a declared backend. It passes socket input and the time to the service, and sends
/// the service's answers.
protocol DeclaredHost: Actor {
    nonisolated var loop: EventLoop { get }
    var service: DeclaredService { get set }
    /// The timer for the next deadline; `nil` while none is set.
    var alarm: (due: Moment, timer: LoopTimer)? { get set }
    /// Whether the server runs, from `open` until `stop`.
    var isOpen: Bool { get set }
    /// The earliest deadline of the script and the clients.
    var deadline: Moment? { get }
    /// Performs the steps that are due for the clients, such as closing silent ones.
    func advanceClients()
    func carryOut(_ effects: [DeclaredService.Effect])
    /// Forgets the clients, which are disconnected when the listener closes.
    func forgetClients()
}

extension DeclaredHost {
    var deadline: Moment? { service.deadline }
    func advanceClients() {}

    /// Starts the script and the timers.
    func open() {
        isOpen = true
        turn()
    }

    /// Stops the script and forgets the clients.
    func stop() {
        isOpen = false
        alarm?.timer.cancel()
        alarm = nil
        forgetClients()
    }

    /// Performs everything that is due, and sets the timer for the next deadline.
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

    /// Answers a request, and notifies clients of the changes it made.
    func rest(_ request: ServerRequest) -> HTTPResponse {
        let (response, news) = service.answer(request, at: loop.now)
        carryOut(service.tell(news))
        setAlarm()
        return response
    }
}
