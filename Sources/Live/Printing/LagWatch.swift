import Pipeline

/// Says when events come late, and when they come in time again. Pure: it is fed the lags, and sees to it that a few late ones are
/// nothing and that a lag that stays is told once.
struct LagWatch {
    /// Late is what half of the last events were by so much.
    private static let late: Int64 = 2000
    private static let inTime: Int64 = 1000
    /// Looked at by so many; looking at each costs more than printing it.
    private static let step = 8
    private static let window = 32
    /// What is older than that is no news that comes late.
    private static let old: Int64 = 86_400_000

    private var recent: [Int64] = []
    private var next = 0
    /// What was told last; 0 while all is well.
    private var told: Int64 = 0

    /// An event came so many milliseconds after it was sent; a notice when there is something to say.
    mutating func note(_ lag: Int64) -> Notice? {
        guard lag < Self.old, lag > -Self.old else { return nil }
        if recent.count < Self.window { recent.append(lag) } else { recent[next % Self.window] = lag }
        next = (next + 1) % (Self.window * Self.step)
        guard next % Self.step == 0 else { return nil }
        let median = recent.sorted()[recent.count / 2]
        if median >= max(Self.late, 2 * told) {
            told = median
            return Notice(.warning, "events come \(TimeText.span(milliseconds: median)) late")
        }
        if told > 0, median <= Self.inTime {
            told = 0
            return Notice(.info, "events come in time again: lag \(TimeText.span(milliseconds: max(median, 0)))")
        }
        return nil
    }
}
