import Glibc
import Wire

/// The clocks of the machine. What paces a replay is one of them; nothing that is printed depends on it.
enum RealTime {
    /// The monotonic clock.
    static var now: Moment { Moment(microseconds: microseconds(CLOCK_MONOTONIC)) }

    /// The wall clock, microseconds since 1970 UTC.
    static var wall: Int64 { microseconds(CLOCK_REALTIME) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
