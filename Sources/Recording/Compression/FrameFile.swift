/// A new compressed file: one frame for each chunk, and the seek table at its end.
struct FrameFile: ~Copyable {
    private var file: AppendFile
    private var table = SeekTable()
    private let level: Int32
    /// Compressed bytes that are not written yet.
    private var waiting: [UInt8] = []

    init(_ file: consuming AppendFile, level: Int32 = Zstd.defaultLevel) {
        self.file = file
        self.level = level
    }

    /// The length of the file so far, in bytes.
    private(set) var length = 0

    /// Writes a chunk as a frame. Bytes left unwritten by an error are written first the next time.
    mutating func append(_ text: ArraySlice<UInt8>) throws(RecordingError) {
        guard !text.isEmpty else { return }
        let before = waiting.count
        try Zstd.appendFrame(of: text, level: level, to: &waiting)
        table.append(compressed: waiting.count - before, text: text.count)
        length += waiting.count - before
        try file.write(&waiting)
    }

    /// Writes the seek table and syncs the file to disk. A file whose chunks are too large has no table.
    consuming func finish(isSynced: Bool = true) throws(RecordingError) {
        if let encoded = table.encoded { waiting += encoded }
        try file.write(&waiting)
        if isSynced { try file.syncAll() }
    }

    /// Waits until the data is on disk.
    func syncData() throws(RecordingError) { try file.syncData() }
}
