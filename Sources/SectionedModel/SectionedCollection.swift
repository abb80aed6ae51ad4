/// An ordered, keyed, sectioned collection as a value: stage changes, commit them, get one exact batch.
///
/// Sections stand in the order of their keys, the elements of a section in the order of (sort key, id); both orders are total,
/// so the state is a function of the set of its elements and of nothing else. A copy is a snapshot: it keeps what it holds
/// while the original goes on.
public struct SectionedCollection<Element: SectionedElement>: Sendable {
    /// A section and its elements in order; never empty between two transactions.
    @usableFromInline
    struct Section: Sendable {
        @usableFromInline let key: Element.SectionKey
        @usableFromInline var elements = Rows<Element>()

        @inlinable
        init(key: Element.SectionKey) { self.key = key }
    }

    /// What it takes, beside the id, to find an element by binary search.
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline var sectionKey: Element.SectionKey
        @usableFromInline var sortKey: Element.SortKey

        @inlinable
        init(of element: Element) {
            sectionKey = element.sectionKey
            sortKey = element.sortKey
        }
    }

    /// Ordered by key.
    @usableFromInline var sections: [Section] = []
    /// One entry for each committed element. Only ever looked up, never iterated: its order changes with the process.
    @usableFromInline var places: [Element.ID: Place] = [:]
    @usableFromInline var staging = Staging()

    /// An empty collection.
    @inlinable
    public init() {}

    /// The number of committed elements.
    @inlinable
    public var count: Int { places.count }

    /// The number of committed sections.
    @inlinable
    public var sectionCount: Int { sections.count }

    /// The keys of the committed sections, in order; a section exists while it has an element.
    @inlinable
    public var sectionKeys: [Element.SectionKey] { sections.map(\.key) }

    /// The committed elements of the section with this key, in order; empty when there is no such section.
    @inlinable
    public func elements(in key: Element.SectionKey) -> [Element] {
        let index = sectionRank(of: key)
        return hasSection(key, at: index) ? sections[index].elements.all : []
    }

    /// The number of committed elements in the section with this key; 0 when there is no such section.
    @inlinable
    public func elementCount(in key: Element.SectionKey) -> Int {
        let index = sectionRank(of: key)
        return hasSection(key, at: index) ? sections[index].elements.count : 0
    }

    /// Where the committed element with this id stands.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? {
        guard let place = places[id] else { return nil }
        let section = sectionRank(of: place.sectionKey)
        return SectionPath(section: section, item: sections[section].elements.rank(of: place.sortKey, id))
    }

    /// The committed element at a path; nil when there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? {
        guard sections.indices.contains(path.section) else { return nil }
        guard sections[path.section].elements.indices.contains(path.item) else { return nil }
        return sections[path.section].elements[path.item]
    }

    /// Calls `body` with every committed element and its path, in order.
    @inlinable
    public func forEachElement<Failure: Error>(
        _ body: (SectionPath, Element) throws(Failure) -> Void
    ) throws(Failure) {
        for section in sections.indices {
            var item = 0
            for leaf in sections[section].elements.leaves {
                for element in leaf {
                    try body(SectionPath(section: section, item: item), element)
                    item += 1
                }
            }
        }
    }

    /// How many sections stand before the place of this key.
    @inlinable
    func sectionRank(of key: Element.SectionKey) -> Int {
        partitionPoint(sections.count) { sections[$0].key < key }
    }

    @inlinable
    func hasSection(_ key: Element.SectionKey, at index: Int) -> Bool {
        index < sections.count && sections[index].key == key
    }
}
