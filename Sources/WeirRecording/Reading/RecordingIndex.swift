import WeirJSON
package import WeirWire

/// The positions of all chunks of a recording. With it, reading can begin at a time or at a record number.
///
/// The file's own `idx` is used when it agrees with the file. Otherwise the index is built from the `sync` lines.
package struct RecordingIndex: Hashable, Sendable {
    /// The lines between two `sync` records. The lines after the last `sync` form a chunk too.
    package typealias Chunk = Record.IndexRecord.Chunk

    /// The source of an index.
    package enum Origin: Hashable, Sendable {
        /// The file's `idx`, found through its `end` and verified against its last `sync`.
        case file
        /// The `sync` lines of the file, or all its lines where those are missing.
        case scan
    }

    /// The source of this index.
    package let origin: Origin
    /// The chunks, in file order. The first begins with the head.
    package let chunks: [Chunk]
    /// All records by kind; empty when the file has no `idx`.
    package let kinds: [Record.Count]
    /// Received messages by room, busiest first; empty when the file does not count them.
    package let rooms: [Record.Count]

    /// The times of the first and the last record; `nil` when there are no records.
    package var times: ClosedRange<Moment>? {
        guard let first = chunks.first, let last = chunks.last, first.firstTime <= last.lastTime else { return nil }
        return first.firstTime...last.lastTime
    }

    /// Returns the chunk in which to look for the first record at `time` or later. No earlier chunk contains one.
    /// Returns `nil` when all records are earlier.
    package func chunk(at time: Moment) -> Int? {
        let place = partition { $0.lastTime < time }
        return place < chunks.count ? place : nil
    }

    /// Returns the chunk in which to look for record number `n`. No later chunk contains it. Returns `nil` when there
    /// are no chunks.
    package func chunk(ofRecord n: Int) -> Int? {
        let place = partition { $0.firstNumber <= n }
        return place > 0 ? place - 1 : chunks.isEmpty ? nil : 0
    }

    /// Returns the place where a chunk begins, for `RecordingReader.move(to:)`. `chunk` must be one of
    /// `chunks.indices`.
    ///
    /// For the first chunk this is the start of the file, so that reading from it also reports a hole before the first
    /// readable record.
    package func place(ofChunk chunk: Int) -> RecordingReader.Place {
        guard chunk > 0 else { return .start }
        let lines = chunks[..<chunk].reduce(1) { $0 + $1.records + 1 }
        return RecordingReader.Place(
            offset: chunks[chunk].offset, line: lines, number: chunks[chunk].firstNumber,
            time: chunks[chunk - 1].lastTime, isChunkStart: true, displacement: nil)
    }

    /// Returns how many chunks at the start satisfy `isBefore`. The chunks must be partitioned by it.
    private func partition(_ isBefore: (Chunk) -> Bool) -> Int {
        var places = chunks.startIndex..<chunks.endIndex
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            if isBefore(chunks[middle]) {
                places = middle + 1..<places.upperBound
            } else {
                places = places.lowerBound..<middle
            }
        }
        return places.lowerBound
    }
}

extension RecordingIndex {
    /// Creates the index of the file at `path`: uses the file's own index, or scans the file.
    /// - Throws: When the file is not a recording or cannot be read.
    package init(ofFile path: String) throws(RecordingError) {
        let reader = try RecordingReader(opening: path)
        try self.init(of: reader)
    }

    /// Creates the index of a recording held in memory.
    package init(of bytes: [UInt8]) throws(RecordingError) { try self.init(of: try RecordingReader(bytes: bytes)) }

    private init(of reader: consuming RecordingReader) throws(RecordingError) {
        var lines = reader.intoLines()
        if let stored = Self.stored(in: &lines) {
            self = stored
        } else {
            try lines.move(to: 0, line: 1)
            self = try Self.scanned(lines)
        }
    }
}

// MARK: - The file's own

extension RecordingIndex {
    /// Returns the file's `idx` if its last line points to one that agrees with the file.
    private static func stored(in lines: inout LineScanner) -> RecordingIndex? {
        let endLine = RecordFormat.endLine
        guard let size = lines.size, size > endLine,
            case .end(let end) = record(at: size - endLine, of: &lines)?.record,
            let place = end.index, place > 0, place < size - endLine,
            case .index(let index) = record(at: place, of: &lines)?.record, lines.nextOffset <= size,
            index.isOrdered, let last = index.chunks.last, last.offset < place,
            agrees(last, with: lastSync(before: place, of: &lines))
        else { return nil }
        return RecordingIndex(origin: .file, chunks: index.chunks, kinds: index.kinds, rooms: index.rooms)
    }

    /// Returns the record whose line begins at `offset`, or `nil` if no line begins there.
    private static func record(at offset: Int, of lines: inout LineScanner) -> DecodedLine? {
        do throws(RecordingError) {
            try lines.move(to: offset - 1, line: 0)
            // The previous line ends at `offset`, so only its line feed is left.
            guard case .whole(let rest) = try lines.next(), rest.isEmpty, case .whole(let line) = try lines.next()
            else { return nil }
            do throws(LineFailure) {
                return try LineDecoder.decode(lines.buffer.span.extracting(line))
            } catch {
                return nil
            }
        } catch {
            return nil
        }
    }

