/// The heartbeat timer of one end of an Engine.IO session (Engine.IO EIO-5).
///
/// One end sends pings: the client in revision 3, the server in revision 4. The other end listens for them. A listener
/// times out if no ping arrives within interval + timeout; a sender times out if its ping remains unanswered for the
/// timeout. At most one ping is pending at a time, so a late timer never causes a burst.
///
/// A ping is queued after everything that the server sent before it. If the server still sends data after a ping was
/// due, the client therefore does not consider it dead, and answers that ping in advance.
struct Heartbeat: Hashable, Sendable {
    /// The action due at a deadline. `pong` answers a ping that has not been read yet.
    enum Due { case ping, pong, nothing, death }

    private enum State: Hashable {
        /// Waits for the peer's next ping, which is due one interval after the last one. Follows: listening.
        case listening(due: Moment, until: Moment)
        /// The last ping was answered, and the next one is not due. Follows: awaiting.
        case resting(until: Moment)
        /// A ping is pending. Follows: resting.
        case awaiting(until: Moment)
    }

    private var state: State
    private var reading = SocketReading.resumed
    /// The number of pings that were answered before they were read.
    private var answered = 0
    /// When the peer of a listener last sent data other than a ping.
    private var heardAt: Moment?
    private let interval: Duration
    private let timeout: Duration

    private init(_ state: State, interval: Duration, timeout: Duration) {
        self.state = state
        self.interval = interval
        self.timeout = timeout
    }

    /// Creates the heartbeat of the end that sends pings.
    static func sender(interval: Duration, timeout: Duration, from now: Moment) -> Heartbeat {
        Heartbeat(.resting(until: now + interval), interval: interval, timeout: timeout)
    }

    /// Creates the heartbeat of the end that receives pings.
    static func listener(interval: Duration, timeout: Duration, from now: Moment) -> Heartbeat {
        Heartbeat(
            .listening(due: now + interval, until: now + interval + timeout), interval: interval, timeout: timeout)
    }

    /// When to call `fire(at:)`; `nil` while nothing can be received or sent.
    var deadline: Moment? {
        if reading == .stalled { return nil }
        guard case .listening(let due, _) = state, reading == .paused || isSpeaking else { return until }
        // The peer's ping is in the socket by then, and half of the time for its answer has passed.
        return due + timeout / 2
    }

    /// Whether the peer of a listener sent data after its ping was due.
    private var isSpeaking: Bool {
        guard case .listening(let due, _) = state, let heardAt else { return false }
        return due < heardAt
    }

    /// The deadline that applies while the socket is read.
    var until: Moment {
        switch state {
        case .listening(_, let until), .resting(let until), .awaiting(let until): until
        }
    }

    /// Performs the step that is due. While the socket is not read, the peer is never declared dead, and its pings are answered in advance.
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

    /// Notes whether the socket is read. After a pause, the waiting data must be read before the peer's silence counts.
    /// That takes at most as long as the peer has for an answer.
    mutating func set(_ reading: SocketReading, at now: Moment) {
        self.reading = reading
        guard reading == .resumed else { return }
        switch state {
        case .listening(let due, let until): state = .listening(due: due, until: max(until, now + timeout))
        case .awaiting(let until): state = .awaiting(until: max(until, now + timeout))
        case .resting: break
        }
    }

    /// Handles a ping from the peer: a listener starts over. Returns whether to answer it, which is false if it was
    /// answered in advance.
    mutating func pinged(at now: Moment) -> Bool {
        if case .listening = state { listen(from: now) }
        guard answered > 0 else { return true }
        answered -= 1
        return false
    }

    /// Handles a pong from the peer: a sender starts over. The server of revision 4 does so at every pong, requested or
    /// not.
    func ponged(at now: Moment) -> Heartbeat {
        switch state {
        case .resting, .awaiting: with(.resting(until: now + interval))
        case .listening: self
        }
    }

    /// Handles any data from the peer: as good as a pong while a ping is pending (the client of revision 3), and a sign
    /// of life while one is awaited.
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

/// Whether the data from a peer is read. While it is not, the peer's silence has no meaning.
package enum SocketReading: String, Hashable, Sendable {
    /// The socket is being read.
    case resumed
    /// Data waits, because earlier data has not been written yet.
    case paused
    /// The process was suspended (SIGSTOP, a closed lid).
    case stalled
}

extension Duration {
    /// The extra time that a peer gets after a reading pause. The waiting data is read in that time.
    package static let unreadGrace = Duration.seconds(2)
}
