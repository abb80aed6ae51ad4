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
    var width: Int? { didSet { if width != oldValue { columns = EventColumns(settings, width: width) } } }
    let settings: LineSettings
    /// The names that are known so far.
    var names = KnownNames()
    /// Where the fields of an event line stand.
    var columns: EventColumns
    /// Whether what is printed now is to stand out.
    var isPointedOut = false
    /// The rooms as they were shown with the names and the width of then: the same few come again and again.
    private var labelled: (revision: Int, width: Int, labels: [String: String]) = (0, 0, [:])
    private var clock: ZoneClock
    /// When the event printed last was received.
    private var last: Moment?

    init(isCompact: Bool, width: Int?, _ settings: LineSettings = LineSettings()) {
        self.isCompact = isCompact
        self.width = width
        self.settings = settings
        columns = EventColumns(settings, width: isCompact ? width : nil)
        clock = ZoneClock(settings.zone)
    }

    /// More rows than this of one operation in one section are summed up in `compact`.
    static let mostRows = 4
    /// Bytes of a payload shown in `pretty`; the recording has the rest.
    static let mostPayload = 4096
    /// Where a line without a time begins.
    static let indent = 2

    /// Appends the lines of a report; nothing for what belongs on stderr.
    mutating func append(_ stamped: StampedReport, _ mark: ViewMark = ViewMark(), to buffer: inout TerminalBuffer) {
        guard mark.isShown else { return learn(from: stamped.report) }
        buffer.limit = isCompact ? width : nil
        // Of a line that stands out the text does.
        defer { buffer.isHighlighted = false }
        isPointedOut = mark.isHighlighted
        switch stamped.report {
        case .event(let event): append(event, stamped, mark, to: &buffer)
        case .diff(let diff):
            names.learn(from: diff)
            append(DiffRow.rows(of: diff.batch), cause: diff.cause, to: &buffer)
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
        let isForUser = names.isUser(among: report.mentions)
        appendTime(stamped, to: &buffer)
        if isCompact {
            if let room = event.room ?? namespace(of: report) {
                buffer.append(label(of: room, width: columns.roomWidth), .room(names.room(room).label))
            }
            buffer.pad(to: columns.kind)
            if columns.kindWidth > 0 {
                buffer.append(
                    TerminalText.truncated(event.kind, to: columns.kindWidth), event.isKnown ? .kind : .caution)
            }
            buffer.pad(to: columns.text)
        } else {
            buffer.append(event.kind, event.isKnown ? .kind : .caution)
            buffer.append("  ")
        }
        if mark.leftOut > 0 { buffer.append("(+\(mark.leftOut)) ", .faint) }
        if let id = report.ackID { buffer.append("#\(id)\(mark.isAnswered ? "✓" : "?") ", .caution) }
        if isForUser { appendMentionMark(to: &buffer) }
        buffer.isHighlighted = isForUser || isPointedOut
        appendText(of: event, to: &buffer)
        buffer.isHighlighted = false
        buffer.endLine()
        if !isCompact { appendDetails(of: report, stamped.stamp, to: &buffer) }
    }

    /// What stands for the colours where there are none: the line mentions the user.
    func appendMentionMark(to buffer: inout TerminalBuffer) {
        if buffer.theme == nil { buffer.append("@ ") }
    }

    /// Where an event without a room belongs: its namespace, unless that is the usual one and the only one.
    func namespace(of report: EventReport) -> String? {
        guard report.event.socketIO != nil, settings.showsNamespaces || report.namespace != "/" else { return nil }
        return report.namespace
    }

    /// A pause worth a line.
    private func appendSpacer(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        guard let spacer = settings.spacer, let last, stamp.time - last >= spacer else { return }
        buffer.append("── \(TimeText.span(milliseconds: (stamp.time - last).microseconds / 1000)) ──", .time)
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
        buffer.append("── \(date) ──", .time)
        buffer.endLine()
    }

    private mutating func appendTime(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        let text: String
        switch settings.time {
        case .none: return
        case .abs: text = clock.time(stamp.wall, columns: columns.time)
        case .rel: text = TimeText.elapsed(milliseconds: stamp.time.microseconds / 1000)
        case .delta:
            text = TimeText.elapsed(milliseconds: (stamp.time - (last ?? stamp.time)).microseconds / 1000)
        }
        buffer.pad(to: columns.time - text.utf8.count)
        buffer.append(text, .time)
        buffer.append("  ")
    }

    private func appendLag(_ lag: Int64?, to buffer: inout TerminalBuffer) {
        guard columns.lag > 0 else { return }
        let text = EventLines.text(ofLag: lag)
        buffer.pad(to: columns.room - 2 - text.utf8.count)
        let style: TerminalStyle =
            switch lag ?? 0 {
            case ..<1000: .faint
            case ..<10_000: .caution
            default: .bad
            }
        buffer.append(text, style)
        buffer.append("  ")
    }

    /// Learns from what is not printed.
    mutating func learn(from report: Report) { names.learn(from: report) }

    /// What an actor is called, as far as that is known.
    func name(of actor: String) -> String { names.person(actor) ?? ShortName.shorteningIDs(actor) }

    /// A room as it is shown.
    mutating func label(of room: String, width: Int) -> String {
        if labelled.revision != names.revision || labelled.width != width { labelled = (names.revision, width, [:]) }
        if let known = labelled.labels[room] { return known }
        let label = ShortName.room(settings.showsIDs ? room : names.room(room).label, width: width)
        if labelled.labels.count < KnownNames.mostRooms, room.utf8.count <= KnownNames.longestKept {
            labelled.labels[room] = label
        }
        return label
    }

    private mutating func appendText(of event: Event, to buffer: inout TerminalBuffer) {
        let (actor, summary) = words(of: event)
        guard let actor else { return buffer.append(summary) }
        // Most summaries begin with the actor.
        if summary.hasPrefix(actor) {
            buffer.append(actor, .actor)
            buffer.append(String(summary.dropFirst(actor.count)))
        } else if summary.contains(actor) {
            buffer.append(summary)
        } else {
            buffer.append(actor, .actor)
            buffer.append("  " + summary)
        }
    }

    /// Who did it, as far as somebody is named, and what.
    mutating func words(of event: Event) -> (actor: String?, summary: String) {
        var (summary, actor) = (event.summary, event.actor)
        if let id = actor {
            let known = settings.showsIDs ? nil : names.person(id)
            let name = known ?? (isCompact ? ShortName.shorteningIDs(id) : id)
            summary = summary.replacing(id, with: name, maxReplacements: 1)
            actor = name
        }
        // What a person wrote stays as it is.
        guard isCompact, event.said == nil else { return (actor, summary) }
        if settings.showsIDs { return (actor, ShortName.shorteningIDs(summary)) }
        if let room = event.room, room.contains("/") {
            summary = summary.replacing(room, with: names.room(room).label, maxReplacements: 1)
        }
        return (actor, names.naming(summary))
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
        if payload.count <= EventLines.mostPayload, let value = try? JSONValue(parsing: payload) {
            for (index, line) in JSONLines.lines(of: value).enumerated() {
                buffer.pad(to: Self.indent + 2)
                buffer.append(index == 0 ? "payload" : "", .key)
                buffer.pad(to: Self.indent + 12)
                for part in line { buffer.append(part.text, part.style) }
                buffer.endLine()
            }
            return
        }
        let text = String(decoding: RawJSON.readable(payload.prefix(EventLines.mostPayload)), as: UTF8.self)
        appendField("payload", text + "… (\(payload.count) bytes)", .faint, to: &buffer)
    }

    private mutating func append(_ gap: GapReport, _ stamp: Stamp, to buffer: inout TerminalBuffer) {
        appendDate(stamp, to: &buffer)
        appendTime(stamp, to: &buffer)
        buffer.pad(to: columns.room)
        buffer.append("gap  ", .bad)
        buffer.append(gap.sentence(settings.showsIDs ? KnownNames() : names))
        buffer.endLine()
    }

    private func append(_ report: TypingReport, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Self.indent)
        let channel = report.channel.description
        let known = settings.showsIDs ? nil : names.look(at: channel).channel?.label
        let sentence = report.sentence(in: known ?? report.channelName.map { "#" + $0 } ?? channel)
        buffer.append("✎ " + (isCompact ? ShortName.shorteningIDs(sentence) : sentence), .faint)
        buffer.endLine()
    }

    /// What the server answered is a line as an event's; that it was answered is one below. What went wrong is told on standard error.
    private mutating func append(_ report: EmitReport, _ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        guard !report.isProblem, report.isAnswer || report.outcome != .sent else { return }
        appendDate(stamped.stamp, to: &buffer)
        appendTime(stamped, to: &buffer)
        buffer.pad(to: isCompact ? columns.kind : columns.room)
        buffer.append(report.isAnswer ? "✓" : "ack", report.isAnswer ? .faint : .heading)
        buffer.append("  ")
        if isCompact { buffer.pad(to: columns.text) }
        buffer.append(report.sentence, report.isAnswer ? .faint : .plain)
        buffer.endLine()
    }

    /// One `name  value` line below an event.
    func appendField(_ name: String, _ value: String, _ style: TerminalStyle, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Self.indent + 2)
        buffer.append(name, .key)
        buffer.pad(to: Self.indent + 12)
        buffer.append(value, style)
        buffer.endLine()
    }
}

