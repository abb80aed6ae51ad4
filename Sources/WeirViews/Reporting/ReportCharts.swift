import WeirPipeline
import WeirWire

/// The frame of an SVG chart in a report: its axes, and the coordinates of times and values. All charts have the same time axis, so that
/// they align below each other.
struct ReportChart {
    /// The time that the whole report covers.
    struct Span {
        var from: Moment
        var to: Moment
        /// The wall clock at `from`, in microseconds since 1970 UTC.
        var wall: Int64
        /// The length in microseconds, at least 1.
        var length: Int64 { max((to - from).microseconds, 1) }
        /// Returns the wall clock at a moment, in microseconds since 1970 UTC.
        func wall(at time: Moment) -> Int64 { wall &+ (time - from).microseconds }
    }

    static let width = 960.0
    static let left = 64.0
    static let right = 8.0
    static let top = 20.0
    let height: Double
    let span: Span
    var html = HTMLText()

    /// The y coordinate of the time axis.
    var bottom: Double { height - 24 }

    /// Creates a chart of the given height in pixels. `title` states what it shows; `words` describes it for screen readers.
    init(height: Double, _ span: Span, title: String, words: String) {
        (self.height, self.span) = (height, span)
        html.markup("<svg class=\"chart\" role=\"img\" viewBox=\"0 0 960 ")
        html.coordinate(height)
        html.markup("\"><title>")
        html.text(title)
        html.markup("</title><desc>")
        html.text(words)
        html.markup("</desc>\n")
    }

    /// Returns the markup of the whole chart.
    consuming func finish() -> HTMLText {
        html.markup("</svg>\n")
        return html
    }

    /// Returns the x coordinate of a moment.
    func x(_ time: Moment) -> Double {
        let share = Double((time - span.from).microseconds) / Double(span.length)
        return Self.left + min(max(share, 0), 1) * (Self.width - Self.left - Self.right)
    }

    // MARK: - Axes

    /// Draws horizontal lines with their labels. The share of a tick is its height as a part of the plot's height.
    mutating func valueAxis(_ ticks: [(share: Double, label: String)], unit: String) {
        for tick in ticks {
            let y = self.y(share: tick.share)
            line(Self.left, y, Self.width - Self.right, y, "grid")
            label(tick.label, x: Self.left - 6, y: y + 4, "axis end")
        }
        label(unit, x: Self.left, y: Self.top - 8, "axis")
    }

    /// Returns the y coordinate of a share of the largest value.
    func y(share: Double) -> Double { bottom - min(max(share, 0), 1) * (bottom - Self.top) }

    private static let steps: [Int64] = [
        100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 15_000_000, 30_000_000, 60_000_000,
        120_000_000, 300_000_000, 600_000_000, 900_000_000, 1_800_000_000, 3_600_000_000, 7_200_000_000,
        10_800_000_000, 21_600_000_000, 43_200_000_000, 86_400_000_000, 172_800_000_000, 604_800_000_000,
        2_592_000_000_000, 31_536_000_000_000,
    ]

    /// Draws the labels of the time axis: round times of the wall clock, in UTC.
    mutating func timeAxis() {
        let step = Self.steps.first { span.length / $0 <= 8 } ?? span.length
        line(Self.left, bottom, Self.width - Self.right, bottom, "base")
        var wall = span.wall + (step - span.wall % step) % step
        while wall <= span.wall + span.length {
            let x = self.x(Moment(microseconds: span.from.microseconds + wall - span.wall))
            line(x, bottom, x, bottom + 4, "base")
            let text =
                step >= 86_400_000_000
                ? TimeText.date(wall: wall)
                : String(TimeText.timeOfDay(wall: wall).prefix(step < 1_000_000 ? 10 : step < 60_000_000 ? 8 : 5))
            if x < Self.width - 40 { label(text, x: x, y: bottom + 17, "axis mid") }
            wall += step
        }
    }

    /// Shades the times of the gaps. Shapes that are drawn later cover the shade.
    mutating func gaps(_ gaps: [ReportFigures.Gap]) {
        for gap in gaps where gap.report.isLoss {
            let from = x(gap.report.from)
            rect(from, Self.top, max(x(gap.report.to) - from, 1.5), bottom - Self.top, "gap", gap.sentence)
        }
    }

