import WeirJSON
import WeirWire

/// Writes an event file derived from others: the original lines with the numbers and times of the new file, and new
/// `sync`, `idx` and `end` records.
///
/// Only these members of a line are rewritten, and only where they differ: `n` and `t`; connections and requests when
/// recordings are merged; and references to other records (`for`, `at`), which are removed when the record they name is
/// not in the new file.
struct LineWriter: ~Copyable {
    /// How the records of one source change. Each merged recording has its own.
    struct Source {
        /// Microseconds added to every time.
        var shift: Int64 = 0
        /// The number added to connection numbers other than 0.
        var connections = 0
        /// Whether connections are renumbered in order of appearance. A session numbers its own connections from 1, so
        /// when some are left out the others need new numbers.
        var renumbersConnections = false
        /// The number added to request ids.
        var requests = 0
        var numbers = NumberMap()
        private var newConnections: [Int: Int] = [:]

        init(shift: Int64 = 0, connections: Int = 0, requests: Int = 0, renumbersConnections: Bool = false) {
            self.shift = shift
            self.connections = connections
            self.requests = requests
            self.renumbersConnections = renumbersConnections
        }

        /// Returns the number of a connection in the new file.
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

    /// The number of the next record.
    private(set) var nextNumber: Int
    /// The number of records written, not counting the head, `sync`, `idx` and `end`.
    private(set) var records = 0
    /// The time of the record written last. No later record has an earlier time.
    private(set) var lastTime = Moment.zero

    private var output: OutputFile
    private var encoder = RecordEncoder()
    private var chunk = OpenChunk(offset: 0)
    private var summary = ChunkSummary()
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

    /// Returns the line of a head with this version's minor number, since the writer adds records of this version.
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

    /// The path of the file, for messages.
    var path: String { output.path }
    /// The number of bytes in the file.
    var bytes: Int { output.count }

    /// Writes a record of `source`. Skips the records that this writer creates itself (`sync`, `idx`, `end`) and
    /// further heads.
    mutating func append(_ line: RecordLine, from source: inout Source) throws(RecordingError) {
        switch line.record {
        case .head, .sync, .index, .end: return
        case .state(let state): if source.numbers[state.after] == nil { return }
        case .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .clock, .note, .unknown:
            break
        }
        let time = clamped(line.stamp.time.microseconds, plus: source.shift)
        let number = line.isUnnumbered ? nextNumber - 1 : nextNumber
        if !line.isUnnumbered { source.numbers.add(old: line.stamp.n, new: number) }
        let changes = changes(of: line, number: number, time: time, &source)
        lastWall = line.stamp.wall
        try append(changes.applied(to: line.text), line.record, number: number, time: time)
        if case .frame(let frame) = line.record { summary.countRooms(of: frame) }
    }

    /// Writes a record that was in no source file.
    mutating func insert(_ record: Record, at time: Moment, wall: Int64) throws(RecordingError) {
        let time = clamped(time.microseconds, plus: 0)
        let number = record.isUnnumbered ? nextNumber - 1 : nextNumber
        guard encoder.encode(record, Stamp(n: number, time: time, wall: wall)) else {
            throw .system(operation: "write a record \(RecordFormat.tooLong)", path: path, code: AppendFile.tooLong)
        }
        lastWall = wall
        try append(Array(encoder.line.dropLast()), record, number: number, time: time)
    }

    /// Restates a record from before the file, so that the file can be played alone. It carries the number of the
    /// record before it.
    mutating func restate(_ line: RecordLine, at stamp: Stamp) throws(RecordingError) {
        let time = clamped(stamp.time.microseconds, plus: 0)
        var changes = MemberChanges()
        changes.set("n", Int64(nextNumber - 1))
        changes.set("t", time.microseconds)
        changes.set("re", Array("true".utf8))
        lastTime = time
        summary.note(line.record)
        try add(changes.applied(to: line.text), kind: line.record.kind, time: time)
    }

