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
