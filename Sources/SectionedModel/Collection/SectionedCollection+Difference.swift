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
                find(block, &found)
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

    /// Looks up a block of elements, one step of all of them before the next step of any.
    @inlinable
    func find(_ block: some Collection<Element>, _ found: inout [Found]) {
        found.removeAll(keepingCapacity: true)
        for element in block { found.append(Found(hash: Element.hash(of: element.id))) }
        // The first place with this hash is nearly always the right one.
        for index in found.indices { found[index].slot = state.slots.slot(hash: found[index].hash) { _ in true } }
        var index = 0
        for element in block {
            if let slot = found[index].slot, state.records[slot].id != element.id {
                found[index].slot = state.slot(of: element.id, hash: found[index].hash)
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
