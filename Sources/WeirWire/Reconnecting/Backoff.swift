/// Growing delays between attempts: doubled each time, capped, and then jittered.
///
/// The jitter comes after the cap, so that it still spreads the attempts (Socket.IO SIO-21: the
/// reference client caps last, which synchronizes the herd again).
public struct Backoff: Hashable, Sendable {
    /// The delay before the second attempt, without jitter.
    public var base: Duration
    /// The upper limit of all delays.
    public var cap: Duration

    /// Creates a policy from the first and the longest delay.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// Returns the delay after `failures` consecutive failures (1 or more). It is between half the capped delay and all
    /// of it.
    public func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let limit = max(cap.microseconds, 1)
        var span = min(max(base.microseconds, 1), limit)
        for _ in 1..<max(min(failures, 64), 1) where span < limit {
            // The sum never exceeds the limit, so it cannot overflow.
            span = span > limit - span ? limit : span + span
        }
        return .microseconds(span / 2 + Int64.random(in: 0...(span - span / 2), using: &random))
    }
}

extension Duration {
    /// The longest wait on a server's request (Retry-After), unless configured otherwise.
    package static let longestRetryAfter = Duration.seconds(300)
}

/// Distinguishes sessions that lasted from sessions that ended too soon, so that the client does not reconnect in a
/// tight loop to a server that ends every session.
package struct Steadiness: Hashable, Sendable {
    /// How long a session must last before its end no longer counts as a failure.
    package static let holdingTime: Duration = .seconds(10)

    private var began: Moment?
    /// The number of consecutive sessions that did not last.
    private var brief = 0

    /// Creates a state without any earlier session.
    package init() {}

    /// Notes that a session is open.
    package mutating func began(at now: Moment) { began = began ?? now }

    /// Notes the end of a connection. Returns the number of consecutive attempts that count as failed: none after a
    /// session that lasted, or after the first one that did not. Returns `nil` if the connection had no session.
    package mutating func ended(at now: Moment) -> Int? {
        guard let began else { return nil }
        self.began = nil
        brief = now - began < Self.holdingTime ? brief + 1 : 0
        return max(brief - 1, 0)
    }
}
