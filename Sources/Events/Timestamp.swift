/// A server's point in time: milliseconds since 1970 UTC. Seconds and milliseconds are told apart where JSON is decoded.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// The instant `milliseconds` after 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The instant a wire number means: values of up to 12 digits are seconds, longer ones milliseconds (section 8, #177).
    public init(wire number: Int64) {
        milliseconds = number.magnitude < 1_000_000_000_000 ? number &* 1000 : number
    }

    /// Earlier comes first.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}
