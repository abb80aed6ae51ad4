/// An ordered, keyed, sectioned collection: stage changes, commit them, get one exact batch.
///
/// Sections stand in the order of (rank, key), the elements of a section in the order of (sort key, id); both orders are total, so
/// the state is a function of the set of its elements and of the ranks, and of nothing else. One owner writes; readers elsewhere keep a
/// ``snapshot``.
public struct SectionedCollection<Element: SectionedElement>: Sendable {
    /// The committed state.
    @usableFromInline var state: SectionedSnapshot<Element>
    @usableFromInline var staging = Staging()
    /// Slots whose elements are gone, to be used again.
    @usableFromInline var freeSlots: [Slot] = []

    /// An empty collection. With `keepsChecksum`, every commit digests the elements it touches, before and after.
    @inlinable
    public init(keepsChecksum: Bool = false) { state = SectionedSnapshot(keepsChecksum: keepsChecksum) }

    /// The committed state, to be kept or read elsewhere. O(1).
    @inlinable
    public var snapshot: SectionedSnapshot<Element> { state }

    /// The committed element with this id; staged changes are not seen, as `subscript(id:)` sees them.
    @inlinable
    public func committed(_ id: Element.ID) -> Element? { state.element(of: id) }
}

// What a snapshot says, of the committed state.
extension SectionedCollection {
    /// How many batches have been committed or applied.
    @inlinable
    public var sequence: Int { state.batches }
    /// The checksum of the committed state; nil when none is kept.
    @inlinable
    public var checksum: UInt64? { state.sum }
    /// The number of committed elements.
    @inlinable
    public var count: Int { state.count }
    /// The number of committed sections.
    @inlinable
    public var sectionCount: Int { state.sectionCount }
    /// The keys of the committed sections, in order; a section exists while it has an element.
    @inlinable
    public var sectionKeys: [Element.SectionKey] { state.sectionKeys }
    /// The key of the committed section with this index; nil when there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? { state.sectionKey(at: index) }
    /// The index of the committed section with this key.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? { state.sectionIndex(of: key) }
    /// The rank a section has, or will have when it comes; 0 unless one was set and committed.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { state.rank(of: key) }
    /// The committed elements of the section with this key, in order; empty when there is no such section.
    @inlinable
    public func elements(in key: Element.SectionKey) -> [Element] { state.elements(in: key) }
    /// The committed elements of the section with this index, in order; empty when there is none.
    @inlinable
    public func elements(at index: Int) -> [Element] { state.elements(at: index) }
    /// The number of committed elements in the section with this key; 0 when there is no such section.
    @inlinable
    public func elementCount(in key: Element.SectionKey) -> Int { state.elementCount(in: key) }
    /// The number of committed elements in the section with this index; 0 when there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int { state.elementCount(at: index) }
    /// Where the committed element with this id stands.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? { state.path(of: id) }
    /// The committed element at a path; nil when there is none.
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
