/// The exact difference between two states of a sectioned collection, in log form.
///
/// What leaves is given in the index space of the old state, what comes in that of the new one; every row that leaves or
/// enters is listed, also those of sections that come or go. Arrays are sorted ascending by (section, item).
public struct Batch<Element: SectionedElement>: Equatable, Sendable {
    /// A section that leaves (old index) or comes (new index).
    public struct SectionChange: Equatable, Sendable {
        /// Index of the section.
        public var index: Int
        /// Its key.
        public var key: Element.SectionKey
        /// Its rank; sections stand in the order of (rank, key).
        public var rank: Int64
        /// A change.
        @inlinable
        public init(index: Int, key: Element.SectionKey, rank: Int64 = 0) {
            self.index = index
            self.key = key
            self.rank = rank
        }
    }
    /// A section in both states whose rank changed; listed also when its index did not, for the rank is part of the state.
    public struct SectionMove: Equatable, Sendable {
        /// Old index.
        public var from: Int
        /// New index.
        public var to: Int
        /// Its key.
        public var key: Element.SectionKey
        /// The rank before.
        public var oldRank: Int64
        /// The rank after.
        public var newRank: Int64
        /// A move.
        @inlinable
        public init(from: Int, to: Int, key: Element.SectionKey, oldRank: Int64, newRank: Int64) {
            self.from = from
            self.to = to
            self.key = key
            self.oldRank = oldRank
            self.newRank = newRank
        }
    }
    /// The checksums of the two states, of a collection that keeps one.
    public struct Checksums: Equatable, Sendable {
        /// Of the state the batch is applied to.
        public var before: UInt64
        /// Of the state it leads to.
        public var after: UInt64
        /// Two checksums.
        @inlinable
        public init(before: UInt64, after: UInt64) {
            self.before = before
            self.after = after
        }
    }
    /// A row that leaves: where it stood in the old state, and what stood there.
    public struct Deletion: Equatable, Sendable {
        /// Old path.
        public var path: SectionPath
        /// The element that left.
        public var element: Element
        /// A deletion.
        @inlinable
        public init(path: SectionPath, element: Element) {
            self.path = path
            self.element = element
        }
    }
    /// A row that comes: where it stands in the new state.
    public struct Insertion: Equatable, Sendable {
        /// New path.
        public var path: SectionPath
        /// The element that came.
        public var element: Element
        /// An insertion.
        @inlinable
        public init(path: SectionPath, element: Element) {
            self.path = path
            self.element = element
        }
    }
    /// A row in both states that moved, changed its contents, or both.
    public struct Change: Equatable, Sendable {
        /// Old path.
        public var from: SectionPath
        /// New path.
        public var to: SectionPath
        /// The element before.
        public var old: Element
        /// The element after.
        public var new: Element
        /// A change.
        @inlinable
        public init(from: SectionPath, to: SectionPath, old: Element, new: Element) {
            self.from = from
            self.to = to
            self.old = old
            self.new = new
        }
    }
    /// What is in it, in the form that costs least.
    @usableFromInline var contents = Contents.nothing
    /// Of the states before and after; nil when the collection keeps none.
    public var checksums: Checksums?
    /// An empty batch.
    @inlinable
    public init() {}
    /// Whether there is nothing in it.
    @inlinable
    public var isEmpty: Bool { if case .nothing = contents { true } else { false } }
    /// The number of rows that leave, come, move or change.
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
