public import Wire

/// Writes an event file, crash-safe: whole lines only, a `sync` record with a CRC after every 256 KiB or second of
/// data.
///
/// Recordings are called `NAME.weir.jsonl`: JSON Lines that `grep`, `jq` and `less` read while they grow.
///
/// Not thread-safe: one owner, on any one thread; `flush()` may wait for the disk. Lines are gathered and written with
/// one write(2) by `flush()`. What was flushed survives the death of the process; what was synced (see `Durability`)
/// survives the machine's. A writer that is dropped instead of closed leaves a readable file without an `end`.
public struct RecordingWriter: ~Copyable {
    /// When the file is brought to the disk itself.
    public enum Durability: Hashable, Sendable, CaseIterable {
        /// Never; the system decides.
        case never
        /// At a `sync` record, at most once a second of the recording's time, and at the close.
        case interval
        /// At every `sync` record and at the close.
        case chunk
        /// At every flush.
        case always
    }

    /// What the next `sync` record will say.
    private struct Chunk {
        var offset: Int
        var bytes = 0
        var records = 0
        var firstTime: Moment?
        var crc = CRC32C()
    }

    /// The number the next record will have; one that stands aside (`Record.isAside`) draws none.
    public private(set) var nextNumber = 1

    private var file: AppendFile
    private var encoder = RecordEncoder()
    private var gathered: [UInt8] = []
    private var chunk = Chunk(offset: 0)
    private var lastTime = Moment.zero
    private var lastSync = Moment.zero
    private let durability: Durability

    /// Creates the file, mode 0600, and its folders; refuses to overwrite. Writes the head. `secrets` are redacted from
    /// the head on.
    public init(
        creating path: String, head: Record.Head, secrets: [Secret] = [], durability: Durability = .interval
    ) throws(RecordingError) {
        try self.init(file: AppendFile(creating: path), head: head, secrets: secrets, durability: durability)
    }

    init(
        file: consuming AppendFile, head: Record.Head, secrets: [Secret] = [], durability: Durability = .interval
    ) throws(RecordingError) {
        self.file = file
        self.durability = durability
        for secret in secrets { redact(secret) }
        try add(.head(head), Stamp(n: 0, time: .zero, wall: head.wallStart))
        try flush()
        if durability != .never { try self.file.syncAll() }
    }

    /// Tells the writer what must never reach the file; every occurrence in later records is replaced by `‹redacted›`.
    public mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Adds a record and gives the number it has in the file. Times must not go back (they are clamped). Writes when 64
    /// KiB are gathered.
    ///
    /// After an error the record may be kept in memory: `flush()` tries again and writes nothing twice.
    @discardableResult
    public mutating func append(_ record: Record, at time: Moment, wall: Int64) throws(RecordingError) -> Int {
        // A disk that refuses must not make the memory grow.
        if gathered.count >= RecordFormat.writeBytes { try flush() }
        let number = record.isAside ? nextNumber - 1 : nextNumber
        let time = clamped(time)
        try add(record, Stamp(n: number, time: time, wall: wall))
        nextNumber = number + 1
        lastTime = time
        if chunk.bytes >= RecordFormat.chunkBytes || isDue(at: time) {
            try endChunk(at: time)
        } else if gathered.count >= RecordFormat.writeBytes {
            try flush()
        }
        return number
    }

    /// Adds a record whose stamp already has its number. Numbers must grow; a hole tells readers that records are
    /// missing, as they are after an error. The number of a record that stands aside is not looked at.
    public mutating func append(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        if !record.isAside {
            precondition(stamp.n >= nextNumber, "a record's number must be greater than that of the one before it")
            nextNumber = stamp.n
        }
        try append(record, at: stamp.time, wall: stamp.wall)
    }

    /// Writes what is gathered.
    public mutating func flush() throws(RecordingError) {
        if gathered.isEmpty { return }
        try file.write(&gathered)
        if durability == .always { try file.syncData() }
    }

    /// Flushes, and ends the chunk with a `sync` if it is a second old. For whoever has nothing to append for a while.
    public mutating func flush(at time: Moment) throws(RecordingError) {
        let time = clamped(time)
        if isDue(at: time) { try endChunk(at: time) } else { try flush() }
    }

    /// Writes the last `sync` and the `end`, syncs to disk and closes. The writer numbers both, whatever `stamp.n` is.
    public consuming func close(why: Record.EndRecord.Why, at stamp: Stamp) throws(RecordingError) {
        let time = clamped(stamp.time)
        if chunk.records > 0 { try addSync(at: time) }
        try add(.end(Record.EndRecord(why: why)), Stamp(n: nextNumber, time: time, wall: stamp.wall))
        try flush()
        if durability != .never { try file.syncAll() }
    }

    private func clamped(_ time: Moment) -> Moment {
        min(max(time, lastTime), Moment(microseconds: RecordFormat.maximumInteger))
    }

    private func isDue(at time: Moment) -> Bool {
        guard let first = chunk.firstTime else { return false }
        return time.microseconds - first.microseconds >= RecordFormat.chunkSpan
    }

    private mutating func endChunk(at time: Moment) throws(RecordingError) {
        try addSync(at: time)
        try flush()
        let isOld = time.microseconds - lastSync.microseconds >= RecordFormat.chunkSpan
        guard durability == .chunk || (durability == .interval && isOld) else { return }
        try file.syncData()
        lastSync = time
    }

    private mutating func addSync(at time: Moment) throws(RecordingError) {
        let sync = Record.SyncRecord(
            offset: chunk.offset, bytes: chunk.bytes, records: chunk.records, firstTime: chunk.firstTime ?? .zero,
            lastTime: lastTime, crc: chunk.crc.value)
        try add(.sync(sync), Stamp(n: nextNumber - 1, time: time, wall: 0))
        lastTime = time
        chunk = Chunk(offset: chunk.offset + chunk.bytes + encoder.line.count)
    }

    /// Gathers a line; a `sync` counts to no chunk, since it stands between two.
    private mutating func add(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        guard encoder.encode(record, stamp) else {
            throw .system(operation: "write a record of more than 16 MiB", path: file.path, code: AppendFile.tooLong)
        }
        let line = encoder.line
        gathered.append(contentsOf: line)
        if case .sync = record { return }
        chunk.bytes += line.count
        chunk.records += 1
        chunk.crc.update(line.span)
        if stamp.n > 0 { chunk.firstTime = chunk.firstTime ?? stamp.time }
    }
}
