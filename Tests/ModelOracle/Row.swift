package import SectionedModel

/// A row with few distinct keys, so that ties are common.
package struct Row: SectionedElement, Hashable {
    /// Unique.
    package var id: Int
    /// The section.
    package var sectionKey: Int
    /// The place in it.
    package var sortKey: Int
    /// What has no say in the place.
    package var content: Int {
        get { box.content }
        set { box = Box(newValue) }
    }
    private var box: Box

    /// Behind a reference, so that a row that is released once too often or too seldom is found out.
    private final class Box: Hashable, Sendable {
        let content: Int

        init(_ content: Int) { self.content = content }

        static func == (a: Box, b: Box) -> Bool { a.content == b.content }

        func hash(into hasher: inout Hasher) { hasher.combine(content) }
    }

    /// A row.
    package init(_ id: Int, in section: Int, at sortKey: Int, content: Int = 0) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        box = Box(content)
    }

    /// Feeds id and section.
    package func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(id)
        digest.feed(sectionKey)
    }

    /// Feeds the other two.
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(sortKey)
        digest.feed(content)
    }
}

/// The collection under test.
package typealias Rows = SectionedCollection<Row>