    // MARK: - Shapes

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ kind: StaticString) {
        html.markup("<path class=\"")
        html.markup(kind)
        html.markup("\" d=\"M")
        point(x1, y1)
        html.markup("L")
        point(x2, y2)
        html.markup("\"/>\n")
    }

    /// Draws a rectangle with a tooltip.
    mutating func rect(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ kind: StaticString, _ words: String
    ) {
        html.markup("<rect class=\"")
        html.markup(kind)
        for (name, value) in [(" x", x), (" y", y), (" width", width), (" height", height)] as [(StaticString, Double)]
        {
            html.markup("\"")
            html.markup(name)
            html.markup("=\"")
            html.coordinate(value)
        }
        html.markup("\"><title>")
        html.text(words)
        html.markup("</title></rect>\n")
    }

    mutating func label(_ words: String, x: Double, y: Double, _ kind: StaticString) {
        html.markup("<text class=\"")
        html.markup(kind)
        html.markup("\" x=\"")
        html.coordinate(x)
        html.markup("\" y=\"")
        html.coordinate(y)
        html.markup("\">")
        html.text(words)
        html.markup("</text>\n")
    }

    /// Begins a path in the colour of a series, as an area or as a line.
    mutating func beginPath(_ kind: StaticString, _ series: Int) {
        html.markup("<path class=\"")
        html.markup(kind)
        html.markup(" s")
        html.digits(series)
        html.markup("\" d=\"")
    }

    mutating func endPath() { html.markup("\"/>\n") }

    mutating func point(_ x: Double, _ y: Double) {
        html.coordinate(x)
        html.markup(" ")
        html.coordinate(y)
    }
}

/// Round numbers for an axis.
enum ReportScale {
    /// Returns the least of 1, 2, 5, 10, 20, … that is not less than `value`.
    static func round(_ value: Double) -> Double {
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value, power > 1e-6 { power /= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value } ?? value
    }
}

/// The charts of a report. Each has a table of its numbers below it.
struct ReportCharts {
    let figures: ReportFigures
    let span: ReportChart.Span
    private var history: ReportHistory { figures.history }

    init(_ figures: ReportFigures) {
        self.figures = figures
        let first = figures.first ?? Stamp(n: 0, time: .zero, wall: 0)
        span = ReportChart.Span(from: first.time, to: figures.last?.time ?? first.time, wall: first.wall)
    }

    /// Returns the wall clock at the start of a column: `07:43:58`.
    private func label(ofColumn index: Int) -> String {
        let wall = span.wall(at: start(ofColumn: index))
        return String(TimeText.timeOfDay(wall: wall).prefix(history.width < 1_000_000 ? 12 : 8))
    }

    private func start(ofColumn index: Int) -> Moment {
        Moment(microseconds: history.origin.microseconds + Int64(index) * history.width)
    }

    /// The width of a column in words, such as `each column is 250ms`.
    private var columnWords: String { "each column is " + TimeText.span(milliseconds: history.width / 1000) }

    // MARK: - Rates

    /// Draws the rate of events over time, with the series stacked.
    func rates(of series: [ReportHistory.Series], by what: String, name: (String) -> String) -> HTMLText {
        let seconds = Double(history.width) / 1e6
        let most = (0..<history.columns.count).map { column in series.reduce(0) { $0 + $1.counts[column] } }.max() ?? 0
        let highest = ReportScale.round(Double(max(most, 1)) / seconds)
        let names = series.map { $0.name.map { name($0).clipped(60) } ?? "others" }
        let totals = zip(names, series).map { "\($0) \($1.total.grouped)" }.joined(separator: ", ")
        var chart = ReportChart(
            height: 240, span, title: "Events a second by \(what)",
            words: "\(columnWords), the highest has \(most.grouped) events. Totals: \(totals)")
        chart.gaps(figures.gaps)
        chart.valueAxis(
            [0.25, 0.5, 0.75, 1].map { ($0, ($0 * highest).rateText) }, unit: "events/s")
        var below = [Double](repeating: 0, count: history.columns.count)
        for (number, series) in series.enumerated() {
            bars(series, number, highest * seconds, &below, &chart)
        }
        for column in history.columns.indices where history.columns[column].events > 0 {
            let parts = zip(names, series).filter { $1.counts[column] > 0 }
                .map { "\($0) \($1.counts[column].grouped)" }
            let (x, width) = place(ofColumn: column, chart)
            chart.rect(
                x, ReportChart.top, width, chart.bottom - ReportChart.top, "hover",
                "\(label(ofColumn: column))  " + parts.joined(separator: ", "))
        }
        chart.timeAxis()
        var html = chart.finish()
        legend(zip(names, series).map { ($0, $1.total) }, &html)
        table(names, series, by: what, &html)
        return html
    }

