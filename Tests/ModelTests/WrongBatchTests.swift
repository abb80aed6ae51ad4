import ModelOracle
import Testing
import WeirModel

/// A valid batch, and everything that can be wrong with a similar one.
@Suite struct WrongBatchTests {
    private let rows: Rows
    private let batch: Batch<Row>

    /// Deletes section 0, changes section 1 in every way, keeps section 2, and inserts section 3.
    init() throws {
        var rows = Rows(keepsChecksum: true)
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
        #expect(copy.checksum == rows.checksum && copy.sequence == rows.sequence)
        #expect(copy.snapshot.brokenInvariant() == nil)
        #expect(throws: Never.self) { try copy.apply(batch) }
    }

    @Test func `A valid batch applies once and not twice`() throws {
        var copy = rows
        try copy.apply(batch)
        let after = State(copy)
        #expect(throws: ModelError.self) { try copy.apply(batch) }
        #expect(State(copy) == after)
    }

    @Test func `An empty batch is refused`() {
        expectRefusal("is empty") { $0 = Batch() }
    }

    @Test func `A path that is invalid in any state is refused`() {
        let places = [(-1, 0), (0, -1), (Int.max, Int.min), (.min, .max), (1 << 40, 0)]
        for (section, item) in places {
            let path = SectionPath(section: section, item: item)
            let refused = "no element at \(path)"
            expectRefusal(refused) { $0.deletions = [.init(path: path, element: $0.deletions[0].element)] }
            expectRefusal(refused) { $0.insertions = [.init(path: path, element: $0.insertions[0].element)] }
            expectRefusal(refused) { $0.moves[0].from = path }
            expectRefusal(refused) { $0.moves[0].to = path }
            expectRefusal(refused) {
                $0.updates = [$0.updates[0]]; $0.updates[0].from = path
            }
            expectRefusal(refused) {
                $0.updates = [$0.updates[0]]; $0.updates[0].to = path
            }
        }
        for index in [-1, .min, .max] {
            expectRefusal("no section \(index)") { $0.sectionDeletions[0].index = index }
            expectRefusal("no section \(index)") { $0.sectionInsertions[0].index = index }
            expectRefusal("no section \(index)") {
                $0.sectionMoves = [.init(from: index, to: 1, key: 2, oldRank: 0, newRank: 1)]
            }
        }
    }

    @Test func `A path that is missing in this state is refused`() {
        for path in [SectionPath(section: 1, item: 6), SectionPath(section: 9, item: 0)] {
            expectRefusal("no element at \(path)") {
                $0 = Batch()
                $0.deletions = [.init(path: path, element: Row(15, in: 1, at: 15))]
            }
            expectRefusal("no element at \(path)") {
                $0 = Batch()
                $0.moves = [.init(from: path, to: path, old: Row(15, in: 1, at: 15), new: Row(15, in: 2, at: 15))]
            }
        }
        expectRefusal("its place elsewhere") { $0.moves[0].to.item = 9 }
    }

    @Test func `An element that differs from the existing one is refused`() {
        expectRefusal("differs from the batch") { $0.deletions[0].element.content += 1 }
        expectRefusal("differs from the batch") { $0.moves[0].old.content += 1 }
        expectRefusal("differs from the batch") { $0.updates[0].old.content += 5 }
        expectRefusal("differs from the batch") { $0.deletions[1].element.id += 100 }
    }

    @Test func `An id that occurs twice or already exists is refused`() {
        expectRefusal("already here") { $0.insertions[0].element.id = 11 }
        expectRefusal("occurs twice") { $0.insertions[0].element.id = 30 }
        expectRefusal("occurs twice") { $0.insertions[0].element.id = 13 }
        expectRefusal("another id") { $0.updates[0].new.id = 77 }
    }

    @Test func `Records out of order are refused`() {
        expectRefusal("deletions are not in ascending") { $0.deletions.reverse() }
        expectRefusal("insertions are not in ascending") { $0.insertions.reverse() }
        expectRefusal("updates are not in ascending") { $0.updates.reverse() }
        expectRefusal("deletions are not in ascending") { $0.deletions.append($0.deletions[1]) }
    }