    /// Returns the `sync` right before `offset`, and its own offset.
    private static func lastSync(
        before offset: Int, of lines: inout LineScanner
    ) -> (sync: Record.SyncRecord, offset: Int)? {
        // A `sync` with many connections and kinds has a few hundred bytes.
        let start = max(0, offset - (64 << 10))
        var found: Range<Int>?
        do throws(RecordingError) {
            try lines.move(to: start, line: 0)
            while lines.nextOffset < offset {
                guard let line = try lines.next() else { return nil }
                if case .whole = line { found = lines.offset..<lines.nextOffset } else { found = nil }
            }
        } catch {
            return nil
        }
        guard let found, found.upperBound == offset, found.lowerBound > 0,
            case .sync(let sync) = record(at: found.lowerBound, of: &lines)?.record
        else { return nil }
        return (sync, found.lowerBound)
    }

    private static func agrees(_ chunk: Chunk, with last: (sync: Record.SyncRecord, offset: Int)?) -> Bool {
        guard let last else { return false }
        return last.sync.offset == chunk.offset && last.sync.offset + last.sync.bytes == last.offset
            && last.sync.records == chunk.records && last.sync.firstTime == chunk.firstTime
            && last.sync.lastTime == chunk.lastTime
    }
}

extension Record.IndexRecord {
    /// Whether the chunks are consistent. The first begins with the file, offsets and numbers never decrease, and none
    /// has more records than bytes, so that the sum of records cannot overflow.
    fileprivate var isOrdered: Bool {
        guard let first = chunks.first, first.offset == 0 else { return false }
        guard chunks.allSatisfy({ $0.firstTime <= $0.lastTime }) else { return false }
        return zip(chunks, chunks.dropFirst()).allSatisfy { before, after in
            before.offset < after.offset && before.records <= after.offset - before.offset
                && before.lastTime <= after.firstTime && before.firstNumber <= after.firstNumber
        }
    }
}

// MARK: - Made anew

extension RecordingIndex {
    /// Scans all lines. Decodes only the first numbered line and the `sync` of each chunk.
    private static func scanned(
        _ lines: consuming LineScanner
    ) throws(RecordingError) -> RecordingIndex {
        var scan = IndexScan()
        while let line = try lines.next() {
            switch line {
            case .whole(let range): scan.take(lines.buffer.span.extracting(range), at: lines.offset)
            case .tooLong: scan.pass(at: lines.offset)
            case .unfinished: break
            }
        }
        return scan.finished()
    }
}

/// The state of a scan: the chunks found so far.
private struct IndexScan {
    private var chunks: [RecordingIndex.Chunk] = []
    private var open: RecordingIndex.Chunk?
    private var isOpenKnown = false
    /// The trailing `idx` and `end` lines, until another line follows them.
    private var closing: (offset: Int, lines: Int)?
    /// The last line of the open chunk. A chunk without a `sync` takes its last time from this line.
    private var lastLine: [UInt8] = []
    private var lastTime = Moment.zero
    private var lastNumber = 0

    /// Notes a line that is not decoded.
    mutating func pass(at offset: Int) {
        if open == nil {
            open = RecordingIndex.Chunk(
                offset: closing?.offset ?? offset, firstTime: lastTime, lastTime: lastTime,
                firstNumber: lastNumber + 1, records: closing?.lines ?? 0)
            isOpenKnown = false
            closing = nil
        }
        open?.records += 1
    }

    mutating func take(_ line: Span<UInt8>, at offset: Int) {
        let isSync = line.starts(with: #"{"k":"sync""#) && open != nil
        if !isSync {
            if open == nil, line.starts(with: #"{"k":"idx""#) || line.starts(with: #"{"k":"end""#) {
                // At the end of the file these belong to no chunk.
                closing = (closing?.offset ?? offset, (closing?.lines ?? 0) + 1)
                return
            }
            pass(at: offset)
            if !isOpenKnown { learn(line) }
            line.withUnsafeBufferPointer {
                lastLine.removeAll(keepingCapacity: true)
                lastLine.append(contentsOf: $0)
            }
            return
        }
        guard let decoded = decode(line), case .sync(let sync) = decoded.record else { return pass(at: offset) }
        close(lastTime: sync.lastTime, number: decoded.number)
    }

    /// Returns the index, including the last chunk without a `sync`.
    mutating func finished() -> RecordingIndex {
        if open != nil {
            let last = decode(lastLine.span)
            close(lastTime: last?.time ?? lastTime, number: last?.number)
        }
        return RecordingIndex(origin: .scan, chunks: chunks, kinds: [], rooms: [])
    }

    /// Takes the number and time of the first line that has both. A later segment begins with lines that repeat the
    /// previous state and have no numbers of their own.
    private mutating func learn(_ line: Span<UInt8>) {
        guard let decoded = decode(line), let number = decoded.number, let time = decoded.time else { return }
        isOpenKnown = true
        open?.firstTime = max(time, lastTime)
        open?.firstNumber = decoded.repeatsNumber ? number + 1 : number
    }

    private mutating func close(lastTime time: Moment, number: Int?) {
        guard var chunk = open else { return }
        // In a damaged or edited file times can go back; an index that does the same is useless for searching.
        chunk.lastTime = max(time, chunk.firstTime, lastTime)
        chunk.firstNumber = max(chunk.firstNumber, chunks.last?.firstNumber ?? 0)
        lastTime = chunk.lastTime
        lastNumber = max(number ?? 0, chunk.firstNumber - 1)
        chunks.append(chunk)
        open = nil
    }

    private func decode(_ line: Span<UInt8>) -> DecodedLine? {
        do throws(LineFailure) { return try LineDecoder.decode(line) } catch {
            return nil
        }
    }
}
