import SectionedModel
import Pipeline
package import Terminal
import Wire

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
        let right = TerminalLine(" \(events) events  ", look)
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
                if entry.serial == selection {
                    var whole = area
                    whole.rows = row..<row + 1
                    grid.add(focus == .log ? [.reversed] : [.underlined], in: whole)
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
            let count = model.flatMap { model in model.index(of: group).map { model.rowCount(at: $0) } } ?? 0
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
        guard let progress else { return }
        let bar = scrubberBar(area)
        var left = area
        left.columns = area.columns.lowerBound..<bar.lowerBound
        let sign = progress.isPaused ? "⏸" : "▶"
        let time = TimeText.span(milliseconds: progress.time.microseconds / 1000)
        grid.write("\(sign) \(progress.pace) +\(time)", row: row, column: left.columns.lowerBound, in: left)
        func place(_ time: Moment) -> Int? {
            guard let length, length.microseconds > 0, !bar.isEmpty else { return nil }
            let part = Double(time.microseconds) / Double(length.microseconds)
            return bar.lowerBound + Int(min(max(part, 0), 1) * Double(bar.count - 1))
        }
        for column in bar { grid.write("─", row: row, column: column, settings.theme[.faint]) }
        if let here = place(progress.time) {
            for column in bar.lowerBound..<max(here, bar.lowerBound) {
                grid.write("━", row: row, column: column, settings.theme[.good])
            }
            for mark in progress.marks {
                if let column = place(mark) { grid.write("⚑", row: row, column: column, settings.theme[.caution]) }
            }
            grid.write("●", row: row, column: here, settings.theme[.good].adding(.bold))
        }
        var right = area
        right.columns = bar.upperBound..<area.columns.upperBound
        let end = length.map { " " + TimeText.span(milliseconds: $0.microseconds / 1000) } ?? " #\(progress.number)"
        grid.write(end, row: row, column: right.columns.lowerBound, in: right)
    }

    private func drawStatus(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        let row = area.rows.lowerBound
        if case .asking(let question, let editor) = mode {
            return editor.draw(
                question.prompt, wrong: question == .filter ? filterError?.range : nil, settings.theme, in: area,
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
            add((isConnected ? "● " : "○ ") + connection, isConnected ? .good : .caution)
        }
        let counts = rooms.counts
        if counts.wanted > 0 {
            add("rooms \(counts.joined)/\(counts.wanted)" + (counts.refused > 0 ? " ✗\(counts.refused)" : ""))
        }
        add("\(rate.perSecond)/s ")
        line.append(rate.sparkline(16), settings.theme[.good])
        if gaps > 0 { add("gaps \(gaps)", .bad) }
        if problems > 0 { add("! \(problems)", .caution) }
        let filter = filters.filter.text
        if !filter.isEmpty { add("filter: " + TerminalText.truncated(filter, to: 40), .heading) }
        if !search.isEmpty { add("/" + TerminalText.truncated(search, to: 20), .faint) }
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
