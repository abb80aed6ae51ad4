import Testing
import WeirModel

extension SectionedCollection {
    /// Stages an element whose keys have an order.
    mutating func put(_ element: Element) {
        do { try upsert(element) } catch { Issue.record(error) }
    }

    /// Commits, and fails the test when no batch results.
    mutating func committed() throws -> Batch<Element> {
        let batch = commit()
        return try #require(batch)
    }
}
