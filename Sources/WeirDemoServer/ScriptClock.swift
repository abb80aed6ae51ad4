import WeirWire

/// The clock of a scripted server. It stands still until the script begins, then runs at its own pace.
package struct ScriptClock: Sendable {
    /// The condition on which the script begins.
    package enum Start: Hashable, Sendable {
        /// The script begins when the server starts.
        case atOnce
        /// The script begins when the first client has joined its rooms: no join or request came during `quiet`, or
        /// `longest` has passed since the first join. Until then the clock stands still.
        case afterFirstClient(quiet: Duration, longest: Duration)
    }

    private enum State: Sendable {
        /// No client has joined a room. → settling
        case waiting
        /// A client is joining rooms. → running
        case settling(first: Moment, last: Moment)
        /// The script runs since `from`, and never stops.
        case running(from: Moment)
    }

    /// The server's time when the script starts, in milliseconds since 1970.
    let epoch: Int64
    private let start: Start
    /// The number of script milliseconds per real millisecond.
    private let pace: Int64
    private var state: State

    init(epoch: Int64, _ start: Start, pace: Int, at now: Moment) {
        self.epoch = epoch
        self.start = start
        self.pace = Int64(max(1, pace))
        state = start == .atOnce ? .running(from: now) : .waiting
    }

    /// Returns the server's time, in milliseconds since 1970.
    func time(at now: Moment) -> Int64 {
        switch state {
        case .waiting, .settling: epoch
        case .running(let from): epoch + max(0, (now - from).microseconds * pace / 1_000)
        }
    }

    /// Returns when to check again, if the next scripted event is at `next` of the server's time.
    func deadline(next: Int64?) -> Moment? {
        switch state {
        case .waiting: nil
        case .settling(let first, let last): settled(first: first, last: last)
        case .running(let from):
            // Rounded up: a deadline that is too early would have to be checked again.
            next.map { from + .microseconds((($0 - epoch) * 1_000 + pace - 1) / pace) }
        }
    }

    /// Whether the script has begun.
    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Starts the script if it is time, and returns whether it runs.
    mutating func runs(at now: Moment) -> Bool {
        if case .settling(let first, let last) = state {
            let begin = settled(first: first, last: last)
            if begin <= now { state = .running(from: begin) }
        }
        return isRunning
    }

    /// Notes that a client joined a room.
    mutating func joinedRoom(at now: Moment) {
        switch state {
        case .waiting: state = .settling(first: now, last: now)
        case .settling(let first, _): state = .settling(first: first, last: now)
        case .running: break
        }
    }

    /// Notes that a client made a request.
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
