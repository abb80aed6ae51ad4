import WeirEvents
import WeirModel
import WeirPipeline
package import WeirTerminal
import WeirWire

/// The areas of the screen, as a function of the screen size and of the open panes. An area may be empty.
struct WatchLayout {
    /// The top row, with the title.
    var title = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The side pane, with the sections and the first rooms.
    var side = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The line between the side pane and the log.
    var border = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The pane with all rooms and the details of each.
    var rooms = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The area of the charts of rate and lag.
    var chart = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    var log: TerminalArea
    /// The row of tabs above the detail pane.
    var tabs = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    var detail = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The row with the progress of a replay.
    var scrubber = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The filter hint or a passing notice: as many rows as the text needs, up to a third of the screen.
    var hint = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The last row, with the status or the input line.
    var status: TerminalArea

    init(_ watch: Watch) {
        var rest = TerminalGrid(width: watch.width, height: watch.height).area
        status = rest.takeBottom(1)
        if watch.height >= 3, let said = watch.hint {
            let lines = TerminalLine(said.text).wrapped(to: watch.width).count
            hint = rest.takeBottom(min(lines, max(watch.height / 3, 1)))
        }
        if watch.height >= 4 { title = rest.takeTop(1) }
        if watch.settings.isReplay, watch.height >= 5 { scrubber = rest.takeBottom(1) }
        // On a narrow screen the log takes the full width. Tab shows the side pane.
        if watch.width >= (watch.cursor.focus == .sections ? 40 : 100), rest.rows.count >= 3 {
            side = rest.takeLeft(min(34, max(watch.width / 4, 20)))
            border = rest.takeLeft(1)
        }
        if watch.showsRooms {
            rooms = rest.takeLeft(rest.columns.count >= 110 ? rest.columns.count * 3 / 5 : rest.columns.count)
        }
        if watch.detail != nil, rest.rows.count >= 5 {
            detail = rest.takeBottom(max(rest.rows.count * 2 / 5, 4))
            tabs = detail.takeTop(1)
        }
        if watch.showsChart, rest.rows.count >= Watch.chartRows + 4, rest.columns.count >= LoadChart.margin + 10 {
            chart = rest.takeTop(Watch.chartRows)
        }
        log = rest
    }
}

// Draws the screen as a pure function of the view's state.
extension Watch {
    /// The screen contents for the current state.
    package var grid: TerminalGrid {
        var grid = TerminalGrid(width: width, height: height)
        let layout = WatchLayout(self)
        drawTitle(layout.title, &grid)
        drawSide(layout.side, &grid)
        for row in layout.border.rows {
            grid.write("│", row: row, column: layout.border.columns.lowerBound, settings.theme[.faint])
        }
        drawRooms(layout.rooms, &grid)
        drawChart(layout.chart, &grid)
        drawLog(layout.log, &grid)
        drawTabs(layout.tabs, &grid)
        drawDetail(layout.detail, &grid)
        drawScrubber(layout.scrubber, &grid)
        if let hint {
            let lines = TerminalLine(hint.text, settings.theme[hint.style]).wrapped(to: width)
            for (row, line) in zip(layout.hint.rows, lines) { grid.write(line, row: row, column: 0, in: layout.hint) }
        }
        drawStatus(layout.status, &grid)
        if mode == .help { drawHelp(&grid) }
        return grid
    }

    /// The text above the status row: the completions, error or match count of the filter, or a passing notice.
    var hint: (text: String, style: TerminalStyle)? {
        if editsFilter { return filterHint }
        return passing.map { ($0.text, .caution) }
    }

    private func drawTitle(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let row = area.rows.lowerBound
        // Actions in a guarded context may be visible to others, so the title row is red.
        let look = settings.theme[settings.isGuarded ? .bad : .plain].adding(.reversed)
        grid.clear(area, look)
        let right = TerminalLine(" \(counters.events) events  ", look)
        var left = TerminalLine(" weir watch  ", look.adding(.bold))
        if let badge = settings.badge { left.append(badge + "  ", look.adding(.bold)) }
        left.append(settings.title, look)
        if let place = selectedPlace { left.append("  " + place, look.adding(.bold)) }
        var rest = area
        rest.columns = rest.columns.lowerBound..<max(rest.columns.upperBound - right.columns, rest.columns.lowerBound)
        grid.write(left, row: row, column: 0, in: rest)
        grid.write(right, row: row, column: rest.columns.upperBound, in: area)
    }

    // MARK: - The log

    /// Returns the number of rows above the first line when there are fewer lines than rows: 0 or 1.
    func logOffset(_ shown: [(serial: Int, lines: [TerminalLine])], _ area: TerminalArea) -> Int {
        let lines = shown.reduce(0) { $0 + $1.lines.count }
        let room = area.rows.count - lines
        guard room > 0 else { return 0 }
        return olderLine == nil ? 0 : 1
    }

