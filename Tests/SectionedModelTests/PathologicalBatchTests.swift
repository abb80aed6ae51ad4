import ModelOracle
import SectionedModel
import Testing

/// Changes of the whole state at once that have tripped other implementations.
@Suite struct PathologicalBatchTests {
    /// Goes from one set of rows to another in one batch, and checks everything about it.
    @discardableResult
    private func transition(from old: [Row], to new: [Row], removeFirst: Bool = false) throws -> Batch<Row> {
        var rows = Rows()
        for row in old { rows.put(row) }
        _ = rows.commit()
        let before = rows
        let kept = Set(new.map(\.id))
        for row in old where removeFirst || !kept.contains(row.id) { rows.remove(row.id) }
        for row in new { rows.put(row) }
        let batch = try rows.committed()
        let (oldState, newState) = (State(of: old), State(of: new))
        #expect(State(rows) == newState)
        #expect(BatchRules(batch: batch, old: oldState, new: newState).problems == [])
        #expect(BatchRules(batch: batch.inverted(), old: newState, new: oldState).problems == [])
        var replayed = before
        try replayed.apply(batch)
        #expect(State(replayed) == newState)
        try replayed.apply(batch.inverted())
        #expect(State(replayed) == oldState)
        return batch
    }

    private func line(_ ids: some Sequence<Int>, in section: Int = 0) -> [Row] {
        ids.enumerated().map { Row($0.element, in: section, at: $0.offset) }
    }

    @Test(arguments: [1, 2, 7, 30])
    func `One section becomes as many as it has rows, and back`(count: Int) throws {
        let together = line(1...count)
        let apart = (1...count).map { Row($0, in: $0, at: 0) }
        let batch = try transition(from: together, to: apart)
        #expect(batch.sectionInsertions.count == count - 1 + (apart.contains { $0.sectionKey == 0 } ? 0 : 1))
        #expect(batch.sectionDeletions == [.init(index: 0, key: 0)])
        #expect(batch.moves.count == count)
        let back = try transition(from: apart, to: together)
        #expect(back.sectionInsertions == [.init(index: 0, key: 0)])
        #expect(back.sectionDeletions.count == count)
    }

    @Test func `Everything moves into a section that is there already`() throws {
        let apart = (0..<20).map { Row($0, in: $0 % 5, at: $0) }
        let batch = try transition(from: apart, to: apart.map { Row($0.id, in: 2, at: -$0.id) })
        #expect(batch.sectionDeletions.map(\.key) == [0, 1, 3, 4])
        #expect(batch.sectionInsertions.isEmpty)
        #expect(batch.moves.count == 19)
    }

    @Test(arguments: [2, 3, 10, 31])
    func `Reversing everything leaves one row in place`(count: Int) throws {
        let batch = try transition(from: line(0..<count), to: line((0..<count).reversed()))
        #expect(batch.moves.count == (count / 2) * 2 - (count.isMultiple(of: 2) ? 1 : 0))
    }

    @Test func `Rotating by one, all keys rewritten, moves one row`() throws {
        let forward = try transition(from: line(0..<20), to: line([19] + Array(0..<19)))
        #expect(forward.moves.map(\.new.id) == [19])
        #expect(forward.updates.count == 19)
        let backward = try transition(from: line(0..<20), to: line(Array(1..<20) + [0]))
        #expect(backward.moves.map(\.new.id) == [0])
        #expect(backward.updates.count == 19)
    }

    @Test func `Rotating by one key moves the row whose key changed`() throws {
        let rows = (0..<20).map { Row($0, in: 0, at: $0) }
        let forward = try transition(from: rows, to: rows.dropLast() + [Row(19, in: 0, at: -1)])
        #expect(forward.moves.map(\.new.id) == [19])
        #expect(forward.moves.first?.to == SectionPath(section: 0, item: 0))
        let backward = try transition(from: rows, to: rows.dropFirst() + [Row(0, in: 0, at: 99)])
        #expect(backward.moves.map(\.new.id) == [0])
        #expect(forward.updates.isEmpty && backward.updates.isEmpty)
    }

    @Test func `Swapping neighbours moves one, swapping distant rows moves two`() throws {
        let near = try transition(from: line(0..<10), to: line([0, 1, 2, 4, 3, 5, 6, 7, 8, 9]))
        #expect(near.moves.count == 1 && near.updates.count == 1)
        let far = try transition(from: line(0..<10), to: line([0, 8, 2, 3, 4, 5, 6, 7, 1, 9]))
        #expect(far.moves.count == 2 && far.updates.isEmpty)
    }

    @Test func `A section whose last row leaves while another comes stays`() throws {
        let batch = try transition(
            from: [Row(1, in: 0, at: 0), Row(2, in: 1, at: 0)], to: [Row(2, in: 0, at: 0), Row(1, in: 1, at: 0)])
        #expect(batch.sectionDeletions.isEmpty && batch.sectionInsertions.isEmpty)
        #expect(batch.moves.count == 2)
    }

    @Test func `A section emptied and filled with other rows in one batch stays`() throws {
        let batch = try transition(from: line(1...5, in: 3), to: line(11...14, in: 3))
        #expect(batch.sectionDeletions.isEmpty && batch.sectionInsertions.isEmpty)
        #expect(batch.deletions.count == 5 && batch.insertions.count == 4)
    }

    @Test func `A section deleted and made again with the same rows in one batch is only what changed`() throws {
        var again = line(1...5, in: 3)
        again[2].content = 1
        let batch = try transition(from: line(1...5, in: 3), to: again, removeFirst: true)
        #expect(batch.updates.map(\.new.id) == [3])
        #expect(batch.moves.isEmpty && batch.deletions.isEmpty && batch.insertions.isEmpty)
    }

    @Test func `A section that comes back at another rank is another section`() throws {
        let rest = line(100...103, in: 5)
        let batch = try transition(from: line(1...3, in: 4) + rest, to: line(1...3, in: 6) + rest, removeFirst: true)
        #expect(batch.sectionDeletions == [.init(index: 0, key: 4)])
        #expect(batch.sectionInsertions == [.init(index: 1, key: 6)])
        #expect(batch.moves.map(\.new.id) == [1, 2, 3])
    }

    @Test func `Section key, sort key and content change together in one record`() throws {
        let batch = try transition(
            from: line(1...4) + line(5...8, in: 1),
            to: line(2...4).map { Row($0.id, in: 0, at: $0.sortKey + 1) } + line(5...8, in: 1)
                + [Row(1, in: 1, at: -5, content: 2)],
            removeFirst: true)
        #expect(batch.moves.count == 1 && batch.updates.isEmpty)
        #expect(batch.moves.first?.to == SectionPath(section: 1, item: 0))
    }

    @Test func `Everything goes, and everything comes`() throws {
        let rows = (0..<30).map { Row($0, in: $0 % 4, at: $0 % 3) }
        let coming = try transition(from: [], to: rows)
        let going = try transition(from: rows, to: [])
        #expect(coming.inverted() == going)
    }

    @Test func `Keys at the ends of their range stand at the ends`() throws {
        let batch = try transition(
            from: line(1...3),
            to: line(1...3) + [Row(.max, in: .min, at: .max), Row(.min, in: .max, at: .min), Row(4, in: 0, at: .max)])
        #expect(batch.sectionInsertions == [.init(index: 0, key: .min), .init(index: 2, key: .max)])
    }
}
