import Events
import JSONText
import Pipeline
import Recording
import Wire
import Terminal

/// Prints reports as lines for people: `compact` or `pretty`. What is printed depends on the reports alone, and on what was printed of
/// those before.
struct EventLines {
    /// Whether an event takes one line, or as many as it needs.
    let isCompact: Bool
    /// The columns of the terminal, in `compact`.
    var width: Int?
    let settings: LineSettings
    /// Who is called how, as far as was printed.
    var people = KnownPeople()
    /// Where the fields of an event line stand.
    var columns: EventColumns
    /// The rooms as they are shown: the same few come again and again.
    private var roomLabels: [String: String] = [:]
    private var clock: ZoneClock
    /// When the event printed last was received.
    private var last: Moment?

    init(isCompact: Bool, width: Int?, _ settings: LineSettings = LineSettings()) {
        self.isCompact = isCompact
        self.width = width
        self.settings = settings
        columns = EventColumns(settings)
        clock = ZoneClock(settings.zone)
    }

    /// More rows than this of one operation in one section are summed up in `compact`.
    static let mostRows = 4
    /// Bytes of a payload shown in `pretty`; the recording has the rest.
    static let mostPayload = 4096
    /// More rooms than these are made ready anew each time.
    private static let mostLabels = 10_000

    /// Appends the lines of a report; nothing for what belongs on stderr.
    mutating func append(_ stamped: StampedReport, _ mark: ViewMark = ViewMark(), to buffer: inout TerminalBuffer) {
        guard mark.isShown else { return learn(from: stamped.report) }
        buffer.limit = isCompact ? width : nil
        buffer.isHighlighted = mark.isHighlighted
        defer { buffer.isHighlighted = false }
        switch stamped.report {
        case .event(let event): append(event, stamped, mark, to: &buffer)
        case .diff(let diff):
            let rows = DiffRow.rows(of: diff.batch)
            people.learn(from: diff, rows)
            append(rows, cause: diff.cause, to: &buffer)
        case .gap(let gap): append(gap, stamped.stamp, to: &buffer)
        case .typing(let report): append(report, to: &buffer)
        case .emit(let report): append(report, stamped, to: &buffer)
        case .connection, .room, .action, .refetch, .undecodable, .notice: break
        }
    }

    private mutating func append(
        _ report: EventReport, _ stamped: StampedReport, _ mark: ViewMark, to buffer: inout TerminalBuffer
    ) {
        let event = report.event
        appendSpacer(stamped.stamp, to: &buffer)
        appendDate(stamped.stamp, to: &buffer)
        let isForUser = people.isUser(among: report.mentions)
        if isForUser { buffer.isHighlighted = true }
        appendTime(stamped, to: &buffer)
        if isCompact {
            if let room = event.room ?? namespace(of: report) {
                let label = label(of: room)
                columns.roomWidth = max(columns.roomWidth, TerminalText.width(of: label))
                buffer.append(label, TerminalStyle.room(room))
            }
            buffer.pad(to: columns.kind)
        }
        buffer.append(event.kind, event.isKnown ? .bold : .caution)
        if isCompact { buffer.pad(to: columns.text - 2) }
        buffer.append("  ")
        if mark.leftOut > 0 { buffer.append("(+\(mark.leftOut)) ", .dim) }
        if let id = report.ackID { buffer.append("#\(id)\(mark.isAnswered ? "✓" : "?") ", .caution) }
        if isForUser { appendMentionMark(to: &buffer) }
        appendText(of: event, to: &buffer)
        buffer.endLine()
        if !isCompact { appendDetails(of: report, stamped.stamp, to: &buffer) }
    }

    /// What stands for the colours where there are none: the line mentions the user.
    func appendMentionMark(to buffer: inout TerminalBuffer) {
        if !buffer.colour { buffer.append("@ ") }
    }

    /// Where an event without a room belongs: its namespace, unless that is the usual one and the only one.
    func namespace(of report: EventReport) -> String? {
        guard report.event.socketIO != nil, settings.showsNamespaces || report.namespace != "/" else { return nil }
        return report.namespace
    }

