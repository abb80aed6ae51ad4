import Glibc
import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

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

extension ModelMeasurement {
    /// Measures the diff log of a model of Twake channels: committing a change and writing its line, then reading that
    /// line and applying it to another model.
    mutating func measureLog(seed: UInt64) throws(BenchmarkError) {
        var dice = RandomSource(seed: seed)
        let rows = (0..<shape.rows).map { _ in Self.channel(in: shape.sections, &dice) }
        for reversible in [false, true] {
            let name = reversible ? "reversible line" : "line"
            var live = SectionedCollection<Item>(keepsChecksum: true)
            try ModelSubject.refused { () throws(ModelError) in
                for row in rows { try live.upsert(row) }
                _ = live.commit()
            }
            var follower = SectionedCollection<Item>(keepsChecksum: true)
            try ModelSubject.refused { () throws(ModelError) in
                for row in rows { try follower.upsert(row) }
                _ = follower.commit()
            }
            let changes = (0..<Self.changes / 5).map { _ in
                Self.active(rows[dice.below(rows.count)], at: Int64(dice.below(1_000_000)))
            }
            var writer = JSONWriter()
            let writing = try time(changes.count) { () throws(ModelError) in
                try Self.commit(changes, to: &live, reversible: reversible, &writer)
            }
            figures.add("a channel's change, its \(name) written", writing.microseconds, "us", in: .others)
            let applying = try Self.seek(writer.bytes, follower, from: 0, to: writing.value)
            guard applying.checksum == live.checksum else { throw .failed("the log led elsewhere") }
            figures.add(
                "  the \(name) read, applied, verified", applying.seconds * 1e6 / Double(writing.value), "us",
                in: .others)
            guard reversible else { continue }
            let reverting = try Self.seek(writer.bytes, live, from: writing.value, to: 0)
            guard reverting.checksum == follower.checksum else { throw .failed("the log led back elsewhere") }
            figures.add(
                "  the \(name) read, undone, verified", reverting.seconds * 1e6 / Double(writing.value), "us",
                in: .others)
        }
    }

    @inline(never)
    private static func commit(
        _ changes: [Item], to model: inout SectionedCollection<Item>, reversible: Bool, _ writer: inout JSONWriter
    ) throws(ModelError) -> Int {
        var lines = 0
        for change in changes {
            try model.upsert(change)
            guard let batch = model.commit() else { continue }
            lines += 1
            let report = DiffReport(sequence: lines, cause: lines, batch: batch)
            DiffLog.write(report, at: .zero, reversible: reversible, into: &writer)
        }
        return lines
    }

    /// Returns the processor time, in seconds, to seek from one state of a log to another.
    private static func seek(
        _ log: [UInt8], _ model: consuming SectionedCollection<Item>, from start: Int, to end: Int
    ) throws(BenchmarkError) -> (seconds: Double, checksum: UInt64?) {
        do {
            var cursor = try DiffLogCursor(log, model: model, at: start)
            let watch = Stopwatch()
            try cursor.seek(to: end)
            return (watch.elapsed.processor, cursor.model.checksum)
        } catch {
            throw .failed("the log does not lead there: \(error)")
        }
    }

    private static func channel(in sections: Int, _ dice: inout RandomSource) -> Item {
        let id = EntityID(dice.uuid())
        let workspace = EntityID("w\(dice.below(sections))")
        let channel = Twake.Channel(
            id: id, company: .text("company"), workspace: workspace, visibility: .public, name: "channel \(id)",
            icon: "📄", description: "what the channel is for")
        let item = Item(
            id: Item.ID(.channel, id), section: Item.Section("channels", workspace), sortKey: 0,
            entity: Item.Entity(channel))
        return active(item, at: Int64(dice.below(1_000_000)))
    }

    /// Returns the channel after an activity in it, which moves it within its section.
    private static func active(_ item: Item, at time: Int64) -> Item {
        guard var channel = item.entity.as(Twake.Channel.self) else { return item }
        channel.lastActivity = Timestamp(milliseconds: 1_700_000_000_000 + time)
        return Item(
            id: item.id, section: item.sectionKey, sortKey: -1_700_000_000_000 - time, entity: Item.Entity(channel))
    }
}

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

/// The memory used by a model, as counted by the kernel.
enum ModelMemory {
    /// Returns the bytes per entity, in addition to the 48 of the row itself, in a model that grew row by row.
    ///
    /// Call this first in a fresh process: memory that was used and freed before would be reused and not be counted.
    static func measure(_ shape: ModelShape, seed: UInt64) throws(BenchmarkError) -> Double {
        var dice = RandomSource(seed: seed)
        try ModelSubject.refused { () throws(ModelError) in
            _ = try grow(1000, shape.sections, &dice)
        }
        guard let before = PeakMemory.residentBytes else { throw .failed("the kernel does not report the memory used") }
        let model = try ModelSubject.refused { () throws(ModelError) in
            try grow(shape.rows, shape.sections, &dice)
        }
        guard let after = PeakMemory.residentBytes, model.count == shape.rows else {
            throw .failed("the kernel does not report the memory used")
        }
        return (after - before) / Double(shape.rows) - Double(MemoryLayout<ModelRow>.stride)
    }

    @inline(never)
    private static func grow(
        _ count: Int, _ sections: Int, _ dice: inout RandomSource
    ) throws(ModelError) -> SectionedCollection<ModelRow> {
        var model = SectionedCollection<ModelRow>()
        for _ in 0..<count {
            let row = ModelRow(
                id: .init(high: dice.next(), low: dice.next()), sectionKey: Int64(dice.below(sections)),
                sortKey: Int64(dice.next() >> 24), contents: 0, more: 0)
            try model.upsert(row)
            _ = model.commit()
        }
        return model
    }
}

extension ModelMeasurement {
    /// Measures the memory of the small and the large model, each in a separate process.
    mutating func measureMemory(seed: UInt64) throws(BenchmarkError) {
        for rows in [shape.rows, shape.rows * 10] {
            let child = try ChildProcess([
                "/proc/self/exe", "model", "--memory", "\(rows)", "--sections", "\(shape.sections)", "--seed",
                "\(seed)",
            ])
            guard let bytes = child.readLine().flatMap(Double.init) else {
                throw .failed("the process whose memory is measured did not answer")
            }
            let name = "memory of an entity besides its 48 bytes, \(rows.grouped)"
            figures.add(name, bytes, "bytes", digits: 0, bar: 90)
        }
    }
}
