import Wire

/// Reads an event file record by record; damage is reported with line and offset and never ends the reading.
///
/// Memory is bounded by the longest line the format allows (44 MiB), whatever the file holds. The times of a damaged or
/// edited file may go back; whoever feeds them to a session must clamp them.
package struct RecordingReader: ~Copyable {
    /// What the next line gave.
    package enum Entry: Hashable, Sendable {
        /// A record and its stamp. `sync` and `end` have no wall clock of their own; theirs is computed from the
        /// head's.
        case record(Record, Stamp)
        /// A line that cannot be read: its number (from 1), its byte offset, its length and why.
        case damage(line: Int, offset: Int, bytes: Int, message: String)
        /// The last line has no line feed, or is no record. With `isCutOff` it is what a writer leaves that is killed while it writes: the
        /// beginning of a line, behind which nothing is missing that was ever whole. Otherwise it was whole once, and was changed.
        case tornTail(offset: Int, bytes: Int, isCutOff: Bool = true)
        /// The record of this line, which comes next, has another number than the one before it leads to: records are
        /// missing, doubled or out of order. A damaged line leaves a hole, too.
        case discontinuity(expected: Int, found: Int, line: Int)
        /// The bytes since the last `sync` are not those that the `sync` of this line, which comes next, was made of;
        /// how many there are, and how many there were.
        case checksumMismatch(line: Int, bytes: Int, recorded: Int)
        /// What stands before the `sync` or `end` of this line, which comes next, is whole and was written at another byte than the chunk
        /// before it leads to: chunks are missing, doubled or out of order. Bytes of the recording as it was written. Not told where
        /// another entry tells of the chunk: records that have numbers do.
        case displacement(expected: Int, found: Int, line: Int)
    }

    /// A text message that was received, with nothing to be said of it but when and where.
    package struct ReceivedText: ~Copyable, Sendable {
        /// Which connection of the recording, counted from 1.
        package let connection: Int
        /// When.
        package let stamp: Stamp
        /// Nil once it was taken.
        private var text: ArraySlice<UInt8>?

        fileprivate init(connection: Int, stamp: Stamp, text: consuming ArraySlice<UInt8>) {
            self.connection = connection
            self.stamp = stamp
            self.text = text
        }

        /// The message. It is moved, and not counted once more: many threads may read a recording.
        package consuming func takeText() -> ArraySlice<UInt8> { text.take() ?? [] }
    }

    /// The head.
    package let head: Record.Head

    var lines: LineScanner
    var expected = 1
    var lastTime = Moment.zero
    /// Whether no number was met: a later segment begins with any.
    var isFirst = true
    /// How many bytes behind the place it was written at the last chunk stands, or before it when negative. Nil when nothing can be said of
    /// the chunk at hand: reading did not begin with a file, or something was told of the chunk that may have moved its end.
    var displacement: Int? = 0
    /// Where the index stands that was met behind the last chunk.
    var indexOffset: Int?
    private var clock = WallClockMinute()
    /// The frames of a block, resolved ahead.
    private var payloads = ResolvedPayloads()
    /// Where the line given last stands in the scanner's buffer.
    private var current: Range<Int>
    /// What the last line gave besides what was returned for it.
    var waiting: [Entry] = []

    /// Opens a file (`-` is standard input) and reads its head.
    package init(opening path: String) throws(RecordingError) {
        try self.init(LineScanner(source: ByteSource(opening: path)))
    }

    /// Reads from an open descriptor (a pipe, a socket), which stays open; `name` is for messages.
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

    /// Reads on from a place, with a scanner that is there.
    init(head: Record.Head, _ scanner: consuming LineScanner, from place: Place) throws(RecordingError) {
        self.head = head
        current = 0..<0
        // The head is no entry.
        if place.offset == 0 { _ = try scanner.next() }
        lines = scanner
        expected = place.number
        lastTime = place.time
        displacement = place.displacement
        isFirst = place.offset == 0
    }

    /// Reads a block.
    init(of block: RecordingBlock) {
        head = block.head
        current = 0..<0
        lines = LineScanner(block: block.bytes, block.range, at: block.place)
        expected = block.place.number
        lastTime = block.place.time
        displacement = block.place.displacement
        isFirst = block.place.offset == 0
        // What is in memory is there.
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

    /// The line that the last entry came of, as it stands in the file, without its line feed; empty when it is too long. Before the
    /// first entry, the head's. For tools that copy lines.
    package var line: Span<UInt8> {
        @_lifetime(borrow self)
        get { lines.buffer.span.extracting(current) }
    }

    /// Whether an entry can be given without reading on: it, or its line, is at hand.
    package var hasEntryAtHand: Bool { !waiting.isEmpty || lines.hasLineAtHand }

    /// The next entry, nil at the end.
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

    /// The next entry where that is a text message that was received, of a block; nil for any other, and then nothing has happened: `next()`
    /// gives it. Nearly all records of a recording are such messages, and who wants no more of them is spared the record around each.
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

    /// Whether what has no line feed is a record and one more byte: a line feed once. The beginning of a line never is that.
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

    /// The frame of a line of the usual form, and its payload.
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

    /// Nearly all entries come this way, so that nothing is made that is not given.
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
        // The bytes of a recording that stands behind another one are counted from its head.
        case .head: displacement = lines.offset
        default: break
        }
        return given(.record(decoded.record, stamp))
    }

    /// A `sync` stands here: what that says about its chunk.
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

    /// The recording ends here, and says where its index was written.
    private mutating func look(at end: Record.EndRecord) {
        guard let found = end.index, let indexOffset, let displacement else { return }
        let expected = indexOffset - displacement
        if expected != found {
            waiting.append(.displacement(expected: expected, found: found, line: lines.line))
        }
    }

    /// The line given last is damaged.
    private mutating func markDamage() {
        lines.markDamage()
        displacement = nil
    }

    /// A record has this number: what that says about those before it.
    private mutating func meet(_ number: Int, repeatsNumber: Bool, isUnknown: Bool) {
        if isFirst, head.segment > 1 { expected = repeatsNumber ? number + 1 : number }
        isFirst = false
        // A kind of a newer version may stand aside, too.
        let isAside = repeatsNumber || (isUnknown && number == expected - 1)
        let due = isAside ? expected - 1 : expected
        if number != due {
            waiting.append(.discontinuity(expected: due, found: number, line: lines.line))
            displacement = nil
        }
        expected = number + 1
    }

    /// The entry, behind what is to be told before it.
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
