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
        /// A change.
        public init(index: Int, key: Element.SectionKey) {
            self.index = index
            self.key = key
        }
    }
    /// A row that leaves: where it stood in the old state, and what stood there.
    public struct Deletion: Equatable, Sendable {
        /// Old path.
        public var path: SectionPath
        /// The element that left.
        public var element: Element
        /// A deletion.
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
        public init(from: SectionPath, to: SectionPath, old: Element, new: Element) {
            self.from = from
            self.to = to
            self.old = old
            self.new = new
        }
    }
    /// Sections that left, old indices.
    public var sectionDeletions: [SectionChange] = []
    /// Sections that came, new indices.
    public var sectionInsertions: [SectionChange] = []
    /// Rows that left, old paths.
    public var deletions: [Deletion] = []
    /// Rows that came, new paths.
    public var insertions: [Insertion] = []
    /// Rows that moved (with or without a change of contents), ordered by new path.
    public var moves: [Change] = []
    /// Rows that changed and did not move relative to their untouched neighbours, ordered by new path.
    public var updates: [Change] = []
    /// An empty batch.
    public init() {}
    /// Whether there is nothing in it.
    public var isEmpty: Bool {
        sectionDeletions.isEmpty && sectionInsertions.isEmpty && deletions.isEmpty && insertions.isEmpty
            && moves.isEmpty
            && updates.isEmpty
    }
}
