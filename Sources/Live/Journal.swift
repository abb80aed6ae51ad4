import Network
import Recording
import Wire

/// Numbers everything that belongs into a recording, whether one is written or not, so that numbers do not depend on it.
struct Journal {
    /// Wall clock at the session's time 0, microseconds since 1970 UTC.
    let wallStart: Int64
    private var lastNumber = 0

    /// The number drawn last.
    var last: Int { lastNumber }

    /// A journal of a session whose clock shows `now` at this instant.
    init(now: Moment) {
        wallStart = MachineClock.wall - now.microseconds
    }

    /// The next number, at that time. The wall clock is the one at the start plus the session's time, so it never steps.
    mutating func stamp(at now: Moment) -> Stamp {
        lastNumber += 1
        return Stamp(n: lastNumber, time: now, wall: wallStart + now.microseconds)
    }

    /// The stamp of something that is not recorded: it has no number.
    func unnumbered(at now: Moment) -> Stamp { Stamp(n: 0, time: now, wall: wallStart + now.microseconds) }
}
