import ModelOracle
import SectionedModel
import Testing

/// A right batch, and everything that can be wrong about one like it.
@Suite struct WrongBatchTests {
    private let rows: Rows
    private let batch: Batch<Row>

    /// Section 0 goes, section 1 changes in every way, section 2 stays, section 3 comes.
    init() throws {
        var rows = Rows()
        rows.put(Row(1, in: 0, at: 0))
        for id in 10...15 { rows.put(Row(id, in: 1, at: id)) }
        rows.put(Row(20, in: 2, at: 0))
        _ = rows.commit()
        self.rows = rows
        rows.remove(1)
        rows.put(Row(10, in: 1, at: 99))
        rows.put(Row(12, in: 1, at: 12, content: 1))
        rows.put(Row(14, in: 1, at: 14, content: 1))
        rows.remove(13)
        rows.put(Row(16, in: 1, at: 16))
        rows.put(Row(30, in: 3, at: 0))
        batch = try rows.committed()
    }

    private func expectRefusal(_ reason: String, _ spoil: (inout Batch<Row>) -> Void) {
        var wrong = batch
        spoil(&wrong)
        #expect(wrong != batch)
        var copy = rows
        #expect(
            performing: { try copy.apply(wrong) }, throws: { ($0 as? ModelError)?.description.contains(reason) == true }
        )
        #expect(State(copy) == State(rows))
        #expect(throws: Never.self) { try copy.apply(batch) }
    }

    @Test func `The right batch fits once and not twice`() throws {
        var copy = rows
        try copy.apply(batch)
        let after = State(copy)
        #expect(throws: ModelError.self) { try copy.apply(batch) }
        #expect(State(copy) == after)
    }

    @Test func `A batch with nothing in it is refused`() {
        expectRefusal("nothing in it") { $0 = Batch() }
    }

    @Test func `A path that does not exist is refused`() {
        let places = [(-1, 0), (0, -1), (0, 1), (9, 0), (Int.max, Int.min), (.min, .max)]
        for (section, item) in places {
            let path = SectionPath(section: section, item: item)
            expectRefusal("no element") {
                $0.deletions[0].path = path; $0.deletions.removeLast()
            }
            expectRefusal("no element") { $0.moves[0].from = path }
            expectRefusal("no element") { $0.updates[0].from = path }
            expectRefusal("its place elsewhere") { $0.moves[0].to = path }
            expectRefusal("its place elsewhere") {
                $0.insertions[0].path = path; $0.insertions.removeLast()
                $0.sectionInsertions = []
            }
        }
    }

    @Test func `Another element than the one that stands there is refused`() {
        expectRefusal("is another") { $0.deletions[0].element.content += 1 }
        expectRefusal("is another") { $0.moves[0].old.content += 1 }
        expectRefusal("is another") { $0.updates[0].old.content += 5 }
        expectRefusal("is another") { $0.deletions[1].path.item -= 1 }
    }

    @Test func `An id that occurs twice or is already here is refused`() {
        expectRefusal("already here") { $0.insertions[0].element.id = 11 }
        expectRefusal("occurs twice") { $0.insertions[0].element.id = 30 }
        expectRefusal("occurs twice") { $0.insertions[0].element.id = 13 }
        expectRefusal("another id") { $0.updates[0].new.id = 77 }
    }

    @Test func `Records that are out of order are refused`() {
        expectRefusal("deletions are not in ascending") { $0.deletions.reverse() }
        expectRefusal("insertions are not in ascending") { $0.insertions.reverse() }
        expectRefusal("updates are not in ascending") { $0.updates.reverse() }
    }

    @Test func `Section changes that do not match the rows are refused`() {
        expectRefusal("lose their last") { $0.sectionDeletions = [] }
        expectRefusal("lose their last") { $0.sectionDeletions[0].index = 1 }
        expectRefusal("lose their last") { $0.sectionDeletions.append(.init(index: 2, key: 2)) }
        expectRefusal("get their first") { $0.sectionInsertions = [] }
        expectRefusal("get their first") { $0.sectionInsertions[0].key = 4 }
        expectRefusal("get their first") { $0.sectionInsertions[0].index = 1 }
        expectRefusal("lose their last") { $0.deletions.removeFirst() }
    }

    @Test func `A place that is not the one its keys give is refused`() {
        expectRefusal("its place elsewhere") { $0.insertions[0].path.item -= 1 }
        expectRefusal("its place elsewhere") { $0.insertions[0].element.sortKey = 0 }
        expectRefusal("its place elsewhere") { $0.moves[0].to.item -= 1 }
        expectRefusal("its place elsewhere") { $0.updates[0].to.item -= 1 }
    }

    @Test func `An update that is a move, a move that is an update, and an empty update are refused`() {
        expectRefusal("is a move") { $0.updates.append($0.moves.removeLast()) }
        expectRefusal("moves nothing") { $0.moves.insert($0.updates.removeFirst(), at: 0) }
        expectRefusal("changes nothing") { $0.updates[0].new = $0.updates[0].old }
    }
}
