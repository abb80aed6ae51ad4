import ModelOracle
import Testing
import WeirModel

/// Changes of the whole state at once that broke other implementations.
@Suite struct PathologicalBatchTests {
    @Test(arguments: [1, 2, 7, 30])
    func `One section splits into one for each row, and merges again`(count: Int) throws {
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

    @Test func `All rows move into an existing section`() throws {
        let apart = (0..<20).map { Row($0, in: $0 % 5, at: $0) }
        let batch = try transition(from: apart, to: apart.map { Row($0.id, in: 2, at: -$0.id) })
        #expect(batch.sectionDeletions.map(\.key) == [0, 1, 3, 4])
        #expect(batch.sectionInsertions.isEmpty)
        #expect(batch.moves.count == 19)
    }

    @Test(arguments: [2, 3, 10, 31])
    func `Reversing all rows leaves one row in place`(count: Int) throws {
        let batch = try transition(from: line(0..<count), to: line((0..<count).reversed()))
        #expect(batch.moves.count == (count / 2) * 2 - (count.isMultiple(of: 2) ? 1 : 0))
    }

    @Test func `Rotating by one with all keys rewritten moves one row`() throws {
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

    @Test func `Swapping neighbours moves one row, and swapping distant rows moves two`() throws {
        let near = try transition(from: line(0..<10), to: line([0, 1, 2, 4, 3, 5, 6, 7, 8, 9]))
        #expect(near.moves.count == 1 && near.updates.count == 1)
        let far = try transition(from: line(0..<10), to: line([0, 8, 2, 3, 4, 5, 6, 7, 1, 9]))
        #expect(far.moves.count == 2 && far.updates.isEmpty)
    }

    @Test func `A section whose last row leaves while another arrives stays`() throws {
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

    @Test func `A section recreated with the same rows in one batch reports only the differences`() throws {
        var again = line(1...5, in: 3)
        again[2].content = 1
        let batch = try transition(from: line(1...5, in: 3), to: again, removeFirst: true)
        #expect(batch.updates.map(\.new.id) == [3])
        #expect(batch.moves.isEmpty && batch.deletions.isEmpty && batch.insertions.isEmpty)
    }

    @Test func `A section that reappears at another rank is a different section`() throws {
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

    @Test func `All rows are inserted, and all are deleted`() throws {
        let rows = (0..<30).map { Row($0, in: $0 % 4, at: $0 % 3) }
        let coming = try transition(from: [], to: rows)
        let going = try transition(from: rows, to: [])
        #expect(coming.inverted() == going)
    }

    @Test func `Keys at the ends of their range sort to the ends`() throws {
        let batch = try transition(
            from: line(1...3),
            to: line(1...3) + [Row(.max, in: .min, at: .max), Row(.min, in: .max, at: .min), Row(4, in: 0, at: .max)])
        #expect(batch.sectionInsertions == [.init(index: 0, key: .min), .init(index: 2, key: .max)])
    }

    @Test func `All rows move into one new section, and into one of the old ones`() throws {
        let apart = (0..<30).map { Row($0, in: $0 % 6, at: $0) }
        let fresh = try transition(from: apart, to: apart.map { Row($0.id, in: 9, at: $0.id % 7) })
        #expect(fresh.sectionDeletions.count == 6 && fresh.sectionInsertions.count == 1 && fresh.moves.count == 30)
        #expect(fresh.viewForm().moves.isEmpty && fresh.viewForm().insertions.isEmpty)
        let kept = try transition(from: apart, to: apart.map { Row($0.id, in: 3, at: $0.id) })
        #expect(kept.sectionDeletions.count == 5 && kept.moves.count == 25)
    }

    @Test func `The last row leaves a section while another moves in, next to a new section`() throws {
        let old = [Row(1, in: 0, at: 0), Row(2, in: 1, at: 0), Row(3, in: 1, at: 1)]
        let batch = try transition(from: old, to: [Row(1, in: 1, at: 5), Row(2, in: 0, at: 0), Row(3, in: 1, at: 1)])
        #expect(batch.sectionDeletions.isEmpty && batch.moves.count == 2)
        let dead = try transition(from: old, to: [Row(1, in: 1, at: 5), Row(2, in: 1, at: 0), Row(3, in: 1, at: 1)])
        #expect(dead.sectionDeletions == [.init(index: 0, key: 0)] && dead.moves.count == 1)
    }

    @Test func `A section that loses its last row and is recreated in the same batch stays`() throws {
        let old = [Row(1, in: 0, at: 0), Row(2, in: 1, at: 0)]
        let batch = try transition(
            from: old, to: [Row(1, in: 1, at: 1), Row(2, in: 1, at: 0), Row(9, in: 0, at: 3)], removeFirst: true)
        #expect(batch.sectionDeletions.isEmpty && batch.sectionInsertions.isEmpty)
        #expect(batch.moves.map(\.new.id) == [1] && batch.insertions.map(\.element.id) == [9])
    }

    @Test func `A section deleted and inserted again with another rank has moved`() throws {
        let old = line(1...3, in: 0) + line(4...6, in: 1) + line(7...9, in: 2)
        let batch = try transition(from: old, to: old, removeFirst: true, ranks: ([:], [0: 7]))
        #expect(batch.sectionMoves == [.init(from: 0, to: 2, key: 0, oldRank: 0, newRank: 7)])
        #expect(batch.moves.isEmpty && batch.deletions.isEmpty && batch.sectionDeletions.isEmpty)
        let other = line([11, 12], in: 0) + line(4...6, in: 1) + line(7...9, in: 2)
        let changed = try transition(from: old, to: other, removeFirst: true, ranks: ([:], [0: 7]))
        #expect(changed.sectionMoves == batch.sectionMoves)
        #expect(
            changed.deletions.map(\.path.section) == [0, 0, 0] && changed.insertions.map(\.path.section) == [2, 2])
    }

    @Test func `Reversing and rotating sections by rank moves as few as possible`() throws {
        let rows = (0..<8).map { Row($0, in: $0, at: 0) }
        let reversal = Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, Int64(-$0)) })
        let reversed = try transition(from: rows, to: rows, ranks: ([:], reversal))
        // The first section keeps its rank 0.
        #expect(reversed.sectionMoves.count == 7 && reversed.viewForm().sectionMoves.count == 7)
        let first = try transition(from: rows, to: rows, ranks: ([:], [7: -1]))
        #expect(first.sectionMoves.map(\.to) == [0])
        let all = Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, Int64(($0 + 1) % 8 + 1)) })
        let rotated = try transition(from: rows, to: rows, ranks: ([:], all))
        #expect(rotated.sectionMoves.count == 8 && rotated.viewForm().sectionMoves.map(\.key) == [7])
    }

    @Test func `A row moves within a section that moves, and into and out of it`() throws {
        let old = line(1...4, in: 0) + line(5...8, in: 1)
        let batch = try transition(
            from: old,
            to: [
                Row(2, in: 0, at: 1), Row(3, in: 0, at: 2), Row(1, in: 0, at: 9), Row(5, in: 0, at: 5),
                Row(4, in: 1, at: -1), Row(6, in: 1, at: 1), Row(7, in: 1, at: 2), Row(8, in: 1, at: 3, content: 1),
            ], ranks: ([:], [0: 3]))
        #expect(batch.sectionMoves.map(\.key) == [0] && batch.moves.count == 3 && batch.updates.map(\.new.id) == [8])
        #expect(batch.moves.first { $0.new.id == 1 }?.from == SectionPath(section: 0, item: 0))
        #expect(batch.moves.first { $0.new.id == 1 }?.to == SectionPath(section: 1, item: 3))
    }

    @Test func `An id deleted and inserted again elsewhere in one batch is a move`() throws {
        let old = line(1...3) + line(4...6, in: 1)
        let batch = try transition(
            from: old, to: old.map { $0.id == 2 ? Row(2, in: 1, at: 1, content: 4) : $0 }, removeFirst: true)
        #expect(batch.moves.map(\.new.content) == [4] && batch.deletions.isEmpty && batch.insertions.isEmpty)
    }

    @Test func `Toggling a filter in one batch changes nothing, or only updates a row with other contents`()
        throws
    {
        var rows = Rows()
        for row in line(1...5) { rows.put(row) }
        _ = rows.commit()
        rows.remove(3)
        rows.put(Row(3, in: 0, at: 2))
        #expect(rows.commit() == nil)
        rows.put(Row(9, in: 0, at: 0))
        rows.remove(9)
        rows.remove(4)
        rows.put(Row(4, in: 0, at: 3, content: 1))
        #expect(try rows.committed().updates.map(\.new.id) == [4])
    }

    @Test func `Ten thousand rows with equal sort keys move in part to another section and back`() throws {
        let rows = (0..<10_000).map { Row($0, in: 0, at: 7) }
        var collection = Rows(keepsChecksum: true)
        for row in rows { collection.put(row) }
        _ = try collection.committed()
        let before = collection.snapshot
        for id in stride(from: 0, to: 10_000, by: 2) { collection.put(Row(id, in: 1, at: 7)) }
        let batch = try collection.committed()
        try batch.check(from: before, to: collection.snapshot)
        #expect(batch.moves.count == 5_000 && batch.updates.isEmpty)
        #expect(batch.moves.map(\.to.item) == Array(0..<5_000))
        for id in stride(from: 0, to: 10_000, by: 2) { collection.put(Row(id, in: 0, at: 7)) }
        let back = try collection.committed()
        #expect(try batch.composed(with: back) == nil)
        #expect(collection.checksum == before.checksum)
    }

    @Test func `Ids with equal hash values are distinguished`() throws {
        struct Colliding: SectionedElement {
            struct ID: Hashable, Comparable, Sendable {
                var number: Int
                func hash(into hasher: inout Hasher) {}
                static func < (a: ID, b: ID) -> Bool { a.number < b.number }
            }
            var id: ID
            var sectionKey: Int
            var sortKey: Int
            func feed(_ digest: inout ElementDigest) { digest.feed(id.number) }
        }
        var rows = SectionedCollection<Colliding>()
        func put(_ id: Int, _ section: Int, _ key: Int) throws {
            try rows.upsert(Colliding(id: .init(number: id), sectionKey: section, sortKey: key))
        }
        for id in 0..<300 { try put(id, id % 3, id) }
        let coming = try rows.committed()
        let full = rows.snapshot
        #expect(coming.insertions.count == 300)
        for id in stride(from: 0, to: 300, by: 2) { rows.remove(.init(number: id)) }
        for id in stride(from: 1, to: 300, by: 4) { try put(id, 2, -id) }
        let batch = try rows.committed()
        try batch.check(from: full, to: rows.snapshot)
        #expect(batch.deletions.count == 150 && rows.count == 150)
        #expect((0..<300).allSatisfy { (rows.path(of: .init(number: $0)) == nil) == $0.isMultiple(of: 2) })
        #expect(rows.snapshot.brokenInvariant() == nil && full.brokenInvariant() == nil)
        var copy = rows
        try copy.apply(batch.inverted())
        #expect(copy.count == 300)
        #expect(try coming.composed(with: batch)?.insertions.count == 150)
    }

    @Test func `An empty transaction and an empty batch change nothing`() {
        var rows = Rows()
        #expect(rows.commit() == nil)
        #expect(throws: ModelError.self) { try rows.apply(Batch()) }
        #expect(throws: ModelError.self) { try Batch<Row>().check() }
        #expect(Batch<Row>().inverted().isEmpty && Batch<Row>().viewForm().isEmpty && Batch<Row>().steps.isEmpty)
        #expect(rows.sequence == 0)
    }

    @Test func `Infinite sort keys sort to the ends, also in batches, and both zeros are one key`() throws {
        struct Measure: SectionedElement {
            var id: Int
            var sectionKey: Double
            var sortKey: Double
            func feed(_ digest: inout ElementDigest) {
                digest.feed(id)
                digest.feed(sectionKey)
                digest.feed(sortKey)
            }
        }
        var rows = SectionedCollection<Measure>(keepsChecksum: true)
        for (id, key) in [0, Double.infinity, -.infinity, -0.0, .greatestFiniteMagnitude].enumerated() {
            try rows.upsert(Measure(id: id, sectionKey: key, sortKey: key))
        }
        let batch = try rows.committed()
        #expect(rows.sectionKeys == [-.infinity, 0, .greatestFiniteMagnitude, .infinity])
        #expect(rows.elements(in: 0).map(\.id) == [0, 3])
        #expect(rows.commit() == nil)
        try rows.upsert(Measure(id: 0, sectionKey: -0.0, sortKey: 0))
        #expect(rows.commit() == nil, "equal values are no change")
        #expect(throws: ModelError.unorderedKey) { try rows.upsert(Measure(id: 9, sectionKey: .nan, sortKey: 0)) }
        #expect(throws: ModelError.unorderedKey) { try rows.upsert(Measure(id: 9, sectionKey: 0, sortKey: .nan)) }
        var bad = batch
        bad.insertions[0].element.sectionKey = .nan
        #expect(throws: ModelError.self) { try bad.check() }
        try batch.check()
    }
}
