import Glibc
import Live

extension Benchmark {
    private static let events = BenchmarkOption(
        "events", "N", "events printed in each form", standard: 50_000, range: 100...10_000_000)
    private static let channels = BenchmarkOption(
        "channels", "C", "channels of the events", standard: 500, range: 1...100_000)
    private static let starts = BenchmarkOption(
        "starts", "R", "number of starts of the program", standard: 20, range: 1...1000)
    private static let seconds = BenchmarkOption(
        "seconds", "T", "seconds of 10,000 events each for the memory; 3600 is an hour", standard: 30,
        range: 0...100_000)

    /// Measures what terminal output costs.
    static let terminal = Benchmark(
        name: "terminal", summary: "start-up, the memory of a long tail, and the cost of printing and filtering",
        details: [
            "Starts the weir next to this program, without a network, and waits for its first byte: its help, and the first line of",
            "a recording. Then feeds a session, a printer and every view 10,000 events per second, in simulated time, and",
            "measures the memory of the process. Then prints the reports of a Twake tail (era B) to /dev/null in every",
            "format: the cost of an event with its changes of the model, and for comparison that of finding the changed fields of each",
            "row by parsing both of its states, as an earlier version did; applies filters that refuse every event; and draws the",
            "full-screen view, 60 lines per second on a screen of 200 x 50: the time and the bytes of a frame.",
        ],
        options: [events, channels, .seed, .runs, starts, seconds]
    ) { arguments throws(BenchmarkError) in
        var lines = try TerminalStart.report(starts: arguments[starts])
        // Measure this before creating the reports, which need more memory than a tail.
        lines += try TerminalMemory.report(seconds: arguments[seconds], channels: arguments[channels]) + [""]
        var traffic = TerminalTraffic(channels: arguments[channels], seed: UInt64(arguments[.seed]))
        var reports: [StampedReport] = []
        for _ in 0..<arguments[events] { traffic.next { reports += $0 } }
        lines += try TerminalPrinting.report(reports, runs: arguments[.runs])
        lines += try TerminalFiltering.report(reports, runs: arguments[.runs])
        lines += try TerminalFrames.report(reports, runs: arguments[.runs])
        lines += ["Again: \(arguments.commandLine)"]
        print(lines.joined(separator: "\n"))
    }
}

/// The time until the program writes its first byte.
enum TerminalStart {
    static func report(starts: Int) throws(BenchmarkError) -> [String] {
        let recording = try TwakeRecording.file(events: 100, channels: 5, messages: 20, seed: 1)
        let path = try ChildProcess.program(builtAs: "weir")
        var table = Table(["start-up to the first byte", "ms", "most"])
        for (name, words) in [
            ("weir help", ["help"]),
            ("weir replay, first line", ["replay", recording.path, "--speed", "max", "--quiet"]),
        ] {
            var spans: [Double] = []
            for _ in 0..<starts {
                let watch = Stopwatch()
                let child = try ChildProcess([path] + words)
                guard child.readLine() != nil else { throw .failed("\(name) printed nothing") }
                spans.append(watch.elapsed.seconds * 1000)
            }
            table.add([name, Series(spans).text(digits: 1), (spans.max() ?? 0).fixed(1)])
        }
        return table.lines + [""]
    }
}
