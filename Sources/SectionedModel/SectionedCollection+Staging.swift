extension SectionedCollection {
    /// What was asked for since the last commit: for each id the last word, in the order the ids came.
    ///
    /// The old state needs no place here: until the commit it is the committed one.
    @usableFromInline
    struct Staging: Sendable {
        @usableFromInline
        struct Entry: Sendable {
            @usableFromInline let id: Element.ID
            /// Nil: the element is to be removed.
            @usableFromInline var element: Element?

            @inlinable
            init(id: Element.ID, element: Element?) {
                self.id = id
                self.element = element
            }
        }

        @usableFromInline var entries: [Entry] = []
        /// Where in `entries` an id stands; left empty while there are few, when a look at each is cheaper than hashing.
        @usableFromInline var positions: [Element.ID: Int] = [:]
        /// Ranks that were asked for; the last one of a key counts.
        @usableFromInline var ranks: [(key: Element.SectionKey, rank: Int64)] = []

        @inlinable
        init() {}

        @inlinable
        static var fewEntries: Int { 8 }

        @inlinable
        func position(of id: Element.ID) -> Int? {
            positions.isEmpty ? entries.firstIndex { $0.id == id } : positions[id]
        }

        @inlinable
        mutating func set(_ id: Element.ID, to element: Element?) {
            if let position = position(of: id) {
                entries[position].element = element
                return
            }
            entries.append(Entry(id: id, element: element))
            if !positions.isEmpty {
                positions[id] = entries.count - 1
            } else if entries.count > Staging.fewEntries {
                for position in entries.indices { positions[entries[position].id] = position }
            }
        }

        /// Keeps room for a few, so that small transactions allocate nothing here.
        @inlinable
        mutating func clear() {
            entries.removeAll(keepingCapacity: positions.isEmpty)
            if !positions.isEmpty { positions = [:] }
            if !ranks.isEmpty { ranks = [] }
        }
    }

    /// The element with this id as it will be after `commit()`: staged changes are seen.
    @inlinable
    public subscript(id: Element.ID) -> Element? {
        if let position = staging.position(of: id) { return staging.entries[position].element }
        return state.element(of: id)
    }

    /// Stages an insertion, or a replacement of the element with the same id.
    ///
    /// Throws `unorderedKey`, and stages nothing, when the id or a key of the element is not equal to itself (a NaN) and so has
    /// no place in an order.
    @inlinable
    public mutating func upsert(_ element: Element) throws(ModelError) {
        guard element.isOrdered else { throw .unorderedKey }
        staging.set(element.id, to: element)
    }

    /// Stages a removal; an unknown id is no change.
    @inlinable
    public mutating func remove(_ id: Element.ID) {
        guard id == id else { return }
        staging.set(id, to: nil)
    }

    /// Stages a rank for a section: sections stand in the order of (rank, key), and a rank is 0 until one is set.
    ///
    /// A rank stays when its section goes, and is no change of its own while the section is not there.
    @inlinable
    public mutating func setRank(_ rank: Int64, of section: Element.SectionKey) {
        staging.ranks.append((section, rank))
    }

    /// Stages what it takes to make these the elements: those that are missing are removed, new ones come, and what differs is replaced.
    /// Ranks stay. What was staged before is forgotten.
    ///
    /// Throws `duplicateID` or `unorderedKey`, and stages nothing.
    @inlinable
    public mutating func stageDifference(from elements: some Collection<Element>) throws(ModelError) {
        staging.clear()
        var kept = Array(repeating: false, count: state.records.end)
        var index = 0
        do throws(ModelError) {
            for element in elements {
                guard element.isOrdered else { throw .unorderedKey }
                if let slot = state.slot(of: element.id) {
                    guard !kept[Int(slot.number)] else { throw .duplicateID(at: index) }
                    kept[Int(slot.number)] = true
                    if state.records[slot] != element { staging.set(element.id, to: element) }
                } else {
                    guard staging.position(of: element.id) == nil else { throw .duplicateID(at: index) }
                    staging.set(element.id, to: element)
                }
                index += 1
            }
        } catch {
            staging.clear()
            throw error
        }
        for number in kept.indices where !kept[number] {
            if let element = state.records.element(in: Slot(number)) { staging.set(element.id, to: nil) }
        }
    }

    /// Forgets what is staged.
    @inlinable
    public mutating func rollBack() { staging.clear() }
}
