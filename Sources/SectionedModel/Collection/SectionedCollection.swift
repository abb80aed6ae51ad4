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
