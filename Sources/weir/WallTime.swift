import Network

/// The wall clock in milliseconds.
enum WallTime {
    /// The current time, in milliseconds since 1970.
    static var milliseconds: Int64 { MachineClock.wall / 1000 }
}
