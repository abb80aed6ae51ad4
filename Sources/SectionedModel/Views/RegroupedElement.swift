/// An element in a section and at a place that are not its own.
public struct RegroupedElement<
    Base: SectionedElement, SectionKey: Hashable & Comparable & Sendable, SortKey: Comparable & Sendable
>: SectionedElement {
    /// The element.
    public let base: Base
    /// The section it is shown in.
    public let sectionKey: SectionKey
    /// Its place there; equal ones are ordered by id.
    public let sortKey: SortKey

    /// An element in another section, at another place.
    @inlinable
    public init(_ base: Base, sectionKey: SectionKey, sortKey: SortKey) {
        self.base = base
        self.sectionKey = sectionKey
        self.sortKey = sortKey
    }

    /// The element's own.
    @inlinable
    public var id: Base.ID { base.id }

    /// Feeds what the element feeds; the rest follows from it.
    @inlinable
    public func feed(_ digest: inout ElementDigest) {
        // The element's section is not the view's, and may become another while the row stays in its place.
        base.feedIdentity(&digest)
        base.feed(&digest)
    }
}
