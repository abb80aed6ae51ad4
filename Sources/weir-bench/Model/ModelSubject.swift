import WeirJSON
import WeirModel
import WeirWire

/// A row of 48 bytes without references: a 16-byte id, both keys, and 16 bytes of contents.
struct ModelRow: SectionedElement {
    /// A random id. It is hashed as one word, as `EntityID` is.
    struct ID: Hashable, Comparable, Sendable {
        let high: UInt64
        let low: UInt64

        func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

        static func < (a: ID, b: ID) -> Bool { (a.high, a.low) < (b.high, b.low) }
    }

    let id: ID
    var sectionKey: Int64
    var sortKey: Int64
    var contents: UInt64
    let more: UInt64

    func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(id.high)
        digest.feed(id.low)
        digest.feed(sectionKey)
    }

    func feed(_ digest: inout ElementDigest) {
        digest.feed(sortKey)
        digest.feed(contents)
        digest.feed(more)
    }
}

/// The size of a model: its rows, its sections, and how the rows are distributed.
struct ModelShape: Hashable {
    /// The distribution of the rows over the sections.
    enum Spread: Hashable {
        case even
        /// The k-th largest section has 1/k of the rows of the largest.
        case zipf
    }

    var rows: Int
    var sections: Int
    var spread = Spread.even

    var name: String { "\(rows.grouped) / \(sections.grouped)" + (spread == .zipf ? " Zipf" : "") }
}

/// The rows of a model and changes to them, determined by shape and seed.
struct ModelWorkload {
    let shape: ModelShape
    /// The rows after all changes so far, unordered.
    private(set) var rows: [ModelRow] = []
    private var dice: RandomSource
    /// The cumulative weights of the sections: `weights[k]` is the sum of the weights up to section k. Empty when all
    /// sections have the same weight.
    private let weights: [Int]

    init(_ shape: ModelShape, seed: UInt64) {
        self.shape = shape
        dice = RandomSource(seed: seed)
        weights = shape.spread == .even ? [] : Self.zipf(shape.sections)
        rows.reserveCapacity(shape.rows)
        for _ in 0..<shape.rows { rows.append(newRow()) }
    }

    private static func zipf(_ sections: Int) -> [Int] {
        var total = 0
        return (1...sections).map { rank in
            total += max(1, (1 << 40) / rank)
            return total
        }
    }

    private mutating func newRow() -> ModelRow {
        ModelRow(
            id: .init(high: dice.next(), low: dice.next()), sectionKey: sectionKey(), sortKey: sortKey(),
            contents: dice.next(), more: dice.next())
    }

    private mutating func sortKey() -> Int64 { Int64(dice.next() >> 24) }

    /// Returns a section key. The multiplication by an odd factor permutes the numbers, so that large and small
    /// sections are not in order of size.
    private mutating func sectionKey() -> Int64 {
        Int64(truncatingIfNeeded: (sectionNumber() &* 0x9E37_79B1) & 0xFFFF_FFFF)
    }

    private mutating func sectionNumber() -> Int {
        guard let total = weights.last else { return dice.below(shape.sections) }
        let ticket = dice.below(total)
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] > ticket { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Moves random rows to another section with another sort key, `count` times. Returns the row after each change.
    mutating func moves(_ count: Int) -> [ModelRow] {
        change(count) { workload, index in
            workload.rows[index].sectionKey = workload.sectionKey()
            workload.rows[index].sortKey = workload.sortKey()
        }
    }

    /// Changes the contents of random rows, `count` times. Returns the row after each change.
    mutating func edits(_ count: Int) -> [ModelRow] {
        change(count) { workload, index in workload.rows[index].contents = workload.dice.next() }
    }

    private mutating func change(_ count: Int, _ body: (inout Self, Int) -> Void) -> [ModelRow] {
        var changed: [ModelRow] = []
        changed.reserveCapacity(count)
        for _ in 0..<count {
            let index = dice.below(rows.count)
            body(&self, index)
            changed.append(rows[index])
        }
        return changed
    }

    /// Returns `count` random ids of existing rows.
    mutating func ids(_ count: Int) -> [ModelRow.ID] { (0..<count).map { _ in rows[dice.below(rows.count)].id } }

    /// Changes `count` rows at once: a quarter move, a quarter get new contents, a quarter are removed, and as many are
    /// added.
    mutating func churn(_ count: Int) {
        _ = moves(count / 4)
        _ = edits(count / 4)
        for _ in 0..<count / 4 {
            rows.swapAt(dice.below(rows.count), rows.count - 1)
            rows.removeLast()
        }
        for _ in 0..<count / 4 { rows.append(newRow()) }
    }

    /// Returns the rows in random order.
    mutating func shuffled() -> [ModelRow] {
        var shuffled = rows
        for index in shuffled.indices.dropFirst() { shuffled.swapAt(index, dice.below(index + 1)) }
        return shuffled
    }
}

extension Int {
    /// The number as text with a comma between groups of three digits.
    var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

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
