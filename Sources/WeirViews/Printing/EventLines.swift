import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
package import WeirTerminal
import WeirWire

/// The layout of lines for people.
public struct LineSettings: Hashable, Sendable {
    /// The kind of time before an event.
    public enum Time: String, Sendable, CaseIterable {
        /// The time of day on the wall clock.
        case abs
        /// The time since the start of the session.
        case rel
        /// The time since the last printed event.
        case delta
        /// No time before the event.
        case none
    }

    /// The time zone of wall-clock times.
    public struct Zone: Hashable, Sendable {
        /// Returns the offset from UTC in microseconds at a second since 1970; `nil` for UTC.
        package let offset: (@Sendable (Int64) -> Int64)?

        package init(offset: (@Sendable (Int64) -> Int64)?) { self.offset = offset }

        /// Coordinated Universal Time, whatever the machine is set to.
        public static let utc = Zone(offset: nil)

        /// Returns whether both zones are UTC, or neither. A process has one other zone.
        public static func == (a: Zone, b: Zone) -> Bool { (a.offset == nil) == (b.offset == nil) }
        /// Hashes the same parts that `==` compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(offset == nil) }
    }

    /// The kind of time before an event.
    public var time: Time
    /// The time zone of wall-clock times.
    public var zone: Zone
    /// The width of the room column; `nil` for a width that suits the terminal.
    public var roomWidth: Int?
    /// Whether to show ids of rooms, people and rows instead of names.
    public var showsIDs = false
    /// The minimum pause between two events that gets a line of its own; `nil` for no such lines.
    public var spacer: Duration?
    /// Whether events without a room show the default namespace `/`, too. Applies to untyped Socket.IO events.
    public var showsNamespaces = false

    /// Creates a layout. The defaults are those of `weir tail`.
    public init(time: Time = .abs, zone: Zone = .utc, roomWidth: Int? = nil, spacer: Duration? = nil) {
        self.time = time
        self.zone = zone
        self.roomWidth = roomWidth
        self.spacer = spacer
    }

    /// Returns the width of the room column on a terminal of `width` columns.
    package func roomWidth(in width: Int?) -> Int {
        if let roomWidth { return roomWidth }
        switch Breadth(width) {
        case .wide: return 20
        case .medium: return 14
        case .narrow: return 10
        }
    }
}

