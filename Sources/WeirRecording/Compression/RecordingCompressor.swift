import Glibc

/// Copies recordings into compressed files, with one frame for each chunk.
package enum RecordingCompressor {
    /// The sizes of the text and of the compressed file.
    package struct Result: Hashable, Sendable {
        /// The length of the text in bytes.
        package var text: Int
        /// The length of the compressed file in bytes.
        package var compressed: Int
    }

    /// The approximate length of frames in text without a `sync`.
    private static let longestFrame = 4 << 20
    private static let syncStart = Array(#"{"k":"sync","#.utf8)

    /// Compresses the text of the file at `path` (`-` is standard input) into a new file. `level` is zstd's, 1 to 19.
    /// The text need not be a recording, and the copy decompresses to the same bytes.
    package static func compress(
        _ path: String, to target: String, level: Int = 3, overwrites: Bool = false
    ) throws(RecordingError) -> Result {
        let source = try ByteSource(opening: path)
        var file = FrameFile(
            try AppendFile(creating: target, overwrites: overwrites), level: Int32(clamping: min(max(level, 1), 19)))
        let count = try copy(source, to: &file)
        let length = file.length
        try file.finish()
        return Result(text: count, compressed: length)
    }

    private static func copy(_ source: borrowing ByteSource, to file: inout FrameFile) throws(RecordingError) -> Int {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        // Lines before this position were examined already.
        var looked = 0
        var total = 0
        while let piece = try source.next(into: &buffer) {
            total += piece.count
            text += piece
            var kept = 0
            while let feed = text[looked...].firstIndex(of: UInt8(ascii: "\n")) {
                let isSync = text[looked...feed].starts(with: syncStart)
                looked = feed + 1
                guard isSync || looked - kept >= longestFrame else { continue }
                try file.append(text[kept..<looked])
                kept = looked
            }
            text.removeFirst(kept)
            looked -= kept
            // A line beyond the length limit is split at an arbitrary position.
            if text.count > RecordFormat.maximumLine {
                try file.append(text[...])
                text.removeAll(keepingCapacity: true)
                looked = 0
            }
        }
        try file.append(text[...])
        return total
    }
}

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
