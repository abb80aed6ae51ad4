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
