/// A row in the tree of its section: the sort key, copied in so that comparing follows no reference, and where the element lies.
@usableFromInline
struct RowEntry<SortKey: Comparable & Sendable>: TreeEntry {
    @usableFromInline let key: SortKey
    @usableFromInline let slot: Slot

    @inlinable
    init(key: SortKey, slot: Slot) {
        self.key = key
        self.slot = slot
    }

    @inlinable
    var separator: RowEntry { self }

    @inlinable
    var weight: Int { 1 }

    @inlinable
    static var leafLimit: Int { 128 }
}

/// The place of a row in its section: by sort key, then by id, which is looked at only when sort keys are equal.
@usableFromInline
struct RowPlace<Element: SectionedElement>: TreeProbe {
    @usableFromInline let key: Element.SortKey
    @usableFromInline let element: Element
    /// Of the element when it stands in the section already: then its own row is known without a look at its id.
    @usableFromInline let ownSlot: Slot?
    /// Hold the elements of all rows of the section.
    @usableFromInline let records: Records<Element>

    @inlinable
    init(of element: Element, slot: Slot? = nil, in records: Records<Element>) {
        key = element.sortKey
        self.element = element
        ownSlot = slot
        self.records = records
    }

    @inlinable
    func isAfter(_ row: RowEntry<Element.SortKey>) -> Bool {
        row.key < key || (row.key == key && !isOwn(row) && records[row.slot].id < element.id)
    }

    @inlinable
    func isBefore(_ row: RowEntry<Element.SortKey>) -> Bool {
        key < row.key || (row.key == key && !isOwn(row) && element.id < records[row.slot].id)
    }
}

extension RowPlace {
    @inlinable
    func isOwn(_ row: RowEntry<Element.SortKey>) -> Bool {
        guard let ownSlot else { return false }
        return row.slot == ownSlot
    }
}

/// A section in the directory, and the tree of its rows.
@usableFromInline
struct SectionEntry<Element: SectionedElement>: TreeEntry {
    @usableFromInline var rows = CountedTree<RowEntry<Element.SortKey>>()
    @usableFromInline let place: SectionPlace<Element.SectionKey>

    @inlinable
    init(_ place: SectionPlace<Element.SectionKey>) { self.place = place }

    @inlinable
    var separator: SectionPlace<Element.SectionKey> { place }

    @inlinable
    var weight: Int { rows.count }

    @inlinable
    static var leafLimit: Int { 16 }

    /// Those of the tree's root.
    @inlinable
    static var leadingReferences: Int { 2 }
}

/// The place of a section: by rank, then by key.
@usableFromInline
struct SectionPlace<Key: Hashable & Comparable & Sendable>: Comparable, Sendable, TreeProbe {
    @usableFromInline let rank: Int64
    @usableFromInline let key: Key

    @inlinable
    init(rank: Int64, key: Key) {
        self.rank = rank
        self.key = key
    }

    @inlinable
    static func < (a: SectionPlace, b: SectionPlace) -> Bool { a.rank < b.rank || (a.rank == b.rank && a.key < b.key) }

    @inlinable
    func isAfter(_ section: SectionPlace) -> Bool { section < self }

    @inlinable
    func isBefore(_ section: SectionPlace) -> Bool { self < section }
}
