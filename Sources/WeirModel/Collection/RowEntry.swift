/// A row in the tree of its section: the sort key, copied so that a comparison follows no
/// reference, and the slot of the element.
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

/// The position of a row in its section: by sort key, then by id, which is only read when sort keys are equal.
@usableFromInline
struct RowPlace<Element: SectionedElement>: TreeProbe {
    @usableFromInline var key: Element.SortKey
    /// The slot of the row, whether the section contains it yet or not.
    @usableFromInline let slot: Slot
    /// The records with the elements of all rows of the section, and of this row.
    @usableFromInline let records: SearchedRecords<Element>

    @inlinable
    init(of slot: Slot, at key: Element.SortKey, in records: borrowing Records<Element>) {
        self.key = key
        self.slot = slot
        self.records = SearchedRecords(records)
    }

    /// The entry for a row at this position.
    @inlinable
    var entry: RowEntry<Element.SortKey> { RowEntry(key: key, slot: slot) }

    @inlinable
    func isAfter(_ row: RowEntry<Element.SortKey>) -> Bool {
        row.key == key ? row.slot != slot && records.comesFirst(row.slot, before: slot) : row.key < key
    }

    @inlinable
    func isBefore(_ row: RowEntry<Element.SortKey>) -> Bool {
        row.key == key ? row.slot != slot && records.comesFirst(slot, before: row.slot) : key < row.key
    }
}

/// A section in the directory, with the tree of its rows.
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
}

/// The position of a section: by rank, then by key.
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
