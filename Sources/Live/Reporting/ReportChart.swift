import Pipeline
import Recording
import Wire

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
