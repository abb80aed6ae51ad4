/// An ordered, keyed, sectioned collection: stage changes, commit them, get one exact batch.
///
/// Sections are in the order of (rank, key), the elements of a section in the order of (sort key, id). Both orders are
/// total, so the state depends on the set of its elements and on the ranks, and on nothing else. One owner writes;
/// readers elsewhere keep a ``snapshot``.
public struct SectionedCollection<Element: SectionedElement>: Sendable {
    /// The state after the last commit.
    @usableFromInline var state: SectionedSnapshot<Element>
    @usableFromInline var staging = Staging()
    /// The slots of elements that are gone, to be reused.
    @usableFromInline var freeSlots: [Slot] = []

    /// Creates an empty collection. With `keepsChecksum`, every commit digests the elements that
    /// it touches, before and after.
    @inlinable
    public init(keepsChecksum: Bool = false) { state = SectionedSnapshot(keepsChecksum: keepsChecksum) }

    /// The committed state, to keep or to read elsewhere. O(1).
    @inlinable
    public var snapshot: SectionedSnapshot<Element> { state }

    /// Returns the committed element with this id. Staged changes are not included, unlike in `subscript(id:)`.
    @inlinable
    public func committed(_ id: Element.ID) -> Element? { state.element(of: id) }
}

// The members of a snapshot, for the committed state.
extension SectionedCollection {
    /// The number of batches that were committed or applied.
    @inlinable
    public var sequence: Int { state.batches }
    /// The checksum of the committed state; `nil` if none is kept.
    @inlinable
    public var checksum: UInt64? { state.sum }
    /// The number of committed elements.
    @inlinable
    public var count: Int { state.count }
    /// The number of committed sections, none of which is empty.
    @inlinable
    public var sectionCount: Int { state.sectionCount }
    /// The keys of the committed sections, in order. A section exists while it has an element.
    @inlinable
    public var sectionKeys: [Element.SectionKey] { state.sectionKeys }
    /// Returns the key of the committed section with this index; `nil` if there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? { state.sectionKey(at: index) }
    /// Returns the index of the committed section with this key; `nil` if there is none.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? { state.sectionIndex(of: key) }
    /// Returns the rank that a section has, or will have when it is inserted; 0 unless one was set and committed.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { state.rank(of: key) }
    /// Returns the committed elements of the section with this key, in order; empty if there is no such section.
    @inlinable
    public func elements(in key: Element.SectionKey) -> [Element] { state.elements(in: key) }
    /// Returns the committed elements of the section with this index, in order; empty if there is none.
    @inlinable
    public func elements(at index: Int) -> [Element] { state.elements(at: index) }
    /// Returns the number of committed elements in the section with this key; 0 if there is no such section.
    @inlinable
    public func elementCount(in key: Element.SectionKey) -> Int { state.elementCount(in: key) }
    /// Returns the number of committed elements in the section with this index; 0 if there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int { state.elementCount(at: index) }
    /// Returns the path of the committed element with this id; `nil` if there is none.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? { state.path(of: id) }
    /// Returns the committed element at a path; `nil` if there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? { state.element(at: path) }
    /// Calls `body` with every committed element and its path, in order.
    @inlinable
    public func forEachElement<Failure: Error>(
        _ body: (SectionPath, Element) throws(Failure) -> Void
    ) throws(Failure) {
        try state.forEachElement(body)
    }
}

extension SectionedCollection {
    /// The changes requested since the last commit: the last one for each id, in the order in which the ids arrived.
    ///
    /// The old state is not stored here: until the commit, it is the committed one.
    @usableFromInline
    struct Staging: Sendable {
        @usableFromInline
        struct Entry: Sendable {
            @usableFromInline let id: Element.ID
            /// The hash of the id, kept so that it is computed once.
            @usableFromInline let hash: Int
            /// The new element; `nil` to remove the element.
            @usableFromInline var element: Element?

            @inlinable
            init(id: Element.ID, hash: Int, element: Element?) {
                self.id = id
                self.hash = hash
                self.element = element
            }
        }

