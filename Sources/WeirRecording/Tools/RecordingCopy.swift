import Glibc
import WeirPipeline
import WeirWire

/// Functions that copy a recording line by line.
package enum RecordingCopy {
    /// Writes the records of the file at `path` with new `sync`, `idx` and `end` records, as `weir file index` does.
    package static func index(
        _ path: String, to destination: ToolDestination, hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        try copy(path, to: destination, hearing: problem) { _ in true }
    }

    /// Writes a compressed copy of a file. It appears at its destination only when complete; a failure leaves no file.
    package static func compress(
        _ path: String, to destination: ToolDestination
    ) throws(RecordingError) -> RecordingCompressor.Result {
        guard let target = destination.path, target != "-" else {
            return try RecordingCompressor.compress(path, to: "-")
        }
        try OutputFile.refuse(destination.replaces, at: target)
        let made = "\(target).\(getpid()).frames"
        let result: RecordingCompressor.Result
        do throws(RecordingError) {
            result = try RecordingCompressor.compress(path, to: made)
        } catch {
            // A file that existed before must stay.
            if case .exists = error {} else { unlink(made) }
            throw error
        }
        try OutputFile.put(made, at: target, replaces: destination.replaces)
        return result
    }

    /// Returns the SHA-256 of a file's text.
    static func digest(of path: String) throws(RecordingError) -> String {
        let source = try ByteSource(opening: path)
        let digest = SHA256Digest()
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        while let piece = try source.next(into: &buffer) { digest.update(piece.span) }
        return digest.finish()
    }

    /// Writes the text of a file byte for byte, after decompression.
    package static func text(of path: String, to destination: ToolDestination) throws(RecordingError) {
        let source = try ByteSource(opening: path)
        var output = try OutputFile(destination)
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        while let piece = try source.next(into: &buffer) { try output.write(Array(piece)) }
        try output.close()
    }

    /// Publishes the text of a file to a stream, or the part that the stream lacks. Returns the number of bytes
    /// published and the number already present.
    package static func publish(_ path: String, to url: String) throws(RecordingError) -> (bytes: Int, known: Int) {
        let part: (recording: String, offset: Int)
        // A spool file holds what a recorder could not publish, so it begins inside the recording.
        if let spooled = StreamSpool.part(path) {
            part = spooled
        } else {
            part = (try RecordingReader(opening: path).head.recording, 0)
        }
        let source = try ByteSource(opening: path)
        let output = try RemoteRecordings.create(url, recording: part.recording, resumes: true)
        let known = output.offset
        var buffer = [UInt8](repeating: 0, count: ByteSource.pieceBytes)
        // The size of a compressed file is not always known, so the file is read from its beginning.
        var (passed, published) = (part.offset, 0)
        guard passed <= known else {
            throw .unusable(
                path: url, message: "it holds \(known) bytes of this recording, and \(path) begins at \(passed)")
        }
        while let piece = try source.next(into: &buffer) {
            let new = max(0, min(piece.count, passed + piece.count - known))
            passed += piece.count
            guard new > 0 else { continue }
            try output.write(Array(piece.suffix(new)))
            published += new
        }
        guard passed >= known else {
            throw .unusable(path: url, message: "it holds \(known) bytes of this recording, and \(path) has \(passed)")
        }
        try output.flush()
        try output.finish()
        return (published, known)
    }

    /// Writes the records for which `isWanted` returns true.
    static func copy(
        _ path: String, to destination: ToolDestination, renumbersConnections: Bool = false,
        hearing hear: ProblemListener, where isWanted: (RecordLine) throws(RecordingError) -> Bool
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var reader = try LineReader(opening: path)
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: reader.headText, wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source(renumbersConnections: renumbersConnections)
        while let line = try reader.next(hearing: hear) {
            // After a record is left out, the state of the model can no longer be compared.
            if case .state = line.record, report.leftOut > 0 {
                report.leftOut += 1
            } else if try isWanted(line) {
                try writer.append(line, from: &source)
            } else if !line.record.isWritersOwn {
                report.leftOut += 1
            }
        }
        report.written = writer.records
        report.problems = reader.problems
        try writer.close()
        return report
    }
}

extension Record {
    /// Whether the writer of a file creates this record itself.
    var isWritersOwn: Bool {
        switch self {
        case .head, .sync, .index, .end: true
        case .connection, .frame, .http, .subscription, .gap, .token, .action, .memory, .mark, .state, .clock, .note,
            .unknown:
            false
        }
    }
}

