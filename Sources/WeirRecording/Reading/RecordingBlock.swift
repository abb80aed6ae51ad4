import CWeirJSONScan
import Glibc
import WeirJSON
import WeirWire

/// A part of a recording that can be read independently, on any thread. It consists of whole chunks and ends with a
/// `sync` that has a number and a time. Reading all blocks and then the rest yields the same entries as reading the
/// recording.
package struct RecordingBlock: Sendable {
    /// The bytes of the block, which are `range` of this buffer.
    let bytes: [UInt8]
    let range: Range<Int>
    let place: RecordingReader.Place
    let head: Record.Head

    /// The length of the block's text in bytes.
    package var count: Int { range.count }

    /// The offset of the first byte after the block, in the recording's text.
    package var end: Int { place.offset + range.count }

    /// Returns a reader of the block. The payloads of its frames are slices of one array, which lives as long as any of
    /// them.
    package func reader() -> RecordingReader { RecordingReader(of: self) }
}

/// Splits a recording into blocks.
///
/// The search for a `sync` stops after a long stretch without one. `next()` then returns `nil`, as at the end of the
/// file, and `rest()` returns the reader of the remainder, which may be empty.
package struct RecordingBlocks: ~Copyable {
    /// The approximate size of a block in bytes: a chunk and a part of the next. Several decoded blocks, each several
    /// times this size, are in memory at once. The smaller they are, the more of a block is still in a cache when it is
    /// played.
    private static let blockBytes = 384 << 10
    /// The search for a `sync` stops after this many bytes without one.
    private static let patience = 4 << 20

    /// The head of the recording.
    package let head: Record.Head
    private var lines: LineScanner
    /// The bytes read so far. Those from `start` on belong to no block yet.
    private var bytes: [UInt8]
    private var start = 0
    private var place = RecordingReader.Place.start
    private var isCutting = true

    /// Opens a file (`-` is standard input) and reads its head.
    package init(opening path: String) throws(RecordingError) { self.init(try RecordingReader(opening: path)) }

    /// Creates a splitter for a reader that has read only the head.
    init(_ reader: consuming RecordingReader) {
        head = reader.head
        lines = reader.intoLines()
        bytes = Array(lines.takeAll())
    }

    /// Returns the next block, or `nil` when there is none. The reader of the rest reports any read error.
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

    /// Returns a reader of the text after the last block.
    package consuming func rest() throws(RecordingError) -> RecordingReader {
        lines.resume(with: bytes[start...], at: place)
        return try RecordingReader(head: head, lines, from: place)
    }

    private mutating func cut(behind last: LastSync) -> RecordingBlock {
        let range = start..<start + last.line.upperBound
        let lineFeeds = bytes.withUnsafeBufferPointer {
            $0.baseAddress.map { json_count_byte($0 + range.lowerBound, range.count, UInt8(ascii: "\n")) } ?? 0
        }
        // The block shares this buffer until the next read replaces it, so nothing is copied.
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
        /// The range of the line including its line feed, counted from `start`.
        var line: Range<Int>
        var sync: Record.SyncRecord
        var decoded: DecodedLine
    }

    /// Returns the last line that is a `sync`.
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

    /// Reads until `wanted` bytes are in memory. Returns false when the file ends earlier or cannot be read.
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

/// The frames of a block, with all their payloads resolved into one array before the first is read.
struct ResolvedPayloads {
    private struct Resolved {
        /// The range of the line in the block, without its line feed.
        let line: Range<Int>
        let frame: FrameLine
        let payload: Range<Int>
    }

    private var frames: [Resolved] = []
    private var bytes: [UInt8] = []
    private var place = 0

    /// Creates a value without frames.
    init() {}

    /// Resolves the payloads of all frames in a block.
    init(of block: RecordingBlock, _ clock: inout WallClockMinute) {
        var frames: [Resolved] = []
        frames.reserveCapacity(block.range.count / 512)
        bytes = [UInt8](unsafeUninitializedCapacity: FrameLine.room(for: block.range.count)) { target, count in
            block.bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress, let target = target.baseAddress else { return }
                var start = block.range.lowerBound
                while let feed = memchr(base + start, Int32(UInt8(ascii: "\n")), block.range.upperBound - start) {
                    let end = UnsafeRawPointer(feed) - UnsafeRawPointer(base)
                    let line = UnsafeBufferPointer(start: base + start, count: end - start)
                    if line.count < RecordFormat.maximumLine, let frame = FrameLine(line, &clock),
                        let length = frame.resolve(line, into: target + count)
                    {
                        frames.append(Resolved(line: start..<end, frame: frame, payload: count..<count + length))
                        count += length
                    }
                    start = end + 1
                }
            }
        }
        self.frames = frames
    }

    /// Returns the frame whose line begins at `start`, with its line and its payload; `nil` when that line is not one
    /// of these frames. Call it in file order.
    mutating func next(at start: Int) -> (line: Range<Int>, frame: FrameLine, payload: ArraySlice<UInt8>)? {
        guard hasFrame(at: start) else { return nil }
        defer { place += 1 }
        return (frames[place].line, frames[place].frame, bytes[frames[place].payload])
    }

    /// Like `next(at:)`, but only for a received frame with this number. Returns `nil` and leaves everything unchanged
    /// for any other frame.
    mutating func nextReceived(
        at start: Int, _ number: Int
    ) -> (line: Range<Int>, frame: FrameLine, payload: ArraySlice<UInt8>)? {
        guard hasFrame(at: start), frames[place].frame.direction == .in, frames[place].frame.number == number else {
            return nil
        }
        return next(at: start)
    }

    private func hasFrame(at start: Int) -> Bool { place < frames.count && frames[place].line.lowerBound == start }
}
