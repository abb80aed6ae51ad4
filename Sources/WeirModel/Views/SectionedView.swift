/// The rows of a collection, or some of them, in the same sections or in others, without a copy of the elements.
///
/// A view has its own trees of sort keys and of slots in the collection's records, which it shares with the last
/// snapshot that it followed. The collection's batches bring it up to date in O(k log n) for k records, and each
/// returned batch is the exact batch of the visible rows. A view is a value: a copy is O(1) and serves as a snapshot.
///
/// The rule that selects the elements, their sections and their positions must depend on the element alone. To show
/// them by another rule, create another view.
public struct SectionedView<Base: SectionedElement, Element: SectionedElement>: Sendable
where Element.ID == Base.ID {
    @usableFromInline typealias Directory = CountedTree<SectionEntry<Element>>
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// The rule that selects and places elements.
    @usableFromInline
    struct Rule: Sendable {
        @usableFromInline let isIncluded: @Sendable (Base) -> Bool
        @usableFromInline let element: @Sendable (Base) -> Element
        /// Returns the rank of a section in a state of the collection.
        @usableFromInline let rank: @Sendable (SectionedSnapshot<Base>, Element.SectionKey) -> Int64
        /// Returns the sections whose ranks a batch changes.
        @usableFromInline let ranked: @Sendable (Batch<Base>) -> [Element.SectionKey]

        @inlinable
        init(
            isIncluded: @escaping @Sendable (Base) -> Bool, element: @escaping @Sendable (Base) -> Element,
            rank: @escaping @Sendable (SectionedSnapshot<Base>, Element.SectionKey) -> Int64,
            ranked: @escaping @Sendable (Batch<Base>) -> [Element.SectionKey]
        ) {
            self.isIncluded = isIncluded
            self.element = element
            self.rank = rank
            self.ranked = ranked
        }

        /// Returns what the view shows of an element; `nil` if it does not show it.
        @inlinable
        func shown(_ base: Base?) -> Element? {
            guard let base, isIncluded(base) else { return nil }
            return element(base)
        }
    }

    @usableFromInline let rule: Rule
    @usableFromInline var directory = Directory()
    /// The path to the section that changed last.
    @usableFromInline var recentSection = TreePath()
    @usableFromInline var state: SectionedSnapshot<Base>
    @usableFromInline var batches = 0

    @inlinable
    init(_ base: SectionedSnapshot<Base>, _ rule: Rule) throws(ModelError) {
        self.rule = rule
        state = base
        try reset(to: base)
    }

    /// The state of the collection that the view shows.
    @inlinable
    public var base: SectionedSnapshot<Base> { state }
}

extension SectionedView where Element == Base {
    /// Creates a view of the elements that pass a filter, in their own sections and order.
    @inlinable
    public init(of base: SectionedSnapshot<Base>, where isIncluded: @escaping @Sendable (Base) -> Bool) {
        let rule = Rule(
            isIncluded: isIncluded, element: { $0 }, rank: { $0.rank(of: $1) }, ranked: { $0.sectionMoves.map(\.key) })
        do {
            try self.init(base, rule)
        } catch {
            preconditionFailure("a collection held an element without an order")
        }
    }
}

extension SectionedView {
    /// Creates a view of the elements, or of those that pass a filter, in the view's own sections and order. Sections
    /// are in the order of their keys, elements in the order of (sort key, id).
    ///
    /// - Throws: `unorderedKey` if a key does not equal itself.
    @inlinable
    public init<SectionKey, SortKey>(
        of base: SectionedSnapshot<Base>, sectionedBy sectionKey: @escaping @Sendable (Base) -> SectionKey,
        sortedBy sortKey: @escaping @Sendable (Base) -> SortKey,
        where isIncluded: @escaping @Sendable (Base) -> Bool = { _ in true }
    ) throws(ModelError) where Element == RegroupedElement<Base, SectionKey, SortKey> {
        let rule = Rule(
            isIncluded: isIncluded, element: { Element($0, sectionKey: sectionKey($0), sortKey: sortKey($0)) },
            rank: { _, _ in 0 }, ranked: { _ in [] })
        try self.init(base, rule)
    }
}

// MARK: - Reading

extension SectionedView: SectionedRows {
    /// The number of rows that are visible.
    @inlinable
    public var count: Int { directory.weight }

    /// The number of sections with visible rows.
    @inlinable
    public var sectionCount: Int { directory.count }

    /// The number of batches that the view has returned.
    @inlinable
    public var sequence: Int { batches }

