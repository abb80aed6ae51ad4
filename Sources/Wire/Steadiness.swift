/// Tells sessions that held from such as ended before they were of use, so that a server that ends one after the other is not called
/// without end.
public struct Steadiness: Hashable, Sendable {
    /// How long a session has to stand before its end counts for nothing.
    public static let holdingTime: Duration = .seconds(10)

    private var began: Moment?
    /// Sessions in a row that did not hold.
    private var brief = 0

    /// No session stood yet.
    public init() {}

    /// A session stands.
    public mutating func began(at now: Moment) { began = began ?? now }

    /// A connection is over. Gives how many attempts in a row count as failed: none after a session that held, nor after the first one that
    /// did not; nil when no session stood on it.
    public mutating func ended(at now: Moment) -> Int? {
        guard let began else { return nil }
        self.began = nil
        brief = now - began < Self.holdingTime ? brief + 1 : 0
        return max(brief - 1, 0)
    }
}
