import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
package import WeirTerminal
package import WeirWire

/// The kinds of terminal view. The raw values are the values of the command-line option.
package enum ViewKind: String, Sendable, CaseIterable {
    /// Events are printed line by line.
    case log
    /// The last event of each room, one line per room.
    case latest
    /// Rates, bytes and lag by room, actor and kind.
    case top
    /// The rate of each room over the last minute.
    case graph
    /// The sections of the model and the rows that changed last.
    case model
    /// The messages on the wire in both directions, printed line by line.
    case raw
    /// The past states of the connection, in order.
    case conn

    /// Whether the view is redrawn in place. Otherwise it prints line by line.
    package var isDrawn: Bool { makeView() != nil }

    /// Returns a new, empty view; `nil` for the kinds that print line by line.
    package func makeView() -> (any LiveView)? {
        switch self {
        case .log, .raw: nil
        case .latest: LatestView()
        case .top: TopView()
        case .graph: GraphView()
        case .model: ModelView()
        case .conn: ConnectionView()
        }
    }
}

/// A view that is redrawn in place. Pure and bounded: reports and times go in, lines come out.
package protocol LiveView: Sendable {
    /// Updates the view with a report. `names` contains the names known at that point.
    mutating func take(_ stamped: StampedReport, _ names: KnownNames)

    /// Appends the lines of the view.
    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer)
}

/// The time and the space for drawing a view.
package struct ViewPlace {
    /// The current session time, from which ages and rates follow.
    package var now: Moment
    /// The current wall clock, in microseconds since 1970.
    var wall: Int64
    /// The maximum number of lines.
    var rows: Int
    /// The number of columns for a room's name.
    var roomWidth = 20
    /// The names of rooms, people and rows.
    var names = KnownNames()
    /// Whether to show ids instead of names.
    var showsIDs = false

    package init(
        now: Moment, wall: Int64, rows: Int, roomWidth: Int = 20, names: KnownNames = KnownNames(),
        showsIDs: Bool = false
    ) {
        (self.now, self.wall, self.rows) = (now, wall, rows)
        (self.roomWidth, self.names, self.showsIDs) = (roomWidth, names, showsIDs)
    }

    /// Returns the display name of a room, cut to `roomWidth` columns.
    func label(ofRoom room: String) -> String {
        ShortName.room(showsIDs ? room : names.look(at: room).label, width: roomWidth)
    }

    /// Replaces the ids in a text by names, where they are known.
    func naming(_ text: String) -> String { showsIDs ? ShortName.shorteningIDs(text) : names.naming(text) }
}

/// The view `latest`: one line for each room, with its last event, the age of that event and the number of events. The
/// most recently active room comes first.
package struct LatestView: LiveView {
    private struct Last: Sendable {
        var events = 0
        var time = Moment.zero
        var lag: Int64?
        var kind = ""
        var text = ""
    }

    /// The maximum number of bytes kept of an event's text.
    private static let mostText = 240
    private var rooms = NamedBook(Last())

    package mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .event(let report) = stamped.report else { return }
        let event = report.event
        rooms.change(event.room ?? report.namespace) { last in
            last.events += 1
            last.time = stamped.stamp.time
            last.lag = stamped.lag
            last.kind = event.kind
            last.text = String(decoding: event.summary.utf8.prefix(Self.mostText), as: UTF8.self)
        }
    }

    package func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let sorted = rooms.sorted { $0.time.microseconds }
        buffer.append("ROOM".padded(place.roomWidth) + "      AGO  EVENTS  KIND              LAST", .heading)
        buffer.endLine()
        for (name, last) in sorted.prefix(max(place.rows - 2, 0)) {
            let isFresh = place.now - last.time < .seconds(1)
            buffer.append(place.label(ofRoom: name), TerminalStyle.room(name))
            buffer.pad(to: place.roomWidth)
            let ago = TimeText.span(milliseconds: max((place.now - last.time).microseconds, 0) / 1000)
            buffer.append(ago.leading(9) + String(last.events).leading(8) + "  ", isFresh ? .heading : .plain)
            buffer.append(TerminalText.truncated(last.kind, to: 16))
            buffer.pad(to: place.roomWidth + 37)
            let text = name.contains("/") ? last.text.replacing(name, with: place.label(ofRoom: name)) : last.text
            buffer.append(place.naming(text), isFresh ? .heading : .plain)
            buffer.endLine()
        }
        let hidden = sorted.count - max(place.rows - 2, 0)
        if hidden > 0 || rooms.hasOthers {
            let more = rooms.hasOthers ? ", and others with \(rooms.others.events) events" : ""
            buffer.append("\(max(hidden, 0)) more rooms\(more)", .faint)
            buffer.endLine()
        }
    }
}

