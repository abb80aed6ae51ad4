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
        case (_, .keys), (.order, .manual), (.item, .comparing), (.given, .comparing):
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