    private func place(ofColumn index: Int, _ chart: borrowing ReportChart) -> (x: Double, width: Double) {
        let x = chart.x(start(ofColumn: index))
        return (x, max(chart.x(start(ofColumn: index + 1)) - x, 1.5))
    }

    private func bars(
        _ series: ReportHistory.Series, _ number: Int, _ full: Double, _ below: inout [Double],
        _ chart: inout ReportChart
    ) {
        chart.beginPath("area", number)
        for (column, count) in series.counts.enumerated() where count > 0 {
            let (x, width) = place(ofColumn: column, chart)
            let low = chart.y(share: below[column] / full)
            below[column] += Double(count)
            chart.html.markup("M")
            chart.point(x, low)
            chart.html.markup("V")
            chart.html.coordinate(chart.y(share: below[column] / full))
            chart.html.markup("h")
            // Leave a line between columns that are wide enough.
            chart.html.coordinate(width > 4 ? width - 1 : width)
            chart.html.markup("V")
            chart.html.coordinate(low)
            chart.html.markup("z")
        }
        chart.endPath()
    }

    private func legend(_ entries: [(name: String, total: Int)], _ html: inout HTMLText) {
        html.markup("<ul class=\"legend\">")
        for (number, entry) in entries.enumerated() {
            html.markup("<li><span class=\"swatch s")
            html.digits(number)
            html.markup("\"></span>")
            html.text(entry.name)
            html.markup(" ")
            html.number(entry.total)
        }
        html.markup("</ul>\n")
    }

