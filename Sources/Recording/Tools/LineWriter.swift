import JSONText
import Wire

/// Writes the event file a tool makes of others: lines as they were, with the numbers and times of the new file, and `sync`,
/// `idx` and `end` made anew.
///
/// Of a line only these are rewritten, and only where they differ: `n` and `t`, connections and requests where two recordings
/// are merged, and the numbers of other records (`for`, `at`), which go where the record they name is not in the new file.
struct LineWriter: ~Copyable {
    /// How the records of one source are changed; merged recordings have one each.
    struct Source {
        /// Added to every time; microseconds.
        var shift: Int64 = 0
        /// Added to the numbers of connections that are not 0.
        var connections = 0
        /// Whether connections are numbered anew, in the order in which they come: a session counts its own from 1, and where
        /// some are left out the others would not be those it made.
        var renumbersConnections = false
        /// Added to the numbers of requests.
        var requests = 0
        var numbers = NumberMap()
        private var newConnections: [Int: Int] = [:]

        init(shift: Int64 = 0, connections: Int = 0, requests: Int = 0, renumbersConnections: Bool = false) {
            self.shift = shift
            self.connections = connections
            self.requests = requests
            self.renumbersConnections = renumbersConnections
        }

        /// The number of a connection in the new file.
        mutating func connection(_ number: Int) -> Int {
            guard renumbersConnections else {
                let (sum, overflows) = number.addingReportingOverflow(connections)
                return overflows ? number : sum
            }
            if let known = newConnections[number] { return known }
            newConnections[number] = newConnections.count + 1
            return newConnections.count
        }
    }

    /// The number the next record will have.
    private(set) var nextNumber: Int
    /// How many records were written, the head, `sync`, `idx` and `end` not among them.
    private(set) var records = 0
    /// Time of the record written last: a later one is never earlier.
    private(set) var lastTime = Moment.zero

    private var output: OutputFile
    private var encoder = RecordEncoder()
    private var chunk = WrittenChunk(offset: 0)
    private var index = IndexBuilder()
    private var lastWall: Int64

    /// Begins a file with the line of its head.
    static func begin(
        _ destination: ToolDestination, head: [UInt8], wallStart: Int64, firstNumber: Int = 1, isSegment: Bool = false
    ) throws(RecordingError) -> LineWriter {
        var output = try OutputFile(destination)
        if isSegment { output.digest = SHA256Digest() }
        var writer = LineWriter(output, wallStart: wallStart, firstNumber: firstNumber)
        try writer.add(ofThisVersion(head), kind: "head", time: nil)
        return writer
    }

    /// The line of a head, with the version of what the writer makes itself.
    private static func ofThisVersion(_ line: [UInt8]) -> [UInt8] {
        guard case .head(let head)? = try? LineDecoder.decode(line.span).record, head.minor != RecordFormat.minor
        else { return line }
        var changes = MemberChanges()
        changes.set("minor", Int64(RecordFormat.minor))
        return changes.applied(to: line)
    }

    private init(_ output: consuming OutputFile, wallStart: Int64, firstNumber: Int) {
        self.output = output
        lastWall = wallStart
        nextNumber = firstNumber
    }

    /// For messages.
    var path: String { output.path }
    /// How many bytes the file has.
    var bytes: Int { output.count }

    /// Writes a record of `source`. What the writer makes itself (`sync`, `idx`, `end`, more heads) is passed over.
    mutating func append(_ line: RecordLine, from source: inout Source) throws(RecordingError) {
        switch line.record {
        case .head, .sync, .index, .end: return
        case .state(let state): if source.numbers[state.after] == nil { return }
        case .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .clock, .note, .unknown:
            break
        }
        let time = clamped(line.stamp.time.microseconds, plus: source.shift)
        let number = line.isAside ? nextNumber - 1 : nextNumber
        if !line.isAside { source.numbers.add(old: line.stamp.n, new: number) }
        let changes = changes(of: line, number: number, time: time, &source)
        lastWall = line.stamp.wall
        try append(changes.applied(to: line.text), line.record, number: number, time: time)
        if case .frame(let frame) = line.record { index.count(frame) }
    }

    /// Writes a record that was in no file.
    mutating func insert(_ record: Record, at time: Moment, wall: Int64) throws(RecordingError) {
        let time = clamped(time.microseconds, plus: 0)
        let number = record.isAside ? nextNumber - 1 : nextNumber
        guard encoder.encode(record, Stamp(n: number, time: time, wall: wall)) else {
            throw .system(operation: "write a record of more than 16 MiB", path: path, code: AppendFile.tooLong)
        }
        lastWall = wall
        try append(Array(encoder.line.dropLast()), record, number: number, time: time)
    }

