/// When a record was made: its number in the recording, the session's time and the wall clock.
public struct Stamp: Hashable, Sendable {
    /// The record's number, counted from 1 over the whole recording. A hole means that records are missing. 0 for the
    /// head and for events that are not recorded.
    public var n: Int
    /// Time since the recording began.
    public var time: Moment
    /// The wall clock, in microseconds since 1970 UTC.
    public var wall: Int64
    /// Whether the record repeats state from before the start of its file, so that the file can be played alone. A
    /// reader that has already read the earlier segments skips it. It carries the number of the record before it.
    public var isRestated: Bool
    /// Creates a stamp. `time` counts from the start of the recording, `wall` is microseconds since 1970 UTC.
    public init(n: Int, time: Moment, wall: Int64, isRestated: Bool = false) {
        self.n = n
        self.time = time
        self.wall = wall
        self.isRestated = isRestated
    }
}
