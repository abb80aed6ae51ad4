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

extension SectionedSnapshot: BidirectionalCollection {
    /// The path of the first element.
    @inlinable
    public var startIndex: SectionPath { SectionPath(section: 0, item: 0) }

    /// The path after the last element.
    @inlinable
    public var endIndex: SectionPath { SectionPath(section: sectionCount, item: 0) }

    /// Returns the path of the next element.
    @inlinable
    public func index(after path: SectionPath) -> SectionPath {
        let next = SectionPath(section: path.section, item: path.item + 1)
        return next.item < elementCount(at: path.section) ? next : SectionPath(section: path.section + 1, item: 0)
    }

    /// Returns the path of the element before.
    @inlinable
    public func index(before path: SectionPath) -> SectionPath {
        if path.item > 0 { return SectionPath(section: path.section, item: path.item - 1) }
        return SectionPath(section: path.section - 1, item: elementCount(at: path.section - 1) - 1)
    }

    /// The element at a path, which must exist; `element(at:)` returns `nil` if it does not.
    @inlinable
    public subscript(path: SectionPath) -> Element {
        guard let element = element(at: path) else { preconditionFailure("no element at \(path)") }
        return element
    }

    /// Reads the elements section by section.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let rows: SectionedSnapshot
        @usableFromInline var section = 0
        @usableFromInline var elements: IndexingIterator<[Element]>

        @inlinable
        init(_ rows: SectionedSnapshot) {
            self.rows = rows
            elements = rows.elements(at: 0).makeIterator()
        }

        /// Returns the next element, or `nil` after the last row.
        @inlinable
        public mutating func next() -> Element? {
            if let element = elements.next() { return element }
            section += 1
            elements = rows.elements(at: section).makeIterator()
            return elements.next()
        }
    }

    /// Returns an iterator over the elements, in order.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(self) }
}

extension SectionedSnapshot: CustomStringConvertible {
    /// The numbers of elements and sections.
    public var description: String {
        count.counted("element", "elements") + " in " + sectionCount.counted("section", "sections")
    }
}

extension SectionedCollection: CustomStringConvertible {
    /// The numbers of elements and sections.
    public var description: String { state.description }
}

extension Batch: CustomStringConvertible {
    /// The numbers of records, those that are not 0.
    public var description: String {
        let counts = [
            sectionDeletions.count.counted("section deletion", "section deletions"),
            sectionInsertions.count.counted("section insertion", "section insertions"),
            sectionMoves.count.counted("section move", "section moves"),
            deletions.count.counted("deletion", "deletions"), insertions.count.counted("insertion", "insertions"),
            moves.count.counted("move", "moves"), updates.count.counted("update", "updates"),
        ]
        let present = counts.filter { !$0.hasPrefix("0 ") }
        return present.isEmpty ? "no change" : present.joined(separator: ", ")
    }
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
