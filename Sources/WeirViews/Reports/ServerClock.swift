package import WeirPipeline
package import WeirWire

/// The offset of the server's clock, estimated from events.
///
/// Each event contains the time at which the server sent it, and cannot arrive earlier. So the smallest difference
/// between receive time and server time is the offset of the clocks plus the fastest transit. Any additional time is
/// the event's lag.
///
/// Pure: differences and times are passed in. A wrong time is ignored as an outlier, and the clocks may drift apart. If
/// the clocks agree within a network's transit time, the offset counts as zero, so that the lag is the whole delay.
package struct ServerClock: Hashable, Sendable {
    /// The local clock minus the server's, in milliseconds.
    package private(set) var offset: Int64 = 0

    /// The smallest differences within one minute.
    private struct Bucket: Hashable {
        /// The index of the bucket: the time divided by its length.
        var number: Int64
        /// The smallest differences in milliseconds, in ascending order.
        var smallest: [Int64] = []

        /// The smallest difference, unless it is far below two others that agree: then its server time was wrong.
        /// Larger differences may belong to old events.
        var value: Int64? {
            guard smallest.count == ServerClock.kept else { return smallest.first }
            let isAlone = smallest[1].isFar(above: smallest[0]) && !smallest[2].isFar(above: smallest[1])
            return isAlone ? smallest[1] : smallest[0]
        }
    }

    /// The number of buckets to keep. Older ones are discarded, since clocks drift.
    private static let buckets = 10
    private static let bucketLength: Int64 = 60_000_000
    private static let kept = 3
    /// The range of differences, in milliseconds, that counts as no offset.
    private static let tolerance: ClosedRange<Int64> = 0...50

    private var history: [Bucket] = []

    /// Creates a clock with an offset of zero.
    package init() {}

    /// Notes that an event was received at `now`, `difference` milliseconds after its server time.
    package mutating func note(_ difference: Int64, at now: Moment) {
        let number = now.microseconds / Self.bucketLength
        if history.last.map({ $0.number < number }) ?? true {
            history.append(Bucket(number: number))
            history.removeAll { $0.number <= number - Int64(Self.buckets) }
        } else if let last = history.last, last.smallest.count == Self.kept, difference >= last.smallest[Self.kept - 1]
        {
            return
        }
        insert(difference)
        let smallest = history.compactMap(\.value).min() ?? 0
        offset = Self.tolerance.contains(smallest) ? 0 : smallest
    }

    private mutating func insert(_ difference: Int64) {
        var bucket = history.removeLast()
        bucket.smallest.insert(difference, at: bucket.smallest.firstIndex { $0 > difference } ?? bucket.smallest.count)
        if bucket.smallest.count > Self.kept { bucket.smallest.removeLast() }
        history.append(bucket)
    }
}

extension Int64 {
    /// Returns whether the value exceeds another by more milliseconds than any network transit explains.
    fileprivate func isFar(above other: Int64) -> Bool {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow || difference > 1000
    }
}

/// Reports when events start to arrive late, and when they arrive in time again. A few late events are ignored, and a
/// lasting lag is reported once; it is reported again only when it doubles. Pure: the caller passes the lags.
package struct LagWatch {
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

    package init() {}

    /// Adds the lag of an event, in milliseconds. Returns a notice when the state changes.
    package mutating func note(_ lag: Int64) -> Notice? {
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
