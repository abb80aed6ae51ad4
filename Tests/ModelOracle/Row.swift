public import SectionedModel

/// A row with few distinct keys, so that ties are common.
public struct Row: SectionedElement, Hashable {
    /// Unique.
    public var id: Int
    /// The section.
    public var sectionKey: Int
    /// The place in it.
    public var sortKey: Int
    /// What has no say in the place.
    public var content = 0

    /// A row.
    public init(_ id: Int, in section: Int, at sortKey: Int, content: Int = 0) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        self.content = content
    }

    /// Feeds all four.
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(id)
        digest.feed(sectionKey)
        digest.feed(sortKey)
        digest.feed(content)
    }
}

/// The collection under test.
public typealias Rows = SectionedCollection<Row>
