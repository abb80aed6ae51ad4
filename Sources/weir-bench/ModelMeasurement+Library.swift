import SectionedModel

extension ModelMeasurement {
    /// Measures the difference between a model and a list in which one percent of the rows changed.
    mutating func measureDifference(seed: UInt64) throws(BenchmarkError) {
        var workload = ModelWorkload(shape, seed: seed)
        var subject = try ModelSubject(workload.rows)
        var shuffler = workload
        workload.churn(shape.rows / 100)
        let old = subject.flattened()
        let inOrder = try ModelSubject.refused { () throws(ModelError) in try ModelSubject.load(workload.rows) }
        var sorted: [ModelRow] = []
        inOrder.forEachElement { _, row in sorted.append(row) }
        let name = "difference from \(shape.rows.grouped), 1 % changed"
        try measure("\(name), in order", sorted, &subject, expected: sorted)
        var shuffled = try ModelSubject(shuffler.shuffled())
        try measure("\(name), in no order", workload.shuffled(), &shuffled, expected: sorted)
        let new = sorted.map(\.id)
        let library = try time(1) { () in Self.difference(old, new) }
        figures.add(name + ", difference(from:)", library.microseconds / 1e3, "ms", digits: 1, in: .library)
        let moves = try time(1) { () in library.value.inferringMoves().count }
        figures.add("  and inferringMoves()", moves.microseconds / 1e3, "ms", digits: 1, in: .library)
    }

    private mutating func measure(
        _ name: String, _ rows: [ModelRow], _ subject: inout ModelSubject, expected: [ModelRow]
    ) throws(BenchmarkError) {
        let becoming = try time(1) { () throws(ModelError) in try subject.become(rows) }
        figures.add(name, becoming.microseconds / 1e3, "ms", digits: 1, bar: 12)
        guard subject.flattened() == expected.map(\.id) else { throw .failed("the difference led elsewhere") }
    }

    /// Measures how the standard library finds a single change in the list of all ids.
    mutating func measureSingleDifference(
        _ subject: inout ModelSubject, _ workload: inout ModelWorkload
    ) throws(BenchmarkError) {
        let old = subject.flattened()
        let move = workload.moves(1)
        _ = try ModelSubject.refused { () throws(ModelError) in try subject.commitEach(move, snapshotEvery: nil) }
        let new = subject.flattened()
        let library = try time(1) { () in Self.difference(old, new) }
        let moves = try time(1) { () in library.value.inferringMoves().count }
        figures.add(
            "move one, \(shape.name), difference(from:)", library.microseconds, "us", digits: 0, in: .library)
        figures.add("  and inferringMoves() of it", moves.microseconds, "us", digits: 0, in: .library)
        figures.add("  records of it", Double(moves.value), "", digits: 0, in: .library)
    }

    @inline(never)
    private static func difference(
        _ old: [ModelRow.ID], _ new: [ModelRow.ID]
    ) -> CollectionDifference<ModelRow.ID> { new.difference(from: old) }
}
