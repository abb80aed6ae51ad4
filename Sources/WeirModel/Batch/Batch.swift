/// The exact difference between two states of a sectioned collection, in log form.
///
/// Deletions have indices of the old state, insertions of the new state. Every row that is deleted or inserted is
/// listed, including the rows of deleted and inserted sections. Arrays are sorted ascending by (section, item).
public struct Batch<Element: SectionedElement>: Equatable, Sendable {
    /// A section that is deleted (old index) or inserted (new index).
    public struct SectionChange: Equatable, Sendable {
        /// The index of the section in the old or the new state.
        public var index: Int
        /// The key of the section.
        public var key: Element.SectionKey
        /// The rank of the section; sections are ordered by (rank, key).
        public var rank: Int64
        /// Creates the deletion or insertion of a section.
        @inlinable
        public init(index: Int, key: Element.SectionKey, rank: Int64 = 0) {
            self.index = index
            self.key = key
            self.rank = rank
        }
    }
    /// A section in both states whose rank changed. It is listed even if its index did not change, because
    /// the rank is part of the state.
    public struct SectionMove: Equatable, Sendable {
        /// The index in the old state.
        public var from: Int
        /// The index in the new state.
        public var to: Int
        /// The key of the section.
        public var key: Element.SectionKey
        /// The rank in the old state.
        public var oldRank: Int64
        /// The rank in the new state.
        public var newRank: Int64
        /// Creates the move of a section.
        @inlinable
        public init(from: Int, to: Int, key: Element.SectionKey, oldRank: Int64, newRank: Int64) {
            self.from = from
            self.to = to
            self.key = key
            self.oldRank = oldRank
            self.newRank = newRank
        }
    }
    /// The checksums of both states, for a collection that keeps a checksum.
    public struct Checksums: Equatable, Sendable {
        /// The checksum of the state to which the batch is applied.
        public var before: UInt64
        /// The checksum of the state to which the batch leads.
        public var after: UInt64
        /// Creates a pair of checksums.
        @inlinable
        public init(before: UInt64, after: UInt64) {
            self.before = before
            self.after = after
        }
    }
    /// A deleted row: its path in the old state, and its element.
    public struct Deletion: Equatable, Sendable {
        /// The path in the old state.
        public var path: SectionPath
        /// The element that is deleted.
        public var element: Element
        /// Creates the deletion of a row.
        @inlinable
        public init(path: SectionPath, element: Element) {
            self.path = path
            self.element = element
        }
    }
    /// An inserted row: its path in the new state, and its element.
    public struct Insertion: Equatable, Sendable {
        /// The path in the new state.
        public var path: SectionPath
        /// The element that is inserted.
        public var element: Element
        /// Creates the insertion of a row.
        @inlinable
        public init(path: SectionPath, element: Element) {
            self.path = path
            self.element = element
        }
    }
    /// A row in both states that moved, changed its contents, or both.
    public struct Change: Equatable, Sendable {
        /// The path in the old state.
        public var from: SectionPath
        /// The path in the new state.
        public var to: SectionPath
        /// The element in the old state.
        public var old: Element
        /// The element in the new state.
        public var new: Element
        /// Creates the change of a row.
        @inlinable
        public init(from: SectionPath, to: SectionPath, old: Element, new: Element) {
            self.from = from
            self.to = to
            self.old = old
            self.new = new
        }
    }
    /// The changes, in the form that costs least.
    @usableFromInline var contents = Contents.nothing
    /// The checksums of the states before and after; `nil` if the collection keeps none.
    public var checksums: Checksums?
    /// Creates a batch without changes, to be filled.
    @inlinable
    public init() {}
    /// Whether the batch contains no change.
    @inlinable
    public var isEmpty: Bool { if case .nothing = contents { true } else { false } }
    /// The number of rows that are deleted, inserted, moved or updated.
    @inlinable
    public var rowCount: Int {
        switch contents {
        case .nothing: 0
        case .sole: 1
        case .lists(let lists):
            lists.deletions.count + lists.insertions.count + lists.moves.count + lists.updates.count
        }
    }
}

// The representation of a batch. Almost every transaction changes one row. That change is stored without lists, because
// lists cost an allocation, and a reference count for each that is empty.
extension Batch {
    /// The contents of a batch, each in its only form: lists contain something, and more than a sole change.
    @usableFromInline
    enum Contents: Sendable {
        case nothing
        case sole(SoleChange)
        indirect case lists(Lists)

        @inlinable
        init(_ lists: Lists) {
            if lists.isEmpty {
                self = .nothing
            } else if let sole = lists.soleChange {
                self = .sole(sole)
            } else {
                self = .lists(lists)
            }
        }
    }

