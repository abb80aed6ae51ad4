import Glibc
import Wire

/// Cuts bytes into lines, in bounded memory whatever stands in the file, and keeps the checksums of what went by.
struct LineScanner: ~Copyable {
    /// What was found up to the next line feed.
    enum Line {
        /// A line: its place in `buffer`, without its line feed.
        case whole(Range<Int>)
        /// A line longer than the format allows, already passed over; its length with the line feed.
        case tooLong(bytes: Int)
        /// What follows the last line feed.
        case unfinished(bytes: Int)
    }

    private static let readBytes = 256 << 10

    /// The bytes at hand. Ranges into it hold until the next call of `next()`.
    private(set) var buffer: [UInt8]
    /// Number of the line given last, from 1, and the offset of its first byte in the file.
    private(set) var line = 0
    private(set) var offset = 0
    /// What was passed since the last `sync` record, as far as it is summed.
    private var chunk = ChunkChecksum()
    /// Up to where in `buffer` that is. Lines are summed many at a time, which costs a fraction of summing each.
    private var summed = 0
    /// Where the bytes come from.
    let source: ByteSource

    /// Where the next line begins in `buffer`.
    private(set) var start = 0
    private var end: Int
    /// The offset of the next line.
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

    /// Cuts a part of a recording into lines, that of a block.
    init(block bytes: [UInt8], _ range: Range<Int>, at place: RecordingReader.Place) {
        self.init(bytes: bytes)
        start = range.lowerBound
        summed = start
        end = range.upperBound
        nextOffset = place.offset
        line = place.line - 1
    }

    /// Everything that was read so far, which is taken away.
    mutating func takeAll() -> ArraySlice<UInt8> {
        let bytes = buffer[..<end]
        resume(with: [], at: .start)
        return bytes
    }

    /// Goes on with bytes that were taken from the source, the first of which begins a line, and then with the source.
    mutating func resume(with bytes: ArraySlice<UInt8>, at place: RecordingReader.Place) {
        if !bytes.isEmpty { buffer = Array(bytes) }
        start = 0
        end = bytes.count
        nextOffset = place.offset
        line = place.line - 1
        beginChunk()
    }

    /// How many bytes there are; nil when that is not known before they are read.
    var size: Int? { isInMemory ? end : source.size }

    /// Goes to a byte that begins a line, the one with number `line`. Nothing is known of the chunk it stands in.
    mutating func move(to offset: Int, line: Int) throws(RecordingError) {
        let beginning = nextOffset - start
        if offset >= beginning, offset <= beginning + end {
            start = offset - beginning
            // More may have been written meanwhile.
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

    /// The next line, nil at the end.
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

    /// Where what follows the last line feed stands in `buffer`, once `next()` has said that it is so many bytes; nil when a line may not
    /// be that long.
    func unfinished(bytes: Int) -> Range<Int>? { bytes < RecordFormat.maximumLine ? end - bytes..<end : nil }

    /// Passes over the next line, whose place is known.
    mutating func pass(_ found: Range<Int>) {
        line += 1
        offset = nextOffset
        start = found.upperBound + 1
        nextOffset += found.count + 1
    }

    /// What was passed since the last `sync` record, up to a place in `buffer`.
    mutating func passed(upTo place: Int) -> ChunkChecksum {
        if summed < place {
            chunk.update(buffer, summed..<place)
            summed = place
        }
        return chunk
    }

    /// The line given last is damaged.
    mutating func markDamage() {
        _ = passed(upTo: start)
        chunk.markDamage()
    }

    /// A chunk begins behind the line given last.
    mutating func beginChunk() {
        chunk = ChunkChecksum()
        summed = start
    }

    /// Whether a chunk begins behind the line given last.
    var isAtChunkStart: Bool { summed == start && chunk.count == 0 && !chunk.isPart }

    /// Whether nothing follows the line given last, whose place may become another.
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

    /// Passes over a line that is too long, holding no more than is at hand.
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

    /// Gets more bytes behind those at hand; false at the end of the source.
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
/// A damaged line may have been a `sync` itself. So the lines behind the last damaged one are summed on their own, too:
/// a chunk whose predecessor's `sync` is lost can still be proven whole.
struct ChunkChecksum {
    private var crc = CRC32C()
    private var bytes = 0
    private var afterDamage: (crc: CRC32C, bytes: Int)?
    /// Whether reading began somewhere in the chunk: its `sync` speaks of more than was passed.
    var isPart = false

    mutating func update(_ buffer: [UInt8], _ range: Range<Int>) {
        let line = buffer.span.extracting(range)
        crc.update(line)
        bytes += line.count
        afterDamage?.crc.update(line)
        afterDamage?.bytes += line.count
    }

    /// The line added last is damaged.
    mutating func markDamage() { afterDamage = (CRC32C(), 0) }

    /// Whether `sync` tells what was passed. Its offset is not asked: it is wrong in every chunk behind a cut or an
    /// insertion.
    func matches(_ sync: Record.SyncRecord) -> Bool {
        if isPart || bytes == sync.bytes && crc.value == sync.crc { return true }
        guard let afterDamage else { return false }
        return afterDamage.bytes == sync.bytes && afterDamage.crc.value == sync.crc
    }

    /// How many bytes were passed.
    var count: Int { bytes }
}