    /// A pause worth a line.
    private func appendSpacer(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        guard let spacer = settings.spacer, let last, stamp.time - last >= spacer else { return }
        buffer.append("── \(TimeText.span(milliseconds: (stamp.time - last).microseconds / 1000)) ──", .dim)
        buffer.endLine()
    }

    /// The time, where one is wanted, and the lag of an event.
    mutating func appendTime(_ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        appendTime(stamped.stamp, to: &buffer)
        if case .event = stamped.report { last = stamped.stamp.time }
        appendLag(stamped.lag, to: &buffer)
    }

    /// A line for another day, where times of the day stand in front of the lines.
    mutating func appendDate(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        guard settings.time == .abs, let date = clock.newDate(stamp.wall) else { return }
        buffer.append("── \(date) ──", .dim)
        buffer.endLine()
    }

    private mutating func appendTime(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        let text: String
        switch settings.time {
        case .none: return
        case .abs: text = TimeText.clock(wall: clock.local(stamp.wall))
        case .rel: text = TimeText.elapsed(milliseconds: stamp.time.microseconds / 1000)
        case .delta:
            text = TimeText.elapsed(milliseconds: (stamp.time - (last ?? stamp.time)).microseconds / 1000)
        }
        buffer.pad(to: EventColumns.time - text.utf8.count)
        buffer.append(text, .dim)
        buffer.append("  ")
    }

    private func appendLag(_ lag: Int64?, to buffer: inout TerminalBuffer) {
        let text = EventLines.text(ofLag: lag)
        buffer.pad(to: columns.room - 2 - text.utf8.count)
        let style: TerminalStyle =
            switch lag ?? 0 {
            case ..<1000: .dim
            case ..<10_000: .caution
            default: .bad
            }
        buffer.append(text, style)
        buffer.append("  ")
    }

    /// Learns who is called how.
    mutating func learn(from report: Report) {
        if case .diff(let diff) = report { people.learn(from: diff, DiffRow.rows(of: diff.batch)) }
    }

    /// Who an id is, as far as that is known.
    func name(of actor: String) -> String { people[actor] ?? ShortName.shorteningIDs(actor) }

    /// A room's name as it is shown.
    mutating func label(of room: String) -> String {
        if let known = roomLabels[room] { return known }
        let label = ShortName.room(room, width: settings.roomWidth)
        if roomLabels.count < EventLines.mostLabels, room.utf8.count <= KnownRooms.longestKept {
            roomLabels[room] = label
        }
        return label
    }

    /// Who did what; most summaries begin with who.
    private func appendText(of event: Event, to buffer: inout TerminalBuffer) {
        let (actor, summary) = words(of: event)
        if let actor, !summary.hasPrefix(actor) {
            buffer.append(actor + "  ", .bold)
        }
        buffer.append(summary)
    }

    /// Who did it, as far as somebody is named, and what.
    func words(of event: Event) -> (actor: String?, summary: String) {
        var (summary, actor) = (event.summary, event.actor)
        if let id = actor, let name = people[id] {
            let named = summary.replacing(id, with: name, maxReplacements: 1)
            actor = named == summary ? name : nil
            summary = named
        }
        guard isCompact else { return (actor, summary) }
        return (actor.map { ShortName.shorteningIDs($0) }, ShortName.shorteningIDs(summary))
    }

    /// Clocks that differ by more than a day say nothing about a delay.
    private static func text(ofLag milliseconds: Int64?) -> String {
        guard let milliseconds, milliseconds.magnitude < 86_400_000 else { return "" }
        return TimeText.span(milliseconds: milliseconds)
    }

    private func appendDetails(of report: EventReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        if let room = report.room { appendField("room", room, TerminalStyle.room(room), to: &buffer) }
        let namespace = report.namespace == "/" ? "" : " in \(report.namespace)"
        appendField("event", "\(report.wireName)\(namespace), record \(stamp.n)", .plain, to: &buffer)
        let payload = report.payload.bytes
        var text = String(decoding: RawJSON.readable(payload.prefix(EventLines.mostPayload)), as: UTF8.self)
        if payload.count > EventLines.mostPayload { text += "… (\(payload.count) bytes)" }
        appendField("payload", text, .dim, to: &buffer)
    }