    /// The changes, each list in the order that the batch defines.
    @usableFromInline
    struct Lists: Equatable, Sendable {
        @usableFromInline var sectionDeletions: [SectionChange] = []
        @usableFromInline var sectionInsertions: [SectionChange] = []
        @usableFromInline var sectionMoves: [SectionMove] = []
        @usableFromInline var deletions: [Deletion] = []
        @usableFromInline var insertions: [Insertion] = []
        @usableFromInline var moves: [Change] = []
        @usableFromInline var updates: [Change] = []

        @inlinable
        init() {}

        @inlinable
        var isEmpty: Bool {
            areSectionsEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
        }

        @inlinable
        var areSectionsEmpty: Bool { sectionDeletions.isEmpty && sectionInsertions.isEmpty && sectionMoves.isEmpty }

        /// The only change in the lists, if it changes a row of both states.
        @inlinable
        var soleChange: SoleChange? {
            guard moves.count + updates.count == 1, areSectionsEmpty, deletions.isEmpty, insertions.isEmpty else {
                return nil
            }
            return moves.first.map { SoleChange($0, moves: true) } ?? updates.first.map { SoleChange($0, moves: false) }
        }
    }

    /// Creates a batch from lists of changes.
    @inlinable
    public init(
        sectionDeletions: [SectionChange] = [], sectionInsertions: [SectionChange] = [],
        sectionMoves: [SectionMove] = [], deletions: [Deletion] = [], insertions: [Insertion] = [],
        moves: [Change] = [], updates: [Change] = [], checksums: Checksums? = nil
    ) {
        var lists = Lists()
        lists.sectionDeletions = sectionDeletions
        lists.sectionInsertions = sectionInsertions
        lists.sectionMoves = sectionMoves
        lists.deletions = deletions
        lists.insertions = insertions
        lists.moves = moves
        lists.updates = updates
        contents = Contents(lists)
        self.checksums = checksums
    }

    /// The lists; `nil` for an empty batch and for a sole change.
    @inlinable
    var listed: Lists? { if case .lists(let lists) = contents { lists } else { nil } }

    /// The lists, also for a sole change.
    @inlinable
    var lists: Lists {
        get {
            var lists = Lists()
            switch contents {
            case .nothing: break
            case .sole(let sole): if sole.moves { lists.moves = [sole.change] } else { lists.updates = [sole.change] }
            case .lists(let all): lists = all
            }
            return lists
        }
        _modify {
            var lists = lists
            // No other reference to the lists exists while they are changed.
            contents = .nothing
            defer { contents = Contents(lists) }
            yield &lists
        }
    }

    /// The change in a batch that changes one row of both states and neither inserts nor deletes a section; `nil` for
    /// other batches. Costs less than the lists.
    @inlinable
    public var soleChange: SoleChange? { if case .sole(let sole) = contents { sole } else { nil } }

    /// The deleted sections, by old index.
    @inlinable
    public var sectionDeletions: [SectionChange] {
        get { listed?.sectionDeletions ?? [] }
        _modify { yield &lists.sectionDeletions }
    }
    /// The inserted sections, by new index.
    @inlinable
    public var sectionInsertions: [SectionChange] {
        get { listed?.sectionInsertions ?? [] }
        _modify { yield &lists.sectionInsertions }
    }
    /// The sections whose rank changed, ordered by new index.
    @inlinable
    public var sectionMoves: [SectionMove] {
        get { listed?.sectionMoves ?? [] }
        _modify { yield &lists.sectionMoves }
    }
    /// The deleted rows, by old path.
    @inlinable
    public var deletions: [Deletion] {
        get { listed?.deletions ?? [] }
        _modify { yield &lists.deletions }
    }
    /// The inserted rows, by new path.
    @inlinable
    public var insertions: [Insertion] {
        get { listed?.insertions ?? [] }
        _modify { yield &lists.insertions }
    }
    /// The rows that moved, with or without a change of contents, ordered by new path.
    @inlinable
    public var moves: [Change] {
        get { if case .sole(let sole) = contents { sole.moves ? [sole.change] : [] } else { listed?.moves ?? [] } }
        _modify { yield &lists.moves }
    }
    /// The rows that changed without moving relative to their untouched neighbours, ordered by new path.
    @inlinable
    public var updates: [Change] {
        get { if case .sole(let sole) = contents { sole.moves ? [] : [sole.change] } else { listed?.updates ?? [] } }
        _modify { yield &lists.updates }
    }
}

extension Batch {
    /// One row that moved, or changed in place.
    public struct SoleChange: Equatable, Sendable {
        /// The change, as a list contains it.
        public let change: Change
        /// Whether the change is one of the batch's moves; otherwise it is one of the updates.
        public let moves: Bool

        @inlinable
        init(_ change: Change, moves: Bool) {
            self.change = change
            self.moves = moves
        }
    }
}

extension Batch {
    /// Returns whether both batches contain the same changes and checksums.
    @inlinable
    public static func == (a: Batch, b: Batch) -> Bool {
        guard a.checksums == b.checksums else { return false }
        return switch (a.contents, b.contents) {
        case (.nothing, .nothing): true
        case (.sole(let a), .sole(let b)): a == b
        case (.lists(let a), .lists(let b)): a == b
        case (.nothing, _), (.sole, _), (.lists, _): false
        }
    }
}

