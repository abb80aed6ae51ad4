import Network
import Recording
import Wire

/// Assigns numbers to everything that belongs in a recording. It does so whether or not a recording is written, so that
/// the numbers do not depend on it.
struct Journal {
    /// The wall clock at the session's time 0, in microseconds since 1970 UTC.
    let wallStart: Int64
    private var lastNumber = 0

    /// The last number assigned; 0 before the first.
    var last: Int { lastNumber }

    /// Creates a journal for a session whose clock shows `now` at this instant.
    init(now: Moment) {
        wallStart = MachineClock.wall - now.microseconds
    }

    /// Returns a stamp with the next number. Its wall clock is the one at the start plus the session's time, so it
    /// never steps.
    mutating func stamp(at now: Moment) -> Stamp {
        lastNumber += 1
        return Stamp(n: lastNumber, time: now, wall: wallStart + now.microseconds)
    }

    /// Returns the stamp of something that is not recorded. Its number is 0.
    func unnumbered(at now: Moment) -> Stamp { Stamp(n: 0, time: now, wall: wallStart + now.microseconds) }
}
