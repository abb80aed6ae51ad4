import Glibc

extension Benchmark {
    private static let events = BenchmarkOption(
        "events", "N", "events of the recording", standard: 200_000, range: 1...50_000_000)
    private static let channels = BenchmarkOption(
        "channels", "C", "channels of the events", standard: 2000, range: 1...100_000)

    /// Measures each step from a recording in memory to diffs.
    static let stages = Benchmark(
        name: "stages", summary: "cost of each step, from a recording in memory to diffs",
        details: [
            "Makes a recording of a Twake tail (era B: half channel activities, a fifth channels, three tenths messages),",
            "keeps it in memory, and measures one thread at several depths: finding the lines, reading the records,",
            "decoding the events, and the whole session with its diffs, without and with the lines of the diff log. Finally",
            "applies that log to an empty model.",
        ],
        options: [events, .seed, .runs, channels]
    ) { arguments throws(BenchmarkError) in
        let bytes = try TwakeRecording.bytes(
            events: arguments[events], channels: arguments[channels], seed: UInt64(arguments[.seed]))
        let log = try ReplayStage.log(of: bytes)
        var measured = StageFigures(stages: ReplayStage.allCases)
        for _ in 0..<arguments[.runs] {
            for stage in ReplayStage.allCases {
                let resets = PeakMemory.reset()
                let watch = Stopwatch()
                let tally = try stage.run(over: stage == .applied ? log : bytes)
                measured.add(stage, tally, watch.elapsed, peak: resets ? PeakMemory.megabytes : nil)
            }
        }
        try measured.check(events: arguments[events])
        print(measured.report(recording: bytes.count, log: log.count, arguments))
    }
}

/// The figures of all stages over all runs.
struct StageFigures {
    private struct Figures {
        var spans: [Span] = []
        var tallies: [ReplayTally] = []
        var peak: Double?
    }

    private let stages: [ReplayStage]
    private var figures: [ReplayStage: Figures] = [:]

    init(stages: [ReplayStage]) { self.stages = stages }

    mutating func add(_ stage: ReplayStage, _ tally: ReplayTally, _ span: Span, peak: Double?) {
        figures[stage, default: Figures()].spans.append(span)
        figures[stage, default: Figures()].tallies.append(tally)
        figures[stage, default: Figures()].peak = peak.map { max($0, figures[stage]?.peak ?? 0) }
    }

    /// Checks that all runs of a stage had the same result, and that stages that decode events saw all of them.
    func check(events: Int) throws(BenchmarkError) {
        for stage in stages {
            guard let tallies = figures[stage]?.tallies, let first = tallies.first else { continue }
            guard tallies.allSatisfy({ $0 == first }) else {
                throw .failed("\(stage.rawValue): two runs over the same bytes saw different things")
            }
            guard first.undecodable == 0, !stage.decodesEvents || first.events == events else {
                throw .failed(
                    "\(stage.rawValue): \(first.events) of \(events) events seen, \(first.undecodable) things not read")
            }
        }
    }

    func report(recording bytes: Int, log: Int, _ arguments: BenchmarkArguments) -> String {
        var table = Table(["stage", "events/s", "ns an event", "CPU ns", "MB/s", "x scan", "peak MB"])
        let scan = figures[.scan]?.spans ?? []
        for stage in stages {
            guard let figures = figures[stage] else { continue }
            let events = Double(self.events)
            let seconds = figures.spans.map(\.seconds)
            let ratios = zip(seconds, scan).map { $0 / $1.seconds }
            table.add([
                stage.rawValue, Series(seconds.map { events / $0 }).text(digits: 0),
                Series(seconds.map { $0 * 1e9 / events }).text(digits: 0),
                Series(figures.spans.map { $0.processor * 1e9 / events }).median.fixed(0),
                Series(seconds.map { Double(stage == .applied ? log : bytes) / 1e6 / $0 }).median.fixed(0),
                Series(ratios).text(digits: 1),
                figures.peak?.fixed(0) ?? "-",
            ])
        }
        return (heading(bytes, arguments) + table.lines + footing(arguments)).joined(separator: "\n")
    }

    private var events: Int { figures[.events]?.tallies.first?.events ?? 0 }

    private func heading(_ bytes: Int, _ arguments: BenchmarkArguments) -> [String] {
        let records = figures[.records]?.tallies.first?.records ?? 0
        return [
            "\(events) events in \(records) records, \((Double(bytes) / 1e6).fixed(1)) MB held in memory; one thread, "
                + "\(arguments[.runs]) runs, median [lowest..highest]", "",
        ]
    }

    private func footing(_ arguments: BenchmarkArguments) -> [String] {
        guard let last = figures[.diffLines]?.tallies.first else { return [] }
        return [
            "", "\(last.diffs) diffs, \((Double(last.outputBytes) / 1e6).fixed(1)) MB of diff log.",
            "Compared: every stage includes the ones above it and reads the same bytes in the same run, the last one the log",
            "alone, which it verifies by its checksums; x scan is a stage's time over that of finding the lines. peak MB is the process's, the recording included.",
            "Again: \(arguments.commandLine)",
        ]
    }
}
