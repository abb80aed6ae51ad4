/// The first rows of a collection or of a view, up to a limit: what a reader sees without scrolling.
///
/// The view stores nothing but the state of which it shows a part. Batches bring it up to date in O((k + r) log n) for
/// k records and r rows and sections that cross the limit. To change the limit, replace the view by another one.
public struct LimitedView<Rows: SectionedRows>: Sendable {
    /// The type of element that a row shows.
    public typealias Element = Rows.Element

    /// The maximum number of visible rows.
    public let limit: Int
    @usableFromInline
    var state: Rows
    @usableFromInline
    var batches = 0

    /// Creates a view of the first `limit` rows; a negative limit is 0.
    @inlinable
    public init(of base: Rows, limit: Int) {
        state = base
        self.limit = max(0, limit)
    }

    /// The state whose first rows are visible.
    @inlinable
    public var base: Rows { state }

    /// The number of batches that the view has returned.
    @inlinable
    public var sequence: Int { batches }

    /// Shows another state, whatever the differences are. Readers of the view must discard what they have.
    @inlinable
    public mutating func reset(to base: Rows) { state = base }
}

extension LimitedView: SectionedRows {
    @inlinable
    var extent: ViewExtent { ViewExtent(of: base, limit: limit) }

    /// The number of rows that are visible.
    @inlinable
    public var count: Int { min(limit, base.count) }

    /// The number of sections with visible rows.
    @inlinable
    public var sectionCount: Int { extent.sectionCount }

    /// Returns the key of the section with this index; `nil` if there is none.
    @inlinable
    public func sectionKey(at index: Int) -> Element.SectionKey? {
        index < sectionCount ? base.sectionKey(at: index) : nil
    }

    /// Returns the index of the section with this key; `nil` if none of its rows is visible.
    @inlinable
    public func sectionIndex(of key: Element.SectionKey) -> Int? {
        base.sectionIndex(of: key).flatMap { $0 < sectionCount ? $0 : nil }
    }

    /// Returns the rank of a section.
    @inlinable
    public func rank(of key: Element.SectionKey) -> Int64 { base.rank(of: key) }

    /// Returns the number of visible rows in the section with this index; 0 if there is none.
    @inlinable
    public func elementCount(at index: Int) -> Int { extent.shown(ofSection: index, base.elementCount(at: index)) }

    /// Returns the element at a path; `nil` if there is none.
    @inlinable
    public func element(at path: SectionPath) -> Element? { extent.contains(path) ? base.element(at: path) : nil }

    /// Returns the path of the element with this id; `nil` if it is not visible.
    @inlinable
    public func path(of id: Element.ID) -> SectionPath? {
        base.path(of: id).flatMap { extent.contains($0) ? $0 : nil }
    }

    /// Returns the path of a row by its number, counted from 0 across all sections; `nil` if there is none.
    @inlinable
    public func path(ofRow number: Int) -> SectionPath? { number < limit ? base.path(ofRow: number) : nil }
}

/// The part of a state that a limited view shows.
@usableFromInline
struct ViewExtent {
    /// The section that contains the limit; those before it are entirely visible. The number of
    /// sections if all are visible.
    @usableFromInline
    let section: Int
    /// The number of visible rows in that section.
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

    /// Returns the number of visible rows in a section with `count` rows.
    @inlinable
    func shown(ofSection index: Int, _ count: Int) -> Int {
        if index < section { return count }
        return index == section ? items : 0
    }

    /// Returns whether a section is entirely visible.
    @inlinable
    func isWhole(_ index: Int) -> Bool { index < section }
}
