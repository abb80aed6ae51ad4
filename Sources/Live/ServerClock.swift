public import Wire

/// How far the server's clock is from ours, as far as the events tell: each says when it was sent, and none comes before that. So
/// the smallest difference of receive time and server's time is that of the clocks and of the fastest way, and what an event took longer
/// is its lag.
///
/// Pure: differences and times are passed in. A wild time does not count, the clocks may drift apart, and clocks that agree as well
/// as a way through a network is long are taken to be right, so that what is shown is then the whole delay.
public struct ServerClock: Hashable, Sendable {
    /// Our clock minus the server's, in milliseconds.
    public private(set) var offset: Int64 = 0

    /// The differences of some time; of each only the smallest matter.
    private struct Bucket: Hashable {
        /// Which it is, counted from the beginning.
        var number: Int64
        /// Ascending.
        var smallest: [Int64] = []

        /// The smallest, unless it stands alone far below two that agree: then its time was wrong. Those above may be of old things.
        var value: Int64? {
            guard smallest.count == ServerClock.kept else { return smallest.first }
            let isAlone = smallest[1].isFar(above: smallest[0]) && !smallest[2].isFar(above: smallest[1])
            return isAlone ? smallest[1] : smallest[0]
        }
    }

    /// What is older than so many buckets is forgotten: clocks drift.
    private static let buckets = 10
    private static let bucketLength: Int64 = 60_000_000
    private static let kept = 3
    /// Clocks that seem to differ by so little do not.
    private static let tolerance: ClosedRange<Int64> = 0...50

    private var history: [Bucket] = []

    /// Nothing is known yet.
    public init() {}

    /// An event was received at `now`, so many milliseconds after the server's time of it.
    public mutating func note(_ difference: Int64, at now: Moment) {
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
    /// Whether it is so many milliseconds above another one that no way through a network makes the difference.
    fileprivate func isFar(above other: Int64) -> Bool {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow || difference > 1000
    }
}
