import Glibc
import WeirWire

/// Splits bytes into lines and keeps the checksums of the lines that it passes. Memory is bounded, whatever the file
/// contains.
struct LineScanner: ~Copyable {
    /// The bytes up to the next line feed.
    enum Line {
        /// A line: its range in `buffer`, without its line feed.
        case whole(Range<Int>)
        /// A line longer than the format allows, already skipped; its length includes the line feed.
        case tooLong(bytes: Int)
        /// The bytes after the last line feed.
        case unfinished(bytes: Int)
    }

    private static let readBytes = 256 << 10

    /// The bytes in memory. Ranges into it are valid until the next call of `next()`.
    private(set) var buffer: [UInt8]
    /// The number of the line returned last, from 1, and the offset of its first byte in the file.
    private(set) var line = 0
    private(set) var offset = 0
    /// The checksum of the lines since the last `sync` record, up to `summed`.
    private var chunk = ChunkChecksum()
    /// The end in `buffer` of the bytes in `chunk`. Summing many lines at once costs a fraction of summing each.
    private var summed = 0
    /// The source of the bytes.
    let source: ByteSource

    /// The start of the next line in `buffer`.
    private(set) var start = 0
    private var end: Int
    /// The offset of the next line in the file.
    private(set) var nextOffset = 0
    private var hasEnded: Bool
    private let isInMemory: Bool

    init(source: consuming ByteSource) {
        self.source = source
        buffer = [UInt8](repeating: 0, count: Self.readBytes)
        end = 0
        hasEnded = false
        isInMemory = false
    }

    init(bytes: [UInt8]) {
        source = .none(path: "memory")
        buffer = bytes
        end = bytes.count
        hasEnded = true
        isInMemory = true
    }

    /// Creates a scanner over the lines of a block.
    init(block bytes: [UInt8], _ range: Range<Int>, at place: RecordingReader.Place) {
        self.init(bytes: bytes)
        start = range.lowerBound
        summed = start
        end = range.upperBound
        nextOffset = place.offset
        line = place.line - 1
    }

    /// Takes all bytes read so far out of the scanner and returns them.
    mutating func takeAll() -> ArraySlice<UInt8> {
        let bytes = buffer[..<end]
        resume(with: [], at: .start)
        return bytes
    }

    /// Continues with bytes that were taken from the source and begin at a line, then with the source itself.
    mutating func resume(with bytes: ArraySlice<UInt8>, at place: RecordingReader.Place) {
        if !bytes.isEmpty { buffer = Array(bytes) }
        start = 0
        end = bytes.count
        nextOffset = place.offset
        line = place.line - 1
        beginChunk()
    }

    /// The number of bytes in total; `nil` when it is unknown before they are read.
    var size: Int? { isInMemory ? end : source.size }

    /// Moves to the byte at the start of line number `line`. The checksum of its chunk is then unknown.
    mutating func move(to offset: Int, line: Int) throws(RecordingError) {
        let beginning = nextOffset - start
        if offset >= beginning, offset <= beginning + end {
            start = offset - beginning
            // The file may have grown meanwhile.
            if !isInMemory { hasEnded = false }
        } else if isInMemory {
            throw .system(operation: "seek in", path: source.path, code: EINVAL)
        } else {
            try source.move(to: offset)
            start = 0
            end = 0
            hasEnded = false
        }
        nextOffset = offset
        self.offset = offset
        self.line = line - 1
        beginChunk()
        chunk.isPart = true
    }

    /// Whether a whole line is in memory.
    var hasLineAtHand: Bool { start < end && buffer[start..<end].contains(0x0a) }

    /// Returns the next line, or `nil` at the end.
    mutating func next() throws(RecordingError) -> Line? {
        line += 1
        offset = nextOffset
        var searched = 0
        while true {
            if let feed = lineFeed(from: start + searched) {
                let found = start..<feed
                start = feed + 1
                nextOffset += found.count + 1
                if found.count < RecordFormat.maximumLine { return .whole(found) }
                return .tooLong(bytes: found.count + 1)
            }
            searched = end - start
            if searched >= RecordFormat.maximumLine { return try skipLine() }
            if try !fill() {
                start = end
                nextOffset += searched
                line -= 1
                return searched == 0 ? nil : .unfinished(bytes: searched)
            }
        }
    }

