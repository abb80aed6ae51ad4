import Pipeline

/// Reports when events start to arrive late, and when they arrive in time again. A few late events are ignored, and a
/// lasting lag is reported once; it is reported again only when it doubles. Pure: the caller passes the lags.
struct LagWatch {
    /// The median lag that counts as late, in milliseconds. At or below `inTime`, events are in time again.
    private static let late: Int64 = 2000
    private static let inTime: Int64 = 1000
    /// The number of events between two checks. A check at every event costs more than printing it.
    private static let step = 8
    private static let window = 32
    /// The magnitude of a lag from which an event is ignored, in milliseconds: one day. Such an event is old, not late.
    private static let old: Int64 = 86_400_000

    private var recent: [Int64] = []
    private var next = 0
    /// The lag that was reported last, in milliseconds; 0 while events are in time.
    private var told: Int64 = 0

    /// Adds the lag of an event, in milliseconds. Returns a notice when the state changes.
    mutating func note(_ lag: Int64) -> Notice? {
        guard lag < Self.old, lag > -Self.old else { return nil }
        if recent.count < Self.window { recent.append(lag) } else { recent[next % Self.window] = lag }
        next = (next + 1) % (Self.window * Self.step)
        guard next % Self.step == 0 else { return nil }
        let median = recent.sorted()[recent.count / 2]
        if median >= max(Self.late, 2 * told) {
            told = median
            return Notice(.warning, "events arrive \(TimeText.span(milliseconds: median)) late")
        }
        if told > 0, median <= Self.inTime {
            told = 0
            return Notice(.info, "events arrive in time again: lag \(TimeText.span(milliseconds: max(median, 0)))")
        }
        return nil
    }
}