    /// Returns the key of the section with this index; `nil` if there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? {
        guard index >= 0, index < sectionCount else { return nil }
        return directory.withEntry(at: index) { $0.place.key }
    }

    /// Returns the index of the section with this key; `nil` if there is none.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? {
        directory.withEntry(at: place(of: key, in: state)) { index, _ in index }
    }

    /// Returns the rank of a section.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { rule.rank(state, key) }

    /// Returns the number of rows in the section with this index; 0 if there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int {
        guard index >= 0, index < sectionCount else { return 0 }
        return directory.withEntry(at: index) { $0.rows.count }
    }

    /// Returns the element at a path; `nil` if there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? {
        guard path.section >= 0, path.section < sectionCount else { return nil }
        return directory.withEntry(at: path.section) { section in
            guard path.item >= 0, path.item < section.rows.count else { return nil }
            return section.rows.withEntry(at: path.item) { rule.element(state.records[$0.slot]) }
        }
    }

    /// Returns the path of the element with this id; `nil` if it is not visible.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? {
        guard let slot = state.slot(of: id), let element = rule.shown(state.records[slot]) else { return nil }
        return path(of: element, slot)
    }

    /// Returns the path of a row by its number, counted from 0 across all sections; `nil` if there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { directory.path(ofRow: number) }

    @inlinable
    func place(of key: Element.SectionKey, in state: SectionedSnapshot<Base>) -> SectionPlace<Element.SectionKey> {
        SectionPlace(rank: rule.rank(state, key), key: key)
    }

    /// Returns the path of the row in a slot, if its keys lead to it.
    @inlinable
    func path(of element: Element, _ slot: Slot) -> SectionPath? {
        let row = ViewPlace(of: element, in: state.records)
        let found = directory.withEntry(at: place(of: element.sectionKey, in: state)) { index, section in
            section.rows.withEntry(at: row) { item, entry in
                entry.slot == slot ? SectionPath(section: index, item: item) : nil
            }
        }
        return found.flatMap { $0 }.flatMap { $0 }
    }
}

/// The position of a row in a section of a view: by sort key, then by id, which is looked up in
/// the collection's records.
@usableFromInline
struct ViewPlace<Base: SectionedElement, SortKey: Comparable & Sendable>: TreeProbe {
    @usableFromInline let key: SortKey
    @usableFromInline let id: Base.ID
    @usableFromInline let records: Records<Base>

    @inlinable
    init<Element: SectionedElement>(of element: Element, in records: Records<Base>)
    where Element.ID == Base.ID, Element.SortKey == SortKey {
        key = element.sortKey
        id = element.id
        self.records = records
    }

    @inlinable
    func isAfter(_ row: RowEntry<SortKey>) -> Bool {
        row.key < key || (row.key == key && records[row.slot].id < id)
    }

    @inlinable
    func isBefore(_ row: RowEntry<SortKey>) -> Bool {
        key < row.key || (row.key == key && id < records[row.slot].id)
    }
}

extension SectionedView {
    /// Shows another state of the collection, whatever the differences are. Readers of the view must
    /// discard what they have. O(n log n).
    ///
    /// - Throws: `unorderedKey`, and nothing is changed, if a key of the view does not equal itself.
    @inlinable
    public mutating func reset(to base: SectionedSnapshot<Base>) throws(ModelError) {
        var rows: [Element.SectionKey: [(entry: RowEntry<Element.SortKey>, id: Element.ID)]] = [:]
        var keys: [Element.SectionKey] = []
        try base.directory.forEach { (section) throws(ModelError) in
            try section.rows.forEach { (row) throws(ModelError) in
                guard let element = rule.shown(base.records[row.slot]) else { return }
                guard element.isOrdered else { throw .unorderedKey }
                if rows[element.sectionKey] == nil { keys.append(element.sectionKey) }
                rows[element.sectionKey, default: []].append(
                    (RowEntry(key: element.sortKey, slot: row.slot), element.id))
            }
        }
        let places = keys.map { place(of: $0, in: base) }.sorted()
        directory = Directory(
            sorted: places.map { place in
                let sorted = (rows[place.key] ?? []).sorted {
                    $0.entry.key < $1.entry.key || ($0.entry.key == $1.entry.key && $0.id < $1.id)
                }
                var section = SectionEntry<Element>(place)
                section.rows = CountedTree(sorted: sorted.map(\.entry))
                return section
            })
        state = base
    }

    /// Follows a batch of the collection, which led to `base`. Returns the batch of the visible
    /// rows; `nil` if they do not differ.
    ///
    /// Every batch must be followed, in order.
    ///
    /// - Throws: `badBatch`, and nothing is changed, if this batch does not lead from the state that is shown to
    ///   `base`; call `reset(to:)` then. `unorderedKey` if a key of the view does not equal itself.
    @inlinable
    public mutating func follow(
        _ batch: Batch<Base>, to base: SectionedSnapshot<Base>
    ) throws(ModelError) -> Batch<Element>? {
        guard base.sequence == state.sequence + 1 else {
            throw .badBatch("the view shows the state after batch \(state.sequence); this is batch \(base.sequence)")
        }
        var touched = try touchedRows(by: batch, in: base)
        let moving = touched.indices.filter { !touched[$0].keepsPlace }
        for index in moving {
            if let old = touched[index].old { takeOut(old) }
        }
        let changes = settleSections(leftBy: moving, touched, rule.ranked(batch), base)
        state = base
        for index in moving {
            if let new = touched[index].new, let slot = touched[index].slot { putIn(new, slot) }
        }
        for index in touched.indices {
            if let new = touched[index].new, let slot = touched[index].slot { touched[index].to = path(of: new, slot) }
        }
        let shown = Batch<Element>(touched, changes)
        if shown.isEmpty { return nil }
        batches += 1
        return shown
    }

