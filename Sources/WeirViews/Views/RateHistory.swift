import WeirPipeline
import WeirTerminal
package import WeirWire

/// The counts of the last 60 seconds, in a ring of fixed size. Pure: the caller passes the time.
struct RateHistory: Sendable {
    static let seconds = 60
    private var counts: [UInt32] = []
    /// The second of the latest count.
    private var last: Int64 = 0

    /// Adds `count` to the second of `now`. A second that has left the ring is ignored.
    mutating func add(_ count: Int, at now: Moment) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.seconds) }
        let second = now.microseconds / 1_000_000
        if second > last {
            // Seconds without a count are zero.
            for step in 0..<min(second - last, Int64(Self.seconds)) { counts[Self.index(second - step)] = 0 }
            last = second
        }
        guard last - second < Int64(Self.seconds) else { return }
        let index = Self.index(second)
        let (sum, overflow) = counts[index].addingReportingOverflow(UInt32(clamping: count))
        counts[index] = overflow ? .max : sum
    }

    /// Returns the counts of the 60 seconds up to `now`, oldest first.
    func history(at now: Moment) -> [UInt32] {
        guard !counts.isEmpty else { return Array(repeating: 0, count: Self.seconds) }
        let second = now.microseconds / 1_000_000
        return (0..<Int64(Self.seconds)).map { step in
            let asked = second - Int64(Self.seconds) + 1 + step
            return asked > last || asked <= last - Int64(Self.seconds) || asked < 0 ? 0 : counts[Self.index(asked)]
        }
    }

    /// Returns the average rate per second over the last `span` complete seconds.
    func rate(over span: Int, at now: Moment) -> Double {
        let known = history(at: now).dropLast().suffix(span)
        let length = min(Int64(span), max(now.microseconds / 1_000_000, 1))
        return Double(known.reduce(0) { $0 + Int($1) }) / Double(length)
    }

    /// Returns one block for each second. The height is relative to `highest`.
    static func sparkline(_ counts: some Sequence<UInt32>, highest: UInt32) -> String {
        let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(
            counts.map { count in
                guard count > 0, highest > 0 else { return " " }
                return blocks[min(Int(UInt64(count) * UInt64(blocks.count) / UInt64(highest)), blocks.count - 1)]
            })
    }

    private static func index(_ second: Int64) -> Int {
        let rest = Int(second % Int64(seconds))
        return rest < 0 ? rest + seconds : rest
    }
}

extension Double {
    /// The rate in a few characters: `0`, `0.4`, `12`, `3.4k`.
    package var rateText: String {
        func tenths(_ value: Double, _ unit: String) -> String {
            let tenths = Int((value * 10).rounded())
            return tenths % 10 == 0 || tenths >= 100 ? "\(tenths / 10)\(unit)" : "\(tenths / 10).\(tenths % 10)\(unit)"
        }
        switch self {
        case ..<1000: return tenths(self, "")
        case ..<1e6: return tenths(self / 1e3, "k")
        default: return tenths(Swift.min(self, 1e15) / 1e6, "M")
        }
    }
}

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

/// The number of events in each of the last 30 seconds. Pure: the caller passes the time.
package struct WatchRate: Sendable {
    static let seconds = 30

    /// The count of each second, oldest first. The last second is not over yet.
    private var counts: [Int] = []
    /// The second of the last count.
    private var second: Int64?

    mutating func advance(to now: Moment) {
        let wanted = now.microseconds / 1_000_000
        guard let second, wanted > second else { return }
        let passed = Int(min(wanted - second, Int64(Self.seconds)))
        counts.append(contentsOf: repeatElement(0, count: passed))
        counts.removeFirst(max(counts.count - Self.seconds, 0))
        self.second = wanted
    }

    mutating func add(at now: Moment) {
        if second == nil {
            second = now.microseconds / 1_000_000
            counts = [0]
        }
        advance(to: now)
        counts[counts.count - 1] += 1
    }

    /// Whether the values will change when a second passes.
    var isMoving: Bool { counts.contains { $0 > 0 } }

    var nextSecond: Moment { Moment(microseconds: ((second ?? 0) + 1) * 1_000_000) }

    /// Returns a copy that is advanced to another time.
    func advanced(to now: Moment) -> WatchRate {
        var rate = self
        rate.advance(to: now)
        return rate
    }

    /// The count of the last complete second.
    var perSecond: Int { counts.count > 1 ? counts[counts.count - 2] : counts.last ?? 0 }

    /// Returns the last `width` seconds as blocks of eight heights. The busiest second has the highest block.
    func sparkline(_ width: Int) -> String {
        let shown = counts.suffix(max(width, 0))
        let most = max(shown.max() ?? 0, 1)
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(shown.map { $0 == 0 ? " " : blocks[min($0 * 8 / (most + 1), 7)] })
    }
}

/// Counts events per second over the last minute. Pure.
package struct EventRates {
    static let span = 60

    /// The second that each slot counts. `counts` contains the slots' counts.
    private var seconds = [Int64](repeating: -1, count: span)
    private var counts = [Int](repeating: 0, count: span)
    private let began: Moment

    /// Creates an empty count that starts at `began`.
    package init(from began: Moment) { self.began = began }

    /// Counts a number of events.
    package mutating func note(_ times: Int = 1, at now: Moment) {
        let second = max(now.microseconds, 0) / 1_000_000
        let place = Int(second % Int64(Self.span))
        if seconds[place] != second {
            seconds[place] = second
            counts[place] = 0
        }
        counts[place] += times
    }

    /// Returns the events per second over the last `span` whole seconds, or over the time since the beginning if that
    /// is shorter.
    package func rate(over span: Int, at now: Moment) -> Double {
        let second = max(now.microseconds, 0) / 1_000_000
        let first = max(second - Int64(min(span, Self.span)), max(began.microseconds, 0) / 1_000_000)
        guard second > first else { return 0 }
        var total = 0
        for (place, counted) in seconds.enumerated() where counted >= first && counted < second {
            total += counts[place]
        }
        return Double(total) / Double(second - first)
    }
}
