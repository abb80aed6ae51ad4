import Wire

/// The clock of a world that a script moves: it stands still until the script begins, and runs at a pace of its own.
package struct ScriptClock: Sendable {
    /// When the script begins.
    package enum Start: Hashable, Sendable {
        /// With the server.
        case atOnce
        /// When the first client has joined its rooms: nothing was joined or asked for during `quiet`, or `longest` went by
        /// since the first join. Until then the world's clock stands still.
        case afterFirstClient(quiet: Duration, longest: Duration)
    }

    private enum State: Sendable {
        /// Nobody has joined a room: next is `settling`, or `running` at once.
        case waiting
        /// A client is joining rooms: next is `running`.
        case settling(first: Moment, last: Moment)
        /// The script runs since `from`; it never stops.
        case running(from: Moment)
    }

    /// The world's time of the script's start, milliseconds since 1970.
    let epoch: Int64
    private let start: Start
    /// Milliseconds of the world in one of ours.
    private let pace: Int64
    private var state: State

    init(epoch: Int64, _ start: Start, pace: Int, at now: Moment) {
        self.epoch = epoch
        self.start = start
        self.pace = Int64(max(1, pace))
        state = start == .atOnce ? .running(from: now) : .waiting
    }

    /// The world's time, milliseconds since 1970.
    func time(at now: Moment) -> Int64 {
        switch state {
        case .waiting, .settling: epoch
        case .running(let from): epoch + max(0, (now - from).microseconds * pace / 1_000)
        }
    }

    /// When to look again, if the next thing happens at `next` in the world.
    func deadline(next: Int64?) -> Moment? {
        switch state {
        case .waiting: nil
        case .settling(let first, let last): settled(first: first, last: last)
        case .running(let from):
            // Rounded up: a deadline that is too early would be asked for again.
            next.map { from + .microseconds((($0 - epoch) * 1_000 + pace - 1) / pace) }
        }
    }

    /// Whether the script runs.
    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Whether the script runs, begun now if it is time for it.
    mutating func runs(at now: Moment) -> Bool {
        if case .settling(let first, let last) = state {
            let begin = settled(first: first, last: last)
            if begin <= now { state = .running(from: begin) }
        }
        return isRunning
    }

    /// A client joined a room.
    mutating func joinedRoom(at now: Moment) {
        switch state {
        case .waiting: state = .settling(first: now, last: now)
        case .settling(let first, _): state = .settling(first: first, last: now)
        case .running: break
        }
    }

    /// A client asked for something.
    mutating func asked(at now: Moment) {
        if case .settling(let first, _) = state { state = .settling(first: first, last: now) }
    }

    private func settled(first: Moment, last: Moment) -> Moment {
        switch start {
        case .atOnce: first
        case .afterFirstClient(let quiet, let longest): min(last + quiet, first + longest)
        }
    }
}
