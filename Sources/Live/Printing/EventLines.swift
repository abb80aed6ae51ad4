import Events
import JSONText
import Pipeline
import Recording
import Wire
import Terminal

/// Prints reports as lines for people: `compact` or `pretty`.
struct EventLines {
    /// Whether an event takes one line, or as many as it needs.
    let isCompact: Bool
    /// The columns of the terminal, in `compact`.
    let width: Int?
    /// Who is called how, as far as was printed.
    private(set) var people: KnownPeople
    /// The rooms of this batch as they are shown: the same few come again and again.
    private var roomLabels: [String: String] = [:]

    init(isCompact: Bool, width: Int?, people: KnownPeople = KnownPeople()) {
        self.isCompact = isCompact
        self.width = width
        self.people = people
    }

    /// Columns of the fields of an event line.
    enum Column {
        static let room = 22
        static let roomWidth = 26
        static let kind = room + roomWidth + 2
        static let text = kind + 18
    }

    /// More rows than this of one operation in one section are summed up in `compact`.
    static let mostRows = 4
    /// Bytes of a payload shown in `pretty`; the recording has the rest.
    static let mostPayload = 4096

    /// Appends the lines of a report; nothing for what belongs on stderr.
    mutating func append(_ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        buffer.limit = isCompact ? width : nil
        switch stamped.report {
        case .event(let event): append(event, stamped.stamp, to: &buffer)
        case .diff(let diff):
            let rows = DiffRow.rows(of: diff.batch)
            people.learn(from: rows)
            append(rows, cause: diff.cause, to: &buffer)
        case .gap(let gap): append(gap, stamped.stamp, to: &buffer)
        case .typing(let report): append(report, to: &buffer)
        case .connection, .room, .action, .undecodable, .notice: break
        }
    }

    private mutating func append(_ report: EventReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        let event = report.event
        buffer.append(TimeText.clock(wall: stamp.wall), .dim)
        buffer.append("  ")
        let lag = EventLines.text(ofLag: report.lagMilliseconds(at: stamp))
        buffer.pad(to: Column.room - 2 - lag.utf8.count)
        buffer.append(lag, .dim)
        buffer.append("  ")
        if isCompact {
            if let room = event.room {
                buffer.append(label(of: room), TerminalStyle.room(room))
            }
            buffer.pad(to: Column.kind)
        }
        buffer.append(event.kind, event.isKnown ? .bold : .caution)
        if isCompact { buffer.pad(to: Column.text - 2) }
        buffer.append("  ")
        appendText(of: event, to: &buffer)
        buffer.endLine()
        if !isCompact { appendDetails(of: report, stamp, to: &buffer) }
    }

    private mutating func label(of room: String) -> String {
        if let known = roomLabels[room] { return known }
        let label = ShortName.room(room, width: Column.roomWidth)
        roomLabels[room] = label
        return label
    }

    /// Who did what; most summaries begin with who.
    private func appendText(of event: Event, to buffer: inout TerminalBuffer) {
        var (summary, actor) = (event.summary, event.actor)
        if let id = actor, let name = people[id] {
            let named = summary.replacing(id, with: name, maxReplacements: 1)
            actor = named == summary ? name : nil
            summary = named
        }
        if isCompact {
            summary = ShortName.shorteningIDs(summary)
            actor = actor.map { ShortName.shorteningIDs($0) }
        }
        if let actor, !summary.hasPrefix(actor) {
            buffer.append(actor + "  ", .bold)
        }
        buffer.append(summary)
    }

    /// Clocks that differ by more than a day say nothing about a delay.
    private static func text(ofLag milliseconds: Int64?) -> String {
        guard let milliseconds, milliseconds.magnitude < 86_400_000 else { return "" }
        return TimeText.span(milliseconds: milliseconds)
    }

    private func appendDetails(of report: EventReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        if let room = report.event.room { appendField("room", room, TerminalStyle.room(room), to: &buffer) }
        let namespace = report.namespace == "/" ? "" : " in \(report.namespace)"
        appendField("event", "\(report.wireName)\(namespace), record \(stamp.n)", .plain, to: &buffer)
        let payload = report.payload.bytes
        var text = String(decoding: payload.prefix(EventLines.mostPayload), as: UTF8.self)
        if payload.count > EventLines.mostPayload { text += "… (\(payload.count) bytes)" }
        appendField("payload", text, .dim, to: &buffer)
    }

    private func append(_ gap: GapReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        buffer.append(TimeText.clock(wall: stamp.wall), .dim)
        buffer.pad(to: Column.room)
        buffer.append("gap  ", .bad)
        buffer.append(gap.sentence)
        buffer.endLine()
    }

    private func append(_ report: TypingReport, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Column.room)
        let sentence = report.sentence
        buffer.append("✎ " + (isCompact ? ShortName.shorteningIDs(sentence) : sentence), .dim)
        buffer.endLine()
    }

    /// One `name  value` line below an event.
    func appendField(_ name: String, _ value: String, _ style: TerminalStyle, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Column.room)
        buffer.append(name, .dim)
        buffer.pad(to: Column.room + 10)
        buffer.append(value, style)
        buffer.endLine()
    }
}

extension EventReport {
    /// Receive time minus the server's time, when the server says one. Clocks are not compared: a server ahead of us
    /// gives a negative lag.
    func lagMilliseconds(at stamp: Stamp) -> Int64? {
        guard let sent = event.serverTime?.milliseconds else { return nil }
        let (lag, overflow) = (stamp.wall / 1000).subtractingReportingOverflow(sent)
        return overflow ? nil : lag
    }
}

extension TypingReport {
    /// Who types there now, in one sentence.
    var sentence: String {
        let place = (channelName.map { "“\($0)”" } ?? channel.description) + (thread == nil ? "" : ", in a thread")
        switch typing.count {
        case 0: return "nobody types in \(place) any more"
        case 1: return "\(typing[0]) types in \(place)"
        case 2: return "\(typing[0]) and \(typing[1]) type in \(place)"
        default: return "\(typing[0]), \(typing[1]) and \(typing.count - 2) more type in \(place)"
        }
    }
}

extension GapReport {
    /// The gap in one sentence: how long, why, how much, and what is done about it.
    var sentence: String {
        let long = TimeText.span(milliseconds: (to - from).microseconds / 1000)
        let amount = lost.map { "\($0) lost" } ?? "loss unknown"
        let why =
            switch cause {
            case .reconnect: "\(long) without a connection"
            case .damage: "damaged recording"
            }
        guard !refetching.isEmpty else { return "\(why), \(amount)" }
        let named = refetching.prefix(5).map { ShortName.shorteningIDs($0) }.joined(separator: ", ")
        let more = refetching.count > 5 ? " and \(refetching.count - 5) more" : ""
        return "\(why), \(amount); refetching \(named)\(more)"
    }
}
