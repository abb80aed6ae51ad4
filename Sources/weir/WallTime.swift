import Network

/// The wall clock.
enum WallTime {
    /// Milliseconds since 1970.
    static var milliseconds: Int64 { MachineClock.wall / 1000 }
}