/// A selection of records.
///
/// A criterion applies only to records that have its property: the one for events to messages with events, the one for
/// rooms to records that name a room. Other records are kept, so that connection management stays in the file and it
/// can be replayed. Only `kinds` applies to every record. A message with several events is kept if one of them is
/// selected.
package struct RecordSelection: Hashable, Sendable {
    /// Shell patterns (`*`, `?` and `[…]`): at least one of `included` and none of `excluded` must match.
    package struct Criterion: Hashable, Sendable {
        /// The patterns of which one must match; empty accepts all values.
        package var included: [String]
        /// The patterns that must not match.
        package var excluded: [String]
        package init(included: [String] = [], excluded: [String] = []) {
            self.included = included
            self.excluded = excluded
        }

        func accepts(_ value: String?) -> Bool {
            guard let value else { return true }
            if excluded.contains(where: { Self.matches(value, $0) }) { return false }
            return included.isEmpty || included.contains { Self.matches(value, $0) }
        }

        private static func matches(_ value: String, _ pattern: String) -> Bool { fnmatch(pattern, value, 0) == 0 }
    }

    /// The criterion for the record's kind: `f`, `http`, `sub`, ….
    package var kinds = Criterion()
    /// The criterion for the event's name on the wire.
    package var events = Criterion()
    /// The criterion for the room's name.
    package var rooms = Criterion()
    /// The criterion for the connection's number.
    package var connections = Criterion()
    /// The direction of the selected messages; `nil` selects both.
    package var direction: Record.FrameRecord.Direction?
    /// The part of the recording to select from.
    package var span = RecordingSpan()

    /// Creates a selection of all records.
    package init() {}

    /// Returns whether a record is selected, ignoring its position.
    func contains(_ line: RecordLine) -> Bool {
        guard kinds.accepts(line.record.kind), connections.accepts(line.record.connection.map { String($0) }) else {
            return false
        }
        if case .frame(let frame) = line.record {
            if let direction, frame.direction != direction { return false }
            let brought = FrameContents(frame.message).events
            return brought.isEmpty || brought.contains { events.accepts($0.name) && rooms.accepts($0.room) }
        }
        return rooms.accepts(line.record.room)
    }
}

extension RecordingCopy {
    /// Writes the selected records. Connections are renumbered if some may be left out.
    package static func filter(
        _ path: String, _ selection: RecordSelection, to destination: ToolDestination,
        hearing problem: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        var cursor = SpanCursor(selection.span)
        let numbering = selection.connections == .init() && selection.span.start == nil
        return try copy(path, to: destination, renumbersConnections: !numbering, hearing: problem) { line in
            cursor.move(to: line) == .inside && selection.contains(line)
        }
    }
}

/// The earlier records that a part of a recording needs to be replayed: the open connections with their handshakes, the
/// subscription requests, and the answers that admitted the client to rooms.
struct Prelude {
    private static let mostRooms = 10_000
    private static let mostMessages = 16
    private var connections: [(number: Int, lines: [RecordLine], messages: Int)] = []
    /// The end of the connection that ended last. When none is open, it determines the number of the next one.
    private var lastEnd: RecordLine?
    private var wishes: [(room: String, line: RecordLine)] = []
    /// The last `share` record, which determines the session's rooms in a group.
    private var share: RecordLine?
    /// The answers that confirmed joined rooms.
    private var joins: [(room: String, line: RecordLine)] = []

    /// Takes note of a record before the part.
    mutating func note(_ line: RecordLine) {
        switch line.record {
        case .connection(let change): note(change, line)
        case .frame(let frame): if frame.direction == .in { note(frame, line) }
        case .subscription(let change): note(change, line)
        case .head, .http, .gap, .token, .action, .memory, .mark, .state, .clock, .note, .sync, .index, .end, .unknown:
            break
        }
    }

    private mutating func note(_ frame: Record.FrameRecord, _ line: RecordLine) {
        guard case .text(let text) = frame.message,
            let place = connections.firstIndex(where: { $0.number == frame.connection })
        else { return }
        // Every message of the recording passes here, so one that cannot answer a join is not parsed.
        let contents = text.starts(with: "42".utf8) ? FrameContents(frame.message) : nil
        let landmarks = BackendModule.allLandmarks
        if let room = contents?.room, landmarks.contains(where: { $0.join == contents?.event }) {
            joins.removeAll { $0.room == room }
            if joins.count < Self.mostRooms { joins.append((room, line)) }
        } else if connections[place].messages < Self.mostMessages,
            landmarks.contains(where: { $0.admission == contents?.event }) || Self.isHandshake(text)
        {
            connections[place].messages += 1
            connections[place].lines.append(line)
        }
    }

