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
