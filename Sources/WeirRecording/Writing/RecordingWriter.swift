package import WeirJSON
package import WeirWire

/// Writes an event file safely against crashes: only whole lines, with a `sync` record and a CRC after every 256 KiB or
/// second of data.
///
/// Recordings are named `NAME.weir.jsonl`: JSON Lines that `grep`, `jq` and `less` can read while they grow. The name
/// is `NAME.weir.jsonl.zst` when the file is compressed as it is written, with one frame per chunk.
///
/// Not thread-safe: the writer has one owner, on any one thread, and `flush()` may wait for the disk. `flush()` writes
/// the gathered lines (compressed, whole chunks) with one write(2). Flushed data survives the death of the process;
/// synced data (see `Durability`) survives that of the machine. A writer that is dropped without `close` leaves a
/// readable file without an `end`.
public struct RecordingWriter: ~Copyable {
    /// When written data is synced to disk.
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// Never; the system decides when to write.
        case never
        /// At a `sync` record, at most once per second of the recording's time, and on close.
        case interval
        /// At every `sync` record and on close.
        case chunk
        /// At every flush and on close.
        case always
    }

    /// The settings for writing a file.
    public struct Options: Hashable, Sendable {
        /// When written data is synced to disk.
        public var durability: Durability
        /// Whether to replace an existing file. If false, an existing file is an error.
        public var overwrites: Bool
        /// Whether the file is compressed as it is written. An unfinished chunk is lost when the process dies.
        public var isCompressed: Bool
        /// What is hidden in addition to the known secrets. A recorder hides everything; a tool that copies records
        /// need not.
        public var redactions: Set<RedactionRule>
        /// The path of the session id in a message of a plain WebSocket, for the rule `sessions`; `nil` when messages
        /// have none.
        package var sessionPath: JSONPath?
        /// Whether to compute the SHA-256 of the text, which costs a little for each record.
        var isDigested = false
        /// Creates options. By default a new file is synced once per second and hides only known secrets.
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

    /// The number of the next record. A record with `Record.isUnnumbered` draws none.
    package private(set) var nextNumber = 1
    /// The bytes of text so far, including those not written yet.
    package private(set) var length = 0

    var output: RecordingOutput
    var encoder: RecordEncoder
    var chunk = OpenChunk(offset: 0)
    var summary = ChunkSummary()
    /// The time of the record added last.
    private(set) var lastTime = Moment.zero
    private var lastSync = Moment.zero
    private let durability: Durability

    /// Creates the file with mode 0600 and writes the head. `-` is standard output. `secrets` are redacted from the
    /// head on.
    package init(
        creating path: String, head: Record.Head, secrets: [Secret] = [], options: Options = Options()
    ) throws(RecordingError) {
        var encoder = RecordEncoder(options)
        for secret in secrets { encoder.redactor.add(secret) }
        try self.init(creating: path, head: head, encoder: encoder, options: options, nextNumber: 1)
    }

    /// Creates the file with default options except for the durability.
    package init(
        creating path: String, head: Record.Head, secrets: [Secret] = [], durability: Durability
    ) throws(RecordingError) {
        try self.init(creating: path, head: head, secrets: secrets, options: Options(durability: durability))
    }

    /// Creates a file that continues the recording after another file. `nextNumber` is the number of its first record.
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

    /// Adds a secret that must never reach the file. Later records have `‹redacted›` in place of each occurrence.
    mutating func redact(_ secret: Secret) { encoder.redactor.add(secret) }

    /// Appends a record and returns its number in the file. Times must not go back (they are clamped). Writes once 64
    /// KiB are gathered.
    ///
    /// After an error the record may still be in memory; it is when `nextNumber` has moved. `flush()` tries again and
    /// writes nothing twice.
    @discardableResult
    package mutating func append(_ record: Record, at time: Moment, wall: Int64) throws(RecordingError) -> Int {
        try append(record, at: time, wall: wall, isRestated: false)
    }

    /// Appends a record whose stamp already has a number. Numbers must increase. A hole tells readers that records are
    /// missing, as happens after an error. The number is ignored for a record that draws none or is restated.
    package mutating func append(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        if !record.isUnnumbered, !stamp.isRestated {
            precondition(stamp.n >= nextNumber, "a record's number must be greater than that of the one before it")
            nextNumber = stamp.n
        }
        try append(record, at: stamp.time, wall: stamp.wall, isRestated: stamp.isRestated)
    }

    @discardableResult
    private mutating func append(
        _ record: Record, at time: Moment, wall: Int64, isRestated: Bool
    ) throws(RecordingError) -> Int {
        // Flushing first keeps memory bounded when the disk refuses writes.
        if output.isFull { try flush() }
        let number = record.isUnnumbered || isRestated ? nextNumber - 1 : nextNumber
        let time = clamped(time)
        try add(record, Stamp(n: number, time: time, wall: wall, isRestated: isRestated))
        nextNumber = number + 1
        lastTime = time
        if chunk.isFull(at: time) {
            try endChunk(at: time)
        } else if output.isFull {
            try flush()
        }
        return number
    }

    /// Writes the gathered lines; for a compressed file, the finished chunks.
    package mutating func flush() throws(RecordingError) {
        guard try output.flush(endsChunk: false) else { return }
        if durability == .always { try output.syncData() }
    }

    /// Flushes, and ends the chunk with a `sync` if it is a second old. For a writer that has nothing to append for a
    /// while. The `sync` has the time of the last record, so the next record may still be earlier than `time`.
    package mutating func flush(at time: Moment) throws(RecordingError) {
        if chunk.isOld(at: clamped(time)) { try endChunk(at: lastTime, now: clamped(time)) } else { try flush() }
    }

    /// Writes the last `sync`, the `idx` and the `end`, syncs to disk and closes the file. The writer numbers these
    /// records and ignores `stamp.n`.
    /// - Returns: The SHA-256 of the file's text as 64 hexadecimal digits, if the options ask for it.
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
        try add(record, Stamp(n: record.isUnnumbered ? nextNumber - 1 : nextNumber, time: time, wall: stamp.wall))
        return try output.finish(isSynced: durability != .never)
    }

    /// Whether the recording goes to a cluster that cannot store anything at present.
    var isAway: Bool { output.isAway }

    /// Returns the warnings for the user since the last call.
    func takeWarnings() -> [String] { output.takeWarnings() }

    func clamped(_ time: Moment) -> Moment {
        min(max(time, lastTime), Moment(microseconds: RecordFormat.maximumInteger))
    }

    /// Ends the open chunk, if any.
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
        let sync = chunk.sync(lastTime: lastTime, connections: summary.openConnections)
        summary.add(sync, firstNumber: chunk.firstNumber ?? nextNumber)
        try add(.sync(sync), Stamp(n: nextNumber - 1, time: time, wall: 0))
        lastTime = time
        chunk = OpenChunk(offset: length)
    }

    /// Gathers a line. A `sync` is not part of a chunk, since it separates two.
    private mutating func add(_ record: Record, _ stamp: Stamp) throws(RecordingError) {
        guard encoder.encode(record, stamp) else {
            throw .system(
                operation: "write a record \(RecordFormat.tooLong)", path: output.path, code: AppendFile.tooLong)
        }
        output.append(encoder.line)
        length += encoder.line.count
        if case .sync = record { return }
        summary.note(record)
        let time: Moment? = if case .head = record { nil } else { stamp.time }
        let number = record.isUnnumbered || stamp.isRestated ? stamp.n + 1 : stamp.n
        chunk.add(encoder.line, kind: record.kind, time: time, number: number)
        encoder.forgetLongLine()
    }
}

