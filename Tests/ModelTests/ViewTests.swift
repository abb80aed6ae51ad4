import ModelOracle
import Testing
import WeirModel

/// Views of a random collection: their contents and batches must equal those made from scratch.
@Suite struct ViewTests {
    @Test(arguments: [0...14, 1...1])
    func `Views follow random batches with the same results as from scratch`(operations: ClosedRange<Int>) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel views: seed \(seed)")
        for round in 0..<5 {
            var history = ViewHistory(seed: seed &+ UInt64(round))
            for step in 0..<30 {
                let problems = try history.step(operations: step == 0 ? 20...30 : operations)
                #expect(problems.isEmpty, "seed \(seed), round \(round), step \(step)")
                if !problems.isEmpty { return }
            }
        }
    }

    @Test func `A view with the same sections is the filtered collection`() throws {
        var rows = Rows()
        for id in 0..<20 { rows.put(Row(id, in: id % 3, at: 20 - id)) }
        _ = try rows.committed()
        let view = SectionedView(of: rows.snapshot) { $0.id % 2 == 0 }
        #expect(view.count == 10)
        #expect(view.sectionKeys == [0, 1, 2])
        #expect(view.elements == rows.snapshot.elements.filter { $0.id % 2 == 0 })
        #expect(view.path(of: 3) == nil)
        #expect(view.path(of: 18) == SectionPath(section: 0, item: 0))
        #expect(view.element(at: SectionPath(section: 0, item: 9)) == nil)
        #expect(view.element(at: SectionPath(section: -1, item: 0)) == nil)
        #expect(view.path(ofRow: 10) == nil)
    }

    @Test func `A view keeps its contents while the collection changes`() throws {
        var rows = Rows()
        for id in 0..<200 { rows.put(Row(id, in: 0, at: id)) }
        _ = try rows.committed()
        let view = SectionedView(of: rows.snapshot) { $0.id < 100 }
        let before = view.elements
        for id in 0..<200 {
            rows.remove(id)
            rows.put(Row(id + 1000, in: 1, at: id))
            _ = try rows.committed()
        }
        #expect(view.elements == before)
    }

    @Test func `A batch that does not follow is refused, and a reset recovers`() throws {
        var rows = Rows()
        rows.put(Row(1, in: 0, at: 0))
        _ = try rows.committed()
        var view = SectionedView(of: rows.snapshot) { _ in true }
        var first = LimitedView(of: rows.snapshot, limit: 1)
        rows.put(Row(2, in: 0, at: 0))
        let missed = try rows.committed()
        rows.put(Row(3, in: 0, at: 0))
        let batch = try rows.committed()
        let state = rows.snapshot
        #expect(throws: ModelError.self) { try view.follow(batch, to: state) }
        #expect(throws: ModelError.self) { try first.follow(batch, to: state) }
        #expect(view.count == 1 && first.count == 1)
        try view.reset(to: state)
        first.reset(to: state)
        #expect(view.elements == state.elements)
        rows.put(Row(4, in: 0, at: 0))
        _ = try rows.committed()
        let next = rows.snapshot
        #expect(throws: ModelError.self) { try view.follow(missed, to: next) }
        #expect(view.elements == state.elements)
    }

    @Test func `A view's key without an order is refused`() throws {
        var rows = Rows()
        rows.put(Row(1, in: 0, at: 0))
        _ = try rows.committed()
        let state = rows.snapshot
        #expect(throws: ModelError.unorderedKey) {
            try SectionedView(of: state, sectionedBy: { _ in 0 }, sortedBy: { _ in Double.nan })
        }
        var view = try SectionedView(of: state, sectionedBy: { _ in 0 }, sortedBy: { $0.id == 2 ? .nan : 0.0 })
        rows.put(Row(2, in: 0, at: 0))
        let batch = try rows.committed()
        let next = rows.snapshot
        #expect(throws: ModelError.unorderedKey) { try view.follow(batch, to: next) }
        #expect(view.count == 1)
    }

    @Test func `A limited view handles no rows, a limit of zero, and all rows`() throws {
        var rows = Rows()
        var none = LimitedView(of: rows.snapshot, limit: 0)
        var some = LimitedView(of: rows.snapshot, limit: 5)
        rows.put(Row(1, in: 0, at: 0))
        rows.put(Row(2, in: 1, at: 0))
        let batch = try rows.committed()
        #expect(try none.follow(batch, to: rows.snapshot) == nil)
        #expect(try some.follow(batch, to: rows.snapshot)?.insertions == batch.insertions)
        #expect(none.sectionCount == 0 && none.elements.isEmpty)
        #expect(some.elements == rows.snapshot.elements)
        #expect(LimitedView(of: rows.snapshot, limit: -3).count == 0)
    }
}