extension Batch {
    @usableFromInline typealias Touched = SectionedCollection<Element>.Touched

    /// Creates the canonical batch of a transaction whose paths are all known.
    @inlinable
    init(_ touched: [Touched], _ changes: SectionedCollection<Element>.SectionChanges) {
        var lists = Lists()
        lists.sectionDeletions = changes.deletions
        lists.sectionInsertions = changes.insertions
        lists.sectionMoves = changes.moves
        let stays = Batch.staying(touched)
        // The order is computed before the lists are filled: its entries are small, an element may not be.
        var order = touched.indices.compactMap { index in
            (touched[index].to ?? touched[index].from).map { (path: $0, index: index) }
        }
        if order.count > 1 { order.sort { $0.path < $1.path } }
        for (_, index) in order { lists.record(touched, index, stays: stays.isEmpty ? false : stays[index]) }
        contents = Contents(lists)
    }

    /// Returns for each touched row whether it need not move; empty if none of them is in both states.
    ///
    /// Untouched rows never move, so a row that is between other untouched rows than before has to. The rows that are
    /// still between the same ones can stay as far as they are in order: those of a longest increasing subsequence do.
    /// Rows are only compared with rows of their section, so the new items are numbered under the old section, and one
    /// sequence serves all sections.
    @inlinable
    static func staying(_ touched: [Touched]) -> [Bool] {
        guard touched.contains(where: { $0.from != nil && $0.to != nil }) else { return [] }
        var stays = Array(repeating: false, count: touched.count)
        let before = SurvivingRows(without: touched.compactMap(\.from))
        let after = SurvivingRows(without: touched.compactMap(\.to))
        var candidates: [(from: SectionPath, to: SectionPath, index: Int)] = []
        for index in touched.indices {
            guard let from = touched[index].from, let to = touched[index].to else { continue }
            guard touched[index].old?.sectionKey == touched[index].new?.sectionKey else { continue }
            guard before.number(of: from) == after.number(of: to) else { continue }
            candidates.append((from, SectionPath(section: from.section, item: to.item), index))
        }
        candidates.sort { $0.from < $1.from }
        for position in longestIncreasingSubsequence(candidates.map(\.to)) {
            stays[candidates[position].index] = true
        }
        return stays
    }
}

extension SectionedCollection.Touched {
    /// Creates the change of one id from a batch, without a state: it has neither slot nor hash.
    @inlinable
    init(_ old: Batch<Element>.RowLink.Stand?, _ new: Batch<Element>.RowLink.Stand?) {
        self.init(old: old?.element, slot: nil, new: new?.element, hash: 0)
        from = old?.path
        to = new?.path
    }
}

extension Batch.Lists {
    /// Appends a change. An element is only copied into the list: the copy of a large one costs.
    @inlinable
    mutating func record(_ touched: [Batch<Element>.Touched], _ index: Int, stays: Bool) {
        let (from, to) = (touched[index].from, touched[index].to)
        if let from, let old = touched[index].old {
            if let to, let new = touched[index].new {
                let change = Batch.Change(from: from, to: to, old: old, new: new)
                if stays { updates.append(change) } else { moves.append(change) }
            } else {
                deletions.append(Batch.Deletion(path: from, element: old))
            }
        } else if let to, let new = touched[index].new {
            insertions.append(Batch.Insertion(path: to, element: new))
        }
    }
}

extension Batch {
    /// Returns the inverse batch: applied to the new state, it leads to the old one.
    @inlinable
    public func inverted() -> Batch {
        var inverse: Batch
        if let sole = soleChange {
            inverse = Batch()
            inverse.contents = .sole(SoleChange(sole.change.inverted(), moves: sole.moves))
        } else {
            inverse = Batch(
                sectionDeletions: sectionInsertions, sectionInsertions: sectionDeletions,
                sectionMoves: sectionMoves.map {
                    SectionMove(from: $0.to, to: $0.from, key: $0.key, oldRank: $0.newRank, newRank: $0.oldRank)
                }.sorted { $0.to < $1.to },
                deletions: insertions.map { Deletion(path: $0.path, element: $0.element) },
                insertions: deletions.map { Insertion(path: $0.path, element: $0.element) },
                moves: Batch.inverted(moves), updates: Batch.inverted(updates))
        }
        inverse.checksums = checksums.map { Checksums(before: $0.after, after: $0.before) }
        return inverse
    }

    @inlinable
    static func inverted(_ changes: [Change]) -> [Change] {
        changes.map { $0.inverted() }.sorted { $0.to < $1.to }
    }
}

extension Batch.Change {
    @inlinable
    func inverted() -> Self { Self(from: to, to: from, old: new, new: old) }
}