    private mutating func note(_ change: Record.SubscriptionRecord, _ line: RecordLine) {
        switch change.act {
        case .only, .reset: wishes = [(change.room, line)]
        case .share: share = line
        case .want, .unwant, .select:
            wishes.removeAll { $0.room == change.room }
            if wishes.count < Self.mostRooms { wishes.append((change.room, line)) }
        case .withdraw: wishes.removeAll { $0.room == change.room }
        case .leave, .left, .lost, .deny: joins.removeAll { $0.room == change.room }
        case .join, .ack, .who, .history, .refetch: break
        }
    }

    private mutating func note(_ change: Record.ConnectionRecord, _ line: RecordLine) {
        switch change.state {
        case .connecting: connections.append((change.connection, [line], 0))
        case .open, .upgraded:
            if let place = connections.firstIndex(where: { $0.number == change.connection }) {
                connections[place].lines.append(line)
            } else {
                connections.append((change.connection, [line], 0))
            }
        case .closing, .paused, .stalled, .resumed: break
        case .closed, .failed:
            connections.removeAll { $0.number == change.connection }
            if connections.isEmpty { joins = [] }
            lastEnd = line
        }
    }

    /// Returns whether a message is a handshake of Engine.IO or Bayeux, or the answer to joining a namespace.
    private static func isHandshake(_ text: ArraySlice<UInt8>) -> Bool {
        if text.first == UInt8(ascii: "0") || text.starts(with: "40".utf8) { return true }
        guard text.first == UInt8(ascii: "["), let messages = try? Bayeux.Frame(parsing: text).messages else {
            return false
        }
        return messages.contains { $0.channel == Bayeux.Channel.handshake.name }
    }

    /// The records to restate, in their original order.
    var lines: [RecordLine] {
        let connected = connections.isEmpty ? lastEnd.map { [$0] } ?? [] : connections.flatMap { $0.lines }
        return (connected + (share.map { [$0] } ?? []) + wishes.map { $0.line } + joins.map { $0.line }).sorted {
            ($0.line, $0.offset) < ($1.line, $1.offset)
        }
    }
}

extension RecordingCopy {
    /// Writes a part of a recording. First it restates, at the time the part begins, the records that the part needs to
    /// be replayed.
    ///
    /// With `ripples` the times begin at 0, which closes the hole before the part. Otherwise times stay unchanged.
    package static func cut(
        _ path: String, _ span: RecordingSpan, ripples: Bool = false, to destination: ToolDestination,
        hearing hear: ProblemListener = { _, _ in }
    ) throws(RecordingError) -> ToolReport {
        var report = ToolReport()
        var reader = try LineReader(opening: path)
        let first = try reader.firstNumber()
        var writer = try LineWriter.begin(
            destination, head: reader.headText, wallStart: reader.head.wallStart, firstNumber: first)
        var source = LineWriter.Source()
        var cursor = SpanCursor(span)
        var prelude: Prelude? = Prelude()
        var stamps: (first: Stamp, last: Stamp)?
        var isEmpty = true
        while let line = try reader.next(hearing: hear) {
            if line.record.isWritersOwn { continue }
            stamps = (stamps?.first ?? line.stamp, line.stamp)
            switch cursor.move(to: line) {
            case .before:
                prelude?.note(line)
                report.leftOut += 1
            case .inside:
                isEmpty = false
                if span.start != nil, let before = prelude.take() {
                    if ripples { source.shift = -line.stamp.time.microseconds }
                    let stamp = Stamp(n: 0, time: ripples ? .zero : line.stamp.time, wall: line.stamp.wall)
                    for line in before.lines { try writer.restate(line, at: stamp) }
                    report.leftOut -= before.lines.count
                }
                // A model that begins here cannot be compared with a state from the whole recording.
                if case .state = line.record, span.start != nil {
                    report.leftOut += 1
                } else {
                    try writer.append(line, from: &source)
                }
            case .behind: report.leftOut += 1
            }
        }
        if isEmpty {
            let has = stamps.map {
                "it goes from n:\(max($0.first.n, 1)) to n:\($0.last.n), \(RecordingTime.text($0.first.wall)) to "
                    + "\(RecordingTime.text($0.last.wall)), +\(Double($0.last.time.microseconds) / 1e6)s"
            }
            throw .unusable(
                path: path, message: "no record is there, so that nothing is written: " + (has ?? "it has none"))
        }
        report.written = writer.records
        report.problems = reader.problems
        try writer.close()
        return report
    }
}