extension String {
    /// Returns the string padded with trailing spaces to a width. Only for ASCII text of our own, since it counts
    /// bytes.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - utf8.count, 0)) }

    /// Returns the string padded with leading spaces to a width. Only for ASCII text of our own, since it counts bytes.
    func leading(_ width: Int) -> String { String(repeating: " ", count: max(width - utf8.count, 0)) + self }
}

/// The view `top`: the busiest rooms, actors and kinds, with the rates of the last ten seconds and the lag.
struct TopView: LiveView {
    private struct Traffic: Sendable {
        var events = 0
        var rate = RateHistory()
        var bytes = RateHistory()
        /// The smoothed lag in milliseconds; `nil` while no event had a server time.
        var lag: Double?

        mutating func add(_ stamped: StampedReport, bytes size: Int) {
            events += 1
            rate.add(1, at: stamped.stamp.time)
            bytes.add(size, at: stamped.stamp.time)
            guard let new = stamped.lag else { return }
            lag = lag.map { $0 + (Double(new) - $0) / 8 } ?? Double(new)
        }
    }

    private static let span = 10
    private var rooms = NamedBook(Traffic())
    private var actors = NamedBook(Traffic())
    private var kinds = NamedBook(limit: 200, Traffic())
    private var all = Traffic()

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .event(let report) = stamped.report else { return }
        let size = report.payload.bytes.count
        all.add(stamped, bytes: size)
        kinds.change(report.kind) { $0.add(stamped, bytes: size) }
        if let room = report.room { rooms.change(room) { $0.add(stamped, bytes: size) } }
        // Some events identify a person by id, others by name.
        if report.actor != nil, let actor = names.actor(of: report) {
            actors.change(actor) { $0.add(stamped, bytes: size) }
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        buffer.append("".padded(place.roomWidth) + "  EVENT/S   BYTE/S      LAG   EVENTS", .heading)
        buffer.endLine()
        append("all", .plain, all, place, to: &buffer)
        // Rooms get half of the free lines; actors and kinds get a quarter each.
        let room = max(place.rows - 5, 3)
        draw("ROOMS", rooms, room / 2, place, to: &buffer)
        draw("ACTORS", actors, room / 4, place, to: &buffer)
        draw("KINDS", kinds, room / 4, place, to: &buffer)
    }

    private func draw(
        _ title: String, _ book: NamedBook<Traffic>, _ most: Int, _ place: ViewPlace, to buffer: inout TerminalBuffer
    ) {
        guard book.count > 0 else { return }
        buffer.append(title, .heading)
        buffer.endLine()
        let sorted = book.sorted { $0.rate.rate(over: Self.span, at: place.now) * 1e6 + Double($0.events) / 1e6 }
        let fits = sorted.count <= most && !book.hasOthers
        let shown = fits || most < 2 ? most : most - 1
        for (name, traffic) in sorted.prefix(shown) {
            let label =
                title == "ACTORS"
                ? TerminalText.truncated(place.naming(name), to: place.roomWidth) : place.label(ofRoom: name)
            append(label, title == "ROOMS" ? TerminalStyle.room(name) : .plain, traffic, place, to: &buffer)
        }
        if fits || most < 2 { return }
        let rest = sorted.dropFirst(shown).reduce(book.others.events) { $0 + $1.entry.events }
        buffer.append("… \(max(book.count - shown, 0)) more: \(rest) events", .faint)
        buffer.endLine()
    }

    private func append(
        _ name: String, _ style: TerminalStyle, _ traffic: Traffic, _ place: ViewPlace, to buffer: inout TerminalBuffer
    ) {
        buffer.append(name, style)
        buffer.pad(to: place.roomWidth)
        let rate = traffic.rate.rate(over: Self.span, at: place.now).rateText
        let bytes = traffic.bytes.rate(over: Self.span, at: place.now).rateText
        let lag = traffic.lag.map { TimeText.span(milliseconds: Int64(max(min($0, 1e15), -1e15))) } ?? ""
        buffer.append(rate.leading(9) + bytes.leading(9) + lag.leading(9) + String(traffic.events).leading(9))
        buffer.endLine()
    }
}

/// The view `graph`: the rate of each room over the last minute, one block per second. All rooms share one scale.
struct GraphView: LiveView {
    private struct Room: Sendable {
        var events = 0
        var history = RateHistory()
    }

