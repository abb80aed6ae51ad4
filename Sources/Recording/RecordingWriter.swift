package import JSONText
package import Wire

/// Writes an event file, crash-safe: whole lines only, a `sync` record with a CRC after every 256 KiB or second of data.
///
/// Recordings are called `NAME.weir.jsonl`: JSON Lines that `grep`, `jq` and `less` read while they grow; `NAME.weir.jsonl.zst` when
/// they are compressed while they are written, a frame for each chunk.
///
/// Not thread-safe: one owner, on any one thread; `flush()` may wait for the disk. Lines are gathered and written with one write(2) by
/// `flush()` (compressed, by the chunk). What was flushed survives the death of the process; what was synced (see `Durability`)
/// survives the machine's. A writer that is dropped instead of closed leaves a readable file without an `end`.
public struct RecordingWriter: ~Copyable {
    /// When the file is brought to the disk itself.
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// Never; the system decides.
        case never
        /// At a `sync` record, at most once a second of the recording's time, and at the close.
        case interval
        /// At every `sync` record and at the close.
        case chunk
        /// At every flush.
        case always
    }

    /// How a file is written.
    public struct Options: Hashable, Sendable {
        /// When the file is brought to the disk itself.
        public var durability: Durability
        /// Whether a file that is there is replaced; refused otherwise.
        public var overwrites: Bool
        /// Whether the file is compressed while it is written: what is not yet a whole chunk dies with the process.
        public var isCompressed: Bool
        /// What is hidden besides the secrets that are told. A recorder hides everything; a tool that copies records need not.
        public var redactions: Set<RedactionRule>
        /// Where a message of a plain WebSocket names its session, for the rule `sessions`; nil where none does.
        package var sessionPath: JSONPath?
        /// Whether the SHA-256 of the text is wanted, which costs a little for each record.
        var isDigested = false
        /// Options.
        public init(
            durability: Durability = .interval, overwrites: Bool = false, isCompressed: Bool = false,
            redactions: Set<RedactionRule> = [.secrets]
        ) {
            self.durability = durability
            self.overwrites = overwrites
            self.isCompressed = isCompressed
            self.redactions = redactions
        }
    }

    /// The number the next record will have; one that stands aside (`Record.isAside`) draws none.
    package private(set) var nextNumber = 1
    /// Bytes of text so far, those that wait to be written included.
    package private(set) var length = 0

    var output: RecordingOutput
    var encoder: RecordEncoder
    var chunk = OpenChunk(offset: 0)
    var summary = ChunkSummary()
    /// Time of the record added last.
    private(set) var lastTime = Moment.zero
    private var lastSync = Moment.zero
    private let durability: Durability

    /// Creates the file, mode 0600, and its folders; `-` is standard output. Writes the head. `secrets` are redacted from the head on.
    package init(
        creating path: String, head: Record.Head, secrets: [Secret] = [], options: Options = Options()
    ) throws(RecordingError) {
        var encoder = RecordEncoder(options)
        for secret in secrets { encoder.redactor.add(secret) }
        try self.init(creating: path, head: head, encoder: encoder, options: options, nextNumber: 1)
    }

    /// The same with a durability only.
    package init(
        creating path: String, head: Record.Head, secrets: [Secret] = [], durability: Durability
    ) throws(RecordingError) {
        try self.init(creating: path, head: head, secrets: secrets, options: Options(durability: durability))
    }

    /// A file that goes on where another one of the recording ended.
    init(
        creating path: String, head: Record.Head, encoder: consuming RecordEncoder, options: Options, nextNumber: Int
    ) throws(RecordingError) {
        try self.init(
            file: AppendFile(creating: path, overwrites: options.overwrites, recording: head.recording), head: head,
            encoder: encoder, options: options, nextNumber: nextNumber)
    }

    init(
        file: consuming AppendFile, head: Record.Head, encoder: consuming RecordEncoder = RecordEncoder(),
        options: Options = Options(), nextNumber: Int = 1
    ) throws(RecordingError) {
        output = RecordingOutput(
            file, isCompressed: options.isCompressed, isDigested: options.isDigested)
        durability = options.durability
        self.encoder = encoder
        self.nextNumber = nextNumber
        try add(.head(head), Stamp(n: 0, time: .zero, wall: head.wallStart))
        try output.flush(endsChunk: true)
        if durability != .never { try output.syncAll() }
    }

    /// Tells the writer what must never reach the file; every occurrence in later records is replaced by `‹redacted›`.
    mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Adds a record and gives the number it has in the file. Times must not go back (they are clamped). Writes when 64
    /// KiB are gathered.
    ///
    /// After an error the record may be kept in memory, and is when `nextNumber` moved: `flush()` tries again and writes nothing twice.
    @discardableResult
    package mutating func append(_ record: Record, at time: Moment, wall: Int64) throws(RecordingError) -> Int {
        try append(record, at: time, wall: wall, isRestated: false)
    }

    /// Adds a record whose stamp already has its number. Numbers must grow; a hole tells readers that records are
    /// missing, as they are after an error. The number of a record that stands aside, or is restated, is not looked at.
    package mutating func append(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        if !record.isAside, !stamp.isRestated {
            precondition(stamp.n >= nextNumber, "a record's number must be greater than that of the one before it")
            nextNumber = stamp.n
        }
        try append(record, at: stamp.time, wall: stamp.wall, isRestated: stamp.isRestated)
    }

    @discardableResult
    private mutating func append(
        _ record: Record, at time: Moment, wall: Int64, isRestated: Bool
    ) throws(RecordingError) -> Int {
        // A disk that refuses must not make the memory grow.
        if output.isFull { try flush() }
        let number = record.isAside || isRestated ? nextNumber - 1 : nextNumber
        let time = clamped(time)
        try add(record, Stamp(n: number, time: time, wall: wall, isRestated: isRestated))
        nextNumber = number + 1
        lastTime = time
        if chunk.bytes >= RecordFormat.chunkBytes || isDue(at: time) {
            try endChunk(at: time)
        } else if output.isFull {
            try flush()
        }
        return number
    }

    /// Writes what is gathered; of a compressed file, the chunks that are whole.
    package mutating func flush() throws(RecordingError) {
        guard try output.flush(endsChunk: false) else { return }
        if durability == .always { try output.syncData() }
    }

    /// Flushes, and ends the chunk with a `sync` if it is a second old. For a writer that has nothing to append for a while. What is
    /// written has the time of the last record: a time that comes later may still be before `time`.
    package mutating func flush(at time: Moment) throws(RecordingError) {
        if isDue(at: clamped(time)) { try endChunk(at: lastTime, now: clamped(time)) } else { try flush() }
    }

    /// Writes the last `sync`, the `idx` and the `end`, syncs to disk and closes. The writer numbers them, whatever `stamp.n` is. Gives
    /// the SHA-256 of the file's text, 64 hexadecimal digits, when the options want it.
    @discardableResult
    package consuming func close(why: Record.EndRecord.Why, at stamp: Stamp) throws(RecordingError) -> String? {
        let time = clamped(stamp.time)
        if chunk.records > 0 { try addSync(at: time) }
        var end = Record.EndRecord(why: why)
        if let index = summary.index {
            end.index = length
            try add(.index(index), Stamp(n: nextNumber - 1, time: time, wall: 0))
        }
        let record = Record.end(end)
        try add(record, Stamp(n: record.isAside ? nextNumber - 1 : nextNumber, time: time, wall: stamp.wall))
        return try output.finish(isSynced: durability != .never)
    }

    /// Whether the recording goes to a cluster that takes nothing now.
    var isAway: Bool { output.isAway }

    /// Warnings for the user since the last call.
    func takeWarnings() -> [String] { output.takeWarnings() }

    func clamped(_ time: Moment) -> Moment {
        min(max(time, lastTime), Moment(microseconds: RecordFormat.maximumInteger))
    }

    private func isDue(at time: Moment) -> Bool {
        guard let first = chunk.firstTime else { return false }
        return time.microseconds - first.microseconds >= RecordFormat.chunkSpan
    }

    /// Ends the chunk that is open, if there is one.
    mutating func endChunk(at time: Moment, now: Moment? = nil) throws(RecordingError) {
        let now = now ?? time
        if chunk.records > 0 { try addSync(at: time) }
        try output.flush(endsChunk: true)
        let isOld = now.microseconds - lastSync.microseconds >= RecordFormat.chunkSpan
        guard durability == .chunk || durability == .always || (durability == .interval && isOld) else { return }
        try output.syncData()
        lastSync = now
    }

    private mutating func addSync(at time: Moment) throws(RecordingError) {
        let sync = Record.SyncRecord(
            offset: chunk.offset, bytes: chunk.bytes, records: chunk.records, firstTime: chunk.firstTime ?? .zero,
            lastTime: max(lastTime, chunk.firstTime ?? .zero), crc: chunk.crc.value,
            connections: summary.openConnections, kinds: chunk.kinds.all)
        summary.add(sync, firstNumber: chunk.firstNumber ?? nextNumber, kinds: chunk.kinds)
        try add(.sync(sync), Stamp(n: nextNumber - 1, time: time, wall: 0))
        lastTime = time
        chunk = OpenChunk(offset: length)
    }

    /// Gathers a line; a `sync` counts to no chunk, since it stands between two.
    private mutating func add(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        guard encoder.encode(record, stamp) else {
            throw .system(
                operation: "write a record \(RecordFormat.tooLong)", path: output.path, code: AppendFile.tooLong)
        }
        output.append(encoder.line)
        length += encoder.line.count
        if case .sync = record { return }
        if case .connection(let connection) = record { summary.note(connection) }
        chunk.add(encoder.line, of: record, stamp)
        encoder.forgetLongLine()
    }
}
