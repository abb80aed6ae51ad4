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
    public static let longestRetryAfter = Duration.seconds(300)
}
