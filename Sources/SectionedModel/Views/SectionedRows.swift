/// Rows in sections that can be read by their places: a snapshot, or a view of one.
public protocol SectionedRows<Element>: Sendable {
    /// What a row shows.
    associatedtype Element: SectionedElement
    /// The number of rows.
    var count: Int { get }
    /// The number of sections.
    var sectionCount: Int { get }
    /// How many batches have led here.
    var sequence: Int { get }
    /// The key of the section with this index; nil when there is none.
    func sectionKey(at index: Int) -> Element.SectionKey?
    /// The index of the section with this key.
    func sectionIndex(of key: Element.SectionKey) -> Int?
    /// The rank of a section.
    func rank(of key: Element.SectionKey) -> Int64
    /// The number of rows in the section with this index; 0 when there is none.
    func elementCount(at index: Int) -> Int
    /// The element at a path; nil when there is none.
    func element(at path: SectionPath) -> Element?
    /// Where the element with this id stands.
    func path(of id: Element.ID) -> SectionPath?
    /// The path of a row by its number, counted from 0 over all sections; nil when there is none.
    func path(ofRow number: Int) -> SectionPath?
}

extension SectionedRows {
    /// All rows, in order.
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
    /// The path of a row by its number, counted from 0 over all sections; nil when there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { directory.path(ofRow: number) }
}

extension CountedTree {
    /// Where, as a directory of sections, it has a row.
    @inlinable
    func path(ofRow number: Int) -> SectionPath? {
        guard number >= 0, number < weight else { return nil }
        let (section, item) = index(ofWeight: number)
        return SectionPath(section: section, item: item)
    }
}
