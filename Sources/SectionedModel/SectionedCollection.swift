/// An ordered, keyed, sectioned collection as a value: stage changes, commit them, get one exact batch.
public struct SectionedCollection<Element: SectionedElement>: Sendable {
    /// An empty collection.
    public init() {}
    /// The number of committed elements.
    public var count: Int { fatalError("stub") }
    /// The keys of the committed sections, in order; a section exists while it has an element.
    public var sectionKeys: [Element.SectionKey] { fatalError("stub") }
    /// The committed elements of the section with this key, in order; empty when there is no such section.
    public func elements(in key: Element.SectionKey) -> [Element] { fatalError("stub") }
    /// The element with this id as it will be after `commit()`: staged changes are seen.
    public subscript(id: Element.ID) -> Element? { fatalError("stub") }
    /// Where the committed element with this id stands.
    public func path(of id: Element.ID) -> SectionPath? { fatalError("stub") }
    /// The committed element at a path; nil when there is none.
    public func element(at path: SectionPath) -> Element? { fatalError("stub") }
    /// Stages an insertion, or a replacement of the element with the same id.
    public mutating func upsert(_ element: Element) { fatalError("stub") }
    /// Stages a removal; an unknown id is no change.
    public mutating func remove(_ id: Element.ID) { fatalError("stub") }
    /// Applies what is staged as one transaction. Nil when nothing differs.
    public mutating func commit() -> Batch<Element>? { fatalError("stub") }
    /// Forgets what is staged.
    public mutating func rollBack() { fatalError("stub") }
    /// Applies a batch made by `commit()` elsewhere. Throws, and changes nothing, when it does not fit this state.
    public mutating func apply(_ batch: Batch<Element>) throws(BatchError) { fatalError("stub") }
}

/// Why a batch does not fit the state it is applied to.
public struct BatchError: Error, Hashable, Sendable {
    /// What does not fit, and where.
    public var message: String
    /// An error.
    public init(message: String) { self.message = message }
}