    /// Returns the range in `buffer` of the bytes after the last line feed, once `next()` has returned their count.
    /// Returns `nil` when they are too long for a line.
    func unfinished(bytes: Int) -> Range<Int>? { bytes < RecordFormat.maximumLine ? end - bytes..<end : nil }

    /// Skips the next line, whose range is known.
    mutating func pass(_ found: Range<Int>) {
        line += 1
        offset = nextOffset
        start = found.upperBound + 1
        nextOffset += found.count + 1
    }

    /// Returns the checksum of the bytes since the last `sync` record, up to `place` in `buffer`.
    mutating func passed(upTo place: Int) -> ChunkChecksum {
        if summed < place {
            chunk.update(buffer, summed..<place)
            summed = place
        }
        return chunk
    }

    /// Marks the line returned last as damaged.
    mutating func markDamage() {
        _ = passed(upTo: start)
        chunk.markDamage()
    }

    /// Begins a chunk after the line returned last.
    mutating func beginChunk() {
        chunk = ChunkChecksum()
        summed = start
    }

    /// Whether a chunk begins after the line returned last.
    var isAtChunkStart: Bool { summed == start && chunk.count == 0 && !chunk.isPart }

    /// Returns whether the source ends after the line returned last. Reading may move the line within `buffer`; `line`
    /// is updated.
    mutating func isAtEnd(after line: inout Range<Int>) throws(RecordingError) -> Bool {
        if start < end { return false }
        let length = start - line.lowerBound
        start = line.lowerBound
        defer {
            line = start..<start + length - 1
            start += length
        }
        return try !fill()
    }

    private func lineFeed(from place: Int) -> Int? {
        guard place < end else { return nil }
        return buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + place, Int32(UInt8(ascii: "\n")), end - place)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Skips a line that is too long, without holding more of it than is in memory.
    private mutating func skipLine() throws(RecordingError) -> Line {
        var length = 0
        while true {
            let feed = lineFeed(from: start)
            let passed = start..<(feed.map { $0 + 1 } ?? end)
            length += passed.count
            nextOffset += passed.count
            start = passed.upperBound
            if feed != nil { return .tooLong(bytes: length) }
            if try !fill() { return .unfinished(bytes: length) }
        }
    }

    /// Reads more bytes after those in memory. Returns false at the end of the source.
    private mutating func fill() throws(RecordingError) -> Bool {
        if hasEnded { return false }
        _ = passed(upTo: start)
        if start > 0 {
            buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base, base + start, end - start)
            }
            end -= start
            summed -= start
            start = 0
        }
        if buffer.count - end < Self.readBytes / 2 {
            buffer.append(contentsOf: [UInt8](repeating: 0, count: max(buffer.count, Self.readBytes)))
        }
        let free = end
        let count = try buffer.withUnsafeMutableBytes { bytes in
            source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[free...]))
        }.get()
        end += count
        hasEnded = count == 0
        return count > 0
    }
}

/// The checksum of the lines since the last `sync` record.
///
/// A damaged line may have been a `sync` itself. So the lines after the last damaged one have a second checksum of
/// their own: a chunk can be proven whole even if the `sync` before it is lost.
struct ChunkChecksum {
    private var crc = CRC32C()
    private var bytes = 0
    private var afterDamage: (crc: CRC32C, bytes: Int)?
    /// Whether reading began inside the chunk, so that its `sync` covers more bytes than were read.
    var isPart = false

    mutating func update(_ buffer: [UInt8], _ range: Range<Int>) {
        let line = buffer.span.extracting(range)
        crc.update(line)
        bytes += line.count
        afterDamage?.crc.update(line)
        afterDamage?.bytes += line.count
    }

    /// Notes that the line added last is damaged.
    mutating func markDamage() { afterDamage = (CRC32C(), 0) }

    /// Returns whether `sync` describes the bytes that were added. It ignores the offset, which is wrong in every chunk
    /// after a cut or an insertion.
    func matches(_ sync: Record.SyncRecord) -> Bool {
        if isPart || bytes == sync.bytes && crc.value == sync.crc { return true }
        guard let afterDamage else { return false }
        return afterDamage.bytes == sync.bytes && afterDamage.crc.value == sync.crc
    }

    /// The number of bytes added.
    var count: Int { bytes }
}