/// Where the fields of an event line stand: fixed by the terminal's width, so that no column moves while lines come. The narrower the
/// terminal, the less the fields before the text take.
struct EventColumns: Hashable {
    /// Columns of the time; 0 for none.
    let time: Int
    /// Columns of the lag; 0 where it is not shown.
    let lag: Int
    let roomWidth: Int
    /// Columns of the kind; 0 where it is not shown.
    let kindWidth: Int

    /// Columns of a terminal of `width` columns; nil for lines of any length.
    init(_ settings: LineSettings, width: Int?) {
        let (clock, lag, kind) =
            switch Breadth(width) {
            case .wide: (12, 6, 16)
            case .medium: (8, 0, 8)
            case .narrow: (5, 0, 0)
            }
        self.lag = lag
        kindWidth = kind
        roomWidth = settings.roomWidth(in: width)
        time =
            switch settings.time {
            case .none: 0
            case .abs: ZoneClock.columns(of: clock, settings.zone)
            case .rel, .delta: max(clock, 9)
            }
    }

    /// Where the room stands.
    var room: Int { (time > 0 ? time + 2 : 0) + (lag > 0 ? lag + 2 : 0) }
    var kind: Int { room + roomWidth + 2 }
    var text: Int { kindWidth > 0 ? kind + kindWidth + 2 : kind }
}

