import Events
import Pipeline
import Recording
import Terminal
import Wire

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