    /// The text above the oldest entry in the log; `nil` when no entry was evicted.
    private var olderLine: String? {
        guard log.forgotten > 0 else { return nil }
        let count = "\(log.forgotten) older lines are "
        guard let file = settings.file else { return "— " + count + "dropped: --record FILE keeps them —" }
        return "— " + count + "in \(file) —"
    }

    private func drawLog(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let shown = visible(rows: area.rows.count, width: area.columns.count)
        var row = area.rows.lowerBound
        if logOffset(shown, area) > 0, let olderLine {
            grid.write(olderLine, row: row, column: area.columns.lowerBound, settings.theme[.faint], in: area)
            row += 1
        }
        if shown.isEmpty {
            let words = log.count > 0 ? "no line passes the filter" : "nothing has arrived yet"
            grid.write(words, row: row, column: area.columns.lowerBound + 1, settings.theme[.faint], in: area)
        }
        for entry in shown {
            for (index, line) in entry.lines.enumerated() {
                grid.write(line, row: row, column: area.columns.lowerBound, in: area)
                // Rows are numbered from the entry's last line, because its first lines may be out of view.
                grid.number(row: row, entry.serial &* 4096 &+ entry.lines.count - index)
                if entry.serial == cursor.entry {
                    var whole = area
                    whole.rows = row..<row + 1
                    grid.add(cursor.focus == .log ? [.reversed] : [.underlined], in: whole)
                }
                row += 1
            }
        }
    }

    // MARK: - The detail pane

    private static var tabsStart: Int { 1 }

    /// Returns the tabs and the columns of each.
    func tabColumns(_ area: TerminalArea) -> [(tab: WatchDetail.Tab, columns: Range<Int>)] {
        var column = area.columns.lowerBound + Self.tabsStart
        return WatchDetail.Tab.allCases.map { tab in
            let start = column
            column += tab.title.utf8.count + 3
            return (tab, start..<column - 1)
        }
    }

    private func drawTabs(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty, let detail else { return }
        let row = area.rows.lowerBound
        for column in area.columns { grid.write("─", row: row, column: column, settings.theme[.faint], in: area) }
        switch detail.subject {
        case .group(let group):
            let count = modelPane.model.flatMap { model in model.index(of: group).map { model.rowCount(at: $0) } } ?? 0
            let text = " \(name(of: group)), \(count) rows "
            grid.write(
                text, row: row, column: area.columns.lowerBound + 1, settings.theme[.heading], in: area)
        case .entry(let open):
            for (tab, columns) in tabColumns(area) {
                grid.write(
                    " \(tab.title) ", row: row, column: columns.lowerBound,
                    TerminalAppearance(tab == open ? [.reversed] : []), in: area)
            }
        }
    }

    private func drawDetail(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty, let detail else { return }
        let lines = detailLines(width: area.columns.count)
        let first = min(detail.offset, max(lines.count - 1, 0))
        for (row, line) in zip(area.rows, lines.dropFirst(first)) {
            grid.write(line, row: row, column: area.columns.lowerBound, in: area)
        }
        let hidden = lines.count - first - area.rows.count
        if hidden > 0 {
            let text = " \(hidden) more "
            grid.write(
                text, row: area.rows.upperBound - 1,
                column: max(area.columns.upperBound - text.utf8.count, area.columns.lowerBound),
                TerminalAppearance([.reversed]), in: area)
        }
    }

    // MARK: - The last rows

    /// Returns the columns of the bar, between the two texts on its sides.
    func scrubberBar(_ area: TerminalArea) -> Range<Int> {
        let start = area.columns.lowerBound + min(14, area.columns.count / 4)
        return start..<max(area.columns.upperBound - min(12, area.columns.count / 4), start)
    }

