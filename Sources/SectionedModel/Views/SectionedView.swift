/// The rows of a collection, or some of them, in the same sections or in others, without a copy of the elements.
///
/// A view has trees of its own of sort keys and places in the collection's records, which it shares with the last snapshot it
/// has followed. It is brought up to date by the collection's batches: O(k log n) for k records, and what it gives is again the exact
/// batch of what it shows. It is a value; a copy is O(1), and a snapshot of it.
///
/// What decides which elements are shown, in which section and where, must be a function of the element alone. To show by another
/// rule, make another view.
public struct SectionedView<Base: SectionedElement, Element: SectionedElement>: Sendable
where Element.ID == Base.ID {
    @usableFromInline typealias Directory = CountedTree<SectionEntry<Element>>
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// What is shown, and how.
    @usableFromInline
    struct Rule: Sendable {
        @usableFromInline let isIncluded: @Sendable (Base) -> Bool
        @usableFromInline let element: @Sendable (Base) -> Element
        /// The rank of a section in a state of the collection.
        @usableFromInline let rank: @Sendable (SectionedSnapshot<Base>, Element.SectionKey) -> Int64
        /// The sections to which a batch gives other ranks.
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

        /// What the view shows of an element, if it does.
        @inlinable
        func shown(_ base: Base?) -> Element? {
            guard let base, isIncluded(base) else { return nil }
            return element(base)
        }
    }

    @usableFromInline let rule: Rule
    @usableFromInline var directory = Directory()
    /// Where the section stood in it that changed last.
    @usableFromInline var recentSection = TreePath()
    @usableFromInline var state: SectionedSnapshot<Base>
    @usableFromInline var batches = 0

    @inlinable
    init(_ base: SectionedSnapshot<Base>, _ rule: Rule) throws(ModelError) {
        self.rule = rule
        state = base
        try reset(to: base)
    }

    /// The state of the collection that is shown.
    @inlinable
    public var base: SectionedSnapshot<Base> { state }
}

extension SectionedView where Element == Base {
    /// The elements that pass a filter, in the sections and the order they have.
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
    /// The elements, or those that pass a filter, in sections and an order of the view's own. Sections stand in the order of their
    /// keys, elements in that of (sort key, id).
    ///
    /// Throws `unorderedKey` when a key is not equal to itself.
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
    /// The number of rows.
    @inlinable
    public var count: Int { directory.weight }

    /// The number of sections.
    @inlinable
    public var sectionCount: Int { directory.count }

    /// How many batches the view has given.
    @inlinable
    public var sequence: Int { batches }

    /// The key of the section with this index; nil when there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? {
        guard index >= 0, index < sectionCount else { return nil }
        return directory.withEntry(at: index) { $0.place.key }
    }

    /// The index of the section with this key.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? {
        directory.withEntry(at: place(of: key, in: state)) { index, _ in index }
    }

    /// The rank of a section.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { rule.rank(state, key) }

    /// The number of rows in the section with this index; 0 when there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int {
        guard index >= 0, index < sectionCount else { return 0 }
        return directory.withEntry(at: index) { $0.rows.count }
    }

    /// The element at a path; nil when there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? {
        guard path.section >= 0, path.section < sectionCount else { return nil }
        return directory.withEntry(at: path.section) { section in
            guard path.item >= 0, path.item < section.rows.count else { return nil }
            return section.rows.withEntry(at: path.item) { rule.element(state.records[$0.slot]) }
        }
    }

    /// Where the element with this id stands; nil when it is not shown.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? {
        guard let slot = state.slot(of: id), let element = rule.shown(state.records[slot]) else { return nil }
        return path(of: element, slot)
    }

    /// The path of a row by its number, counted from 0 over all sections; nil when there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { directory.path(ofRow: number) }

    @inlinable
    func place(of key: Element.SectionKey, in state: SectionedSnapshot<Base>) -> SectionPlace<Element.SectionKey> {
        SectionPlace(rank: rule.rank(state, key), key: key)
    }

    /// Where the row of a slot stands, if its keys lead to it.
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

/// The place of a row in a section of a view: by sort key, then by id, which is looked up in the records of the collection.
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