/// The file of a writer. It takes lines and writes them as text or as zstd frames. After an error it keeps the
/// unwritten rest and writes that first the next time. So nothing is written twice, and a full disk tears no line.
struct RecordingOutput: ~Copyable {
    private var file: AppendFile
    private var gathered: [UInt8] = []
    /// The digest of the text, not of the file: it stays the same when a segment is compressed later.
    private let digest: SHA256Digest?
    private let isCompressed: Bool
    private var table = SeekTable()
    /// Compressed frames that are not written yet.
    private var frames: [UInt8] = []

    init(_ file: consuming AppendFile, isCompressed: Bool, isDigested: Bool) {
        self.file = file
        digest = isDigested ? SHA256Digest() : nil
        self.isCompressed = isCompressed
    }

    /// The file's path, for messages.
    var path: String { file.path }

    /// Whether there is enough to write. A compressed file is written by whole chunks.
    var isFull: Bool { isCompressed ? !frames.isEmpty : gathered.count >= RecordFormat.writeBytes }

    mutating func append(_ line: [UInt8]) {
        gathered += line
        digest?.update(line.span)
    }

    /// Writes the gathered lines. A compressed file writes only finished frames; `endsChunk` finishes the current one.
    /// Returns false when there was nothing to write.
    @discardableResult
    mutating func flush(endsChunk: Bool) throws(RecordingError) -> Bool {
        guard isCompressed else {
            guard !gathered.isEmpty else { return false }
            try file.write(&gathered)
            return true
        }
        if endsChunk, !gathered.isEmpty {
            let before = frames.count
            try Zstd.appendFrame(of: gathered[...], to: &frames)
            table.append(compressed: frames.count - before, text: gathered.count)
            gathered.removeAll(keepingCapacity: gathered.capacity <= RecordFormat.keptBuffer)
        }
        guard !frames.isEmpty else { return false }
        try file.write(&frames)
        return true
    }

    /// Writes everything and closes the file. Returns the SHA-256 of the text if the options request it.
    consuming func finish(isSynced: Bool) throws(RecordingError) -> String? {
        try flush(endsChunk: true)
        if isCompressed, let encoded = table.encoded {
            frames += encoded
            try file.write(&frames)
        }
        if isSynced { try file.syncAll() }
        try file.finish()
        return digest?.finish()
    }

    /// Whether the output is a cluster that cannot store anything at present.
    var isAway: Bool { file.isAway }

    /// Returns the warnings for the user since the last call.
    func takeWarnings() -> [String] { file.takeWarnings() }

    /// Waits until the data is on disk.
    func syncData() throws(RecordingError) { try file.syncData() }

    /// Waits until the data and the file's name are on disk.
    func syncAll() throws(RecordingError) { try file.syncAll() }
}