        @usableFromInline var entries: [Entry] = []
        /// The positions of the ids in `entries`. Empty while there are few, when looking at each is cheaper.
        @usableFromInline var positions = SlotTable()
        /// The requested ranks; the last one for a key counts.
        @usableFromInline var ranks: [(key: Element.SectionKey, rank: Int64)] = []

        @inlinable
        init() {}

        @inlinable
        static var fewEntries: Int { 8 }

        @inlinable
        func position(of id: Element.ID, hash: Int) -> Int? {
            if entries.count <= Staging.fewEntries {
                return entries.firstIndex { $0.hash == hash && $0.id == id }
            }
            return positions.slot(hash: hash) { entries[Int($0.number)].id == id }.map { Int($0.number) }
        }

        @inlinable
        mutating func set(_ entry: consuming Entry) {
            if !entries.isEmpty, let position = position(of: entry.id, hash: entry.hash) {
                entries[position].element = entry.element
            } else {
                append(entry)
            }
        }

        /// Appends an entry whose id is not among them.
        @inlinable
        mutating func append(_ entry: consuming Entry) {
            let hash = entry.hash
            entries.append(entry)
            if entries.count == Staging.fewEntries + 1 {
                for position in entries.indices { positions.insert(Slot(position), hash: entries[position].hash) }
            } else if entries.count > Staging.fewEntries {
                positions.insert(Slot(entries.count - 1), hash: hash)
            }
        }

        /// Removes all entries, but keeps room for a few, so that small transactions allocate nothing here.
        @inlinable
        mutating func clear() {
            if entries.count > Staging.fewEntries { positions = SlotTable() }
            entries.removeAll(keepingCapacity: entries.count <= Staging.fewEntries)
            if !ranks.isEmpty { ranks = [] }
        }
    }

    /// The element with this id as it will be after `commit()`, staged changes included.
    @inlinable
    public subscript(id: Element.ID) -> Element? {
        let hash = Element.hash(of: id)
        if let position = staging.position(of: id, hash: hash) { return staging.entries[position].element }
        return state.slot(of: id, hash: hash).map { state.records[$0] }
    }

    /// Stages an insertion, or a replacement of the element with the same id.
    ///
    /// - Throws: `unorderedKey`, and nothing is staged, if the id or a key of the element does not equal itself (a NaN)
    ///   and therefore has no position in an order.
    @inlinable
    public mutating func upsert(_ element: Element) throws(ModelError) {
        guard element.isOrdered else { throw .unorderedKey }
        let id = element.id
        staging.set(.init(id: id, hash: Element.hash(of: id), element: element))
    }

    /// Stages an element for a commit that follows at once. Its id must not be staged, and cannot be looked up until then.
    @inlinable
    mutating func stage(_ element: Element) throws(ModelError) {
        guard element.isOrdered else { throw .unorderedKey }
        let id = element.id
        staging.entries.append(.init(id: id, hash: Element.hash(of: id), element: element))
    }

    /// Stages a removal. An unknown id is not a change.
    @inlinable
    public mutating func remove(_ id: Element.ID) {
        guard id == id else { return }
        staging.set(.init(id: id, hash: Element.hash(of: id), element: nil))
    }

    /// Stages a rank for a section. Sections are in the order of (rank, key), and a rank is 0 until one is set.
    ///
    /// A rank stays when its section is deleted. It is not a change of its own while the section does not exist.
    @inlinable
    public mutating func setRank(_ rank: Int64, of section: Element.SectionKey) {
        staging.ranks.append((section, rank))
    }

    /// Discards all staged changes without a commit.
    @inlinable
    public mutating func rollBack() { staging.clear() }
}

extension SectionedCollection {
    /// Applies the staged changes as one transaction. Returns `nil` if nothing differs.
    ///
    /// The batch has the fewest moves of all batches that move only rows that were staged and differ.
    @inlinable
    public mutating func commit() -> Batch<Element>? {
        let before = state.sum
        var batch = Batch<Element>()
        if !staging.ranks.isEmpty || staging.entries.count > 1 {
            commitStaged(into: &batch)
        } else if let entry = staging.entries.popLast() {
            commitSole(entry, into: &batch)
        }
        guard number(&batch, since: before) else { return nil }
        return batch
    }