/// Prints reports as lines for people, in the formats `compact` and `pretty`. The output depends only on the reports so
/// far, never on a clock.
package struct EventLines {
    /// Whether an event is cut to one line. Otherwise it takes as many lines as it needs.
    let isCompact: Bool
    /// The columns of the terminal; `nil` for lines of any length. Only `compact` cuts its lines.
    var width: Int? { didSet { if width != oldValue { columns = EventColumns(settings, width: width) } } }
    let settings: LineSettings
    /// The names learnt so far.
    var names = KnownNames()
    /// The column layout of an event line.
    var columns: EventColumns
    /// Whether the current lines are highlighted.
    var isPointedOut = false
    /// A cache of room labels, valid for one revision of the names and one width. Most events come from a few rooms.
    private var labelled: (revision: Int, width: Int, labels: [String: String]) = (0, 0, [:])
    private var clock: ZoneClock
    /// The session time of the last printed event.
    private var last: Moment?

    package init(isCompact: Bool, width: Int?, _ settings: LineSettings = LineSettings()) {
        self.isCompact = isCompact
        self.width = width
        self.settings = settings
        columns = EventColumns(settings, width: width)
        clock = ZoneClock(settings.zone)
    }

    /// The maximum number of lines in `compact` for a run of rows with the same operation, kind and section. The last line
    /// summarizes the rows that do not fit.
    static let mostRows = 4
    /// The maximum number of payload bytes in `pretty`. The recording has the rest.
    static let mostPayload = 4096
    /// The indentation of a line without a time.
    static let indent = 2

    /// Appends the lines of a report. Reports that belong on standard error have none.
    package mutating func append(
        _ stamped: StampedReport, _ mark: ViewMark = ViewMark(), to buffer: inout TerminalBuffer
    ) {
        guard mark.isShown else { return learn(from: stamped.report) }
        buffer.limit = isCompact ? width : nil
        // Only the text of a line is highlighted.
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

    /// Appends `@` when there are no colours, to show that the line mentions the user.
    func appendMentionMark(to buffer: inout TerminalBuffer) {
        if buffer.theme == nil { buffer.append("@ ") }
    }

    /// Returns the namespace of an event without a room; `nil` for the default namespace, unless all namespaces are
    /// shown.
    func namespace(of report: EventReport) -> String? {
        guard report.event.socketIO != nil, settings.showsNamespaces || report.namespace != "/" else { return nil }
        return report.namespace
    }

    /// Appends a line for a long pause.
    private func appendSpacer(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        guard let spacer = settings.spacer, let last, stamp.time - last >= spacer else { return }
        buffer.append("── \(TimeText.span(milliseconds: (stamp.time - last).microseconds / 1000)) ──", .time)
        buffer.endLine()
    }

    /// Appends the time, if the settings ask for one, and the lag of an event.
    mutating func appendTime(_ stamped: StampedReport, to buffer: inout TerminalBuffer) {
        appendTime(stamped.stamp, to: &buffer)
        if case .event = stamped.report { last = stamped.stamp.time }
        appendLag(stamped.lag, to: &buffer)
    }

    /// Appends a date line when the day changes, if lines start with the time of day.
    mutating func appendDate(_ stamp: Stamp, to buffer: inout TerminalBuffer) {
        if settings.time == .abs { clock.appendNewDate(stamp.wall, to: &buffer) }
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

    /// Learns the names in a report that is not printed.
    mutating func learn(from report: Report) { names.learn(from: report) }

    /// Returns the name of an actor; its shortened id when the name is not known.
    func name(of actor: String) -> String { names.person(actor) ?? ShortName.shorteningIDs(actor) }

    /// Returns the display name of a room, cut to `width` columns.
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
        // Most summaries start with the actor.
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

    /// Returns the event's actor, if it has one, and its summary, with names in place of ids.
    mutating func words(of event: Event) -> (actor: String?, summary: String) {
        var (summary, actor) = (event.summary, event.actor)
        if let id = actor {
            let known = settings.showsIDs ? nil : names.person(id)
            let name = known ?? (isCompact ? ShortName.shorteningIDs(id) : id)
            summary = summary.replacing(id, with: name, maxReplacements: 1)
            actor = name
        }
        // Ids in a text that a person wrote stay unchanged.
        guard isCompact, event.said == nil else { return (actor, summary) }
        if settings.showsIDs { return (actor, ShortName.shorteningIDs(summary)) }
        if let room = event.room, room.contains("/") {
            summary = summary.replacing(room, with: names.room(room).label, maxReplacements: 1)
        }
        return (actor, names.naming(summary))
    }

    /// Returns the lag as text. Clocks that differ by more than a day give no useful lag.
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

    /// Appends a line for an emit: the server's answer, or our own acknowledgement. Failures go to standard error.
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

    /// Appends one `name  value` line below an event.
    func appendField(_ name: String, _ value: String, _ style: TerminalStyle, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Self.indent + 2)
        buffer.append(name, .key)
        buffer.pad(to: Self.indent + 12)
        buffer.append(value, style)
        buffer.endLine()
    }
}

/// The column layout of an event line. It depends only on the terminal's width, so that columns do not move between
/// lines. On a narrower terminal, the fields before the text take less space.
struct EventColumns: Hashable {
    /// The width of the time; 0 when it is not shown.
    let time: Int
    /// The width of the lag; 0 when it is not shown.
    let lag: Int
    let roomWidth: Int
    /// The width of the kind; 0 when it is not shown.
    let kindWidth: Int

    /// Creates the layout for a terminal of `width` columns; `nil` for lines of any length.
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

    /// The column in which the room starts. `kind` and `text` are the starts of the other fields.
    var room: Int { (time > 0 ? time + 2 : 0) + (lag > 0 ? lag + 2 : 0) }
    var kind: Int { room + roomWidth + 2 }
    var text: Int { kindWidth > 0 ? kind + kindWidth + 2 : kind }
}

/// A class of terminal widths: under 60 columns, under 100, and 100 or more.
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
    /// Returns one sentence about who is typing now.
    ///
    /// - Parameter channel: The display name of the channel.
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
    /// Whether a later report will state the number of lost events.
    var isCountedLater: Bool { cause != .handover && !refetching.isEmpty }

    /// Returns the gap in one sentence: its length, cause, size, and the refetch.
    func sentence(_ names: KnownNames = KnownNames()) -> String {
        let long = TimeText.span(milliseconds: (to - from).microseconds / 1000)
        let amount =
            lost.map { "\($0) lost" } ?? (refetching.isEmpty ? "loss cannot be counted" : "loss not counted yet")
        let why =
            switch cause {
            case .reconnect: "\(long) without a connection"
            case .damage: "damaged recording"
            case .overflow: "the viewer was too slow for \(long)"
            case .paused: "paused for too long: \(long) not shown"
            case .catchUp: "more was missed in \(long) than is fetched"
            case .refetched: "\(long) without a connection"
            case .handover: "\(long) without a holder"
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
        if cause == .handover {
            return "\(why), loss cannot be counted; taken over and refetched: \(refetching.joined(separator: ", "))"
        }
        let named = refetching.prefix(5).map { names.naming(resource: $0) }.joined(separator: ", ")
        let more = refetching.count > 5 ? " and \(refetching.count - 5) more" : ""
        return "\(why), \(amount); refetching \(named)\(more)"
    }
}

extension Hole {
    /// Returns the hole as text, such as `messages of CH from 2026-01-02T03:04:05.000Z to 2026-01-02T03:05:00.000Z`.
    package func sentence(in place: String? = nil) -> String {
        let place = place ?? section.name + (section.parent.map { " of \($0.description)" } ?? "")
        return "\(place) from \(TimeText.rfc3339(milliseconds: from.milliseconds)) to "
            + TimeText.rfc3339(milliseconds: to.milliseconds)
    }
}

extension EventLines {
    /// Appends the lines of one batch, such as `+ message  #General  Ana Lima: hello`.
    func append(_ rows: [DiffRow], cause: Int, to buffer: inout TerminalBuffer) {
        guard isCompact else {
            for row in rows { append(row, cause: cause, to: &buffer) }
            return
        }
        var start = 0
        while start < rows.count {
            let end = EventLines.endOfRun(rows, from: start)
            let shown = end - start > EventLines.mostRows ? start + EventLines.mostRows - 1 : end
            for row in rows[start..<shown] { append(row, cause: cause, to: &buffer) }
            if shown < end { appendRest(of: rows[start], count: end - shown, to: &buffer) }
            start = end
        }
    }

    /// Returns the end of the run of rows with the same operation, kind and section.
    private static func endOfRun(_ rows: [DiffRow], from start: Int) -> Int {
        var end = start + 1
        while end < rows.count, rows[end].operation == rows[start].operation,
            rows[end].item.id.kind == rows[start].item.id.kind,
            rows[end].item.sectionKey == rows[start].item.sectionKey
        {
            end += 1
        }
        return end
    }

    private func append(_ row: DiffRow, cause: Int, to buffer: inout TerminalBuffer) {
        let facts = ItemFacts(row.item)
        let isForUser = row.operation != .delete && names.isUser(among: row.item.entity.value.mentions)
        buffer.pad(to: Self.indent)
        buffer.append(row.operation.sign + " " + row.item.id.kind.rawValue, row.operation.style)
        if settings.showsIDs { buffer.append("  " + (isCompact ? row.item.id.shortText : row.item.id.text), .faint) }
        if let place = place(of: row) { buffer.append("  " + place, .faint) }
        buffer.append("  ")
        if isForUser { appendMentionMark(to: &buffer) }
        buffer.isHighlighted = isForUser || isPointedOut
        if let label = names.label(of: row.item, facts) {
            buffer.append(label)
        } else if !settings.showsIDs {
            buffer.append(row.item.id.shortText)
        }
        buffer.isHighlighted = false
        let differences = row.differences(facts)
        if isCompact, !differences.isEmpty {
            buffer.append("  " + differences.map(\.key).joined(separator: ", "), .faint)
        }
        if settings.showsIDs { buffer.append("  n:\(cause)", .faint) }
        buffer.endLine()
        if !isCompact { appendFields(differences, to: &buffer) }
    }

    private func appendRest(of first: DiffRow, count: Int, to buffer: inout TerminalBuffer) {
        buffer.pad(to: Self.indent)
        buffer.append("\(first.operation.sign) \(count) more of \(first.item.id.kind.rawValue)", first.operation.style)
        buffer.append("  " + section(of: first.item), .faint)
        buffer.endLine()
    }

    private func appendFields(_ differences: [ItemFacts.Difference], to buffer: inout TerminalBuffer) {
        for difference in differences {
            buffer.pad(to: Self.indent + 2)
            buffer.append(difference.key + "  ", .key)
            buffer.append(EventLines.text(of: difference.old) + " → " + EventLines.text(of: difference.new))
            buffer.endLine()
        }
    }

    /// Returns the place of a row, and its old place when it moved. Returns `nil` for a section without a parent, which
    /// is named after its rows, unless ids are shown.
    private func place(of row: DiffRow) -> String? {
        let section = section(of: row.item)
        guard row.operation == .move, let from = row.from, let to = row.to, let old = row.old else {
            return row.item.sectionKey.parent == nil && !settings.showsIDs ? nil : section
        }
        if old.sectionKey == row.item.sectionKey { return "\(section) \(from.item) → \(to.item)" }
        return "from \(self.section(of: old)) to \(section)"
    }

    private func section(of item: Item) -> String {
        if !settings.showsIDs { return names.place(of: item) }
        return isCompact ? item.sectionKey.shortText : item.sectionKey.text
    }

    /// Returns a field's value as JSON text; `nothing` for a missing field.
    private static func text(of value: RawJSON?) -> String {
        value.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing"
    }
}
