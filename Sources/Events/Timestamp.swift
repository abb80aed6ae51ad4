/// A server's point in time, in milliseconds since 1970 UTC. JSON decoding tells seconds from milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The number of milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates the instant `milliseconds` after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates the instant of a wire number. A value of up to 12 digits is in seconds, a longer one in
    /// milliseconds (Twake TW-97, #177).
    public init(wire number: Int64) {
        milliseconds = number.magnitude < 1_000_000_000_000 ? number &* 1000 : number
    }

    /// Orders instants from earlier to later.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}