    private func drawScrubber(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let row = area.rows.lowerBound
        guard let progress = place.progress else { return }
        let bar = scrubberBar(area)
        var left = area
        left.columns = area.columns.lowerBound..<bar.lowerBound
        let sign = progress.isPaused ? "⏸" : "▶"
        let time = TimeText.span(milliseconds: progress.time.microseconds / 1000)
        grid.write("\(sign) \(progress.pace) +\(time)", row: row, column: left.columns.lowerBound, in: left)
        func column(of time: Moment) -> Int? {
            guard let length = place.length, length.microseconds > 0, !bar.isEmpty else { return nil }
            let part = Double(time.microseconds) / Double(length.microseconds)
            return bar.lowerBound + Int(min(max(part, 0), 1) * Double(bar.count - 1))
        }
        for column in bar { grid.write("─", row: row, column: column, settings.theme[.faint]) }
        if let here = column(of: progress.time) {
            for column in bar.lowerBound..<max(here, bar.lowerBound) {
                grid.write("━", row: row, column: column, settings.theme[.good])
            }
            for mark in progress.marks {
                if let column = column(of: mark) { grid.write("⚑", row: row, column: column, settings.theme[.caution]) }
            }
            grid.write("●", row: row, column: here, settings.theme[.good].adding(.bold))
        }
        var right = area
        right.columns = bar.upperBound..<area.columns.upperBound
        let end =
            place.length.map { " " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? " #\(progress.number)"
        grid.write(end, row: row, column: right.columns.lowerBound, in: right)
    }

    private func drawStatus(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let row = area.rows.lowerBound
        if case .asking(let question, let editor) = mode {
            return editor.draw(
                question.prompt, wrong: question == .filter ? filtering.error?.range : nil, settings.theme, in: area,
                of: &grid)
        }
        let end = "  ? help "
        var left = area
        if area.columns.count > 3 * end.utf8.count {
            grid.write(
                end, row: row, column: area.columns.upperBound - end.utf8.count, settings.theme[.faint], in: area)
            left.columns = area.columns.lowerBound..<area.columns.upperBound - end.utf8.count
        }
        grid.write(status, row: row, column: area.columns.lowerBound, in: left)
    }

    private var status: TerminalLine {
        var line = TerminalLine()
        func add(_ text: String, _ style: TerminalStyle = .plain) {
            if line.columns > 0 { line.append("  ") }
            line.append(text, settings.theme[style])
        }
        if isHeld {
            add(waiting > 0 ? "PAUSED +\(waiting)" : "PAUSED", .caution)
        }
        if let ending {
            add("■ " + ending, .caution)
        } else {
            add((counters.isConnected ? "● " : "○ ") + counters.connection, counters.isConnected ? .good : .caution)
        }
        let counts = rooms.counts
        if counts.wanted > 0 {
            add("rooms \(counts.joined)/\(counts.wanted)" + (counts.refused > 0 ? " ✗\(counts.refused)" : ""))
        }
        add("\(rate.perSecond)/s ")
        line.append(rate.sparkline(16), settings.theme[.good])
        if counters.gaps > 0 { add("gaps \(counters.gaps)", .bad) }
        if counters.problems > 0 { add("! \(counters.problems)", .caution) }
        let filter = filtering.setting.filter.text
        if !filter.isEmpty { add("filter: " + TerminalText.truncated(filter, to: 40), .heading) }
        if !filtering.search.isEmpty { add("/" + TerminalText.truncated(filtering.search, to: 20), .faint) }
        return line
    }

    // MARK: - Help

    private func drawHelp(_ grid: inout TerminalGrid) {
        let lines = settings.isReplay ? Self.help + Self.replayHelp : Self.help
        grid.clear(grid.area)
        for (row, line) in zip(grid.area.rows, lines) {
            grid.write(line, row: row, column: 1, TerminalAppearance(row == 0 ? [.bold] : []))
        }
    }

    static let help = [
        "Keys (press any key to return)",
        "space  pause, resume (+N waiting)    j k ↑ ↓  select        PgUp PgDn  scroll",
        "g G  oldest, newest                  / n N  search, next, previous",
        "f  filter, Tab completes             h  highlight           1…9  hide, show a room",
        "m  mark                              t  times               w  wrap long lines",
        "Enter  detail, next tab              y  copy the entry      Esc  close, newest",
        "r  rooms: Enter + - join, leave; a another; x hide          Tab  next pane",
        "In the model's pane: b  group by     o  sort                /  filter rows       '  go to a group",
        "c  write to the channel              C  reply               u  edit      +  react      D  delete",
        ">  emit NAME ARG…                    a  answer an event that requests it (#5?)",
        "e E  next, previous problem          s S  next, previous silence   M  messages only",
        "v  rate and lag of the last minute   ?  these keys             q  quit",
        "Mouse: the wheel scrolls, a click selects, a second one opens.",
    ]

    static let replayHelp = [
        "",
        "Recording",
        "space  pause, resume                 . ,  one event forward, back",
        "← →  5 s (shift: 60 s)               + -  faster, slower",
        "[ ]  previous, next mark             :  go to +90s, n:812, mark:NAME, a time",
        "A click on the bar moves there.",
    ]
}

extension Watch.Question {
    /// The text before the cursor.
    var prompt: String {
        switch self {
        case .search: "/"
        case .filter: "filter: "
        case .highlight: "highlight: "
        case .mark: "mark: "
        case .join: "join: "
        case .emit: "emit NAME ARG…: "
        case .write(let writing): writing.prompt
        case .answer(let id, _): "answer #\(id) with ARG…: "
        case .place: "go to: "
        case .rows: "rows with: "
        case .group: "go to the group with the prefix: "
        }
    }
}

extension LineSettings.Time {
    /// The next format, in a cycle.
    var next: Self {
        switch self {
        case .abs: .rel
        case .rel: .delta
        case .delta: .none
        case .none: .abs
        }
    }

