import Glibc

/// Copies recordings into compressed files, one frame for each chunk.
package enum RecordingCompressor {
    /// What was read and what was written.
    package struct Result: Hashable, Sendable {
        /// Bytes of the text.
        package var text: Int
        /// Bytes of the compressed file.
        package var compressed: Int
    }

    private static let pieceBytes = 256 << 10
    /// Chunks without a `sync` are cut to frames of about this length.
    private static let longestFrame = 4 << 20
    private static let syncStart = Array(#"{"k":"sync","#.utf8)

    /// Compresses the text of the file at `path` (`-` is standard input), whatever is in it, into a new file; `level` is zstd's, 1…19.
    /// The copy's text is the original's, byte for byte.
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
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        // Lines before this place were looked at.
        var looked = 0
        var total = 0
        while true {
            let count = try piece.withUnsafeMutableBytes { source.read(into: $0) }.get()
            if count == 0 { break }
            total += count
            text += piece[..<count]
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
            // A line that has no end is cut where it may be.
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
