import ModelOracle
import Testing
import WeirModel

/// The cases of Realm's list of change set merges, and additional ones for sections and ranks.
@Suite struct CompositionTests {
    private let start = (1...6).map { Row($0, in: 0, at: $0) }

    /// Composes the batches between the given states in every grouping, and compares the result with a batch made
    /// from scratch and with the states.
    @discardableResult
    private func compose(_ sets: [Row]..., ranks: [[Int: Int64]] = []) throws -> Batch<Row>? {
        let states = sets.enumerated().map { State(of: $1, ranks: $0 < ranks.count ? ranks[$0] : [:]) }
        let batches = zip(states, states.dropFirst()).map { $0.difference(to: $1) }
        func joined(_ a: Batch<Row>?, _ b: Batch<Row>?) throws -> Batch<Row>? {
            guard let a, let b else { return a ?? b }
            return try a.composed(with: b)
        }
        let leftFirst = try batches.dropFirst().reduce(batches[0]) { try joined($0, $1) }
        let rightFirst = try batches.dropLast().reversed().reduce(batches[batches.count - 1]) { try joined($1, $0) }
        let (old, new) = (states[0], states[states.count - 1])
        #expect(leftFirst == old.difference(to: new))
        #expect(rightFirst == leftFirst)
        guard let batch = leftFirst else { return nil }
        #expect(BatchRules(batch: batch, old: old, new: new).problems == [])
        #expect(AlgebraRules(batch: batch, old: old, new: new).problems == [])
        return batch
    }

    private func changed(_ id: Int, section: Int = 0, at key: Int? = nil, content: Int = 0) -> [Row] {
        start.map { $0.id == id ? Row(id, in: section, at: key ?? id, content: content) : $0 }
    }

    private func without(_ ids: Int...) -> [Row] { start.filter { !ids.contains($0.id) } }

    @Test func `Random states with ranks compose, whatever the states between them`() {
        let seed = UInt64.random(in: .min ... .max)
        print("SectionedModel random states: seed \(seed)")
        var states = RandomStates(seed: seed)
        for number in 0..<300 {
            let problems = states.problems()
            #expect(problems.isEmpty, "seed \(seed), states \(number)")
            if !problems.isEmpty { return }
        }
    }

    @Test func `An insertion that is deleted again cancels out`() throws {
        #expect(try compose(start, start + [Row(9, in: 0, at: 3)], start) == nil)
        #expect(try compose(start, start + [Row(9, in: 7, at: 3)], start) == nil)
    }

    @Test func `A deletion that is undone cancels out`() throws {
        #expect(try compose(start, without(2), start) == nil)
        #expect(try compose(start, [], start) == nil)
    }

    @Test func `A deletion followed by an insertion with other contents is an update`() throws {
        let batch = try compose(start, without(2), changed(2, content: 5))
        #expect(batch?.updates.map(\.new.id) == [2] && batch?.updates.count == 1)
    }

