import SectionedModel

// What the model is going to have itself; this file goes away with the first model that has it.
extension SectionedCollection {
    typealias Snapshot = Self

    func snapshot() -> Self { self }

    mutating func stageDifference(from elements: some Collection<Element>) throws(ModelError) {
        var seen: Set<Element.ID> = []
        for element in elements {
            seen.insert(element.id)
            if self[element.id] != element { try upsert(element) }
        }
        var gone: [Element.ID] = []
        forEachElement { _, element in if !seen.contains(element.id) { gone.append(element.id) } }
        for id in gone { remove(id) }
    }
}
