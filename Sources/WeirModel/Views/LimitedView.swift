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

extension LimitedView {
    /// Follows a batch of the view's base, which led to `base`. Returns the batch of the visible
    /// rows; `nil` if they do not differ.
    ///
    /// Every batch must be followed, in order.
    ///
    /// - Throws: `badBatch`, and nothing is changed, if this batch does not follow the present
    ///   state. Call `reset(to:)` then.
    @inlinable
    public mutating func follow(_ batch: Batch<Element>, to base: Rows) throws(ModelError) -> Batch<Element>? {
        guard base.sequence == state.sequence + 1 else {
            throw .badBatch(
                "the view shows the state after batch \(state.sequence); this is batch \(base.sequence)")
        }
        let passage = LimitPassage(batch, from: state, to: base, limit: limit)
        let shown = Batch(passage.touched, passage.sectionChanges)
        state = base
        if shown.isEmpty { return nil }
        batches += 1
        return shown
    }
}

/// The changes across a limit while a batch leads from one state to the next.
///
/// The batch names the rows that are inserted, deleted and moved. All others keep their order; of these, only rows near
/// the limit before or after cross it, in sections that do so or that are moved.
@usableFromInline
struct LimitPassage<Rows: SectionedRows> {
    @usableFromInline typealias Element = Rows.Element
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// A section in both states.
    @usableFromInline
    struct Section {
        @usableFromInline
        var key: Element.SectionKey
        @usableFromInline
        var from: Int
        @usableFromInline
        var to: Int

        @inlinable
        init(key: Element.SectionKey, from: Int, to: Int) {
            self.key = key
            self.from = from
            self.to = to
        }
    }

    @usableFromInline
    let batch: Batch<Element>
    @usableFromInline
    let old: Rows
    @usableFromInline
    let new: Rows
    @usableFromInline
    let oldExtent: ViewExtent
    @usableFromInline
    let newExtent: ViewExtent
    @usableFromInline
    var touched: [Touched] = []
    @usableFromInline
    var sectionChanges = SectionedCollection<Element>.SectionChanges()

    @inlinable
    init(_ batch: Batch<Element>, from old: Rows, to new: Rows, limit: Int) {
        self.batch = batch
        self.old = old
        self.new = new
        oldExtent = ViewExtent(of: old, limit: limit)
        newExtent = ViewExtent(of: new, limit: limit)
        for record in batch.deletions { touch((record.element, record.path), nil) }
        for record in batch.insertions { touch(nil, (record.element, record.path)) }
        for record in batch.moves { touch((record.old, record.from), (record.new, record.to)) }
        for record in batch.updates { touch((record.old, record.from), (record.new, record.to)) }
        let sections = sectionsNearTheLimit()
        addCrossings(sections)
        addSectionChanges(sections)
    }

    @inlinable
    mutating func touch(
        _ before: (element: Element, path: SectionPath)?, _ after: (element: Element, path: SectionPath)?
    ) {
        let from = before.flatMap { oldExtent.contains($0.path) ? $0 : nil }
        let to = after.flatMap { newExtent.contains($0.path) ? $0 : nil }
        if from == nil, to == nil { return }
        var row = Touched(old: from?.element, slot: nil, new: to?.element, hash: 0)
        row.from = from?.path
        row.to = to?.path
        touched.append(row)
    }

    // MARK: - Sections