    private func table(
        _ names: [String], _ series: [ReportHistory.Series], by what: String, _ html: inout HTMLText
    ) {
        html.markup("<details><summary>The numbers</summary>")
        html.markup("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
        html.text("events by time and \(what)")
        html.markup("\"><table><caption>")
        html.text("Events by \(what); \(columnWords)")
        html.markup("</caption><thead><tr><th scope=\"col\">from (UTC)")
        for name in names {
            html.markup("<th scope=\"col\">")
            html.text(name)
        }
        html.markup("</thead><tbody>\n")
        for column in history.columns.indices where history.columns[column].events > 0 {
            html.markup("<tr><th scope=\"row\">")
            html.text(label(ofColumn: column))
            for one in series { html.cell(one.counts[column]) }
            html.markup("\n")
        }
        html.markup("</tbody></table></div></details>\n")
    }

    // MARK: - Lag

    private static let percentiles = [50, 90, 99]

    /// Draws three percentiles of the lag over time, on a logarithmic scale.
    func lag() -> HTMLText {
        let longest = history.columns.compactMap { $0.lag.percentile(99) }.max() ?? 1000
        // The scale starts at 1 ms.
        var decades = 1.0
        while Self.pow10(decades) < Double(longest) / 1000, decades < 9 { decades += 1 }
        let all = history.lag
        let words = Self.percentiles.map { "p\($0) \(Self.span(all.percentile($0)))" }.joined(separator: ", ")
        var chart = ReportChart(
            height: 200, span, title: "Lag of events over time", words: "\(columnWords). Over all: \(words)")
        chart.gaps(figures.gaps)
        let ticks = (0...Int(decades)).map { decade in
            (Double(decade) / decades, TimeText.span(milliseconds: Int64(Self.pow10(Double(decade)))))
        }
        chart.valueAxis(ticks, unit: "lag")
        for (number, percentile) in Self.percentiles.enumerated() { line(percentile, number, decades, &chart) }
        for column in history.columns.indices where history.columns[column].lag.count > 0 {
            let lag = history.columns[column].lag
            let (x, width) = place(ofColumn: column, chart)
            let parts = Self.percentiles.map { "p\($0) \(Self.span(lag.percentile($0)))" }
            chart.rect(
                x, ReportChart.top, width, chart.bottom - ReportChart.top, "hover",
                "\(label(ofColumn: column))  \(parts.joined(separator: ", ")), most \(Self.span(lag.longest))")
        }
        chart.timeAxis()
        var html = chart.finish()
        lagLegend(all, &html)
        return html
    }

    private func line(_ percentile: Int, _ number: Int, _ decades: Double, _ chart: inout ReportChart) {
        chart.beginPath("line", number)
        var isOpen = false
        for column in history.columns.indices {
            guard let lag = history.columns[column].lag.percentile(percentile) else {
                isOpen = false
                continue
            }
            let (x, width) = place(ofColumn: column, chart)
            chart.html.markup(isOpen ? "L" : "M")
            chart.point(x, chart.y(share: Self.log10(Double(lag) / 1000) / decades))
            chart.html.markup("h")
            chart.html.coordinate(width)
            isOpen = true
        }
        chart.endPath()
    }

    private func lagLegend(_ all: LatencyHistogram, _ html: inout HTMLText) {
        html.markup("<ul class=\"legend\">")
        for (number, percentile) in Self.percentiles.enumerated() {
            html.markup("<li><span class=\"swatch s")
            html.digits(number)
            html.markup("\"></span>")
            html.text("\(percentile) % of events within \(Self.span(all.percentile(percentile)))")
        }
        html.markup("</ul>\n")
    }

    /// Returns a duration in microseconds as text for people.
    static func span(_ microseconds: Int64?) -> String {
        guard let microseconds else { return "–" }
        if microseconds < 10_000 { return "\((microseconds + 50) / 100 / 10).\((microseconds + 50) / 100 % 10)ms" }
        return TimeText.span(milliseconds: microseconds / 1000)
    }

    private static func pow10(_ exponent: Double) -> Double {
        var result = 1.0
        for _ in 0..<max(Int(exponent), 0) { result *= 10 }
        return result
    }

    /// Returns the decimal logarithm of a value of at least 1, to a thousandth; 0 for a smaller value.
    private static func log10(_ value: Double) -> Double {
        var (rest, whole) = (value, 0.0)
        guard rest > 1 else { return 0 }
        while rest >= 10 { (rest, whole) = (rest / 10, whole + 1) }
        // Each squaring yields one more binary digit.
        var (digit, sum) = (0.5, 0.0)
        for _ in 0..<12 {
            rest *= rest
            if rest >= 10 { (rest, sum) = (rest / 10, sum + digit) }
            digit /= 2
        }
        return whole + sum
    }

    // MARK: - The time line

    /// Draws the state of the connection over time, with the gaps, their repairs and the marks.
    func timeLine() -> HTMLText {
        let lost = figures.connections.count { $0.change == .lost }
        var chart = ReportChart(
            height: 110, span, title: "The connection over time",
            words: "connected \(figures.connections.count { $0.change == .connected }) times, lost \(lost) times, "
                + "\(figures.summary.gaps) gaps")
        var since: Moment?
        for change in figures.connections {
            switch change.change {
            case .connecting: break
            case .connected:
                if since == nil { since = change.time }
                let x = chart.x(change.time)
                chart.line(x, 22, x, 44, "joined")
            case .lost:
                if let from = since { connected(from, change.time, &chart) }
                since = nil
                let x = chart.x(change.time)
                chart.rect(x - 1, 18, 2.5, 30, "lost", "lost: \(change.words)")
            }
        }
        if let from = since { connected(from, span.to, &chart) }
        for gap in figures.gaps { draw(gap, &chart) }
        for mark in figures.marks {
            let x = chart.x(mark.time)
            chart.line(x, 12, x, chart.bottom, "mark")
            chart.label(mark.label.clipped(24), x: x + 3, y: 14, "axis")
        }
        for (text, y) in [("connected", 37.0), ("gaps", 68.0)] { chart.label(text, x: 0, y: y, "axis") }
        chart.timeAxis()
        return chart.finish()
    }

    private func connected(_ from: Moment, _ to: Moment, _ chart: inout ReportChart) {
        let x = chart.x(from)
        let long = TimeText.span(milliseconds: (to - from).microseconds / 1000)
        chart.rect(x, 28, max(chart.x(to) - x, 1), 10, "up", "connected for \(long)")
    }

    private func draw(_ gap: ReportFigures.Gap, _ chart: inout ReportChart) {
        let from = chart.x(gap.report.from)
        chart.rect(from, 58, max(chart.x(gap.report.to) - from, 2.5), 14, "hole", gap.sentence)
        guard let repair = gap.repair else { return }
        let x = chart.x(repair.at)
        chart.rect(x - 1.5, 58, 3, 14, "mended", "everything fetched, \(repair.missed) messages missed")
    }
}