    private mutating func append(_ gap: GapReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        appendDate(stamp, to: &buffer)
        appendTime(stamp, to: &buffer)
        buffer.pad(to: columns.room)
        buffer.append("gap  ", .bad)
        buffer.append(gap.sentence)
        buffer.endLine()
    }

    private func append(_ report: TypingReport, to buffer: inout TerminalBuffer) {
        buffer.pad(to: columns.room)
        let sentence = report.sentence
        buffer.append("✎ " + (isCompact ? ShortName.shorteningIDs(sentence) : sentence), .dim)
        buffer.endLine()
    }

    /// What the server answered is a line as an event's; that it was answered is one below. What went wrong is told on standard error.
    private mutating func append(_ report: EmitReport, _ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        guard !report.isProblem, report.isAnswer || report.outcome != .sent else { return }
        appendDate(stamped.stamp, to: &buffer)
        appendTime(stamped, to: &buffer)
        buffer.pad(to: isCompact ? columns.kind : columns.room)
        buffer.append(report.isAnswer ? "✓" : "ack", report.isAnswer ? .dim : .bold)
        if isCompact { buffer.pad(to: columns.text - 2) }
        buffer.append("  " + report.sentence, report.isAnswer ? .dim : .plain)
        buffer.endLine()
    }

    /// One `name  value` line below an event.
    func appendField(_ name: String, _ value: String, _ style: TerminalStyle, to buffer: inout TerminalBuffer) {
        buffer.pad(to: columns.room)
        buffer.append(name, .dim)
        buffer.pad(to: columns.room + 10)
        buffer.append(value, style)
        buffer.endLine()
    }
}

/// Columns of the fields of an event line.
struct EventColumns {
    /// Of the time, where there is one.
    static let time = 12

    /// Where the room stands, and whatever is told below an event.
    let room: Int
    /// Of the widest room shown so far.
    var roomWidth = 0

    init(_ settings: LineSettings) { room = settings.time == .none ? 8 : Self.time + 10 }

    var kind: Int { roomWidth > 0 ? room + roomWidth + 2 : room }
    var text: Int { kind + 18 }
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
        let amount =
            lost.map { "\($0) lost" } ?? (refetching.isEmpty ? "loss cannot be counted" : "loss not counted yet")
        let why =
            switch cause {
            case .reconnect: "\(long) without a connection"
            case .damage: "damaged recording"
            case .overflow: "the viewer did not keep up for \(long)"
            case .paused: "paused for too long: \(long) are not shown"
            case .catchUp: "more was missed in \(long) than is caught up with"
            case .refetched: "\(long) without a connection"
            }
        if let missed {
            let words =
                missed == 0
                ? "no message was missed"
                : missed == 1 ? "1 missed message fetched" : "\(missed) missed messages fetched"
            return "refetched: \(why), \(words)"
        }
        if let hole {
            return
                "\(why), \(amount); missing: \(ShortName.shorteningIDs(hole.sentence)) (weir rooms history fetches them)"
        }
        guard !refetching.isEmpty else { return "\(why), \(amount)" }
        let named = refetching.prefix(5).map { ShortName.shorteningIDs($0) }.joined(separator: ", ")
        let more = refetching.count > 5 ? " and \(refetching.count - 5) more" : ""
        return "\(why), \(amount); refetching \(named)\(more)"
    }
}

extension Hole {
    /// `messages of CH from 2026-01-02T03:04:05.000Z to 2026-01-02T03:05:00.000Z`.
    var sentence: String {
        let place = section.parent.map { " of \($0.description)" } ?? ""
        return "\(section.name)\(place) from \(TimeText.rfc3339(milliseconds: from.milliseconds)) to "
            + TimeText.rfc3339(milliseconds: to.milliseconds)
    }
}