    /// Says again what came before the file, so that it can be played alone: a record that repeats the number of the one before.
    mutating func restate(_ line: RecordLine, at stamp: Stamp) throws(RecordingError) {
        let time = clamped(stamp.time.microseconds, plus: 0)
        var changes = MemberChanges()
        changes.set("n", Int64(nextNumber - 1))
        changes.set("t", time.microseconds)
        changes.set("re", Array("true".utf8))
        lastTime = time
        chunk.note(line.record)
        try add(changes.applied(to: line.text), kind: line.record.kind, time: time)
    }

    /// Ends a segment, and gives its SHA-256.
    consuming func closeSegment() throws(RecordingError) -> String? {
        try end(.rotated)
        let digest = output.digest
        try output.close()
        return digest?.finish()
    }

    /// Ends the file.
    consuming func close(why: Record.EndRecord.Why = .closed) throws(RecordingError) {
        try end(why)
        try output.close()
    }

    private mutating func end(_ why: Record.EndRecord.Why) throws(RecordingError) {
        try endChunk()
        let offset = output.count
        let stamp = Stamp(n: nextNumber - 1, time: lastTime, wall: lastWall)
        let isIndexed = encoder.encode(.index(index.record), stamp)
        if isIndexed { try output.write(encoder.line) }
        let end = Record.EndRecord(why: why, index: isIndexed ? offset : nil)
        let record = Record.end(end)
        let number = record.isAside ? nextNumber - 1 : nextNumber
        _ = encoder.encode(record, Stamp(n: number, time: lastTime, wall: lastWall))
        try output.write(encoder.line)
    }

    private mutating func append(_ text: [UInt8], _ record: Record, number: Int, time: Moment) throws(RecordingError) {
        if !record.isAside || number == nextNumber { nextNumber = number + 1 }
        lastTime = time
        records += 1
        chunk.note(record)
        try add(text, kind: record.kind, time: time, number: number)
        if chunk.isFull(at: time) { try endChunk() }
    }

    private mutating func add(_ text: [UInt8], kind: String, time: Moment?, number: Int = 0) throws(RecordingError) {
        let line = text + [UInt8(ascii: "\n")]
        chunk.add(line, kind: kind, time: time, number: number)
        index.count(kind)
        try output.write(line)
    }

    private mutating func endChunk() throws(RecordingError) {
        guard chunk.records > 0 else { return }
        let sync = chunk.sync(lastTime: lastTime)
        guard encoder.encode(.sync(sync), Stamp(n: nextNumber - 1, time: lastTime, wall: lastWall)) else { return }
        index.add(sync, firstNumber: chunk.firstNumber ?? nextNumber)
        try output.write(encoder.line)
        chunk = WrittenChunk(offset: output.count, connections: chunk.connections)
    }

    private func clamped(_ time: Int64, plus shift: Int64) -> Moment {
        let (sum, overflows) = time.addingReportingOverflow(shift)
        return min(max(overflows ? lastTime : Moment(microseconds: sum), lastTime), .latest)
    }

    private func changes(of line: RecordLine, number: Int, time: Moment, _ source: inout Source) -> MemberChanges {
        var changes = MemberChanges()
        // A kind of a later version that counted to no chunk counts to one now.
        if LineChecksum.finding(in: line.text.span) == .right { changes.remove("sum") }
        if number != line.stamp.n { changes.set("n", Int64(number)) }
        if time != line.stamp.time { changes.set("t", time.microseconds) }
        if let connection = line.record.connection {
            let new = source.connection(connection)
            if new != connection { changes.set("c", string: String(new)) }
        }
        switch line.record {
        case .http(let exchange):
            if source.requests != 0 {
                let (sum, overflows) = exchange.id.addingReportingOverflow(source.requests)
                changes.set("id", Int64(overflows ? exchange.id : sum))
            }
            guard let cause = exchange.cause else { break }
            if let new = source.numbers[cause] {
                if new != cause { changes.set("for", Int64(new)) }
            } else {
                changes.remove("for")
            }
        case .state(let state):
            if let new = source.numbers[state.after], new != state.after { changes.set("at", Int64(new)) }
        case .head, .connection, .frame, .subscription, .gap, .token, .action, .memory, .mark, .clock, .note, .sync,
            .index, .end, .unknown:
            break
        }
        return changes
    }
}

extension Moment {
    /// The last time a record can have.
    static let latest = Moment(microseconds: RecordFormat.maximumInteger)
}
