import Terminal
import Wire

// The charts of the last minute's rate and lag, above the log.
extension Watch {
    /// The number of rows of the charts, if the screen is high enough.
    static let chartRows = 11

    mutating func toggleChart() {
        showsChart.toggle()
        if showsChart, WatchLayout(self).chart.isEmpty { say("there is no room for rate and lag") }
        keepSelectionInView()
    }

    func drawChart(_ area: TerminalArea, _ grid: inout TerminalGrid) {
        guard !area.isEmpty else { return }
        for (row, line) in zip(area.rows, load.rows(area.rows.count, width: area.columns.count, at: now)) {
            var text = TerminalLine()
            for part in line.parts { text.append(part.text, settings.theme[part.style]) }
            grid.write(text, row: row, column: area.columns.lowerBound, in: area)
        }
    }
}
