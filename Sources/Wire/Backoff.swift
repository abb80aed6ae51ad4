/// Growing delays between attempts: doubled each time, capped first, then jittered, so that the jitter survives the cap
/// (`reference/socketio.md` section 5: the reference client caps last, and the herd is synchronous again).
public struct Backoff: Hashable, Sendable {
    /// The delay before the second attempt, without jitter.
    public var base: Duration
    /// The longest delay.
    public var cap: Duration

    /// A policy.
    public init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// The delay after `failures` failed attempts in a row (1 or more): between half and all of the capped delay.
    public func delay(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let limit = max(cap.microseconds, 1)
        var span = min(max(base.microseconds, 1), limit)
        for _ in 1..<max(min(failures, 64), 1) where span < limit {
            // No sum above the limit is ever made, so that none can overflow.
            span = span > limit - span ? limit : span + span
        }
        return .microseconds(span / 2 + Int64.random(in: 0...(span - span / 2), using: &random))
    }
}

extension Duration {
    /// Longer than this nobody waits because a server says so (Retry-After), unless told otherwise.
    public static let longestRetryAfter = Duration.seconds(300)
}
