import SectionedModel

extension ModelMeasurement {
    /// Measures one shape of the larger model: changes with a snapshot every 256, the distribution of single changes,
    /// and lookups.
    mutating func measureLarge(_ shape: ModelShape, seed: UInt64) throws(BenchmarkError) {
        var workload = ModelWorkload(shape, seed: seed)
        var subject = try ModelSubject(workload.rows)
        try measureSnapshots(&subject, &workload)
        let moves = workload.moves(Self.changes)
        let move = try time(moves.count) { () throws(ModelError) in
            try subject.commitEach(moves, snapshotEvery: 256)
        }
        figures.add("move one, \(shape.name), a snapshot every 256", move.microseconds, "us", bar: 8)
        let timed = workload.moves(Self.changes)
        var times: [Double] = []
        times.reserveCapacity(timed.count)
        _ = try ModelSubject.refused { () throws(ModelError) in
            try subject.timeEach(timed, snapshotEvery: 256, into: &times)
        }
        let spread = Series(times)
        figures.add("  50 of 100 within, \(shape.name)", spread.percentile(50) / 1e3, "us")
        figures.add("  99.9 of 100 within, \(shape.name)", spread.percentile(99.9) / 1e3, "us", bar: 50)
        var plain = PlainComputation(nanoseconds: spread.percentile(50))
        let machine = Series(plain.times(timed.count)).percentile(99.9)
        figures.add("  99.9 of 100 within, as long a computation without memory", machine / 1e3, "us", in: .others)
        figures.add(
            "longest of \(timed.count.grouped) moves, \(shape.name)", spread.percentile(100) / 1e3, "us", digits: 0,
            in: .others)
        try measureReading(&subject, &workload)
        let release = subject.timeLastRelease()
        figures.add("let the last snapshot go, \(shape.name)", release / 1e6, "ms", digits: 1, in: .others)
    }

    /// Measures only the cost of snapshots, for a model of this shape.
    mutating func measureSnapshots(_ shape: ModelShape, seed: UInt64) throws(BenchmarkError) {
        var workload = ModelWorkload(shape, seed: seed)
        var subject = try ModelSubject(workload.rows)
        try measureSnapshots(&subject, &workload)
    }

    /// Measures a line of the matrix, and the cost of taking a snapshot.
    mutating func measureSnapshots(
        _ subject: inout ModelSubject, _ workload: inout ModelWorkload
    ) throws(BenchmarkError) {
        var costs: [Double] = []
        for interval in SnapshotMatrix.intervals {
            let moves = workload.moves(min(Self.changes / 2, (interval ?? Self.changes) * 2000))
            let change = try time(moves.count) { () throws(ModelError) in
                try subject.commitEach(moves, snapshotEvery: interval)
            }
            costs.append(change.microseconds)
            subject.holder.letGo()
        }
        matrix.add(workload.shape.name, costs)
        let moves = workload.moves(1000)
        let taking = try ModelSubject.refused { () throws(ModelError) in try subject.timeSnapshots(moves) }
        figures.add("take a snapshot, \(workload.shape.name)", Series(taking).median / 1e3, "us", bar: 1)
    }

    /// Measures a model that grows one row at a time.
    mutating func measureGrowth(seed: UInt64) throws(BenchmarkError) {
        let shape = ModelShape(rows: shape.rows * 10, sections: shape.sections)
        let rows = ModelWorkload(shape, seed: seed).rows
        let growth = try ModelSubject.refused { () throws(ModelError) in try ModelGrowth(of: rows) }
        let size = shape.rows.grouped
        figures.add(
            "longest stall of one insertion while growing to \(size)", growth.longest.thread / 1e6, "ms", bar: 2)
        figures.add("the same by the wall's clock", growth.longest.wall / 1e6, "ms", in: .others)
        figures.add("insert one, growing to \(size)", growth.mean / 1e3, "us", in: .others)
    }
}

/// The cost of growing a model row by row, in nanoseconds.
struct ModelGrowth {
    private(set) var longest = (wall: 0.0, thread: 0.0)
    private(set) var mean = 0.0

    /// Grows the model twice: first undisturbed for the mean, then reading both clocks around each insertion.
    init(of rows: [ModelRow]) throws(ModelError) {
        let start = Clock.thread.nanoseconds
        _ = try Self.grow(rows)
        mean = (Clock.thread.nanoseconds - start) / Double(rows.count)
        var model = SectionedCollection<ModelRow>()
        for row in rows {
            let wall = Clock.wall.nanoseconds
            let thread = Clock.thread.nanoseconds
            try model.upsert(row)
            _ = model.commit()
            longest.thread = max(longest.thread, Clock.thread.nanoseconds - thread)
            longest.wall = max(longest.wall, Clock.wall.nanoseconds - wall)
        }
    }

    @inline(never)
    private static func grow(_ rows: [ModelRow]) throws(ModelError) -> Int {
        var model = SectionedCollection<ModelRow>()
        for row in rows {
            try model.upsert(row)
            _ = model.commit()
        }
        return model.count
    }
}
