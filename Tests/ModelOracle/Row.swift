public import SectionedModel

/// A row with few distinct keys, so that ties are common.
public struct Row: SectionedElement, Hashable {
    public var id: Int
    public var sectionKey: Int
    public var sortKey: Int
    public var content = 0

    public init(_ id: Int, in section: Int, at sortKey: Int, content: Int = 0) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        self.content = content
    }

    public func feed(_ digest: inout ElementDigest) {
        digest.feed(id)
        digest.feed(sectionKey)
        digest.feed(sortKey)
        digest.feed(content)
    }
}

/// The collection under test.
public typealias Rows = SectionedCollection<Row>
