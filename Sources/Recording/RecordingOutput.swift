/// The file under a writer: lines go in, and out as text or as zstd frames. What an error left unwritten is kept and goes first the
/// next time, so that nothing is written twice and no line is torn by a disk that is full for a while.
struct RecordingOutput: ~Copyable {
    private var file: AppendFile
    private var gathered: [UInt8] = []
    /// The text's, not the file's: it stays the same when a segment is compressed later.
    private let digest: SHA256Digest?
    private let isCompressed: Bool
    private var table = SeekTable()
    /// Frames that are not written.
    private var frames: [UInt8] = []

    init(_ file: consuming AppendFile, isCompressed: Bool, isDigested: Bool) {
        self.file = file
        digest = isDigested ? SHA256Digest() : nil
        self.isCompressed = isCompressed
    }

    /// For messages.
    var path: String { file.path }

    /// Whether it is time to write. Of a compressed file a chunk is gathered first, whole.
    var isFull: Bool { isCompressed ? !frames.isEmpty : gathered.count >= RecordFormat.writeBytes }

    mutating func append(_ line: [UInt8]) {
        gathered += line
        digest?.update(line.span)
    }

    /// Writes what is gathered; with `endsChunk` also of a compressed file, whose frame ends. False when there was nothing.
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

    /// Writes everything, and closes. Gives the SHA-256 of the text, when it was wanted.
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

    /// Whether the output is a cluster that takes nothing now.
    var isAway: Bool { file.isAway }

    /// Warnings for the user since the last call.
    func takeWarnings() -> [String] { file.takeWarnings() }

    /// Waits until the data is on the disk.
    func syncData() throws(RecordingError) { try file.syncData() }

    /// Waits until the data, and the file's name, are on the disk.
    func syncAll() throws(RecordingError) { try file.syncAll() }
}
