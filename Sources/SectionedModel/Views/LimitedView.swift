/// The first rows of a collection or of a view, up to a number of them: what a reader sees who does not scroll.
///
/// It holds nothing but the state it shows a part of. It is brought up to date by batches: O((k + r) log n) for k records and r rows
/// and sections that cross the limit. A limit is changed by `reset(to:)` of another view.
public struct LimitedView<Rows: SectionedRows>: Sendable {
    /// What a row shows.
    public typealias Element = Rows.Element

    /// The most rows that are shown.
    public let limit: Int
    @usableFromInline
    var state: Rows
    @usableFromInline
    var batches = 0

    /// The first `limit` rows; a negative limit is 0.
    @inlinable
    public init(of base: Rows, limit: Int) {
        state = base
        self.limit = max(0, limit)
    }

    /// The state of which the first rows are shown.
    @inlinable
    public var base: Rows { state }

    /// How many batches the view has given.
    @inlinable
    public var sequence: Int { batches }

    /// Shows another state, whatever lies between; what readers of the view have is to be thrown away.
    @inlinable
    public mutating func reset(to base: Rows) { state = base }
}

extension LimitedView: SectionedRows {
    @inlinable
    var extent: ViewExtent { ViewExtent(of: base, limit: limit) }

    /// The number of rows.
    @inlinable
    public var count: Int { min(limit, base.count) }

    /// The number of sections of which rows are shown.
    @inlinable
    public var sectionCount: Int { extent.sectionCount }

    /// The key of the section with this index; nil when there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? {
        index < sectionCount ? base.sectionKey(at: index) : nil
    }

    /// The index of the section with this key.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? {
        base.sectionIndex(of: key).flatMap { $0 < sectionCount ? $0 : nil }
    }

    /// The rank of a section.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { base.rank(of: key) }

    /// The number of rows shown of the section with this index; 0 when there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int { extent.shown(ofSection: index, base.elementCount(at: index)) }

    /// The element at a path; nil when there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? { extent.contains(path) ? base.element(at: path) : nil }

    /// Where the element with this id stands; nil when it is not shown.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? {
        base.path(of: id).flatMap { extent.contains($0) ? $0 : nil }
    }

    /// The path of a row by its number, counted from 0 over all sections; nil when there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { number < limit ? base.path(ofRow: number) : nil }
}

/// How far a limited view reaches into a state.
@usableFromInline
struct ViewExtent {
    /// The section in which the limit falls; those before it are shown whole. The number of sections when all are.
    @usableFromInline
    let section: Int
    /// How many rows of that section are shown.
    @usableFromInline
    let items: Int

    @inlinable
    init(of rows: some SectionedRows, limit: Int) {
        let end = rows.path(ofRow: limit)
        section = end?.section ?? rows.sectionCount
        items = end?.item ?? 0
    }

    @inlinable
    var sectionCount: Int { items > 0 ? section + 1 : section }

    @inlinable
    func contains(_ path: SectionPath) -> Bool {
        path.section < section || (path.section == section && path.item < items)
    }

    /// How many rows are shown of a section that has `count`.
    @inlinable
    func shown(ofSection index: Int, _ count: Int) -> Int {
        if index < section { return count }
        return index == section ? items : 0
    }

    /// Whether a section is shown whole.
    @inlinable
    func isWhole(_ index: Int) -> Bool { index < section }
}
