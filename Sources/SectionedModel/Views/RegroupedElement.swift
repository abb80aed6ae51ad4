/// An element in a section and at a position that are not its own.
public struct RegroupedElement<
    Base: SectionedElement, SectionKey: Hashable & Comparable & Sendable, SortKey: Comparable & Sendable
>: SectionedElement {
    /// The element of the base collection.
    public let base: Base
    /// The section that shows the element.
    public let sectionKey: SectionKey
    /// The position in that section; equal ones are ordered by id.
    public let sortKey: SortKey

    /// Creates an element in another section, at another position.
    @inlinable
    public init(_ base: Base, sectionKey: SectionKey, sortKey: SortKey) {
        self.base = base
        self.sectionKey = sectionKey
        self.sortKey = sortKey
    }

    /// The id of the base element.
    @inlinable
    public var id: Base.ID { base.id }

    /// Feeds what the element feeds; the rest follows from it.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {
        // The element's section is not the view's, and may change while the row keeps its position.
        base.feedIdentity(&digest)
        base.feed(&digest)
    }
}
