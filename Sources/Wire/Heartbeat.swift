/// The heartbeat timer of one end of an Engine.IO session (`reference/socketio.md` 1.2).
///
/// One end sends pings: the client in revision 3, the server in revision 4. The other end listens for them. A listener
/// dies when no ping came for interval + timeout; a sender dies when its ping stayed unanswered for the timeout. At most
/// one ping is out at a time, so a timer that is late never sends a burst.
///
/// A ping waits behind all that the server said before it. So a client whose server still speaks after a ping was due calls it not dead, and
/// answers that ping ahead.
struct Heartbeat: Hashable, Sendable {
    /// What happens at a deadline. `pong` answers a ping that is not read yet.
    enum Due { case ping, pong, nothing, death }

    private enum State: Hashable {
        /// Waits for the peer's next ping, which is due an interval after the last one. Follows: listening.
        case listening(due: Moment, until: Moment)
        /// The last ping was answered, the next one is not due. Follows: awaiting.
        case resting(until: Moment)
        /// A ping is out. Follows: resting.
        case awaiting(until: Moment)
    }

    private var state: State
    private var reading = SocketReading.resumed
    /// Pings that were answered before they were read.
    private var answered = 0
    /// When the peer of a listener said something that is no ping.
    private var heardAt: Moment?
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
        Heartbeat(
            .listening(due: now + interval, until: now + interval + timeout), interval: interval, timeout: timeout)
    }

    /// When `fire(at:)` is due; nil while nothing can be heard or sent.
    var deadline: Moment? {
        if reading == .stalled { return nil }
        guard case .listening(let due, _) = state, reading == .paused || isSpeaking else { return until }
        // The ping that the peer sends then lies in the socket by now; its patience is half over.
        return due + timeout / 2
    }

    /// Whether the peer of a listener said something after its ping was due.
    private var isSpeaking: Bool {
        guard case .listening(let due, _) = state, let heardAt else { return false }
        return due < heardAt
    }

    /// When something is due while the socket is read.
    var until: Moment {
        switch state {
        case .listening(_, let until), .resting(let until), .awaiting(let until): until
        }
    }

    /// Does what is due. While the socket is not read, nobody is called dead, and the peer is kept content.
    mutating func fire(at now: Moment) -> Due {
        switch (state, reading) {
        case (.resting, _):
            state = .awaiting(until: now + timeout)
            return .ping
        case (.listening, _) where reading == .paused || isSpeaking:
            answered += 1
            listen(from: now)
            return .pong
        case (.awaiting, .paused):
            state = .resting(until: now + interval)
            return .nothing
        case (.listening, _), (.awaiting, _):
            return .death
        }
    }

    /// The socket is read, or not. What waited in it is to be read before its silence counts: that takes no longer than the peer has for an
    /// answer.
    mutating func set(_ reading: SocketReading, at now: Moment) {
        self.reading = reading
        guard reading == .resumed else { return }
        switch state {
        case .listening(let due, let until): state = .listening(due: due, until: max(until, now + timeout))
        case .awaiting(let until): state = .awaiting(until: max(until, now + timeout))
        case .resting: break
        }
    }

    /// The peer sent a ping: a listener starts over. Whether it is to be answered, since it was not yet.
    mutating func pinged(at now: Moment) -> Bool {
        if case .listening = state { listen(from: now) }
        guard answered > 0 else { return true }
        answered -= 1
        return false
    }

    /// The peer sent a pong: a sender starts over (the server of revision 4 does at every pong, asked for or not).
    func ponged(at now: Moment) -> Heartbeat {
        switch state {
        case .resting, .awaiting: with(.resting(until: now + interval))
        case .listening: self
        }
    }

    /// The peer sent anything: as good as a pong while a ping is out (the client of revision 3), a sign of life while one is awaited.
    func heard(at now: Moment) -> Heartbeat {
        switch state {
        case .awaiting: return with(.resting(until: now + interval))
        case .resting: return self
        case .listening:
            var other = self
            other.heardAt = now
            return other
        }
    }

    private mutating func listen(from now: Moment) {
        state = .listening(due: now + interval, until: now + interval + timeout)
    }

    private func with(_ state: State) -> Heartbeat {
        var other = self
        other.state = state
        return other
    }
}

/// Whether what a peer sends is read. While it is not, its silence says nothing.
public enum SocketReading: String, Hashable, Sendable {
    /// It is read.
    case resumed
    /// It waits, since what was read before is not written yet.
    case paused
    /// The process stood still (SIGSTOP, a closed lid).
    case stalled
}

extension Duration {
    /// After the socket was not read, a peer has so much longer: what waited is read in that time.
    package static let unreadGrace = Duration.seconds(2)
}