    @Test func `A position that two rows or two sections leave or enter is refused`() {
        expectRefusal("W1: more than one row leaves") { $0.deletions[1].path.item -= 1 }
        expectRefusal("W2: more than one row comes") { $0.insertions[0].path = $0.updates[0].to }
        expectRefusal("W1: more than one section") {
            $0.sectionMoves = [.init(from: 0, to: 1, key: 2, oldRank: 0, newRank: 1)]
        }
        expectRefusal("W2: more than one section") {
            $0.sectionMoves = [.init(from: 2, to: 2, key: 2, oldRank: 0, newRank: 1)]
        }
    }

    @Test func `Sections deleted without their rows or inserted without rows are refused`() {
        expectRefusal("W3: section 0 leaves without a row") { $0.deletions.removeFirst() }
        expectRefusal("W3: section 2 comes without a row") { $0.insertions.removeLast() }
        expectRefusal("W3: section 2 leaves without a row") { $0.sectionDeletions.append(.init(index: 2, key: 2)) }
        expectRefusal("W3: section 0 leaves, but not all its rows") { $0.deletions[0].path.item = 1 }
    }

    @Test func `Sections that do not match their rows are refused`() {
        expectRefusal(" have the same key") { $0.sectionDeletions[0].index = 1 }
        expectRefusal(" have the same key") { $0.insertions[0].path.section = 1 }
        expectRefusal("belongs to another section") { $0.sectionInsertions[0].key = 4 }
        expectRefusal("belongs to another section") { $0.insertions[0].element.sectionKey = 2 }
    }

    @Test func `Section changes that do not follow from this state are refused`() {
        expectRefusal("lose their last") { $0.sectionDeletions = [] }
        expectRefusal("lose their last") { $0.sectionDeletions[0].rank = 4 }
        expectRefusal("get their first") { $0.sectionInsertions = [] }
        expectRefusal("a new rank") { $0.sectionMoves = [.init(from: 2, to: 1, key: 2, oldRank: 1, newRank: 0)] }
        expectRefusal("a new rank") { $0.sectionMoves = [.init(from: 2, to: 1, key: 9, oldRank: 0, newRank: -1)] }
    }

    @Test func `Sections and ranks out of order are refused`() {
        expectRefusal("changes no rank") {
            $0.sectionMoves = [.init(from: 2, to: 1, key: 2, oldRank: 0, newRank: 0)]
        }
        expectRefusal("section 2 has its place elsewhere") {
            $0.sectionMoves = [.init(from: 2, to: 1, key: 2, oldRank: 0, newRank: 5)]
        }
        expectRefusal("named twice") { $0.sectionInsertions[0].key = 0 }
    }

    @Test func `A position that contradicts the keys is refused`() {
        expectRefusal("its place elsewhere") { $0.insertions[0].path.item -= 1 }
        expectRefusal("its place elsewhere") { $0.insertions[0].element.sortKey = 0 }
        expectRefusal("its place elsewhere") { $0.updates[0].new.sortKey = 99 }
        expectRefusal("its place elsewhere") {
            $0.deletions[1].element.sortKey = 0; $0.moves[0].old.sortKey = 1
        }
    }

    @Test func `An update that is a move, a move that is an update, and records without effect are refused`() {
        expectRefusal("is a move") { $0.updates.append($0.moves.removeLast()) }
        expectRefusal("is a move") { $0.updates[0].to.item -= 1 }
        expectRefusal("moves nothing") { $0.moves.insert($0.updates.removeFirst(), at: 0) }
        expectRefusal("changes nothing") { $0.updates[0].new = $0.updates[0].old }
        expectRefusal("changes nothing") { $0.moves[0].new = $0.moves[0].old }
    }

    @Test func `More moves than needed are refused`() throws {
        let old = State(of: (0..<5).map { Row($0, in: 0, at: $0) })
        let new = State(of: (0..<5).map { Row($0, in: 0, at: ($0 + 1) % 5) })
        var wrong = try #require(old.difference(to: new))
        try wrong.check()
        #expect(wrong.moves.count == 1 && wrong.updates.count == 4)
        // Instead of the row that has to move, all others are reported as moved around it.
        (wrong.moves, wrong.updates) = (wrong.updates, wrong.moves)
        #expect(throws: ModelError.badBatch("W6: 4 moves, but 1 would suffice")) { try wrong.check() }
    }
}