    @Test func `An insertion that is updated or moved is an insertion of the last contents`() throws {
        let moved = try compose(start, start + [Row(9, in: 0, at: 0)], start + [Row(9, in: 0, at: 5, content: 1)])
        #expect(
            moved?.insertions == [
                .init(path: SectionPath(section: 0, item: 5), element: Row(9, in: 0, at: 5, content: 1))
            ])
        #expect(moved?.moves.isEmpty == true)
    }

    @Test func `An insertion before an insertion shifts it`() throws {
        let one = start + [Row(9, in: 0, at: 4)]
        let batch = try compose(start, one, one + [Row(8, in: 0, at: 0)])
        #expect(batch?.insertions.map(\.path.item) == [0, 5])
    }

    @Test func `Deletions before and after another deletion keep their old paths`() throws {
        #expect(try compose(start, without(2), without(2, 5))?.deletions.map(\.path.item) == [1, 4])
        #expect(try compose(start, without(5), without(2, 5))?.deletions.map(\.path.item) == [1, 4])
    }

    @Test func `An update that is deleted is a deletion of the first contents`() throws {
        let batch = try compose(start, changed(3, content: 8), without(3))
        #expect(batch?.deletions == [.init(path: SectionPath(section: 0, item: 2), element: start[2])])
    }

    @Test func `Several updates of one row are one update, and cancel out when the first contents return`() throws {
        let batch = try compose(start, changed(3, content: 8), changed(3, content: 9), changed(3, content: 10))
        #expect(batch?.updates.map(\.old) == [start[2]] && batch?.updates.map(\.new.content) == [10])
        #expect(try compose(start, changed(3, content: 8), start) == nil)
    }

    @Test func `An update keeps correct paths after an insertion before it`() throws {
        let updated = changed(3, content: 8)
        let batch = try compose(start, updated, updated + [Row(9, in: 0, at: 0)])
        #expect(batch?.updates.map(\.from.item) == [2] && batch?.updates.map(\.to.item) == [3])
    }

    @Test func `Several moves of one row are one move, and cancel out when it returns`() throws {
        let batch = try compose(start, changed(1, at: 10), changed(1, at: 3), changed(1, section: 4))
        #expect(batch?.moves.map(\.from) == [SectionPath(section: 0, item: 0)])
        #expect(batch?.moves.map(\.to) == [SectionPath(section: 1, item: 0)])
        #expect(try compose(start, changed(1, at: 10), start) == nil)
        #expect(try compose(start, changed(1, section: 4), start) == nil)
    }

    @Test func `A row that moves back but keeps other contents is an update`() throws {
        let batch = try compose(start, changed(1, section: 4, content: 2), changed(1, content: 2))
        #expect(batch?.moves.isEmpty == true && batch?.updates.count == 1 && batch?.sectionInsertions.isEmpty == true)
    }

    @Test func `A move and a deletion of a row are a deletion at the old path`() throws {
        #expect(try compose(start, changed(1, at: 10), without(1))?.deletions.map(\.path.item) == [0])
    }

    @Test func `A move past rows that are then deleted is not a move`() throws {
        let batch = try compose(start, changed(1, at: 3), without(2, 3).map { $0.id == 1 ? Row(1, in: 0, at: 3) : $0 })
        #expect(batch?.moves.isEmpty == true && batch?.updates.map(\.new.id) == [1])
    }

    @Test func `Two moves that swap rows back and forth cancel out`() throws {
        let swapped = start.map { Row($0.id, in: 0, at: 7 - $0.id) }
        #expect(try compose(start, swapped, start) == nil)
    }

    @Test func `A section that is deleted and inserted again stays`() throws {
        let other = [Row(20, in: 3, at: 0)]
        let batch = try compose(start + other, other, [Row(7, in: 0, at: 0)] + other)
        #expect(batch?.sectionDeletions.isEmpty == true && batch?.sectionInsertions.isEmpty == true)
        #expect(batch?.deletions.count == 6 && batch?.insertions.count == 1)
    }

    @Test func `A section that is inserted and deleted again is not mentioned`() throws {
        let batch = try compose(start, changed(2, section: 8), changed(2, at: 9))
        #expect(batch?.sectionInsertions.isEmpty == true && batch?.moves.map(\.to.item) == [5])
    }

    @Test func `A section inserted again with another rank has moved`() throws {
        let rest = [Row(20, in: 3, at: 0)]
        let batch = try compose(start + rest, rest, start + rest, ranks: [[:], [:], [0: 5]])
        #expect(batch?.sectionMoves == [.init(from: 0, to: 1, key: 0, oldRank: 0, newRank: 5)])
        #expect(batch?.deletions.isEmpty == true && batch?.insertions.isEmpty == true)
    }

    @Test func `Ranks that change twice are one move, and cancel out when the first rank returns`() throws {
        let rows = (0..<5).map { Row($0, in: $0, at: 0) }
        let batch = try compose(rows, rows, rows, ranks: [[:], [0: 9], [0: -1, 4: 3]])
        #expect(batch?.sectionMoves.map(\.key) == [0, 4])
        #expect(try compose(rows, rows, rows, ranks: [[2: 1], [2: -1, 3: 2], [2: 1]]) == nil)
    }

    @Test func `Checksums of composed batches chain`() throws {
        var first = try #require(State(of: start).difference(to: State(of: without(2))))
        var second = try #require(State(of: without(2)).difference(to: State(of: without(2, 3))))
        first.checksums = .init(before: 1, after: 2)
        #expect(try first.composed(with: second)?.checksums == nil)
        second.checksums = .init(before: 2, after: 3)
        #expect(try first.composed(with: second)?.checksums == .init(before: 1, after: 3))
        second.checksums = .init(before: 4, after: 3)
        #expect(throws: ModelError.checksumDiffers(after: false, expected: 4, found: 2)) {
            try first.composed(with: second)
        }
    }

    @Test func `A batch that contradicts the state after the first is refused`() throws {
        let nine = start + [Row(9, in: 0, at: 0)]
        let ranked = State(of: start, ranks: [0: 4])
        let other = State(of: start + [Row(8, in: 5, at: 0)])
        let cases: [(first: (State, State), second: (State, State))] = [
            // Deletes or inserts a second time; finds other contents or another position.
            ((State(of: start), State(of: without(2))), (State(of: start), State(of: without(2)))),
            ((State(of: start), State(of: nine)), (State(of: start), State(of: nine))),
            ((State(of: start), State(of: changed(3, content: 2))), (State(of: start), State(of: without(3)))),
            ((State(of: start), State(of: changed(3, at: 9))), (State(of: start), State(of: without(3)))),
            // Finds a different element where the first batch put one, or none where one is required.
            ((State(of: start), State(of: nine)), (State(of: start), State(of: without(1)))),
            ((State(of: start), State(of: changed(1, content: 1))), (State(of: without(1)), State(of: without(1, 2)))),
            // The same cases for sections.
            ((State(of: start), ranked), (State(of: start), ranked)),
            ((State(of: start), State(of: [])), (State(of: start), State(of: []))),
            ((State(of: start), other), (State(of: start), other)),
        ]
        for (number, (first, second)) in cases.enumerated() {
            let one = try #require(first.0.difference(to: first.1))
            let two = try #require(second.0.difference(to: second.1))
            #expect(throws: ModelError.self, "case \(number)") { try one.composed(with: two) }
        }
    }

    @Test func `A malformed batch is refused`() throws {
        let good = try #require(State(of: start).difference(to: State(of: without(2))))
        var bad = good
        bad.deletions[0].path.item = .min
        #expect(throws: ModelError.self) { try good.composed(with: bad) }
        #expect(throws: ModelError.self) { try bad.composed(with: good) }
        #expect(throws: ModelError.self) { try good.composed(with: Batch()) }
    }
}
