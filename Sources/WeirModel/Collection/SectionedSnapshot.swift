/// A state of a sectioned collection, kept as it was while the collection changes further. Taking one is O(1),
/// however large the collection is.
///
/// Safe to read on any thread. While a snapshot is held, the collection copies the shared parts that it changes: a few
/// nodes and pages per change. Their number only grows with the logarithm of the collection's size.
public struct SectionedSnapshot<Element: SectionedElement>: Sendable {
    @usableFromInline typealias Directory = CountedTree<SectionEntry<Element>>

    @usableFromInline var directory = Directory()
    /// The path to the section that changed last: successive changes mostly affect few sections.
    @usableFromInline var recentSection = TreePath()
    @usableFromInline var records = Records<Element>()
    @usableFromInline var slots = SlotTable()
    /// The ranks that are not 0. They are only looked up, never iterated.
    @usableFromInline var ranks: [Element.SectionKey: Int64] = [:]
    /// The number of batches that led to this state.
    public internal(set) var sequence: Int {
        @inlinable get { batches }
        set { batches = newValue }
    }
    @usableFromInline var batches = 0
    @usableFromInline var sum: UInt64?
    /// The part of the checksum of each slot, if a checksum is kept. An element's part is computed once, and not
    /// again when the element is removed.
    @usableFromInline var digests = SlotPages<RowDigest>()

    @inlinable
    init(keepsChecksum: Bool) { sum = keepsChecksum ? 0 : nil }

    /// A 64-bit checksum of the elements and of their sections' ranks, the same in every process and for every path to
    /// this state; `nil` if the collection keeps none.
    @inlinable
    public var checksum: UInt64? { sum }

    /// The number of elements in all sections.
    @inlinable
    public var count: Int { directory.weight }

    /// The number of sections, none of which is empty.
    @inlinable
    public var sectionCount: Int { directory.count }

    // MARK: - Sections

    /// The keys of the sections, in order. A section exists while it has an element.
    @inlinable
    public var sectionKeys: [Element.SectionKey] {
        var keys: [Element.SectionKey] = []
        keys.reserveCapacity(sectionCount)
        directory.forEach { keys.append($0.place.key) }
        return keys
    }

