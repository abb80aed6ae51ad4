extension SectionedCollection {
    /// Stages what it takes to make these the elements: those that are missing are removed, new ones come, and what differs is replaced.
    /// Ranks stay. What was staged before is forgotten.
    ///
    /// Throws `duplicateID` or `unorderedKey`, and stages nothing.
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

    /// What is known of an element that is looked up: the hash of its id, and the slot if the id is here.
    @usableFromInline
    struct Found {
        @usableFromInline let hash: Int
        @usableFromInline var slot: Slot?

        @inlinable
        init(hash: Int) { self.hash = hash }

        /// So many are looked up side by side: each lookup waits for memory a few times, and those of others go on meanwhile.
        @inlinable
        static var together: Int { 64 }
    }

    /// Looks up a block of elements, one step of all before the next step of any.
    @inlinable
    func find(_ block: some Collection<Element>, _ found: inout [Found]) {
        found.removeAll(keepingCapacity: true)
        for element in block { found.append(Found(hash: Element.hash(of: element.id))) }
        // The first place of this hash is nearly always the right one.
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
