import ModelOracle
import Testing
import WeirModel

@Suite struct StagingTests {
    private func collection(_ rows: Row...) -> Rows {
        var collection = Rows()
        for row in rows { collection.put(row) }
        _ = collection.commit()
        return collection
    }

    @Test func `An insertion that is undone makes no batch`() {
        var rows = Rows()
        rows.put(Row(1, in: 0, at: 0))
        rows.remove(1)
        #expect(rows[1] == nil)
        #expect(rows.commit() == nil)
        #expect(rows.count == 0 && rows.sectionCount == 0)
    }

    @Test func `A removal followed by the same element makes no batch`() {
        var rows = collection(Row(1, in: 0, at: 0))
        rows.remove(1)
        rows.put(Row(1, in: 0, at: 0))
        #expect(rows.commit() == nil)
    }

    @Test func `A removal followed by other content is an update`() throws {
        var rows = collection(Row(1, in: 0, at: 0))
        rows.remove(1)
        rows.put(Row(1, in: 0, at: 0, content: 7))
        let batch = try rows.committed()
        var expected = Batch<Row>()
        let path = SectionPath(section: 0, item: 0)
        expected.updates = [
            .init(from: path, to: path, old: Row(1, in: 0, at: 0), new: Row(1, in: 0, at: 0, content: 7))
        ]
        #expect(batch == expected)
    }

    @Test func `A removal followed by an insertion in another section is a move`() throws {
        var rows = collection(Row(1, in: 0, at: 0), Row(2, in: 0, at: 1), Row(3, in: 1, at: 0))
        rows.remove(1)
        rows.put(Row(1, in: 1, at: 5))
        let batch = try rows.committed()
        var expected = Batch<Row>()
        expected.moves = [
            .init(
                from: SectionPath(section: 0, item: 0), to: SectionPath(section: 1, item: 1),
                old: Row(1, in: 0, at: 0), new: Row(1, in: 1, at: 5))
        ]
        #expect(batch == expected)
    }

    @Test func `The last of several writes counts, compared with the first old state`() throws {
        var rows = collection(Row(1, in: 0, at: 0))
        for content in 1...20 { rows.put(Row(1, in: 0, at: content, content: content)) }
        #expect(rows[1]?.content == 20)
        let batch = try rows.committed()
        #expect(batch.moves.isEmpty && batch.updates.count == 1)
        #expect(batch.updates.first?.old == Row(1, in: 0, at: 0))
        #expect(batch.updates.first?.new == Row(1, in: 0, at: 20, content: 20))
    }

    @Test func `Writing an existing element and removing a missing one make no batch`() {
        var rows = collection(Row(1, in: 0, at: 0))
        rows.put(Row(1, in: 0, at: 0))
        rows.remove(99)
        #expect(rows.commit() == nil)
        #expect(rows.commit() == nil)
    }

    @Test func `A rollback discards all staged changes`() {
        var rows = collection(Row(1, in: 0, at: 0))
        for id in 1...30 { rows.put(Row(id, in: id, at: 0, content: 1)) }
        rows.rollBack()
        #expect(rows[1] == Row(1, in: 0, at: 0))
        #expect(rows[2] == nil)
        #expect(rows.commit() == nil)
    }

    @Test func `Staged changes stay staged when a batch is applied`() throws {
        var source = Rows()
        source.put(Row(1, in: 0, at: 0))
        let batch = try source.committed()
        var rows = Rows()
        rows.put(Row(1, in: 0, at: 0, content: 9))
        try rows.apply(batch)
        #expect(rows.elements(in: 0) == [Row(1, in: 0, at: 0)])
        #expect(rows.commit()?.updates.first?.new == Row(1, in: 0, at: 0, content: 9))
    }

    @Test func `Rows with equal sort keys are ordered by id`() throws {
        var rows = Rows()
        for number in 0..<10_000 { rows.put(Row((number * 7_919) % 10_000, in: 0, at: 4)) }
        let batch = try rows.committed()
        #expect(batch.insertions.map(\.element.id) == Array(0..<10_000))
        #expect(batch.insertions.map(\.path.item) == Array(0..<10_000))
        #expect(rows.elements(in: 0).map(\.id) == Array(0..<10_000))
        #expect(rows.path(of: 6_000) == SectionPath(section: 0, item: 6_000))
    }

    @Test func `A section appears with its first row and disappears with its last`() throws {
        var rows = collection(Row(1, in: 0, at: 0), Row(2, in: 4, at: 0))
        rows.put(Row(3, in: 2, at: 0))
        let coming = try rows.committed()
        #expect(coming.sectionInsertions == [.init(index: 1, key: 2)])
        #expect(rows.sectionKeys == [0, 2, 4])
        rows.remove(3)
        let going = try rows.committed()
        #expect(going.sectionDeletions == [.init(index: 1, key: 2)])
        #expect(going == coming.inverted())
        #expect(rows.sectionKeys == [0, 4])
        #expect(rows.elements(in: 2).isEmpty && rows.elementCount(in: 2) == 0)
    }

    @Test func `A key without an order is refused`() throws {
        struct Measure: SectionedElement {
            var id: Int
            var sectionKey: Int { 0 }
            var sortKey: Double
            func feed(_ digest: inout ElementDigest) {
                digest.feed(id)
                digest.feed(sortKey)
            }
        }
        var measures = SectionedCollection<Measure>()
        #expect(throws: ModelError.unorderedKey) { try measures.upsert(Measure(id: 1, sortKey: .nan)) }
        #expect(measures.commit() == nil)
        for (id, key) in [Double.infinity, 0, -Double.infinity].enumerated() {
            try measures.upsert(Measure(id: id, sortKey: key))
        }
        #expect(measures.commit()?.insertions.map(\.element.id) == [2, 1, 0])
        var batch = Batch<Measure>()
        batch.insertions = [.init(path: SectionPath(section: 0, item: 0), element: Measure(id: 9, sortKey: .nan))]
        #expect(throws: ModelError.self) { try measures.apply(batch) }
    }
}
