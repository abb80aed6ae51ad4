// What a batch is made of. Nearly every transaction changes one row, which stands by itself and costs no allocation: lists do, and a count
// of references for each that is empty.
extension Batch {
    /// What is in a batch, each in its one form: lists have something in them, and more than a sole change.
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

    /// Each in the order the batch gives it.
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

        /// The only thing in them, if that is a row of both states.
        @inlinable
        var soleChange: SoleChange? {
            guard moves.count + updates.count == 1, areSectionsEmpty, deletions.isEmpty, insertions.isEmpty else {
                return nil
            }
            return moves.first.map { SoleChange($0, moves: true) } ?? updates.first.map { SoleChange($0, moves: false) }
        }
    }

    /// A batch of these.
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

    /// The lists, where there are any.
    @inlinable
    var listed: Lists? { if case .lists(let lists) = contents { lists } else { nil } }

    /// The lists, of a sole change too.
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
            // Nobody else holds them while they are changed.
            contents = .nothing
            defer { contents = Contents(lists) }
            yield &lists
        }
    }

    /// What changes in a batch of one row of both states that makes and ends no section; nil for others. Costs less than the lists.
    @inlinable
    public var soleChange: SoleChange? { if case .sole(let sole) = contents { sole } else { nil } }

    /// Sections that left, old indices.
    @inlinable
    public var sectionDeletions: [SectionChange] {
        get { listed?.sectionDeletions ?? [] }
        _modify { yield &lists.sectionDeletions }
    }
    /// Sections that came, new indices.
    @inlinable
    public var sectionInsertions: [SectionChange] {
        get { listed?.sectionInsertions ?? [] }
        _modify { yield &lists.sectionInsertions }
    }
    /// Sections that were given another rank, ordered by new index.
    @inlinable
    public var sectionMoves: [SectionMove] {
        get { listed?.sectionMoves ?? [] }
        _modify { yield &lists.sectionMoves }
    }
    /// Rows that left, old paths.
    @inlinable
    public var deletions: [Deletion] {
        get { listed?.deletions ?? [] }
        _modify { yield &lists.deletions }
    }
    /// Rows that came, new paths.
    @inlinable
    public var insertions: [Insertion] {
        get { listed?.insertions ?? [] }
        _modify { yield &lists.insertions }
    }
    /// Rows that moved (with or without a change of contents), ordered by new path.
    @inlinable
    public var moves: [Change] {
        get { if case .sole(let sole) = contents { sole.moves ? [sole.change] : [] } else { listed?.moves ?? [] } }
        _modify { yield &lists.moves }
    }
    /// Rows that changed and did not move relative to their untouched neighbours, ordered by new path.
    @inlinable
    public var updates: [Change] {
        get { if case .sole(let sole) = contents { sole.moves ? [] : [sole.change] } else { listed?.updates ?? [] } }
        _modify { yield &lists.updates }
    }
}

extension Batch {
    /// One row that moved, or changed where it stands.
    public struct SoleChange: Equatable, Sendable {
        /// What changed, as it stands in a list.
        public let change: Change
        /// Whether it is among the moves of its batch, or among the updates.
        public let moves: Bool

        @inlinable
        init(_ change: Change, moves: Bool) {
            self.change = change
            self.moves = moves
        }
    }
}

extension Batch {
    /// Whether both tell the same.
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
