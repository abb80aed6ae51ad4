/// Numbers that keep things in an order that was decided elsewhere: between two of them there is room for others, and where the
/// room is used up, some neighbours are numbered anew.
@usableFromInline
enum OrderLabels {
    /// Room left between two things that come one after the other; enough for 2^43 of them, and for 20 halvings.
    static let stride: Int64 = 1 << 20
    /// Labels that are given anew are at least this far apart, so that it is worth it.
    static let leastRoom: Int64 = 1 << 8

    /// Labels for `present.count` things that stand in this order between the two bounds (exclusive), changing as few as
    /// possible of those they have at present. Nil when there is no room.
    static func labels(
        for present: [Int64?], between lower: Int64?, and upper: Int64?
    ) -> [Int64]? {
        let fitting = present.indices.filter { index in
            guard let label = present[index] else { return false }
            return lower.map { $0 < label } ?? true && upper.map { label < $0 } ?? true
        }
        let kept = longestIncreasingSubsequence(fitting.map { present[$0] ?? 0 }).map { fitting[$0] }
        if kept.isEmpty { return spread(present.count, between: lower, and: upper) }
        var labels: [Int64] = []
        labels.reserveCapacity(present.count)
        var bound = lower
        for index in kept {
            guard let label = present[index],
                let filled = spread(index - labels.count, between: bound, and: label)
            else { return nil }
            labels += filled
            labels.append(label)
            bound = label
        }
        guard let filled = spread(present.count - labels.count, between: bound, and: upper) else { return nil }
        return labels + filled
    }

    /// Evenly spaced labels between two bounds, which are exclusive, or open when nil. Nil when there is no room, or less than
    /// `room` from one to the next.
    static func spread(_ count: Int, between lower: Int64?, and upper: Int64?, room: Int64 = 1) -> [Int64]? {
        if count == 0 { return [] }
        let width = Int64(count).addingReportingOverflow(1)
        let reach = stride.multipliedReportingOverflow(by: width.partialValue)
        guard !width.overflow, !reach.overflow else { return nil }
        let start: Int64
        let end: Int64
        switch (lower, upper) {
        case (nil, nil): (start, end) = (-stride, -stride + reach.partialValue)
        case (let lower?, nil):
            (start, end) = (lower, saturating(lower.addingReportingOverflow(reach.partialValue), .max))
        case (nil, let upper?):
            (start, end) = (saturating(upper.subtractingReportingOverflow(reach.partialValue), .min), upper)
        case (let lower?, let upper?): (start, end) = (lower, upper)
        }
        guard start < end else { return nil }
        let step = Int64(clamping: UInt64(bitPattern: end &- start) / UInt64(count + 1))
        guard step >= room else { return nil }
        return (1...Int64(count)).map { start + $0 * step }
    }

    private static func saturating(_ sum: (partialValue: Int64, overflow: Bool), _ limit: Int64) -> Int64 {
        sum.overflow ? limit : sum.partialValue
    }

    /// The label of what comes after all others. At the end of all numbers (after 2^43 arrivals) those that come are equal.
    @usableFromInline
    static func following(_ label: Int64) -> Int64 { saturating(label.addingReportingOverflow(stride), .max) }
}

/// Things in order by their labels, some of which are taken out and put in elsewhere.
@usableFromInline
struct LabelledSequence {
    /// How many there are, not counting those taken out.
    @usableFromInline let count: Int
    /// The label of one, by its index among those not taken out.
    @usableFromInline let label: (Int) -> Int64

    @inlinable
    init(count: Int, label: @escaping (Int) -> Int64) {
        self.count = count
        self.label = label
    }

    /// A thing that shall stand in a gap, before the one with index `gap`; `present` is the label it has, if any.
    @usableFromInline
    struct Newcomer {
        @usableFromInline var gap: Int
        @usableFromInline var present: Int64?

        @inlinable
        init(gap: Int, present: Int64?) {
            self.gap = gap
            self.present = present
        }
    }

    /// What the newcomers, in order, and some that are there already, are labelled from now on.
    @usableFromInline
    struct Labelling {
        @usableFromInline var newcomers: [Int64]
        /// By index.
        @usableFromInline var others: [(index: Int, label: Int64)] = []
    }

    /// The labels for newcomers whose gaps ascend.
    @usableFromInline
    func labelling(_ newcomers: [Newcomer]) -> Labelling {
        var labels: [Int64] = []
        labels.reserveCapacity(newcomers.count)
        var start = 0
        while start < newcomers.count {
            let gap = newcomers[start].gap
            let end = newcomers[start...].firstIndex { $0.gap != gap } ?? newcomers.count
            let present = newcomers[start..<end].map(\.present)
            guard let fitted = OrderLabels.labels(for: present, between: lower(gap), and: upper(gap)) else {
                return relabelling(newcomers)
            }
            labels += fitted
            start = end
        }
        return Labelling(newcomers: labels)
    }

    private func lower(_ gap: Int) -> Int64? { gap > 0 ? label(gap - 1) : nil }
    private func upper(_ gap: Int) -> Int64? { gap < count ? label(gap) : nil }

    /// Labels everything from a little before the first gap to a little behind the last one anew; how little depends on how
    /// crowded it is there, so that this stays rare.
    private func relabelling(_ newcomers: [Newcomer]) -> Labelling {
        let (first, last) = (newcomers.first?.gap ?? 0, newcomers.last?.gap ?? 0)
        var reach = 32
        while true {
            let (start, end) = (max(0, first - reach), min(count, last + reach))
            let isAll = start == 0 && end == count
            let room = isAll ? 1 : OrderLabels.leastRoom
            let labels = OrderLabels.spread(
                end - start + newcomers.count, between: lower(start), and: upper(end), room: room)
            if let labels { return merge(labels, from: start, to: end, newcomers) }
            // All of a sequence has the whole line to itself, and that is longer than any memory.
            if isAll { return Labelling(newcomers: newcomers.map { $0.present ?? 0 }) }
            reach *= 2
        }
    }

    private func merge(_ labels: [Int64], from start: Int, to end: Int, _ newcomers: [Newcomer]) -> Labelling {
        var result = Labelling(newcomers: [])
        var labels = labels[...]
        var newcomers = newcomers[...]
        for index in start...end {
            while let newcomer = newcomers.first, newcomer.gap <= index, let label = labels.popFirst() {
                newcomers = newcomers.dropFirst()
                result.newcomers.append(label)
            }
            if index < end, let label = labels.popFirst() { result.others.append((index, label)) }
        }
        return result
    }
}