    /// Ends a segment and returns its SHA-256.
    consuming func closeSegment() throws(RecordingError) -> String? {
        try end(.rotated)
        let digest = output.digest
        try output.close()
        return digest?.finish()
    }

    /// Writes the end of the file and closes it.
    consuming func close(why: Record.EndRecord.Why = .closed) throws(RecordingError) {
        try end(why)
        try output.close()
    }

    private mutating func end(_ why: Record.EndRecord.Why) throws(RecordingError) {
        try endChunk()
        let offset = output.count
        let stamp = Stamp(n: nextNumber - 1, time: lastTime, wall: lastWall)
        var end = Record.EndRecord(why: why)
        if let index = summary.index, encoder.encode(.index(index), stamp) {
            try output.write(encoder.line)
            end.index = offset
        }
        let record = Record.end(end)
        let number = record.isUnnumbered ? nextNumber - 1 : nextNumber
        _ = encoder.encode(record, Stamp(n: number, time: lastTime, wall: lastWall))
        try output.write(encoder.line)
    }

    private mutating func append(_ text: [UInt8], _ record: Record, number: Int, time: Moment) throws(RecordingError) {
        if !record.isUnnumbered || number == nextNumber { nextNumber = number + 1 }
        lastTime = time
        records += 1
        summary.note(record)
        try add(text, kind: record.kind, time: time, number: record.isUnnumbered ? nextNumber : number)
        if chunk.isFull(at: time) { try endChunk() }
    }

    private mutating func add(_ text: [UInt8], kind: String, time: Moment?, number: Int? = nil) throws(RecordingError) {
        let line = text + [UInt8(ascii: "\n")]
        chunk.add(line, kind: kind, time: time, number: number ?? nextNumber)
        try output.write(line)
    }

    private mutating func endChunk() throws(RecordingError) {
        guard chunk.records > 0 else { return }
        let sync = chunk.sync(lastTime: lastTime, connections: summary.openConnections)
        guard encoder.encode(.sync(sync), Stamp(n: nextNumber - 1, time: lastTime, wall: lastWall)) else { return }
        summary.add(sync, firstNumber: chunk.firstNumber ?? nextNumber)
        try output.write(encoder.line)
        chunk = OpenChunk(offset: output.count)
    }

    private func clamped(_ time: Int64, plus shift: Int64) -> Moment {
        let (sum, overflows) = time.addingReportingOverflow(shift)
        return min(max(overflows ? lastTime : Moment(microseconds: sum), lastTime), .latest)
    }

    private func changes(of line: RecordLine, number: Int, time: Moment, _ source: inout Source) -> MemberChanges {
        var changes = MemberChanges()
        // A kind from a later version may have been outside the chunks and carry its own checksum; here it is inside a
        // chunk.
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
    /// The latest time that a record can have.
    static let latest = Moment(microseconds: RecordFormat.maximumInteger)
}

/// A map from a record's old number to its number in the new file.
///
/// Memory is bounded: when the numbers have many holes, the oldest entries are forgotten first.
struct NumberMap {
    private struct Run {
        var old: Int
        var new: Int
        var count: Int
    }

    private static let mostRuns = 4096
    private var runs: [Run] = []
    /// Whether the number of any record has changed. Until then every number maps to itself, even for records in
    /// another file.
    private var isChanged = false

    /// Maps record `old` to `new`. Calls must be in the order of the records.
    mutating func add(old: Int, new: Int) {
        if old != new { isChanged = true }
        if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
            runs[runs.count - 1].count += 1
            return
        }
        if runs.count >= Self.mostRuns { runs.removeFirst(Self.mostRuns / 2) }
        runs.append(Run(old: old, new: new, count: 1))
    }

    /// The new number of record `old`; `nil` when it is not in the new file or was forgotten.
    subscript(old: Int) -> Int? {
        if !isChanged { return old }
        for run in runs.reversed() where old >= run.old && old - run.old < run.count { return run.new + old - run.old }
        return nil
    }
}