    /// Returns the key of the section with this index; `nil` if there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? {
        guard index >= 0, index < sectionCount else { return nil }
        return directory.withEntry(at: index) { $0.place.key }
    }

    /// Returns the index of the section with this key; `nil` if there is none.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? {
        directory.withEntry(at: place(of: key)) { index, _ in index }
    }

    /// Returns the rank that a section has, or will have when it is inserted; 0 unless one was set.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { ranks.isEmpty ? 0 : ranks[key] ?? 0 }

    @inlinable
    func place(of key: Element.SectionKey) -> SectionPlace<Element.SectionKey> {
        SectionPlace(rank: rank(of: key), key: key)
    }

    // MARK: - Elements

    /// Returns the elements of the section with this key, in order; empty if there is no such section.
    @inlinable
    public func elements(in key: Element.SectionKey) -> [Element] {
        directory.withEntry(at: place(of: key)) { _, section in elements(of: section) } ?? []
    }

    /// Returns the elements of the section with this index, in order; empty if there is none.
    @inlinable
    public func elements(at index: Int) -> [Element] {
        guard index >= 0, index < sectionCount else { return [] }
        return directory.withEntry(at: index) { elements(of: $0) }
    }

    @inlinable
    func elements(of section: SectionEntry<Element>) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(section.rows.count)
        section.rows.forEach { elements.append(records[$0.slot]) }
        return elements
    }

    /// Returns the number of elements in the section with this key; 0 if there is no such section.
    @inlinable
    public func elementCount(in key: Element.SectionKey) -> Int {
        directory.withEntry(at: place(of: key)) { _, section in section.rows.count } ?? 0
    }

    /// Returns the number of elements in the section with this index; 0 if there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int {
        guard index >= 0, index < sectionCount else { return 0 }
        return directory.withEntry(at: index) { $0.rows.count }
    }

    /// Returns the element with this id; `nil` if there is none.
    @inlinable
    public func element(of id: Element.ID) -> Element? { slot(of: id).map { records[$0] } }

    /// Returns the path of the element with this id; `nil` if there is none.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? { slot(of: id).map { path(of: records[$0], slot: $0) } }

    /// Returns the element at a path; `nil` if there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? { slot(at: path).map { records[$0] } }

    /// Calls `body` with every element and its path, in order.
    @inlinable
    public func forEachElement<Failure: Error>(
        _ body: (SectionPath, Element) throws(Failure) -> Void
    ) throws(Failure) {
        var path = SectionPath(section: 0, item: 0)
        try directory.forEach { (section) throws(Failure) in
            try section.rows.forEach { (row) throws(Failure) in
                try body(path, records[row.slot])
                path.item += 1
            }
            path = SectionPath(section: path.section + 1, item: 0)
        }
    }

    /// Returns the slot of the row at a path; `nil` if there is none.
    @inlinable
    func slot(at path: SectionPath) -> Slot? {
        guard path.section >= 0, path.section < sectionCount else { return nil }
        return directory.withEntry(at: path.section) { section in
            guard path.item >= 0, path.item < section.rows.count else { return nil }
            return section.rows.withEntry(at: path.item) { $0.slot }
        }
    }

    /// Returns the slot of an id; `nil` if the id is unknown.
    @inlinable
    func slot(of id: Element.ID) -> Slot? { slot(of: id, hash: Element.hash(of: id)) }

    /// Returns the slot of an id whose hash is known.
    @inlinable
    func slot(of id: Element.ID, hash: Int) -> Slot? {
        slots.slot(hash: hash) { slot in records.withElement(in: slot) { $0.id == id } }
    }

    /// Returns the path of an element that is in this slot of this state.
    @inlinable
    func path(of element: Element, slot: Slot) -> SectionPath {
        let row = RowPlace(of: slot, at: element.sortKey, in: records)
        let path = directory.withEntry(at: place(of: element.sectionKey)) { index, section in
            SectionPath(section: index, item: section.rows.rank(of: row))
        }
        guard let path else { preconditionFailure("an element without its section") }
        return path
    }

    /// Returns the path of an element in a slot; `nil` if either is `nil`.
    @inlinable
    func path(of element: Element?, slot: Slot?) -> SectionPath? {
        guard let element, let slot else { return nil }
        return path(of: element, slot: slot)
    }
}

// The steps by which one transaction changes the state. Each leaves it consistent, except for
// what the next step completes.
extension SectionedSnapshot {
    /// Removes a row from its section, which stays, perhaps empty. Returns the row's former path.
    @inlinable
    mutating func takeOut(_ element: Element, _ slot: Slot) -> (path: SectionPath, isSectionEmpty: Bool) {
        let row = RowPlace(of: slot, at: element.sortKey, in: records)
        let taken = directory.modify(at: place(of: element.sectionKey), recent: &recentSection) { section in
            (item: section.rows.remove(at: row).index, isEmpty: section.rows.isEmpty)
        }
        guard let (section, (item, isEmpty)) = taken else { preconditionFailure("an element without its section") }
        return (SectionPath(section: section, item: item), isEmpty)
    }

