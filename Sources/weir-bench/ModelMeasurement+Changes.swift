import JSONText
import SectionedModel

extension ModelMeasurement {
    /// Measures changes, lookups and applied batches on the smaller model.
    mutating func measureSmall(seed: UInt64) throws(BenchmarkError) {
        var workload = ModelWorkload(shape, seed: seed)
        let loading = try time(1) { () throws(ModelError) in try ModelSubject.load(workload.rows) }
        figures.add("load \(shape.name) at once", loading.microseconds / 1e3, "ms", digits: 1, bar: 60)
        guard loading.value.count == shape.rows else { throw .failed("rows were lost while loading") }
        var subject = try ModelSubject(workload.rows)
        try measureMoves(&subject, &workload)
        try measureSnapshots(&subject, &workload)
        try measureReading(&subject, &workload)
        try measureApplying(&subject, &workload)
        try measureSingleDifference(&subject, &workload)
    }

    private mutating func measureMoves(
        _ subject: inout ModelSubject, _ workload: inout ModelWorkload
    ) throws(BenchmarkError) {
        let count = Self.changes
        _ = try commit(workload.moves(count), to: &subject, every: nil)
        let plain = workload.moves(count)
        let move = try time(count) { () throws(ModelError) in try subject.commitEach(plain, snapshotEvery: nil) }
        figures.add("move one, \(shape.name), no snapshot", move.microseconds, "us", bar: 0.8)
        let records = Double(move.value) / Double(count)
        figures.add("records of a batch of one change", records, "", digits: 4, bar: 1)
        let logged = workload.moves(count)
        var log = JSONWriter()
        let line = try time(count) { () throws(ModelError) in
            try subject.commitEach(logged, snapshotEvery: 256, log: &log)
        }
        figures.add("the same, a line logged, a snapshot every 256", line.microseconds, "us", bar: 2.5)
        let edits = workload.edits(count)
        let edit = try time(count) { () throws(ModelError) in try subject.commitEach(edits, snapshotEvery: nil) }
        figures.add("change contents only", edit.microseconds, "us", in: .others)
    }

    /// Commits changes to warm up the model. Returns the number of records.
    private func commit(
        _ rows: [ModelRow], to subject: inout ModelSubject, every interval: Int?
    ) throws(BenchmarkError) -> Int {
        try ModelSubject.refused { () throws(ModelError) in try subject.commitEach(rows, snapshotEvery: interval) }
    }

    /// Measures lookups of ids in random order.
    mutating func measureReading(
        _ subject: inout ModelSubject, _ workload: inout ModelWorkload
    ) throws(BenchmarkError) {
        let name = workload.shape.name
        let ids = workload.ids(Self.changes)
        let paths = try time(ids.count) { () in subject.paths(of: ids) }
        guard paths.value.count == ids.count else { throw .failed("an id was not found") }
        figures.add("id to path, \(name)", paths.microseconds * 1e3, "ns", digits: 0, in: .others)
        let elements = try time(ids.count) { () in subject.elements(at: paths.value) }
        let expected = ids.reduce(0) { $0 &+ (subject.model[$1]?.contents ?? 0) }
        guard elements.value == expected else { throw .failed("a path led to another element") }
        figures.add("path to element, \(name)", elements.microseconds * 1e3, "ns", digits: 0, in: .others)
        let walk = try time(subject.model.count) { () in subject.flattened().count }
        figures.add("walk over all, a row, \(name)", walk.microseconds * 1e3, "ns", digits: 1, in: .others)
    }

    /// Applies the batches of one model to another model, and then their inverses.
    private mutating func measureApplying(
        _ subject: inout ModelSubject, _ workload: inout ModelWorkload
    ) throws(BenchmarkError) {
        var follower = try ModelSubject(workload.rows)
        let moves = workload.moves(Self.changes)
        let making = try time(moves.count) { () throws(ModelError) in try subject.batches(moves) }
        let batches = making.value
        let applying = try time(batches.count) { () throws(ModelError) in try follower.apply(batches) }
        guard follower.flattened() == subject.flattened() else { throw .failed("applied batches led elsewhere") }
        let inverses = batches.reversed().map { $0.inverted() }
        let backing = try time(batches.count) { () throws(ModelError) in try follower.apply(inverses) }
        figures.add("make a batch of one move and keep it", making.microseconds, "us", in: .others)
        figures.add("apply it to another model", applying.microseconds, "us", in: .others)
        figures.add("apply its inverse", backing.microseconds, "us", in: .others)
    }
}
