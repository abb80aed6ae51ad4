import Pipeline
import Recording
import Terminal
import Wire

/// The rate, the lag and the gaps of the last minute, second by second. Its size is fixed.
struct LoadHistory: Sendable {
    private var rate = RateHistory()
    /// The longest lag of each second, in milliseconds, with that second since the beginning.
    private var lags: [(second: Int64, lag: Int64)] = []
    /// The ranges of seconds in which events may be missing.
    private var gaps: [ClosedRange<Int64>] = []

    /// Adds a report. `now` is the time of the frame that is drawn.
    mutating func take(_ stamped: StampedReport, at now: Moment) {
        switch stamped.report {
        case .event:
            rate.add(1, at: now)
            guard let lag = stamped.lag, lag.magnitude < 86_400_000 else { return }
            note(max(lag, 0), in: now.microseconds / 1_000_000)
        case .gap(let gap) where gap.isLoss:
            let shift = now.microseconds - stamped.stamp.time.microseconds
            let from = (gap.from.microseconds + shift) / 1_000_000
            gaps.append(from...max((gap.to.microseconds + shift) / 1_000_000, from))
            if gaps.count > RateHistory.seconds { gaps.removeFirst() }
        case .gap, .diff, .connection, .room, .action, .emit, .refetch, .typing, .undecodable, .notice: break
        }
    }

    private mutating func note(_ lag: Int64, in second: Int64) {
        if let last = lags.last, last.second >= second {
            lags[lags.count - 1].lag = max(last.lag, lag)
        } else {
            lags.append((second, lag))
            if lags.count > RateHistory.seconds { lags.removeFirst() }
        }
    }

    /// Returns the charts of the rate and of the lag, one above the other; empty if they do not fit.
    func rows(_ height: Int, width: Int, at now: Moment) -> [ChartRow] {
        let shown = min(RateHistory.seconds, width - LoadChart.margin)
        guard shown >= 10, height >= 6 else { return [] }
        let second = now.microseconds / 1_000_000
        let seconds = (0..<Int64(shown)).map { second - Int64(shown) + 1 + $0 }
        let missing = seconds.map { second in gaps.contains { $0.contains(second) } }
        let counts = rate.history(at: now).suffix(shown).map { Int64($0) }
        let known = Dictionary(lags.map { ($0.second, $0.lag) }) { $1 }
        // The upper chart gets the rows that remain.
        let lower = (height - 3) / 2
        let upper = height - 3 - lower
        return LoadChart(values: counts, missing: missing, style: .good) { Double($0).rateText + "/s" }.rows(upper)
            + LoadChart(values: seconds.map { known[$0] ?? 0 }, missing: missing, style: .caution) {
                TimeText.span(milliseconds: $0)
            }.rows(lower)
            + [ChartRow(parts: [(LoadChart.legend, .faint)])]
            + LoadChart.timeAxis(shown)
    }
}

/// A row of a chart: its texts with their styles.
struct ChartRow {
    var parts: [(text: String, style: TerminalStyle)]
}

/// A chart with one value for each second. Its axis with the unit is on the left, its blocks have eight heights, and a shade marks missing
/// seconds.
struct LoadChart {
    /// The number of columns before the first second.
    static let margin = 9
    static let legend = "         above: events a second; below: longest lag; ░ a gap"

    var values: [Int64]
    var missing: [Bool]
    var style: TerminalStyle
    /// Returns a value with its unit, in few letters.
    var label: (Int64) -> String

    private static let blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Returns the rows from the top to the bottom.
    func rows(_ height: Int) -> [ChartRow] {
        let highest = max(values.max() ?? 0, 1)
        return (0..<height).map { row in
            let above = height - 1 - row
            let text = row == 0 ? label(highest) : above == 0 ? "0" : ""
            var parts: [(text: String, style: TerminalStyle)] = [
                (text.leading(Self.margin - 2) + (row == 0 || above == 0 ? " ┤" : " │"), .faint)
            ]
            for (value, isMissing) in zip(values, missing) {
                let eighths = Int(value * Int64(height * 8) / highest) - above * 8
                // A small value still draws an eighth of a block.
                let height = value > 0 && above == 0 ? max(eighths, 1) : eighths
                let block = height <= 0 && isMissing ? "░" : Self.blocks[min(max(height, 0), 8)]
                let style: TerminalStyle = block == "░" ? .bad : self.style
                if parts[parts.count - 1].style == style {
                    parts[parts.count - 1].text += block
                } else {
                    parts.append((block, style))
                }
            }
            return ChartRow(parts: parts)
        }
    }

    /// Returns the time axis below charts of this many seconds.
    static func timeAxis(_ seconds: Int) -> [ChartRow] {
        let left = "-\(seconds)s"
        let middle = "-\(seconds / 2)s"
        var line = String(repeating: " ", count: margin - 2) + " └" + left
        line += String(repeating: "─", count: max(seconds / 2 - left.count, 0)) + middle
        line += String(repeating: "─", count: max(seconds - 3 - (line.count - margin), 0)) + "now"
        return [ChartRow(parts: [(line, .faint)])]
    }
}