    private var rooms = NamedBook(Room())
    private var all = RateHistory()
    private var load = LoadHistory()
    /// The number of rows of the charts above the rooms, if the screen is high enough.
    private static let chartRows = 12

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        load.take(stamped, at: stamped.stamp.time)
        guard case .event(let report) = stamped.report else { return }
        all.add(1, at: stamped.stamp.time)
        rooms.change(report.room ?? report.namespace) { room in
            room.events += 1
            room.history.add(1, at: stamped.stamp.time)
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        var rows = place.rows
        if rows >= Self.chartRows + 6, rows < 1_000_000 {
            for row in load.rows(Self.chartRows, width: LoadChart.margin + RateHistory.seconds, at: place.now) {
                for part in row.parts { buffer.append(part.text, part.style) }
                buffer.endLine()
            }
            rows -= Self.chartRows
        }
        let sorted = rooms.sorted { $0.events }
        let shown = sorted.prefix(max(rows - 3, 1))
        let highest = shown.map { $0.entry.history.history(at: place.now).max() ?? 0 }.max() ?? 0
        let total = all.history(at: place.now)
        append("all", .plain, total, total.max() ?? 0, all.rate(over: 10, at: place.now), place, to: &buffer)
        for (name, room) in shown {
            append(
                place.label(ofRoom: name), TerminalStyle.room(name),
                room.history.history(at: place.now), highest, room.history.rate(over: 10, at: place.now), place,
                to: &buffer)
        }
        buffer.append("one minute, one block per second; a full block is \(highest) events", .faint)
        let hidden = sorted.count - shown.count
        if hidden > 0 || rooms.hasOthers { buffer.append("; \(hidden) more rooms", .faint) }
        buffer.endLine()
    }

    private func append(
        _ name: String, _ style: TerminalStyle, _ counts: [UInt32], _ highest: UInt32, _ rate: Double,
        _ place: ViewPlace, to buffer: inout TerminalBuffer
    ) {
        buffer.append(name, style)
        buffer.pad(to: place.roomWidth)
        buffer.append((rate.rateText + "/s").leading(9) + "  ", .heading)
        buffer.append(RateHistory.sparkline(counts, highest: highest), style)
        buffer.endLine()
    }
}

/// The view `model`: the sections of the model, the number of rows in each, and the rows that changed last. Changes of
/// the last second are highlighted.
struct ModelView: LiveView {
    private struct Row: Sendable {
        var id: Item.ID
        var time: Moment
        var operation: DiffRow.Operation
        var label: String
        var fields: String
    }

    private struct Section: Sendable {
        var key: Item.Section?
        var rows = 0
        var changes = 0
        var last = Moment.zero
        var recent: [Row] = []
    }

    private static let kept = 6
    private static let mostLabel = 120
    private var sections = NamedBook(Section())

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        guard case .diff(let diff) = stamped.report else { return }
        let rows = DiffRow.rows(of: diff.batch)
        for row in rows {
            count(row)
            // In a large batch, inserted rows are counted but not listed.
            if rows.count <= 64 || row.operation != .insert { note(row, names, at: stamped.stamp.time) }
        }
    }

    private mutating func count(_ row: DiffRow) {
        switch row.operation {
        case .insert: sections.change(row.item.sectionKey.text) { $0.rows += 1 }
        case .delete: sections.change(row.item.sectionKey.text) { $0.rows -= 1 }
        case .move:
            if let old = row.old, old.sectionKey != row.item.sectionKey {
                sections.change(old.sectionKey.text) { $0.rows -= 1 }
                sections.change(row.item.sectionKey.text) { $0.rows += 1 }
            }
        case .update: break
        }
    }

    private mutating func note(_ row: DiffRow, _ names: KnownNames, at time: Moment) {
        let facts = ItemFacts(row.item)
        let label = String(
            decoding: (names.label(of: row.item, facts) ?? "").utf8.prefix(Self.mostLabel), as: UTF8.self)
        let fields = row.differences(facts).prefix(6).map(\.key).joined(separator: ", ")
        let new = Row(id: row.item.id, time: time, operation: row.operation, label: label, fields: fields)
        sections.change(row.item.sectionKey.text) { section in
            section.key = row.item.sectionKey
            section.changes += 1
            section.last = time
            section.recent.removeAll { $0.id == new.id }
            section.recent.insert(new, at: 0)
            if section.recent.count > Self.kept { section.recent.removeLast() }
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let sorted = sections.sorted { $0.last.microseconds }.filter { $0.entry.rows > 0 || $0.entry.changes > 0 }
        // The sections that changed last also list rows. These rows share the lines that the section headings leave
        // free.
        let shown = sorted.prefix(max(min(place.rows, 1_000_000) / 4, 1))
        let share = shown.isEmpty ? 0 : (max(place.rows - 1, 1) - shown.count) / shown.count
        for (name, section) in shown {
            buffer.append(
                place.showsIDs ? ShortName.shorteningIDs(name) : section.key.map { place.names.label(of: $0) } ?? name,
                .heading)
            buffer.append("  \(section.rows) rows, \(section.changes) changes", .faint)
            buffer.endLine()
            for row in section.recent.prefix(min(share, Self.kept)) { append(row, place, to: &buffer) }
        }
        if sorted.count > shown.count || sections.hasOthers {
            buffer.append("\(sorted.count - shown.count) more sections", .faint)
            buffer.endLine()
        }
    }

    private func append(_ row: Row, _ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let age = place.now - row.time
        let isFresh = age < .seconds(1)
        buffer.append("  \(row.operation.sign) ", row.operation.style)
        let hasID = place.showsIDs || row.label.isEmpty
        if hasID { buffer.append(row.id.shortText, .faint) }
        let label = TerminalText.truncated(row.label, to: 60)
        buffer.append((hasID && !label.isEmpty ? "  " : "") + label, isFresh ? .heading : .plain)
        if !row.fields.isEmpty { buffer.append("  " + row.fields, isFresh ? row.operation.style : .faint) }
        let ago = TimeText.span(milliseconds: max(age.microseconds, 0) / 1000)
        buffer.append("  \(ago)", .faint)
        buffer.endLine()
    }
}

