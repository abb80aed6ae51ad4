import CJSONScan
import JSONText
import Wire

/// A part of a recording that can be read by itself, on any thread: whole chunks, up to and with a `sync` that tells number and
/// time. The blocks of a recording and its rest, read one after the other, give what its reader gives.
package struct RecordingBlock: Sendable {
    /// The block's bytes, and others around them.
    let bytes: [UInt8]
    let range: Range<Int>
    let place: RecordingReader.Place
    let head: Record.Head

    /// How much of the text it is.
    package var count: Int { range.count }

    /// Offset of the first byte behind it, in the text of the recording.
    package var end: Int { place.offset + range.count }

    /// A reader of the block. The payloads of its frames are parts of one array, which lives as long as one of them.
    package func reader() -> RecordingReader { RecordingReader(of: self) }
}

/// Cuts a recording into blocks.
///
/// When no `sync` is found for a while, none is looked for any more: then `next()` gives nil, as at the end, and `rest()` the
/// reader of what is left, which may be nothing.
package struct RecordingBlocks: ~Copyable {
    /// Bytes of a block, about: a chunk and a part of the next. What is read ahead is several times as large, and there are a few of them: the
    /// fewer bytes, the more of it is still in a cache when it is played.
    private static let blockBytes = 384 << 10
    /// When so many bytes hold no `sync`, none is looked for any more.
    private static let patience = 4 << 20

    /// The head.
    package let head: Record.Head
    private var lines: LineScanner
    /// What was read, of which no block was cut from `start` on.
    private var bytes: [UInt8]
    private var start = 0
    private var place = RecordingReader.Place.start
    private var isCutting = true

    /// Opens a file (`-` is standard input) and reads its head.
    package init(opening path: String) throws(RecordingError) { self.init(try RecordingReader(opening: path)) }

    /// Cuts what a reader reads that has read no more than the head.
    init(_ reader: consuming RecordingReader) {
        head = reader.head
        lines = reader.intoLines()
        bytes = Array(lines.takeAll())
    }

    /// The next block; nil when none can be cut. Where the file cannot be read, the reader of the rest tells.
    package mutating func next() -> RecordingBlock? {
        guard isCutting else { return nil }
        var wanted = max(Self.blockBytes, bytes.count - start)
        var isFilled = true
        while true {
            if bytes.count - start < wanted { isFilled = fill(upTo: wanted) }
            if let last = lastSync() { return cut(behind: last) }
            if !isFilled || bytes.count - start >= Self.patience {
                isCutting = false
                return nil
            }
            wanted = bytes.count - start + Self.blockBytes
        }
    }

    /// The reader of what no block was cut of.
    package consuming func rest() throws(RecordingError) -> RecordingReader {
        lines.resume(with: bytes[start...], at: place)
        return try RecordingReader(head: head, lines, from: place)
    }

    private mutating func cut(behind last: LastSync) -> RecordingBlock {
        let range = start..<start + last.line.upperBound
        let lineFeeds = bytes.withUnsafeBufferPointer {
            $0.baseAddress.map { json_count_byte($0 + range.lowerBound, range.count, UInt8(ascii: "\n")) } ?? 0
        }
        // The bytes are shared, but only until the next are read: nothing is copied for a block.
        let block = RecordingBlock(bytes: bytes, range: range, place: place, head: head)
        start = range.upperBound
        place.displacement = last.sync.displacement(at: place.offset + last.line.lowerBound)
        place.offset += range.count
        place.line += lineFeeds
        place.number = (last.decoded.number ?? 0) + 1
        place.time = last.decoded.time ?? place.time
        return block
    }

    private struct LastSync {
        /// The line with its line feed, counted from `start`.
        var line: Range<Int>
        var sync: Record.SyncRecord
        var decoded: DecodedLine
    }

    /// The last line that is a `sync`.
    private func lastSync() -> LastSync? {
        bytes.withUnsafeBufferPointer { all in
            let bytes = UnsafeBufferPointer(rebasing: all[start...])
            guard let base = bytes.baseAddress, var end = Self.lastLineFeed(base, bytes.count) else { return nil }
            while let before = Self.lastLineFeed(base, end) {
                let line = UnsafeBufferPointer(rebasing: bytes[before + 1..<end])
                if let (sync, decoded) = sync(line.span) {
                    return LastSync(line: before + 1..<end + 1, sync: sync, decoded: decoded)
                }
                end = before
            }
            return nil
        }
    }

    private func sync(_ line: Span<UInt8>) -> (Record.SyncRecord, DecodedLine)? {
        guard line.starts(with: #"{"k":"sync""#) else { return nil }
        do throws(LineFailure) {
            let decoded = try LineDecoder.decode(line)
            if case .sync(let sync) = decoded.record { return (sync, decoded) }
        } catch {}
        return nil
    }

    private static func lastLineFeed(_ base: UnsafePointer<UInt8>, _ end: Int) -> Int? {
        let place = json_last_byte(base, end, UInt8(ascii: "\n"))
        return place >= 0 ? place : nil
    }

    /// Reads until there are so many bytes; false when there are fewer, since the file ends, or cannot be read.
    private mutating func fill(upTo wanted: Int) -> Bool {
        let more = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            bytes[start...].withUnsafeBytes { target.copyMemory(from: $0) }
            count = bytes.count - start
            while count < wanted,
                case .success(let got) = lines.source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: target[count...])),
                got > 0
            {
                count += got
            }
        }
        bytes = more
        start = 0
        return bytes.count == wanted
    }
}
