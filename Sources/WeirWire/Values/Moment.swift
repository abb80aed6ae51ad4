/// A point on the session's own clock, in whole microseconds since the session (or its recording) began. The clock
/// never goes back.
///
/// The pure modules receive moments as parameters and never read a clock.
public struct Moment: Hashable, Comparable, Sendable {
    /// The microseconds since the start of the session.
    public var microseconds: Int64
    /// Creates the moment `microseconds` after the start of the session.
    public init(microseconds: Int64) { self.microseconds = microseconds }
    /// The start of the session.
    public static let zero = Moment(microseconds: 0)
    /// Returns whether `a` is earlier than `b`.
    public static func < (a: Moment, b: Moment) -> Bool { a.microseconds < b.microseconds }
    /// Returns the moment that is a time span later. Fractions of a microsecond are dropped.
    public static func + (a: Moment, span: Duration) -> Moment {
        Moment(microseconds: a.microseconds + span.microseconds)
    }
    /// Returns the time span from `b` to `a`.
    public static func - (a: Moment, b: Moment) -> Duration { .microseconds(a.microseconds - b.microseconds) }
}

extension Duration {
    /// The whole microseconds of this time span.
    package var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

/// Returns the earlier of two moments. `nil` means never.
package func earlier(_ a: Moment?, _ b: Moment?) -> Moment? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
}
