/// A new compressed file: a frame for each chunk, and the table of them at its end.
struct FrameFile: ~Copyable {
    private var file: AppendFile
    private var table = SeekTable()
    private let level: Int32
    /// What was compressed and is not written.
    private var waiting: [UInt8] = []

    init(_ file: consuming AppendFile, level: Int32 = Zstd.defaultLevel) {
        self.file = file
        self.level = level
    }

    /// Length of the file so far.
    private(set) var length = 0

    /// Writes a chunk. What an error left unwritten goes first the next time.
    mutating func append(_ text: ArraySlice<UInt8>) throws(RecordingError) {
        guard !text.isEmpty else { return }
        let before = waiting.count
        try Zstd.appendFrame(of: text, level: level, to: &waiting)
        table.append(compressed: waiting.count - before, text: text.count)
        length += waiting.count - before
        try file.write(&waiting)
    }

    /// Writes the table, which a file of too large chunks goes without, and brings everything to the disk.
    consuming func finish(isSynced: Bool = true) throws(RecordingError) {
        if let encoded = table.encoded { waiting += encoded }
        try file.write(&waiting)
        if isSynced { try file.syncAll() }
    }

    /// Waits until the data is on the disk.
    func syncData() throws(RecordingError) { try file.syncData() }
}
