package import WeirWire

/// Reads an event file record by record. It reports damage with line and offset, and continues after it.
///
/// Memory is bounded by the longest line that the format allows (44 MiB), whatever the file contains. Times in a
/// damaged or edited file may go back; a caller that feeds them to a session must clamp them.
package struct RecordingReader: ~Copyable {
    /// A result of reading: a record, or a report of damage.
    package enum Entry: Hashable, Sendable {
        /// A record and its stamp. `sync` and `end` have no wall clock of their own; it is computed from the head's.
        case record(Record, Stamp)
        /// A line that cannot be read: its number (from 1), its byte offset, its length and the reason.
        case damage(line: Int, offset: Int, bytes: Int, message: String)
        /// The last line has no line feed or is not a record. With `isCutOff` it is the start of a line, as left by a
        /// writer that was killed while writing; no complete line is missing. Otherwise the line was complete once and
        /// was changed.
        case tornTail(offset: Int, bytes: Int, isCutOff: Bool = true)
        /// The record of this line, which comes next, does not have the expected number: records are missing,
        /// duplicated or out of order. A damaged line causes a hole too.
        case discontinuity(expected: Int, found: Int, line: Int)
        /// The bytes since the last `sync` do not match the `sync` of this line, which comes next. `bytes` is their
        /// actual count, `recorded` the count in the `sync`.
        case checksumMismatch(line: Int, bytes: Int, recorded: Int)
        /// The chunk before the `sync` or `end` of this line, which comes next, is whole but was written at another
        /// offset than the preceding chunk implies: chunks are missing, duplicated or out of order. Both values are
        /// offsets in the recording as it was written. Not reported when another entry already reports the chunk;
        /// numbered records lead to a `discontinuity`.
        case displacement(expected: Int, found: Int, line: Int)
    }

    /// A received text message with its connection and stamp, without the rest of its record.
    package struct ReceivedText: ~Copyable, Sendable {
        /// The connection's number in the recording, counted from 1.
        package let connection: Int
        /// When the message was received.
        package let stamp: Stamp
        /// The message; `nil` once it is taken.
        private var text: ArraySlice<UInt8>?

        fileprivate init(connection: Int, stamp: Stamp, text: consuming ArraySlice<UInt8>) {
            self.connection = connection
            self.stamp = stamp
            self.text = text
        }

        /// Returns the message. It is moved out to avoid another reference count, since many threads may read a
        /// recording.
        package consuming func takeText() -> ArraySlice<UInt8> { text.take() ?? [] }
    }

    /// The head of the recording.
    package let head: Record.Head

    var lines: LineScanner
    var expected = 1
    var lastTime = Moment.zero
    /// Whether no numbered record was read yet. A later segment begins with any number.
    var isFirst = true
    /// How far the last chunk has moved from the offset it was written at, in bytes; negative towards the start. `nil`
    /// when unknown: reading did not begin at a file's start, or an entry reported damage that may have moved the end
    /// of the chunk.
    var displacement: Int? = 0
    /// The offset of an index that follows the last chunk.
    var indexOffset: Int?
    private var clock = WallClockMinute()
    /// The frames of a block, resolved in advance.
    private var payloads = ResolvedPayloads()
    /// The range of the line returned last, in the scanner's buffer.
    private var current: Range<Int>
    /// Further entries from the last line.
    var waiting: [Entry] = []

    /// Opens a file (`-` is standard input) and reads its head.
    package init(opening path: String) throws(RecordingError) {
        try self.init(LineScanner(source: ByteSource(opening: path)))
    }

    /// Reads an open descriptor (a pipe, a socket), which stays open. `name` is for messages.
    package init(reading descriptor: Int32, name: String) throws(RecordingError) {
        try self.init(LineScanner(source: ByteSource(descriptor: descriptor, path: name, isOwned: false)))
    }

    /// Reads a recording held in memory.
    package init(bytes: [UInt8]) throws(RecordingError) {
        try self.init(LineScanner(bytes: bytes))
    }

    private init(_ scanner: consuming LineScanner) throws(RecordingError) {
        (head, current) = try Self.head(&scanner)
        lines = scanner
    }

    /// Continues from a place, with an existing scanner.
    init(head: Record.Head, _ scanner: consuming LineScanner, from place: Place) throws(RecordingError) {
        self.head = head
        current = 0..<0
        // The head is not an entry.
        if place.offset == 0 { _ = try scanner.next() }
        lines = scanner
        expected = place.number
        lastTime = place.time
        displacement = place.displacement
        isFirst = place.offset == 0
    }

    /// Creates a reader of one block.
    init(of block: RecordingBlock) {
        head = block.head
        current = 0..<0
        lines = LineScanner(block: block.bytes, block.range, at: block.place)
        expected = block.place.number
        lastTime = block.place.time
        displacement = block.place.displacement
        isFirst = block.place.offset == 0
        // Reading from memory cannot fail.
        if block.place.offset == 0 { _ = try? lines.next() }
        payloads = ResolvedPayloads(of: block, &clock)
    }

    private static func head(_ lines: inout LineScanner) throws(RecordingError) -> (Record.Head, Range<Int>) {
        let path = lines.source.path
        let range: Range<Int>
        switch try lines.next() {
        case .whole(let line): range = line
        case .tooLong: throw .notARecording(path: path, message: "its first line is \(RecordFormat.tooLong)")
        case .unfinished: throw .notARecording(path: path, message: "it ends inside its first line")
        case nil: throw .notARecording(path: path, message: "it is empty")
        }
        let decoded: DecodedLine
        do throws(LineFailure) {
            decoded = try LineDecoder.decode(lines.buffer.span.extracting(range))
        } catch {
            throw .notARecording(path: path, message: "its first line is not a head: \(error.message)")
        }
        guard case .head(let head) = decoded.record else {
            throw .notARecording(path: path, message: "its first line is not a head")
        }
        guard head.major == RecordFormat.major else {
            throw .notARecording(
                path: path, message: "it has format version \(head.major), and this program reads \(RecordFormat.major)"
            )
        }
        return (head, range)
    }

    /// The line of the last entry as it is in the file, without its line feed; empty when it is too long. Before the
    /// first entry it is the head's line. Tools use it to copy lines.
    package var line: Span<UInt8> {
        @_lifetime(borrow self)
        get { lines.buffer.span.extracting(current) }
    }

    /// Whether the next entry, or its line, is in memory already.
    package var hasEntryAtHand: Bool { !waiting.isEmpty || lines.hasLineAtHand }

    /// Returns the next entry, or `nil` at the end.
    package mutating func next() throws(RecordingError) -> Entry? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        if let (line, frame, payload) = payloads.next(at: lines.start) {
            lines.pass(line)
            current = line
            return entry(of: frame, payload)
        }
        current = 0..<0
        switch try lines.next() {
        case .whole(let range): return try entry(of: range)
        case .tooLong(let bytes):
            markDamage()
            return .damage(line: lines.line, offset: lines.offset, bytes: bytes, message: RecordFormat.tooLong)
        case .unfinished(let bytes):
            return .tornTail(offset: lines.offset, bytes: bytes, isCutOff: !isWholeButForItsFeed(bytes))
        case nil: return nil
        }
    }

    /// Returns the next entry if it is a received text message of a block. Otherwise returns `nil` and changes nothing;
    /// `next()` then returns that entry. Nearly all records are such messages, and this saves creating a record for
    /// each.
    package mutating func nextReceivedText() -> ReceivedText? {
        guard waiting.isEmpty, !isFirst, let (line, frame, payload) = payloads.nextReceived(at: lines.start, expected)
        else { return nil }
        lines.pass(line)
        current = line
        lastTime = frame.time
        expected = frame.number + 1
        return ReceivedText(
            connection: frame.connection, stamp: Stamp(n: frame.number, time: frame.time, wall: frame.wall),
            text: payload)
    }

    private mutating func entry(of range: Range<Int>) throws(RecordingError) -> Entry {
        current = range
        if let (frame, payload) = frame(in: range) { return entry(of: frame, payload) }
        do throws(LineFailure) {
            let decoded = try LineDecoder.decode(lines.buffer.span.extracting(range))
            return entry(of: decoded, range)
        } catch {
            let bytes = range.count + 1
            markDamage()
            if try lines.isAtEnd(after: &current) {
                return .tornTail(offset: lines.offset, bytes: bytes, isCutOff: false)
            }
            return .damage(line: lines.line, offset: lines.offset, bytes: bytes, message: error.message)
        }
    }

    /// Returns whether a line without a line feed is a record followed by one more byte, which replaced the line feed.
    /// The beginning of a line never has that form.
    private func isWholeButForItsFeed(_ bytes: Int) -> Bool {
        guard bytes > 1, let range = lines.unfinished(bytes: bytes) else { return false }
        let line = lines.buffer.span.extracting(range.lowerBound..<range.upperBound - 1)
        do throws(LineFailure) {
            _ = try LineDecoder.decode(line)
            return true
        } catch {
            return false
        }
    }

    /// Returns the frame of a line in the usual form, with its payload.
    private mutating func frame(in range: Range<Int>) -> (FrameLine, ArraySlice<UInt8>)? {
        lines.buffer.withUnsafeBufferPointer { buffer in
            let line = UnsafeBufferPointer(rebasing: buffer[range])
            guard let frame = FrameLine(line, &clock) else { return nil }
            var isResolved = true
            let room = FrameLine.room(for: frame.contents.count)
            let payload = [UInt8](unsafeUninitializedCapacity: room) { target, count in
                let resolved = target.baseAddress.flatMap { frame.resolve(line, into: $0) }
                isResolved = resolved != nil
                count = resolved ?? 0
            }
            return isResolved ? (frame, payload[...]) : nil
        }
    }

    /// Nearly all entries take this path, so it creates only what it returns.
    private mutating func entry(of frame: FrameLine, _ payload: consuming ArraySlice<UInt8>) -> Entry {
        lastTime = frame.time
        meet(frame.number, repeatsNumber: false, isUnknown: false)
        return given(frame.entry(payload))
    }

    private mutating func entry(of decoded: consuming DecodedLine, _ range: Range<Int>) -> Entry {
        let number = decoded.number ?? expected - 1
        let time = decoded.time ?? lastTime
        let stamp = Stamp(
            n: number, time: time, wall: decoded.wall ?? wall(at: time), isRestated: decoded.isRestated)
        lastTime = time
        if decoded.number != nil {
            let isUnknown = if case .unknown = decoded.record { true } else { false }
            meet(number, repeatsNumber: decoded.repeatsNumber, isUnknown: isUnknown)
        }
        switch decoded.record {
        case .sync(let sync): endChunk(sync, range)
        case .index: indexOffset = lines.offset
        case .end(let end): look(at: end)
        // In concatenated recordings, offsets count from the last head.
        case .head: displacement = lines.offset
        default: break
        }
        return given(.record(decoded.record, stamp))
    }

    /// Checks the chunk that this `sync` ends.
    private mutating func endChunk(_ sync: Record.SyncRecord, _ range: Range<Int>) {
        let passed = lines.passed(upTo: range.lowerBound)
        if !passed.matches(sync) {
            waiting.append(.checksumMismatch(line: lines.line, bytes: passed.count, recorded: sync.bytes))
            displacement = nil
        }
        let found = sync.displacement(at: lines.offset)
        if let displacement, displacement != found {
            let expected = sync.offset + found - displacement
            waiting.append(.displacement(expected: expected, found: sync.offset, line: lines.line))
        }
        displacement = found
        indexOffset = nil
        lines.beginChunk()
    }

    /// Checks the offset of the index that the end of the recording names.
    private mutating func look(at end: Record.EndRecord) {
        guard let found = end.index, let indexOffset, let displacement else { return }
        let expected = indexOffset - displacement
        if expected != found {
            waiting.append(.displacement(expected: expected, found: found, line: lines.line))
        }
    }

    /// Marks the line returned last as damaged.
    private mutating func markDamage() {
        lines.markDamage()
        displacement = nil
    }

    /// Checks the number of a record against the expected one.
    private mutating func meet(_ number: Int, repeatsNumber: Bool, isUnknown: Bool) {
        if isFirst, head.segment > 1 { expected = repeatsNumber ? number + 1 : number }
        isFirst = false
        // A record of an unknown kind may be one that draws no number.
        let isUnnumbered = repeatsNumber || (isUnknown && number == expected - 1)
        let due = isUnnumbered ? expected - 1 : expected
        if number != due {
            waiting.append(.discontinuity(expected: due, found: number, line: lines.line))
            displacement = nil
        }
        expected = number + 1
    }

    /// Returns the entry, or the first of the reports that must come before it.
    private mutating func given(_ entry: consuming Entry) -> Entry {
        if waiting.isEmpty { return entry }
        waiting.append(entry)
        return waiting.removeFirst()
    }

    private func wall(at time: Moment) -> Int64 {
        let (wall, overflows) = head.wallStart.addingReportingOverflow(time.microseconds)
        return overflows ? head.wallStart : wall
    }
}

