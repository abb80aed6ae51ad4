/// Distinguishes sessions that lasted from sessions that ended too soon, so that the client does not reconnect in a
/// tight loop to a server that ends every session.
public struct Steadiness: Hashable, Sendable {
    /// How long a session must last before its end no longer counts as a failure.
    public static let holdingTime: Duration = .seconds(10)

    private var began: Moment?
    /// The number of consecutive sessions that did not last.
    private var brief = 0

    /// Creates a state without any earlier session.
    public init() {}

    /// Notes that a session is open.
    public mutating func began(at now: Moment) { began = began ?? now }

    /// Notes the end of a connection. Returns the number of consecutive attempts that count as failed: none after a
    /// session that lasted, or after the first one that did not. Returns `nil` if the connection had no session.
    public mutating func ended(at now: Moment) -> Int? {
        guard let began else { return nil }
        self.began = nil
        brief = now - began < Self.holdingTime ? brief + 1 : 0
        return max(brief - 1, 0)
    }
}
