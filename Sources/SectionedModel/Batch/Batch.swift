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