    /// Inserts the row of a slot into its section and returns its path; `nil` if there is no such section.
    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot) -> SectionPath? {
        let row = RowPlace(of: slot, at: element.sortKey, in: records)
        let put = directory.modify(at: place(of: element.sectionKey), recent: &recentSection) {
            $0.rows.insert(row.entry, at: row)
        }
        return put.map { SectionPath(section: $0.index, item: $0.result) }
    }

    /// Moves a row within its section from one sort key to another, and returns both paths.
    @inlinable
    mutating func move(
        _ slot: Slot, in section: Element.SectionKey, from old: Element.SortKey, to new: Element.SortKey
    ) -> (from: SectionPath, to: SectionPath) {
        var row = RowPlace(of: slot, at: old, in: records)
        let moved = directory.modify(at: place(of: section), recent: &recentSection) { section in
            let from = section.rows.remove(at: row).index
            row.key = new
            return (from: from, to: section.rows.insert(row.entry, at: row))
        }
        guard let (section, items) = moved else { preconditionFailure("an element without its section") }
        return (SectionPath(section: section, item: items.from), SectionPath(section: section, item: items.to))
    }

    /// Returns whether there is a section with this key.
    @inlinable
    func hasSection(_ key: Element.SectionKey) -> Bool { sectionIndex(of: key) != nil }

    /// Returns whether the section with this key exists without rows, as it can within a transaction.
    @inlinable
    func isEmptySection(_ key: Element.SectionKey) -> Bool {
        directory.withEntry(at: place(of: key)) { _, section in section.rows.isEmpty } ?? false
    }

    // MARK: - Elements and checksum

    /// Adds an element and returns its slot.
    @inlinable
    mutating func add(_ element: Element, hash: Int, freeSlots: inout [Slot]) -> Slot {
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
            records.set(free, to: element)
        } else {
            slot = records.append(element)
        }
        slots.insert(slot, hash: hash)
        count(element, in: slot)
        return slot
    }

    /// Replaces the element in a slot, and returns the old one.
    @inlinable
    @discardableResult
    mutating func replace(_ slot: Slot, by new: Element, inSameSection staysInSection: Bool = false) -> Element {
        count(new, in: slot, inSameSection: staysInSection)
        return records.exchange(slot, for: new)
    }

    /// Removes the element in a slot.
    @inlinable
    mutating func drop(_ slot: Slot, hash: Int, freeSlots: inout [Slot]) {
        records.set(slot, to: nil)
        slots.remove(slot, hash: hash)
        freeSlots.append(slot)
        count(nil, in: slot)
    }

    /// Replaces a slot's part of the checksum by that of `element`. The checksum is a sum, so that it does not
    /// depend on the order of changes.
    @inlinable
    mutating func count(_ element: Element?, in slot: Slot, inSameSection staysInSection: Bool = false) {
        guard let sum else { return }
        if slot.number == digests.end { _ = digests.append(RowDigest()) }
        var row = digests[slot]
        let old = row.value
        if let element {
            if !staysInSection {
                row.identity = ElementDigest()
                element.feedIdentity(&row.identity)
            }
            var digest = row.identity
            element.feed(&digest)
            row.value = digest.value
        } else {
            row.value = 0
        }
        self.sum = sum &- old &+ row.value
        digests[slot] = row
    }

    @inlinable
    mutating func count(_ place: SectionPlace<Element.SectionKey>, _ sign: Int) {
        guard let sum else { return }
        self.sum = sign > 0 ? sum &+ Self.digest(of: place) : sum &- Self.digest(of: place)
    }

    /// Returns a section's part of the checksum. It is 0 for a section without a rank, which follows from its rows.
    @inlinable
    static func digest(of place: SectionPlace<Element.SectionKey>) -> UInt64 {
        if place.rank == 0 { return 0 }
        var digest = ElementDigest()
        digest.feed(place.rank)
        Element.feed(place.key, &digest)
        return digest.value
    }

    // MARK: - Sections

    @inlinable
    @discardableResult
    mutating func insertSection(_ section: SectionEntry<Element>) -> Int {
        count(section.place, 1)
        return directory.insert(section, at: section.place)
    }

    @inlinable
    mutating func removeSection(_ place: SectionPlace<Element.SectionKey>) -> (index: Int, entry: SectionEntry<Element>)
    {
        count(place, -1)
        return directory.remove(at: place)
    }

    @inlinable
    mutating func setRank(_ rank: Int64, of key: Element.SectionKey) { ranks[key] = rank == 0 ? nil : rank }
}
