import Terminal

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
        if watch.width >= (watch.focus == .sections ? 40 : 100), rest.rows.count >= 3 {
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
