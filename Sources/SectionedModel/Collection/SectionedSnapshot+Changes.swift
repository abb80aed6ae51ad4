// What one transaction does to the state, in steps that each leave it whole but for what the next one says.
extension SectionedSnapshot {
    /// Takes a row out of its section, which is left, perhaps empty. Gives the path it had.
    @inlinable
    mutating func takeOut(_ element: Element, _ slot: Slot) -> (path: SectionPath, isSectionEmpty: Bool) {
        let row = RowPlace(of: slot, at: element.sortKey, in: records)
        let taken = directory.modify(at: place(of: element.sectionKey), recent: &recentSection) { section in
            (item: section.rows.remove(at: row).index, isEmpty: section.rows.isEmpty)
        }
        guard let (section, (item, isEmpty)) = taken else { preconditionFailure("an element without its section") }
        return (SectionPath(section: section, item: item), isEmpty)
    }

    /// Puts the row of a slot into its section; gives its path, or nil when there is no such section.
    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot) -> SectionPath? {
        let row = RowPlace(of: slot, at: element.sortKey, in: records)
        let put = directory.modify(at: place(of: element.sectionKey), recent: &recentSection) {
            $0.rows.insert(row.entry, at: row)
        }
        return put.map { SectionPath(section: $0.index, item: $0.result) }
    }

    /// Moves a row within its section from one sort key to another. Gives both paths.
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

    /// Whether there is a section with this key.
    @inlinable
    func hasSection(_ key: Element.SectionKey) -> Bool { sectionIndex(of: key) != nil }

    /// Whether the section with this key is there and has no rows, as it may be for a moment.
    @inlinable
    func isEmptySection(_ key: Element.SectionKey) -> Bool {
        directory.withEntry(at: place(of: key)) { _, section in section.rows.isEmpty } ?? false
    }

    // MARK: - Elements and checksum

    /// Records an element that comes.
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

    /// Records that an element is another now. Gives the one it was.
    @inlinable
    @discardableResult
    mutating func replace(_ slot: Slot, by new: Element, inSameSection staysInSection: Bool = false) -> Element {
        count(new, in: slot, inSameSection: staysInSection)
        return records.exchange(slot, for: new)
    }

    /// Records that an element is gone.
    @inlinable
    mutating func drop(_ slot: Slot, hash: Int, freeSlots: inout [Slot]) {
        records.set(slot, to: nil)
        slots.remove(slot, hash: hash)
        freeSlots.append(slot)
        count(nil, in: slot)
    }

    /// Counts what is in a slot now instead of what was. The checksum is a sum, so that it does not depend on the way.
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

    /// What a section has in the checksum: nothing without a rank, for then it follows from its rows.
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
