import Glibc

extension Benchmark {
    private static let events = BenchmarkOption(
        "events", "N", "events of the recording", standard: 2_000_000, range: 1000...50_000_000)
    private static let channels = BenchmarkOption(
        "channels", "C", "channels of the events", standard: 2000, range: 1...100_000)
    private static let messages = BenchmarkOption(
        "messages", "M", "maximum number of messages in the channels", standard: 20_000, range: 1...10_000_000)
    private static let threads = BenchmarkOption(
        "threads", "T", "threads: one plays, the others read ahead", standard: 2,
        range: 2...64)

    private static let whole = BenchmarkOption(
        "whole", "0|1", "use events as Twake sends them, 830 bytes each, instead of about 600", standard: 0,
        range: 0...1)

    /// The number of starts measured per round. The first one finds cold caches, after the other programs have read
    /// gigabytes.
    private static let starts = 5

    /// Compares replay with other programs on the same file.
    static let replay = Benchmark(
        name: "replay", summary: "decoding, applying and logging a recorded file, compared with node, Python and jq",
        details: [
            "Writes a recording of a Twake tail (era B: half channel activities, a fifth channels, three tenths messages: new",
            "ones, edits, reactions and replies until the channels are full, and after that only changes of existing messages;",
            "with the answers to the session's requests). The events have about 600 bytes: Twake's, without a",
            "message's blocks and the path, which repeat other fields. Then each program processes the file, one",
            "after the other, for several rounds, in a process each: weir with the reader, the session and the log of `weir replay`,",
            "node and Python decoding the record and its event, jq only the record. The whole process is measured,",
            "including its start.",
            "",
            "The reader and the player pass each event from one processor to another. The distance between the two is",
            "chosen by the machine and may change from minute to minute: before and after each replay with its log, the",
            "round trip of a word is measured. If it is several times the usual time, so are the waits of the replay:",
            "each round is printed with its distances.",
        ],
        options: [events, channels, messages, whole, threads, .seed, .runs]
    ) { arguments throws(BenchmarkError) in
        guard access("Tests/Peers/replay_node.js", R_OK) == 0 else {
            throw .failed("Tests/Peers/replay_node.js is not here: run this at the top of the repository")
        }
        let (seed, channels, messages) = (UInt64(arguments[.seed]), arguments[channels], arguments[messages])
        let file = try TwakeRecording.file(
            events: arguments[events], channels: channels, messages: messages, isTerse: arguments[whole] == 0,
            seed: seed)
        let small = try TwakeRecording.file(events: 1, channels: 1, messages: 1, seed: seed)
        var figures = ReplayFigures(events: arguments[events], bytes: file.size)
        for _ in 0..<arguments[.runs] {
            for contender in ReplayContender.allCases {
                let before = contender == .log ? ProcessorRoundTrip.measure() : nil
                let measured = try contender.run(over: file.path, threads: arguments[threads])
                if contender == .log { figures.distances.append([before, ProcessorRoundTrip.measure()]) }
                try figures.add(contender, measured)
            }
            for _ in 0..<starts {
                figures.starts.append(
                    try ReplayContender.log.run(over: small.path, threads: arguments[threads]).span.seconds)
            }
        }
        print(figures.report(arguments))
    }
}

/// The figures of all contenders over all rounds.
struct ReplayFigures {
    let events: Int
    let bytes: Int
    var starts: [Double] = []
    private var measured: [ReplayContender: [MeasuredProcess]] = [:]
    /// The processor round-trip times before and after the replay with its log, in nanoseconds, for each round.
    var distances: [[Double?]] = []

    init(events: Int, bytes: Int) {
        self.events = events
        self.bytes = bytes
    }

    /// Adds the figures of one run. A contender that counts events must have seen all of them.
    mutating func add(_ contender: ReplayContender, _ process: MeasuredProcess) throws(BenchmarkError) {
        if let seen = contender.events(process.answer), seen != events {
            throw .failed("\(contender.rawValue): \(seen) of \(events) events seen")
        }
        measured[contender, default: []].append(process)
    }

    func report(_ arguments: BenchmarkArguments) -> String {
        var table = Table(["program", "events/s", "ns an event", "CPU ns", "MB/s", "x node", "x jq", "peak MB"])
        for contender in ReplayContender.allCases {
            guard let processes = measured[contender] else { continue }
            let seconds = processes.map(\.span.seconds)
            table.add([
                contender.rawValue, Series(seconds.map { Double(events) / $0 }).text(digits: 0),
                Series(seconds.map { $0 * 1e9 / Double(events) }).median.fixed(0),
                Series(processes.map { $0.span.processor * 1e9 / Double(events) }).median.fixed(0),
                Series(seconds.map { Double(bytes) / 1e6 / $0 }).median.fixed(0),
                Series(ratios(of: contender, to: .node)).text(digits: 1),
                Series(ratios(of: contender, to: .jq)).text(digits: 1),
                Series(processes.map(\.peak)).percentile(100).fixed(0),
            ])
        }
        let heading =
            "\(events) events, \((Double(bytes) / 1e6).fixed(0)) MB, \(bytes / max(events, 1)) bytes of it for each; "
            + "\(arguments[.runs]) rounds, median [lowest..highest]"
        let parts = [[heading], table.lines, rounds, bars, ["Again: \(arguments.commandLine)"]]
        return Array(parts.joined(separator: [""])).joined(separator: "\n")
    }

    /// The replay with its log, round by round, with the distance between the processors. When that distance changes, a
    /// median describes neither state.
    private var rounds: [String] {
        var table = Table(["with its log, round", "x node", "x jq", "there and back, before", "behind it"])
        let ratios = zip(self.ratios(of: .log, to: .node), self.ratios(of: .log, to: .jq))
        for (round, (ratios, distances)) in zip(ratios, distances).enumerated() {
            let trips = distances.map { distance in distance.map { "\($0.fixed(0)) ns" } ?? "-" }
            table.add(["\(round + 1)", ratios.0.fixed(1), ratios.1.fixed(1)] + trips)
        }
        return table.lines
    }

    /// Returns how many times as fast one contender was as another, for each round.
    private func ratios(of contender: ReplayContender, to other: ReplayContender) -> [Double] {
        zip(measured[other] ?? [], measured[contender] ?? []).map { $0.span.seconds / $1.span.seconds }
    }

    /// The limits, and whether they were met.
    private var bars: [String] {
        let peak = Series((measured[.log] ?? []).map(\.peak)).percentile(100)
        return [
            Bar(name: "decode, times node", least: 8).verdict(on: Series(ratios(of: .decode, to: .node)).median),
            Bar(name: "decode, apply, write diffs, times node", least: 3)
                .verdict(on: Series(ratios(of: .log, to: .node)).median),
            Bar(name: "decode, apply, write diffs, times jq", least: 8)
                .verdict(on: Series(ratios(of: .log, to: .jq)).median),
            Bar(name: "peak memory of that", unit: " MB", most: 100).verdict(on: peak),
            Bar(name: "start to end of a replay of one event", unit: " ms", most: 20)
                .verdict(on: Series(starts).median * 1000),
        ]
    }
}
