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
