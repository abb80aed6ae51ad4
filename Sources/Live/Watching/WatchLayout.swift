import Terminal

/// Where the parts of the view are: a function of the screen's size and of what is open. Parts may be empty.
struct WatchLayout {
    /// One row at the top.
    var title = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// Sections and the first rooms.
    var side = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// A line between the two.
    var border = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// All rooms, with what is known of each.
    var rooms = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    var log: TerminalArea
    /// One row: the tabs of what is below.
    var tabs = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    var detail = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// One row: how far a replay is.
    var scrubber = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The error in the typed text, or a passing notice: one row, or what it needs of a third of the screen.
    var hint = TerminalArea(row: 0, column: 0, height: 0, width: 0)
    /// The last row: how it stands, or what is typed.
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
        // Where there is little room the messages have it all; Tab shows the side pane.
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
        log = rest
    }
}
