import Live
import Pipeline
import SectionedModel
import Terminal
import Wire

/// The cost of a frame of the full-screen view while lines are added and removed.
enum TerminalFrames {
    private static let (width, height) = (200, 50)
    /// The number of lines and of frames per second.
    private static let (lines, frames) = (60, 30)
    private static let seconds = 20
    /// The limit for a frame in microseconds, so that it is drawn in time.
    private static let bar = 1_000_000.0 / Double(frames)

    private static let cases: [(name: String, keys: String)] = [
        ("the log goes on", ""), ("with a detail pane", "\r"), ("with the rooms next to it", "r"),
        ("filtered by kind", "fkind = message\r"), ("paused", " "),
    ]

    static func report(_ reports: [StampedReport], runs: Int) throws(BenchmarkError) -> [String] {
        var table = Table(["a frame of weir watch", "µs", "bytes", "of a screen", "bar"])
        for (name, keys) in cases {
            var (spans, sizes, share) = ([Double](), [Double](), 0.0)
            for _ in 0..<runs {
                let run = measure(reports, keys)
                spans.append(run.span)
                sizes.append(run.bytes)
                share = run.bytes / Double(max(run.screen, 1))
            }
            let series = Series(spans)
            table.add([
                name, series.text(digits: 0), Series(sizes).text(digits: 0), (share * 100).fixed(1) + " %",
                series.median < bar ? "in time" : "MISSED",
            ])
        }
        return table.lines + ["", "\(lines) reports a second, \(frames) frames a second, \(width) x \(height).", ""]
    }

    /// Feeds the reports to the view and draws it, as its driver does. Returns the microseconds and bytes per frame,
    /// and the bytes of a whole screen.
    private static func measure(_ reports: [StampedReport], _ keys: String) -> (
        span: Double, bytes: Double, screen: Int
    ) {
        var watch = Watch(Watch.Settings(title: "a benchmark"))
        var effects: [Watch.Effect] = []
        var screen = TerminalScreen()
        watch.handle(.resized(width: width, height: height), at: .zero, into: &effects)
        watch.handle(.reports(Array(reports.prefix(reports.count / 2))), at: .zero, into: &effects)
        for key in keys.unicodeScalars {
            watch.handle(.terminal(.key(key == "\r" ? .enter : .character(key))), at: .zero, into: &effects)
        }
        let whole = screen.update(to: watch.grid).count
        var rest = reports.dropFirst(reports.count / 2)
        var bytes = 0
        let stopwatch = Stopwatch()
        for frame in 1...frames * seconds {
            let now = Moment(microseconds: Int64(frame) * 1_000_000 / Int64(frames))
            watch.handle(.reports(Array(rest.prefix(lines / frames))), at: now, into: &effects)
            rest = rest.dropFirst(lines / frames)
            bytes += screen.update(to: watch.grid).count
        }
        let count = Double(frames * seconds)
        return (stopwatch.elapsed.seconds * 1e6 / count, Double(bytes) / count, whole)
    }
}
