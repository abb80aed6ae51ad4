/// The heartbeat timer of one end of an Engine.IO session (`reference/socketio.md` 1.2).
///
/// One end sends pings: the client in revision 3, the server in revision 4. The other end listens for them. A listener
/// dies when no ping came for interval + timeout; a sender dies when its ping stayed unanswered for the timeout. At most
/// one ping is out at a time, so a timer that is late never sends a burst.
struct Heartbeat: Hashable, Sendable {
    /// What happens at a deadline.
    enum Due { case ping, death }

    private enum State: Hashable {
        /// Waits for the peer's next ping. Follows: listening.
        case listening(until: Moment)
        /// The last ping was answered, the next one is not due. Follows: awaiting.
        case resting(until: Moment)
        /// A ping is out. Follows: resting.
        case awaiting(until: Moment)
    }

    private var state: State
    private let interval: Duration
    private let timeout: Duration

    private init(_ state: State, interval: Duration, timeout: Duration) {
        self.state = state
        self.interval = interval
        self.timeout = timeout
    }

    /// The heartbeat of the end that sends pings.
    static func sender(interval: Duration, timeout: Duration, from now: Moment) -> Heartbeat {
        Heartbeat(.resting(until: now + interval), interval: interval, timeout: timeout)
    }

    /// The heartbeat of the end that is pinged.
    static func listener(interval: Duration, timeout: Duration, from now: Moment) -> Heartbeat {
        Heartbeat(.listening(until: now + interval + timeout), interval: interval, timeout: timeout)
    }

    /// When `fire()` is due.
    var deadline: Moment {
        switch state {
        case .listening(let until), .resting(let until), .awaiting(let until): until
        }
    }

    /// Does what is due at `deadline`.
    mutating func fire() -> Due {
        switch state {
        case .resting(let moment):
            state = .awaiting(until: moment + timeout)
            return .ping
        case .listening, .awaiting:
            return .death
        }
    }

    /// The peer sent a ping: a listener starts over.
    func pinged(at now: Moment) -> Heartbeat {
        switch state {
        case .listening: with(.listening(until: now + interval + timeout))
        case .resting, .awaiting: self
        }
    }

    /// The peer sent a pong: a sender starts over (the server of revision 4 does at every pong, asked for or not).
    func ponged(at now: Moment) -> Heartbeat {
        switch state {
        case .resting, .awaiting: with(.resting(until: now + interval))
        case .listening: self
        }
    }

    /// The peer sent anything: as good as a pong while a ping is out (the client of revision 3).
    func heard(at now: Moment) -> Heartbeat {
        switch state {
        case .awaiting: with(.resting(until: now + interval))
        case .resting, .listening: self
        }
    }

    private func with(_ state: State) -> Heartbeat { Heartbeat(state, interval: interval, timeout: timeout) }
}
