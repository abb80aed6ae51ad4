// The positions of rows that no key orders: each row gets a label between those of its neighbours.
extension EntityModel {
    /// Returns the rows with labels for their positions, and those neighbours that needed new labels.
    @inlinable
    mutating func placed(
        _ rows: [Row], removing removals: [Entity.UniqueValue], by placement: Placement
    ) -> [Row] {
        let gap: (Row, Others) -> Int
        let sort: ([Row]) -> [Row]
        switch (placement, order.rule) {
        case (.order, .comparing(let precedes)):
            gap = { Self.gap(for: $0, among: $1, precedes) }
            sort = { [shown] in Self.asTheyStand($0, in: shown.snapshot).sorted { precedes($0.entity, $1.entity) } }
        case (.item(let item), .manual): (gap, sort) = ({ min(item, $1.count) }, { $0 })
        case (.given, .manual): (gap, sort) = ({ $1.count }, { $0 })
        case (.labelled, _), (_, .keys), (.order, .manual), (.item, .comparing), (.given, .comparing):
            nextLabel = rows.reduce(nextLabel) { max($0, OrderLabels.following($1.label)) }
            return rows
        }
        var result: [Row] = []
        let others = others(than: rows.map(\.id) + removals)
        for (name, members) in grouped(rows) {
            let others = Others(in: shown.snapshot, section: name, without: others)
            var newcomers = sort(members).map { (row: $0, gap: gap($0, others)) }
            newcomers.sort { $0.gap < $1.gap }
            let labelling = others.sequence.labelling(
                newcomers.map { .init(gap: $0.gap, present: others.label(of: $0.row)) })
            for (newcomer, label) in zip(newcomers, labelling.newcomers) { result.append(newcomer.row.labelled(label)) }
            for (index, label) in labelling.others {
                if let row = others.row(index) { result.append(row.labelled(label)) }
            }
        }
        nextLabel = result.reduce(nextLabel) { max($0, OrderLabels.following($1.label)) }
        return result
    }

    /// Returns the rows that have a position already, in its order, then the others: rows that
    /// compare equal then need not move.
    @inlinable
    static func asTheyStand(_ rows: [Row], in state: SectionedSnapshot<Row>) -> [Row] {
        let standing = rows.map { (row: $0, path: state.path(of: $0.id)) }
        return standing.sorted { a, b in
            guard let path = a.path else { return false }
            return b.path.map { path < $0 } ?? true
        }
        .map(\.row)
    }

    /// Returns the rows by section, in the order in which the sections first occur.
    @inlinable
    func grouped(_ rows: [Row]) -> [(name: String, rows: [Row])] {
        var positions: [String: Int] = [:]
        var groups: [(name: String, rows: [Row])] = []
        for row in rows {
            if let position = positions[row.sectionName] {
                groups[position].rows.append(row)
            } else {
                positions[row.sectionName] = groups.count
                groups.append((row.sectionName, [row]))
            }
        }
        return groups
    }

    /// Returns the items of the given rows by section index, ascending: those to leave out.
    @inlinable
    func others(than ids: [Entity.UniqueValue]) -> [Int: [Int]] {
        var items: [Int: [Int]] = [:]
        for path in ids.compactMap({ shown.path(of: $0) }) { items[path.section, default: []].append(path.item) }
        return items.mapValues { $0.sorted() }
    }

    /// Returns the position of an entity among the others by a comparison: its present one if that is allowed,
    /// otherwise the one after its equals.
    @inlinable
    static func gap(
        for row: Row, among others: Others, _ precedes: (Entity, Entity) -> Bool
    ) -> Int {
        let end = partitionPoint(others.count) { index in
            others.row(index).map { !precedes(row.entity, $0.entity) } ?? false
        }
        guard let present = others.gap(of: row), present <= end else { return end }
        let mayStay = present == 0 || others.row(present - 1).map { !precedes(row.entity, $0.entity) } ?? false
        let isBehind = present == others.count || others.row(present).map { !precedes($0.entity, row.entity) } ?? false
        return mayStay && isBehind ? present : end
    }

