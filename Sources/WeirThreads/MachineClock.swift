import Glibc
package import WeirWire

/// The machine's clocks, for the drivers. Any thread.
package enum MachineClock {
    /// The time of the monotonic clock, in microseconds from an origin that the machine chooses.
    package static var monotonic: Moment { Moment(microseconds: microseconds(CLOCK_MONOTONIC)) }

    /// The time of the wall clock, in microseconds since 1970, UTC.
    package static var wall: Int64 { microseconds(CLOCK_REALTIME) }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// Returns the nanoseconds since the machine started, sleep included.
package func bootTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