    /// A description of the format for a notice.
    var words: String {
        switch self {
        case .abs: "wall clock"
        case .rel: "since the start"
        case .delta: "since the previous line"
        case .none: "not shown"
        }
    }
}

// The log lines of an entry.
extension Watch {
    /// Returns the lines of an entry, at least one. They are wrapped to `width` columns when wrapping is on.
    func lines(of entry: WatchLog.Entry, width: Int) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        var view = entry.view
        view.isAnswered = entry.isAnswered
        let columns = EventColumns(settings.lines, width: width)
        for (index, body) in bodies(of: entry.drawn, view, width: width).enumerated() {
            var line = TerminalLine()
            appendGutter(of: entry, isFirst: index == 0, columns.time, to: &line)
            line.append(body)
            if wraps { lines += line.wrapped(to: width) } else { lines.append(line) }
        }
        for text in [filtering.highlight, filtering.search] where !text.isEmpty {
            for index in lines.indices { lines[index].pointOut(text) }
        }
        return lines
    }

    /// Appends the gutter of a line: a symbol for a mark or a problem, and the time.
    private func appendGutter(of entry: WatchLog.Entry, isFirst: Bool, _ columns: Int, to line: inout TerminalLine) {
        if entry.mark != nil, isFirst {
            line.append("⚑", settings.theme[.caution])
        } else if entry.stamped.report.isProblem, isFirst {
            line.append("!", settings.theme[.bad])
        } else {
            line.append(" ")
        }
        guard columns > 0 else { return }
        let time = isFirst ? String(self.time(of: entry, columns).prefix(columns)) : ""
        line.append(String(repeating: " ", count: columns - time.utf8.count) + time + " ", settings.theme[.time])
    }

    private func time(of entry: WatchLog.Entry, _ columns: Int) -> String {
        let stamp = entry.stamped.stamp
        switch settings.lines.time {
        case .abs:
            var clock = clock
            // For an entry on another day than the newest one, the date matters more than the time.
            let newest = log[log.serials.upperBound - 1]?.stamped.stamp.wall ?? stamp.wall
            _ = clock.newDate(newest)
            let time = clock.time(stamp.wall, columns: columns)
            guard let date = clock.newDate(stamp.wall) else { return time }
            return columns < 12 ? String(date.suffix(5)) : date.suffix(5) + " " + time.prefix(5)
        case .rel: return TimeText.elapsed(milliseconds: stamp.time.microseconds / 1000)
        case .delta:
            let before = log.last(before: entry.serial).flatMap { log[$0] }?.stamped.stamp.time ?? stamp.time
            return TimeText.elapsed(milliseconds: (stamp.time - before).microseconds / 1000)
        case .none: return ""
        }
    }

    /// Returns the printed lines of a report without times, at least one. Ignores whether the filter hides the report.
    func bodies(
        of stamped: StampedReport, _ mark: ViewMark = ViewMark(), width: Int? = nil
    ) -> [TerminalLine] {
        var mark = mark
        mark.isShown = true
        var buffer = TerminalBuffer(settings.theme)
        if log.isChat {
            var settings = settings.lines
            settings.time = .none
            var lines = ChatLines(settings, width: nil)
            lines.names = printer.names
            lines.append(stamped, mark, to: &buffer)
            let made = TerminalLine.lines(of: buffer.bytes)
            if !made.isEmpty { return made }
        }
        var events = printer
        events.columns = EventColumns(events.settings, width: width)
        events.append(stamped, mark, to: &buffer)
        var dropped = 0
        if buffer.bytes.isEmpty {
            var lines = StatusLines(quiet: false, showsGaps: true, printer.names)
            lines.append(stamped, to: &buffer)
            // The gutter already shows the time.
            dropped = StatusLines.timeWidth + 2
        }
        let lines = TerminalLine.lines(of: buffer.bytes).map { $0.dropping(dropped) }
        return lines.isEmpty ? [TerminalLine("…")] : lines
    }

    /// Returns whether an entry's mark or its printed lines contain `text`.
    func isFound(_ text: String, in entry: WatchLog.Entry) -> Bool {
        if entry.mark?.contains(text) == true { return true }
        return bodies(of: entry.drawn).contains { $0.range(of: text, from: 0) != nil }
    }
}

extension TerminalLine {
    /// Highlights every occurrence of a text.
    fileprivate mutating func pointOut(_ text: String) {
        var start = 0
        while let range = range(of: text, from: start) {
            add([.bold, .underlined], in: range)
            start = range.upperBound
        }
    }
}