    /// Counts the batch that was just committed, and sets its checksums if the collection keeps them.
    /// Returns false if the batch is empty.
    @inlinable
    mutating func number(_ batch: inout Batch<Element>, since before: UInt64?) -> Bool {
        if batch.isEmpty { return false }
        state.batches += 1
        if let before, let after = state.sum { batch.checksums = .init(before: before, after: after) }
        return true
    }

    @inlinable
    mutating func commitStaged(into batch: inout Batch<Element>) {
        var touched = netEffect()
        let ranks = staging.ranks
        staging.clear()
        guard !touched.isEmpty || !ranks.isEmpty else { return }
        let changes = replace(&touched, ranks)
        batch = Batch(touched, changes)
    }

    /// Returns one record for each staged id whose element differs from the committed one, and stores the others.
    @inlinable
    mutating func netEffect() -> [Touched] {
        var touched: [Touched] = []
        touched.reserveCapacity(staging.entries.count)
        for entry in staging.entries {
            let slot = state.slot(of: entry.id, hash: entry.hash)
            let old = slot.map { state.records[$0] }
            if old == entry.element {
                // Equal elements may differ in what their `==` ignores: the newest is kept.
                if let slot, let new = entry.element { state.records.set(slot, to: new) }
                continue
            }
            touched.append(Touched(old: old, slot: slot, new: entry.element, hash: entry.hash))
        }
        return touched
    }
}

// The transaction of one id, by far the most frequent: it needs no lists and no sorting.
extension SectionedCollection {
    @inlinable
    mutating func commitSole(_ entry: consuming Staging.Entry, into batch: inout Batch<Element>) {
        guard let slot = state.slot(of: entry.id, hash: entry.hash) else {
            if let new = entry.element { insertSole(new, hash: entry.hash, into: &batch) }
            return
        }
        guard let new = entry.element.take() else {
            return removeSole(slot, state.records[slot], hash: entry.hash, into: &batch)
        }
        let change = state.records.withElement(in: slot) { old in
            old == new ? nil : (staysInSection: old.sectionKey == new.sectionKey, sortKey: old.sortKey)
        }
        guard let change else { return state.records.set(slot, to: new) }
        if change.staysInSection {
            changeSole(slot, from: change.sortKey, to: new, into: &batch)
        } else {
            moveSole(slot, state.records[slot], new, into: &batch)
        }
    }

    @inlinable
    mutating func insertSole(_ element: Element, hash: Int, into batch: inout Batch<Element>) {
        let slot = state.add(element, hash: hash, freeSlots: &freeSlots)
        batch.insertions = [.init(path: putIn(element, slot, &batch), element: element)]
    }

    @inlinable
    mutating func removeSole(_ slot: Slot, _ old: Element, hash: Int, into batch: inout Batch<Element>) {
        batch.deletions = [.init(path: takeOut(old, slot, &batch), element: old)]
        state.drop(slot, hash: hash, freeSlots: &freeSlots)
    }

    /// Changes a row that stays in its section: a move if its index changes, otherwise an update.
    @inlinable
    mutating func changeSole(
        _ slot: Slot, from sortKey: Element.SortKey, to new: Element, into batch: inout Batch<Element>
    ) {
        let paths: (from: SectionPath, to: SectionPath)
        if sortKey == new.sortKey {
            let path = state.path(of: new, slot: slot)
            paths = (path, path)
        } else {
            paths = state.move(slot, in: new.sectionKey, from: sortKey, to: new.sortKey)
        }
        let old = state.replace(slot, by: new, inSameSection: true)
        let moves = paths.from != paths.to
        batch.contents = .sole(.init(.init(from: paths.from, to: paths.to, old: old, new: new), moves: moves))
    }

    @inlinable
    mutating func moveSole(_ slot: Slot, _ old: Element, _ new: Element, into batch: inout Batch<Element>) {
        let from = takeOut(old, slot, &batch)
        state.replace(slot, by: new)
        batch.moves = [.init(from: from, to: putIn(new, slot, &batch), old: old, new: new)]
    }

