// When a module is compiled as a whole, the members of `timespec` belong to the C module that is seen first.
import CLibWebSockets
import Glibc
public import Wire

/// The clocks of the machine, for the hands. Any thread.
public enum MachineClock {
    /// The monotonic clock; its zero is the machine's own.
    public static var monotonic: Moment { Moment(microseconds: microseconds(CLOCK_MONOTONIC)) }

    /// The wall clock: microseconds since 1970, UTC.
    public static var wall: Int64 { microseconds(CLOCK_REALTIME) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