    /// Returns the rows of a batch that are visible before or after it and differ, with their old paths.
    @inlinable
    func touchedRows(by batch: Batch<Base>, in base: SectionedSnapshot<Base>) throws(ModelError) -> [Touched] {
        var touched: [Touched] = []
        for record in batch.deletions { try touch(record.element, nil, base, &touched) }
        for record in batch.insertions { try touch(nil, record.element, base, &touched) }
        for record in batch.moves { try touch(record.old, record.new, base, &touched) }
        for record in batch.updates { try touch(record.old, record.new, base, &touched) }
        return touched
    }

    @inlinable
    func touch(
        _ old: Base?, _ new: Base?, _ base: SectionedSnapshot<Base>, _ touched: inout [Touched]
    ) throws(ModelError) {
        guard let id = (old ?? new)?.id else { return }
        let (left, came) = (state.slot(of: id), base.slot(of: id))
        guard left.map({ state.records[$0] }) == old, came.map({ base.records[$0] }) == new, let slot = left ?? came
        else { throw .badBatch("the view's collection did not apply the batch") }
        let (before, after) = (rule.shown(old), rule.shown(new))
        guard before != after else { return }
        if let after, !after.isOrdered { throw .unorderedKey }
        var row = Touched(old: before, slot: slot, new: after, hash: 0)
        row.from = before.flatMap { path(of: $0, slot) }
        if before != nil, row.from == nil {
            throw .badBatch("the view does not show an element at its place in the batch")
        }
        touched.append(row)
    }

    // MARK: - Trees

    @inlinable
    mutating func takeOut(_ element: Element) {
        let row = ViewPlace(of: element, in: state.records)
        _ = directory.modify(at: place(of: element.sectionKey, in: state), recent: &recentSection) {
            $0.rows.remove(at: row).index
        }
    }

    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot) {
        let row = ViewPlace(of: element, in: state.records)
        let entry = RowEntry(key: element.sortKey, slot: slot)
        _ = directory.modify(at: place(of: element.sectionKey, in: state), recent: &recentSection) {
            $0.rows.insert(entry, at: row)
        }
    }

    /// Removes the sections that lost all their rows and get none, inserts those that are missing, and applies the
    /// ranks that the collection set. Called after rows are removed and before rows are inserted.
    @inlinable
    mutating func settleSections(
        leftBy moving: [Int], _ touched: [Touched], _ ranked: [Element.SectionKey], _ base: SectionedSnapshot<Base>
    ) -> SectionedCollection<Element>.SectionChanges {
        var changes = SectionedCollection<Element>.SectionChanges()
        let left = SectionedCollection<Element>.distinct(moving.compactMap { touched[$0].old?.sectionKey })
        let entered = SectionedCollection<Element>.distinct(moving.compactMap { touched[$0].new?.sectionKey })
        for key in left where !SectionedCollection<Element>.contains(key, in: entered) {
            let place = place(of: key, in: state)
            guard directory.withEntry(at: place, { $1.rows.isEmpty }) == true else { continue }
            changes.deletions.append(.init(index: directory.rank(of: place), key: key, rank: place.rank))
        }
        let gone = Set(changes.deletions.map(\.key))
        for key in ranked where !gone.contains(key) {
            let (old, new) = (place(of: key, in: state), place(of: key, in: base))
            guard old.rank != new.rank, let index = directory.withEntry(at: old, { index, _ in index }) else {
                continue
            }
            changes.moves.append(.init(from: index, to: index, key: key, oldRank: old.rank, newRank: new.rank))
        }
        for change in changes.deletions { directory.remove(at: SectionPlace(rank: change.rank, key: change.key)) }
        let moved = changes.moves.map { directory.remove(at: SectionPlace(rank: $0.oldRank, key: $0.key)).entry }
        for section in moved {
            let place = place(of: section.place.key, in: base)
            directory.insert(section.placed(at: place), at: place)
        }
        let missing = entered.map { place(of: $0, in: base) }.filter {
            directory.withEntry(at: $0) { _, _ in true } == nil
        }
        for place in missing { directory.insert(SectionEntry(place), at: place) }
        for place in missing {
            changes.insertions.append(.init(index: directory.rank(of: place), key: place.key, rank: place.rank))
        }
        for index in changes.moves.indices {
            let place = place(of: changes.moves[index].key, in: base)
            changes.moves[index].to = directory.rank(of: place)
        }
        changes.sort()
        return changes
    }
}
