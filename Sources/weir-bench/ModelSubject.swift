import JSONText
import SectionedModel

/// A stand-in for a reader: it holds the newest snapshot and the one before it.
///
/// It is a class whose methods are not inlined. A snapshot kept only in a local variable would be optimised away, and
/// its cost with it.
final class SnapshotHolder {
    private var newest: SectionedSnapshot<ModelRow>?
    private var older: SectionedSnapshot<ModelRow>?
    private var oldest: SectionedSnapshot<ModelRow>?

    @inline(never)
    func publish(_ snapshot: SectionedSnapshot<ModelRow>) {
        oldest = older
        older = newest
        newest = snapshot
    }

    /// Releases the third snapshot, if there is one. In reality a reader does this.
    @inline(never)
    func clean() { oldest = nil }

    @inline(never)
    func letGo() {
        newest = nil
        older = nil
        oldest = nil
    }
}

/// A model under measurement, together with a reader of its snapshots.
struct ModelSubject {
    private(set) var model: SectionedCollection<ModelRow>
    let holder = SnapshotHolder()
    private var sinceSnapshot = 0

    /// Creates a model of these rows in one transaction.
    init(_ rows: [ModelRow]) throws(BenchmarkError) {
        model = try Self.refused { () throws(ModelError) in try Self.load(rows) }
        guard model.count == rows.count else { throw .failed("\(model.count) rows of \(rows.count) are in the model") }
    }

    @inline(never)
    static func load(_ rows: [ModelRow]) throws(ModelError) -> SectionedCollection<ModelRow> {
        var model = SectionedCollection<ModelRow>()
        for row in rows { try model.upsert(row) }
        _ = model.commit()
        return model
    }

    /// Converts the model's errors, none of which is expected.
    static func refused<Value>(_ body: () throws(ModelError) -> Value) throws(BenchmarkError) -> Value {
        do { return try body() } catch { throw .failed("the model refused: \(error)") }
    }

    /// Commits one change and returns its batch.
    @inline(__always)
    private mutating func commit(_ row: ModelRow) throws(ModelError) -> Batch<ModelRow>? {
        try model.upsert(row)
        return model.commit()
    }

    @inline(__always)
    private mutating func publish(every interval: Int) {
        sinceSnapshot += 1
        guard sinceSnapshot >= interval else { return }
        sinceSnapshot = 0
        holder.publish(model.snapshot)
        holder.clean()
    }

    /// Commits one transaction per row and takes a snapshot after every `interval` of them. Returns the number of
    /// records in the batches.
    @inline(never)
    mutating func commitEach(_ rows: [ModelRow], snapshotEvery interval: Int?) throws(ModelError) -> Int {
        var records = 0
        for row in rows {
            if let batch = try commit(row) { records += batch.rowCount }
            if let interval { publish(every: interval) }
        }
        return records
    }

    /// Like `commitEach(_:snapshotEvery:)`, but also writes a line for each batch. Returns the number of bytes written.
    @inline(never)
    mutating func commitEach(
        _ rows: [ModelRow], snapshotEvery interval: Int, log: inout JSONWriter
    ) throws(ModelError) -> Int {
        var bytes = 0
        for row in rows {
            if let batch = try commit(row) { batch.writeLine(into: &log) }
            if log.count > 1 << 16 {
                bytes += log.count
                log.reset()
            }
            publish(every: interval)
        }
        return bytes + log.count
    }

    /// Like `commitEach(_:snapshotEvery:)`, but also measures the nanoseconds of each transaction with its snapshot,
    /// minus the cost of reading the clock.
    @inline(never)
    mutating func timeEach(
        _ rows: [ModelRow], snapshotEvery interval: Int, into times: inout [Double]
    ) throws(ModelError) {
        let reading = Series((0..<1000).map { _ in -(Clock.thread.nanoseconds - Clock.thread.nanoseconds) }).median
        for row in rows {
            let start = Clock.thread.nanoseconds
            _ = try commit(row)
            sinceSnapshot += 1
            if sinceSnapshot >= interval { holder.publish(model.snapshot) }
            times.append(max(0, Clock.thread.nanoseconds - start - reading))
            if sinceSnapshot >= interval { sinceSnapshot = 0 }
            holder.clean()
        }
    }

    /// Commits one transaction per row and returns the batches.
    @inline(never)
    mutating func batches(_ rows: [ModelRow]) throws(ModelError) -> [Batch<ModelRow>] {
        var batches: [Batch<ModelRow>] = []
        batches.reserveCapacity(rows.count)
        for row in rows {
            if let batch = try commit(row) { batches.append(batch) }
        }
        return batches
    }

    @inline(never)
    mutating func apply(_ batches: [Batch<ModelRow>]) throws(ModelError) {
        for batch in batches { try model.apply(batch) }
    }

    /// Turns the model into the given list in one transaction, removing all other rows. Returns the number of records.
    @inline(never)
    mutating func become(_ rows: [ModelRow]) throws(ModelError) -> Int {
        try model.stageDifference(from: rows)
        return model.commit()?.rowCount ?? 0
    }

    /// Returns the nanoseconds for taking a snapshot after each change. Publishing it does not count.
    mutating func timeSnapshots(_ rows: [ModelRow]) throws(ModelError) -> [Double] {
        var times: [Double] = []
        for row in rows {
            _ = try commit(row)
            let start = Clock.wall.nanoseconds
            let snapshot = takeSnapshot()
            times.append(Clock.wall.nanoseconds - start)
            holder.publish(snapshot)
            holder.clean()
        }
        return times
    }

    @inline(never)
    private func takeSnapshot() -> SectionedSnapshot<ModelRow> { model.snapshot }

    @inline(never)
    func paths(of ids: [ModelRow.ID]) -> [SectionPath] { ids.compactMap { model.path(of: $0) } }

    @inline(never)
    func elements(at paths: [SectionPath]) -> UInt64 {
        paths.reduce(0) { $0 &+ (model.element(at: $1)?.contents ?? 0) }
    }

    /// Returns the ids in order, section by section.
    func flattened() -> [ModelRow.ID] {
        var ids: [ModelRow.ID] = []
        ids.reserveCapacity(model.count)
        model.forEachElement { _, row in ids.append(row.id) }
        return ids
    }

    /// Makes a snapshot the last owner of all data, and returns the nanoseconds for releasing it.
    mutating func timeLastRelease() -> Double {
        holder.letGo()
        holder.publish(model.snapshot)
        model = SectionedCollection()
        let start = Clock.thread.nanoseconds
        holder.letGo()
        return Clock.thread.nanoseconds - start
    }
}

extension Batch<ModelRow> {
    /// Writes a line in the style of the log, without the contents of the rows.
    func writeLine(into writer: inout JSONWriter) {
        writer.beginObject()
        for change in moves {
            writer.key("move")
            write(change, into: &writer)
        }
        for change in updates {
            writer.key("update")
            write(change, into: &writer)
        }
        for change in sectionDeletions {
            writer.member("section_delete", change.key)
        }
        for change in sectionInsertions {
            writer.member("section_insert", change.key)
        }
        writer.endObject()
        writer.endLine()
    }

    private func write(_ change: Change, into writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(change.from.section)
        writer.integer(change.from.item)
        writer.integer(change.to.section)
        writer.integer(change.to.item)
        writer.integer(Int64(truncatingIfNeeded: change.new.id.high))
        writer.integer(Int64(truncatingIfNeeded: change.new.id.low))
        writer.integer(change.new.sectionKey)
        writer.integer(change.new.sortKey)
        writer.endArray()
    }
}
