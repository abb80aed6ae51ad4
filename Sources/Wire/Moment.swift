/// A point on the session's own clock: whole microseconds since the session (or its recording) began, never going back.
///
/// The pure rooms are given moments; they never ask for one.
public struct Moment: Hashable, Comparable, Sendable {
    /// Microseconds since the start.
    public var microseconds: Int64
    /// The moment `microseconds` after the start.
    public init(microseconds: Int64) { self.microseconds = microseconds }
    /// The start.
    public static let zero = Moment(microseconds: 0)
    /// Whether `a` is earlier than `b`.
    public static func < (a: Moment, b: Moment) -> Bool { a.microseconds < b.microseconds }
    /// The moment a span later (whole microseconds; finer parts are dropped).
    public static func + (a: Moment, span: Duration) -> Moment {
        Moment(microseconds: a.microseconds + span.microseconds)
    }
    /// The span from `b` to `a`.
    public static func - (a: Moment, b: Moment) -> Duration { .microseconds(a.microseconds - b.microseconds) }
}

extension Duration {
    /// The whole microseconds of this span.
    public var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

/// The earlier of two moments, of which either may never come.
package func earlier(_ a: Moment?, _ b: Moment?) -> Moment? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
}