    /// The rows of a section, except for some.
    @usableFromInline
    struct Others {
        @usableFromInline
        let rows: SectionedSnapshot<Row>
        @usableFromInline
        let name: String
        @usableFromInline
        let section: Int?
        /// The items to leave out, ascending.
        @usableFromInline
        let excluded: [Int]
        @usableFromInline
        let count: Int

        @inlinable
        init(in rows: SectionedSnapshot<Row>, section name: String, without excluded: [Int: [Int]]) {
            self.rows = rows
            self.name = name
            section = rows.sectionIndex(of: name)
            self.excluded = section.flatMap { excluded[$0] } ?? []
            count = (section.map { rows.elementCount(at: $0) } ?? 0) - self.excluded.count
        }

        @inlinable
        func row(_ index: Int) -> Row? {
            guard let section else { return nil }
            let skipped = partitionPoint(excluded.count) { excluded[$0] - $0 <= index }
            return rows.element(at: SectionPath(section: section, item: index + skipped))
        }

        @inlinable
        var sequence: LabelledSequence { LabelledSequence(count: count) { row($0)?.label ?? 0 } }

        /// Returns the label of a row if this section contains it.
        @inlinable
        func label(of row: Row) -> Int64? {
            guard let path = rows.path(of: row.id), path.section == section else { return nil }
            return rows.element(at: path)?.label
        }

        /// Returns the number of the others before a row if this section contains it.
        @inlinable
        func gap(of row: Row) -> Int? {
            guard let path = rows.path(of: row.id), path.section == section else { return nil }
            return path.item - partitionPoint(excluded.count) { excluded[$0] < path.item }
        }
    }
}

extension EntityRow {
    @inlinable
    func labelled(_ label: Int64) -> EntityRow {
        var row = self
        row.label = label
        return row
    }
}

/// Numbers that keep an order that was decided elsewhere. There is room for others between two of them; where the room
/// is used up, some neighbours get new numbers.
@usableFromInline
enum OrderLabels {
    /// The room between two successive labels: enough for 2^43 of them, and for 20 halvings.
    static let stride: Int64 = 1 << 20
    /// The least distance between new labels, so that relabelling is worthwhile.
    static let leastRoom: Int64 = 1 << 8

    /// Returns labels for `present.count` things in this order between two exclusive bounds, which change as few of the
    /// present labels as possible. Returns `nil` if there is no room.
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

    /// Returns evenly spaced labels between two bounds, which are exclusive, or open if `nil`. Returns `nil` if there
    /// is no room, or less than `room` from one label to the next.
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

    /// Returns the label of what comes after all others. At the end of all numbers (after 2^43
    /// arrivals), new labels are equal.
    @usableFromInline
    static func following(_ label: Int64) -> Int64 { saturating(label.addingReportingOverflow(stride), .max) }
}

/// Things in the order of their labels, some of which are taken out and put in elsewhere.
@usableFromInline
struct LabelledSequence {
    /// The number of things, not counting those taken out.
    @usableFromInline let count: Int
    /// Returns the label of a thing, given its index among those not taken out.
    @usableFromInline let label: (Int) -> Int64

    @inlinable
    init(count: Int, label: @escaping (Int) -> Int64) {
        self.count = count
        self.label = label
    }

    /// A thing to put before the one with the index `gap`. `present` is the label that it has, if any.
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

    /// The new labels of the newcomers, in order, and of some of the others.
    @usableFromInline
    struct Labelling {
        @usableFromInline var newcomers: [Int64]
        /// The new labels of others, by index.
        @usableFromInline var others: [(index: Int, label: Int64)] = []
    }

    /// Returns the labels for newcomers whose gaps ascend.
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

    /// Relabels everything from a little before the first gap to a little after the last one. The reach grows with the
    /// density of the labels there, so that this stays rare.
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
            // A whole sequence has all numbers to itself, and these are more than fit into any memory.
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
