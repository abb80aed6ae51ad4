import ModelOracle
import Testing
import WeirModel

/// Tests for the other forms of a batch, with explicit results; the random tests show that
/// they are correct for any batch.
@Suite struct BatchFormTests {
    private func path(_ section: Int, _ item: Int) -> SectionPath { SectionPath(section: section, item: item) }

    @Test func `Rows of a deleted or inserted section are deleted or inserted with it`() throws {
        let form = try transition(from: line(1...3, in: 0) + line(7...8, in: 5), to: line(7...8, in: 5)).viewForm()
        #expect(form.sectionDeletions == [.init(index: 0, key: 0)] && form.deletions.isEmpty)
        let back = try transition(from: line(7...8, in: 5), to: line(1...3, in: 0) + line(7...8, in: 5)).viewForm()
        #expect(back.sectionInsertions == [.init(index: 0, key: 0)] && back.insertions.isEmpty)
    }

    @Test func `A row that moves out of a deleted section is inserted`() throws {
        let rest = line(7...8, in: 5)
        let form = try transition(from: [Row(1, in: 0, at: 0)] + rest, to: rest + [Row(1, in: 5, at: 9)]).viewForm()
        #expect(form.moves.isEmpty && form.deletions.isEmpty)
        #expect(form.insertions == [.init(path: path(0, 2), element: Row(1, in: 5, at: 9))])
    }

    @Test func `A row that moves into an inserted section is deleted`() throws {
        let form = try transition(
            from: line(7...8, in: 5), to: [Row(7, in: 5, at: 0), Row(8, in: 6, at: 0)]
        ).viewForm()
        #expect(form.moves.isEmpty && form.insertions.isEmpty)
        #expect(form.deletions == [.init(path: path(0, 1), element: Row(8, in: 5, at: 1))])
    }

    @Test func `A row that moves from a deleted into an inserted section is not named`() throws {
        let rest = line(7...8, in: 5)
        let form = try transition(from: [Row(1, in: 0, at: 0)] + rest, to: rest + [Row(1, in: 9, at: 0)]).viewForm()
        #expect(form.sectionDeletions.count == 1 && form.sectionInsertions.count == 1)
        #expect(form.moves.isEmpty && form.insertions.isEmpty && form.deletions.isEmpty)
    }

    @Test func `A row that moves and changes is moved and redrawn at its new path, but not updated as well`() throws {
        let old = line(1...4)
        let new = [Row(1, in: 0, at: 9, content: 3), Row(3, in: 0, at: 2, content: 5)] + [old[1], old[3]]
        let form = try transition(from: old, to: new).viewForm()
        #expect(form.moves.map(\.to) == [path(0, 3)] && form.reconfigured == [path(0, 3)])
        #expect(form.updates.map(\.from) == [path(0, 2)] && form.updates.map(\.to) == [path(0, 1)])
    }

    @Test func `A row that looks the same is neither reconfigured nor updated, but still moves`() throws {
        let old = line(1...4)
        let batch = try transition(from: old, to: [Row(1, in: 0, at: 9), Row(2, in: 0, at: 0)] + old[2...])
        let form = batch.viewForm { $0.content == $1.content }
        #expect(batch.updates.map(\.new.id) == [2] && form.updates.isEmpty)
        #expect(form.moves.map(\.new.id) == [1] && form.reconfigured.isEmpty)
    }

    @Test func `Ranks that change no order affect neither a view nor the steps`() throws {
        let rows = (0..<3).map { Row($0, in: $0, at: 0) }
        let batch = try transition(from: rows, to: rows, ranks: ([:], [0: -4, 2: 8]))
        #expect(batch.sectionMoves.count == 2)
        #expect(batch.viewForm().isEmpty && batch.steps.isEmpty)
    }

    @Test func `Steps remove rows from last to first and insert them from first to last`() throws {
        let old = line(1...4) + line(8...9, in: 2)
        let new = [Row(4, in: 0, at: -1), Row(2, in: 0, at: 1, content: 7), Row(5, in: 0, at: 9), Row(9, in: 1, at: 0)]
        let batch = try transition(from: old, to: new)
        // Rows 2 and 4 swap; the later one stays.
        #expect(
            batch.steps == [
                .removeRow(path(1, 1), Row(9, in: 2, at: 1)), .removeRow(path(1, 0), Row(8, in: 2, at: 0)),
                .removeRow(path(0, 2), Row(3, in: 0, at: 2)), .removeRow(path(0, 1), Row(2, in: 0, at: 1)),
                .removeRow(path(0, 0), Row(1, in: 0, at: 0)), .removeSection(1, 2), .insertSection(1, 1),
                .insertRow(path(0, 1), Row(2, in: 0, at: 1, content: 7)), .insertRow(path(0, 2), Row(5, in: 0, at: 9)),
                .insertRow(path(1, 0), Row(9, in: 1, at: 0)), .updateRow(path(0, 0), Row(4, in: 0, at: -1)),
            ])
    }

    @Test func `A section moves with its rows in one step, past those deleted and inserted`() throws {
        let rows = (0..<4).map { Row($0, in: $0, at: 0) }
        let last = try transition(from: rows, to: rows, ranks: ([:], [0: 1]))
        #expect(last.steps == [.moveSection(from: 0, to: 3, 0)])
        let first = try transition(from: rows, to: rows, ranks: ([:], [3: -1]))
        #expect(first.steps == [.moveSection(from: 3, to: 0, 3)])
        let mixed = try transition(
            from: rows, to: [rows[0], rows[2], rows[3], Row(9, in: 9, at: 0)], ranks: ([:], [0: 5, 3: -2]))
        #expect(
            mixed.steps == [
                .removeRow(path(1, 0), rows[1]), .removeSection(1, 1), .moveSection(from: 2, to: 0, 3),
                .insertSection(3, 9), .moveSection(from: 1, to: 3, 0), .insertRow(path(2, 0), Row(9, in: 9, at: 0)),
            ])
    }

    @Test func `Reversing two thousand sections takes one step fewer than their number`() throws {
        let rows = (0..<2_000).map { Row($0, in: $0, at: 0) }
        var collection = Rows()
        for row in rows { collection.put(row) }
        _ = try collection.committed()
        for row in rows { collection.setRank(-Int64(row.id), of: row.id) }
        let steps = try collection.committed().steps
        #expect(steps.count == rows.count - 1)
        var keys = rows.map(\.id)
        for case .moveSection(let from, let to, let key) in steps {
            #expect(keys[from] == key)
            keys.insert(keys.remove(at: from), at: to)
        }
        #expect(keys == collection.sectionKeys && keys == rows.map(\.id).reversed())
    }
}
