import Pipeline
import Wire

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