    /// Removes a row, and its section if that was the last row.
    @inlinable
    mutating func takeOut(_ element: Element, _ slot: Slot, _ batch: inout Batch<Element>) -> SectionPath {
        let (path, isSectionEmpty) = state.takeOut(element, slot)
        if isSectionEmpty {
            let place = state.place(of: element.sectionKey)
            _ = state.removeSection(place)
            batch.sectionDeletions = [.init(index: path.section, key: place.key, rank: place.rank)]
        }
        return path
    }

    /// Inserts a row, and its section if that is missing.
    @inlinable
    mutating func putIn(_ element: Element, _ slot: Slot, _ batch: inout Batch<Element>) -> SectionPath {
        if let path = state.putIn(element, slot) { return path }
        let place = state.place(of: element.sectionKey)
        var section = SectionEntry<Element>(place)
        section.rows = CountedTree(sorted: [RowEntry(key: element.sortKey, slot: slot)])
        let index = state.insertSection(section)
        batch.sectionInsertions = [.init(index: index, key: place.key, rank: place.rank)]
        return SectionPath(section: index, item: 0)
    }
}

extension SectionedCollection {
    /// Stages the changes that make these the elements: missing ones are removed, new ones inserted, and differing ones
    /// replaced. Ranks stay. Changes that were staged before are discarded.
    ///
    /// - Throws: `duplicateID` or `unorderedKey`, and nothing is staged.
    @inlinable
    public mutating func stageDifference(from elements: some Collection<Element>) throws(ModelError) {
        staging.clear()
        var kept = Array(repeating: false, count: state.records.end)
        var index = 0
        var rest = elements[...]
        var found: [Found] = []
        do throws(ModelError) {
            while !rest.isEmpty {
                let block = rest.prefix(Found.together)
                rest = rest.dropFirst(Found.together)
                find(block, by: { $0.id }, &found)
                for (element, place) in zip(block, found) {
                    try stage(element, place, at: index, &kept)
                    index += 1
                }
            }
        } catch {
            staging.clear()
            throw error
        }
        for number in kept.indices where !kept[number] {
            guard let id = state.records.element(in: Slot(number))?.id else { continue }
            staging.append(.init(id: id, hash: Element.hash(of: id), element: nil))
        }
    }

    /// The result of looking up an element: the hash of its id, and its slot if the collection contains the id.
    @usableFromInline
    struct Found {
        @usableFromInline let hash: Int
        @usableFromInline var slot: Slot?

        @inlinable
        init(hash: Int) { self.hash = hash }

        /// The number of elements looked up side by side: each lookup waits for memory a few times, and
        /// the others proceed meanwhile.
        @inlinable
        static var together: Int { 64 }
    }

    /// Looks up a block of items by their ids, one step of all of them before the next step of any.
    @inlinable
    func find<Item>(_ block: some Collection<Item>, by id: (Item) -> Element.ID, _ found: inout [Found]) {
        found.removeAll(keepingCapacity: true)
        for item in block { found.append(Found(hash: Element.hash(of: id(item)))) }
        // The first place with this hash is nearly always the right one.
        for index in found.indices { found[index].slot = state.slots.slot(hash: found[index].hash) { _ in true } }
        var index = 0
        for item in block {
            if let slot = found[index].slot, state.records.withElement(in: slot, { $0.id != id(item) }) {
                found[index].slot = state.slot(of: id(item), hash: found[index].hash)
            }
            index += 1
        }
    }

    @inlinable
    mutating func stage(
        _ element: Element, _ found: Found, at index: Int, _ kept: inout [Bool]
    ) throws(ModelError) {
        guard element.isOrdered else { throw .unorderedKey }
        if let slot = found.slot {
            guard !kept[Int(slot.number)] else { throw .duplicateID(at: index) }
            kept[Int(slot.number)] = true
            guard state.records[slot] != element else { return }
        } else {
            guard staging.position(of: element.id, hash: found.hash) == nil else { throw .duplicateID(at: index) }
        }
        staging.append(.init(id: element.id, hash: found.hash, element: element))
    }
}