extension RecordingReader {
    /// A place between two lines, to which a reader can return.
    package struct Place: Hashable, Sendable {
        /// The offset of the next line's first byte.
        package var offset: Int
        /// The number of the next line, from 1.
        package var line: Int
        /// The expected number of the next numbered record.
        package var number: Int
        /// The time of the record before the place.
        package var time: Moment
        /// Whether a chunk begins at the place. A reader that enters a chunk elsewhere cannot verify its checksum.
        var isChunkStart: Bool
        /// The reader's `displacement` at the place.
        var displacement: Int?

        /// The beginning of a recording, before its head.
        static let start = Place(offset: 0, line: 1, number: 1, time: .zero, isChunkStart: true, displacement: 0)
    }

    /// The place after the last entry. Read it before the end is reached: from a place at the end, nothing more is
    /// found even if the file grows. The reader of a growing file returns to an earlier place.
    package var place: Place {
        Place(
            offset: lines.nextOffset, line: lines.line + 1, number: expected, time: lastTime,
            isChunkStart: lines.isAtChunkStart, displacement: displacement)
    }

    /// Moves to a place of this recording, taken from a `RecordingIndex` or a reader. Works only for files and for
    /// recordings in memory.
    /// - Throws: When no line begins at the place.
    package mutating func move(to place: Place) throws(RecordingError) {
        waiting.removeAll()
        if place.offset > 0 {
            try lines.move(to: place.offset - 1, line: place.line - 1)
            guard case .whole(let rest) = try lines.next(), rest.isEmpty else {
                throw .system(operation: "find a line at byte \(place.offset) of", path: lines.source.path, code: 22)
            }
        }
        try lines.move(to: place.offset, line: place.line)
        if place.isChunkStart || place.offset == 0 { lines.beginChunk() }
        // The head is not an entry.
        if place.offset == 0 { _ = try lines.next() }
        expected = place.number
        isFirst = place.number == 1
        lastTime = place.time
        displacement = place.displacement
        indexOffset = nil
    }

    /// Returns why a followed file yields nothing more: it was cut short or replaced. Returns `nil` while it only
    /// grows.
    package func whyOver(behind place: Place) -> String? { lines.source.whyOver(behind: place.offset) }

    /// Whether the reader has read the end, and the end is a fence: other members of the group have taken over.
    package var isFenced: Bool { lines.source.isFenced }

    /// A descriptor that becomes readable when more data may be available; `nil` for a file.
    package var growth: Int32? { lines.source.growth }

    /// Returns the scanner, for callers that need lines instead of records.
    consuming func intoLines() -> LineScanner { lines }
}