/// The view `conn`: the past states of the connection in order, with the duration of each, and the gaps and refused or
/// lost rooms in between.
struct ConnectionView: LiveView {
    private struct Step: Sendable {
        var stamp: Stamp
        var state: String
        var style: TerminalStyle
        var text: String
        /// Whether the step is a state that lasts until the next one. Gaps and rooms are single moments.
        var lasts = true
    }

    private static let kept = 200
    private static let mostText = 200
    private var steps: [Step] = []
    private var dropped = 0
    private var events = 0

    mutating func take(_ stamped: StampedReport, _ names: KnownNames) {
        switch stamped.report {
        case .event: events += 1
        case .connection(.connecting(let attempt, let target)):
            note("connecting", .caution, "attempt \(attempt)  \(target)", stamped.stamp)
        case .connection(.ready(let spoken)):
            note("ready", .good, spoken.description, stamped.stamp)
        case .connection(.lost(let why, let retryIn)):
            let next = retryIn.map { "; next attempt in " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? ""
            note("lost", .bad, why + next, stamped.stamp)
        case .gap(let gap): note("gap", .bad, gap.sentence(names), stamped.stamp, lasts: false)
        case .room(let room) where room.change == .refused || room.change == .lost:
            let words = "\(room.room) \(room.change.rawValue)" + (room.why.map { ": " + $0 } ?? "")
            note("room", .caution, words, stamped.stamp, lasts: false)
        case .room, .diff, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    private mutating func note(
        _ state: String, _ style: TerminalStyle, _ text: String, _ stamp: Stamp, lasts: Bool = true
    ) {
        let text = String(decoding: text.utf8.prefix(Self.mostText), as: UTF8.self)
        steps.append(Step(stamp: stamp, state: state, style: style, text: text, lasts: lasts))
        if steps.count > Self.kept {
            steps.removeFirst()
            dropped += 1
        }
    }

    func draw(_ place: ViewPlace, to buffer: inout TerminalBuffer) {
        let shown = steps.suffix(max(place.rows - 2, 1))
        let hidden = dropped + steps.count - shown.count
        if hidden > 0 {
            buffer.append("\(hidden) earlier steps", .faint)
            buffer.endLine()
        }
        for (index, step) in zip(shown.indices, shown) {
            buffer.append(TimeText.clock(wall: step.stamp.wall) + "  ", .time)
            buffer.append(step.state.padded(12), step.style)
            if step.lasts {
                let end = steps[(index + 1)...].first { $0.lasts }?.stamp.time ?? place.now
                let span = max((end - step.stamp.time).microseconds, 0) / 1000
                buffer.append(TimeText.span(milliseconds: span).leading(8), .heading)
            }
            buffer.pad(to: 37)
            buffer.append(place.naming(step.text))
            buffer.endLine()
        }
        buffer.append("\(events) events", .faint)
        buffer.endLine()
    }
}
