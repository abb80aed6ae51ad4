import Network
import Wire

/// The clocks of the machine. What paces a replay is one of them; nothing that is printed depends on it.
enum RealTime {
    /// The monotonic clock.
    static var now: Moment { MachineClock.monotonic }

    /// The wall clock, microseconds since 1970 UTC.
    static var wall: Int64 { MachineClock.wall }
}
