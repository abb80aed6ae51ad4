package import WeirModel

/// A row of the test model. Its few distinct keys make ties common.
package struct Row: SectionedElement, Hashable {
    /// The unique id of the row.
    package var id: Int
    /// The key of the section that contains the row.
    package var sectionKey: Int
    /// The key that determines the position in the section.
    package var sortKey: Int
    /// The part of the row that does not affect its position.
    package var content: Int {
        get { box.content }
        set { box = Box(newValue) }
    }
    private var box: Box

    /// Holds the content by reference, so that a row released too often or not at all is detected.
    private final class Box: Hashable, Sendable {
        let content: Int

        init(_ content: Int) { self.content = content }

        static func == (a: Box, b: Box) -> Bool { a.content == b.content }

        func hash(into hasher: inout Hasher) { hasher.combine(content) }
    }

    package init(_ id: Int, in section: Int, at sortKey: Int, content: Int = 0) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        box = Box(content)
    }

    /// Feeds the id and the section key.
    package func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(id)
        digest.feed(sectionKey)
    }

    /// Feeds the sort key and the content.
    package func feed(_ digest: inout ElementDigest) {
        digest.feed(sortKey)
        digest.feed(content)
    }
}

/// The type of collection under test.
package typealias Rows = SectionedCollection<Row>