    /// Returns the sections of both states that are not entirely visible in both, and perhaps some that are.
    @inlinable
    func sectionsNearTheLimit() -> [Section] {
        var sections: [Section] = batch.sectionMoves.map { Section(key: $0.key, from: $0.from, to: $0.to) }
        let moved = (from: Set(sections.map(\.from)), to: Set(sections.map(\.to)))
        // Sections that are not moved keep their order, so the first one that is entirely visible
        // in both states ends the search.
        for from in stride(from: min(oldExtent.section, old.sectionCount - 1), through: 0, by: -1)
        where !moved.from.contains(from) {
            guard let key = old.sectionKey(at: from), let to = new.sectionIndex(of: key) else { continue }
            sections.append(Section(key: key, from: from, to: to))
            if oldExtent.isWhole(from), newExtent.isWhole(to) { break }
        }
        let found = Set(sections.map(\.from))
        for to in stride(from: min(newExtent.section, new.sectionCount - 1), through: 0, by: -1)
        where !moved.to.contains(to) {
            guard let key = new.sectionKey(at: to), let from = old.sectionIndex(of: key) else { continue }
            if !found.contains(from) { sections.append(Section(key: key, from: from, to: to)) }
            if oldExtent.isWhole(from), newExtent.isWhole(to) { break }
        }
        return sections
    }

    @inlinable
    mutating func addSectionChanges(_ sections: [Section]) {
        for change in batch.sectionDeletions where change.index < oldExtent.sectionCount {
            sectionChanges.deletions.append(change)
        }
        for change in batch.sectionInsertions where change.index < newExtent.sectionCount {
            sectionChanges.insertions.append(change)
        }
        for section in sections {
            switch (section.from < oldExtent.sectionCount, section.to < newExtent.sectionCount) {
            case (true, false):
                sectionChanges.deletions.append(
                    .init(index: section.from, key: section.key, rank: old.rank(of: section.key)))
            case (false, true):
                sectionChanges.insertions.append(
                    .init(index: section.to, key: section.key, rank: new.rank(of: section.key)))
            case (true, true), (false, false): break
            }
        }
        for move in batch.sectionMoves
        where move.from < oldExtent.sectionCount && move.to < newExtent.sectionCount {
            sectionChanges.moves.append(move)
        }
        sectionChanges.sort()
    }

    // MARK: - Rows

    /// Adds the rows that the batch does not name and that are visible in only one of the states.
    @inlinable
    mutating func addCrossings(_ sections: [Section]) {
        let sources = Dictionary(grouping: batch.sources, by: \.section).mapValues { $0.map(\.item).sorted() }
        let targets = Dictionary(grouping: batch.targets, by: \.section).mapValues { $0.map(\.item).sorted() }
        for section in sections {
            let before = Kept(sources[section.from] ?? [])
            let after = Kept(targets[section.to] ?? [])
            let shownBefore = oldExtent.shown(ofSection: section.from, old.elementCount(at: section.from))
            let shownAfter = newExtent.shown(ofSection: section.to, new.elementCount(at: section.to))
            let (kept, keptAfter) = (before.count(before: shownBefore), after.count(before: shownAfter))
            for number in min(kept, keptAfter)..<max(kept, keptAfter) {
                let from = SectionPath(section: section.from, item: before.item(number))
                guard let element = old.element(at: from) else { continue }
                if kept > keptAfter {
                    touch((element, from), nil)
                } else {
                    touch(nil, (element, SectionPath(section: section.to, item: after.item(number))))
                }
            }
        }
    }

    /// The rows of a section that a batch does not name, numbered from 0.
    @usableFromInline
    struct Kept {
        /// The items that the batch names, ascending.
        @usableFromInline
        let named: [Int]

        @inlinable
        init(_ named: [Int]) { self.named = named }

        @inlinable
        func count(before item: Int) -> Int { item - partitionPoint(named.count) { named[$0] < item } }

        @inlinable
        func item(_ number: Int) -> Int { number + partitionPoint(named.count) { named[$0] - $0 <= number } }
    }
}

extension Batch {
    /// The old paths in the batch.
    @inlinable
    var sources: [SectionPath] {
        deletions.map(\.path) + moves.map(\.from) + updates.map(\.from)
    }

    /// The new paths in the batch.
    @inlinable
    var targets: [SectionPath] {
        insertions.map(\.path) + moves.map(\.to) + updates.map(\.to)
    }
}
