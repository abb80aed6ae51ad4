/// Rows in sections that can be read by position: a snapshot, or a view of one.
public protocol SectionedRows<Element>: Sendable {
    /// The type of element that a row shows.
    associatedtype Element: SectionedElement
    /// The number of rows in all sections.
    var count: Int { get }
    /// The number of sections, none of which is empty.
    var sectionCount: Int { get }
    /// The number of batches that led to this state.
    var sequence: Int { get }
    /// Returns the key of the section with this index; `nil` if there is none.
    func sectionKey(at index: Int) -> Element.SectionKey?
    /// Returns the index of the section with this key; `nil` if there is none.
    func sectionIndex(of key: Element.SectionKey) -> Int?
    /// Returns the rank of a section.
    func rank(of key: Element.SectionKey) -> Int64
    /// Returns the number of rows in the section with this index; 0 if there is none.
    func elementCount(at index: Int) -> Int
    /// Returns the element at a path; `nil` if there is none.
    func element(at path: SectionPath) -> Element?
    /// Returns the path of the element with this id; `nil` if there is none.
    func path(of id: Element.ID) -> SectionPath?
    /// Returns the path of a row by its number, counted from 0 across all sections; `nil` if there is none.
    func path(ofRow number: Int) -> SectionPath?
}

extension SectionedRows {
    /// The elements of all rows, in order.
    @inlinable
    public var elements: [Element] {
        (0..<sectionCount).flatMap { section in
            (0..<elementCount(at: section)).compactMap { element(at: SectionPath(section: section, item: $0)) }
        }
    }

    /// The keys of the sections, in order.
    @inlinable
    public var sectionKeys: [Element.SectionKey] { (0..<sectionCount).compactMap { sectionKey(at: $0) } }
}

extension SectionedSnapshot: SectionedRows {
    /// Returns the path of a row by its number, counted from 0 across all sections; `nil` if there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { directory.path(ofRow: number) }
}

extension CountedTree {
    /// Returns the path of a row in a directory of sections.
    @inlinable
    func path(ofRow number: Int) -> SectionPath? {
        guard number >= 0, number < weight else { return nil }
        let (section, item) = index(ofWeight: number)
        return SectionPath(section: section, item: item)
    }
}

/// An element in a section and at a position that are not its own.
public struct RegroupedElement<
    Base: SectionedElement, SectionKey: Hashable & Comparable & Sendable, SortKey: Comparable & Sendable
>: SectionedElement {
    /// The element of the base collection.
    public let base: Base
    /// The section that shows the element.
    public let sectionKey: SectionKey
    /// The position in that section; equal ones are ordered by id.
    public let sortKey: SortKey

    /// Creates an element in another section, at another position.
    @inlinable
    public init(_ base: Base, sectionKey: SectionKey, sortKey: SortKey) {
        self.base = base
        self.sectionKey = sectionKey
        self.sortKey = sortKey
    }

    /// The id of the base element.
    @inlinable
    public var id: Base.ID { base.id }

    /// Feeds what the element feeds; the rest follows from it.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {
        // The element's section is not the view's, and may change while the row keeps its position.
        base.feedIdentity(&digest)
        base.feed(&digest)
    }
}