/// How much there is room for beside the text.
enum Breadth {
    case narrow, medium, wide

    init(_ width: Int?) {
        switch width ?? .max {
        case ..<60: self = .narrow
        case ..<100: self = .medium
        default: self = .wide
        }
    }
}

extension TypingReport {
    /// Who types there now, in one sentence. `channel` is what the place is called.
    func sentence(in channel: String) -> String {
        let place = channel + (thread == nil ? "" : ", in a thread")
        switch typing.count {
        case 0: return "typing stopped in \(place)"
        case 1: return "\(typing[0]) is typing in \(place)"
        case 2: return "\(typing[0]) and \(typing[1]) are typing in \(place)"
        default: return "\(typing[0]), \(typing[1]) and \(typing.count - 2) more are typing in \(place)"
        }
    }
}

extension GapReport {
    /// The gap in one sentence: how long, why, how much, and what is done about it.
    func sentence(_ names: KnownNames = KnownNames()) -> String {
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
                "\(why), \(amount); missing: \(hole.sentence(in: names.label(of: hole.section))) (weir rooms history fetches them)"
        }
        guard !refetching.isEmpty else { return "\(why), \(amount)" }
        let named = refetching.prefix(5).map { names.naming(resource: $0) }.joined(separator: ", ")
        let more = refetching.count > 5 ? " and \(refetching.count - 5) more" : ""
        return "\(why), \(amount); refetching \(named)\(more)"
    }
}

extension Hole {
    /// `messages of CH from 2026-01-02T03:04:05.000Z to 2026-01-02T03:05:00.000Z`.
    func sentence(in place: String? = nil) -> String {
        let place = place ?? section.name + (section.parent.map { " of \($0.description)" } ?? "")
        return "\(place) from \(TimeText.rfc3339(milliseconds: from.milliseconds)) to "
            + TimeText.rfc3339(milliseconds: to.milliseconds)
    }
}
