import Glibc
import WeirLive
import WeirModel
import WeirRecording
import WeirWire

extension Benchmark {
    private static let events = BenchmarkOption(
        "events", "N", "events of the recording", standard: 1_000_000, range: 100...50_000_000)
    private static let channels = BenchmarkOption(
        "channels", "C", "channels of the events", standard: 2000, range: 1...100_000)
    private static let messages = BenchmarkOption(
        "messages", "M", "maximum number of messages in the channels", standard: 50_000, range: 100...10_000_000)
    private static let seeks = BenchmarkOption(
        "seeks", "N", "number of places to seek", standard: 300, range: 1...1_000_000)

    /// Measures seeks to random positions of a recording.
    static let seek = Benchmark(
        name: "seek", summary: "time to seek to any place of a long recording, back or forward",
        details: [
            "Makes a recording as `replay` does, plays it once, as for a viewer, and then seeks to random",
            "events, as the keys of `weir replay` do. At some places the model is compared with that of a fresh replay.",
        ],
        options: [events, .seed, channels, messages, seeks]
    ) { arguments throws(BenchmarkError) in
        let file = try TwakeRecording.file(
            events: arguments[events], channels: arguments[channels], messages: arguments[messages],
            seed: UInt64(arguments[.seed]))
        do {
            let measurement = try SeekMeasurement(
                path: file.path, seeks: arguments[seeks], dice: RandomSource(seed: UInt64(arguments[.seed])))
            print(measurement.report(again: arguments.commandLine))
        } catch {
            throw .failed("\(error)")
        }
    }
}

/// The results of random seeks in a recording.
struct SeekMeasurement {
    private let events: Int
    private let passed: Span
    private var times: [Double] = []
    private let peak: Double?

    init(path: String, seeks: Int, dice: RandomSource) throws {
        var dice = dice
        let resets = PeakMemory.reset()
        let cursor = try ReplayCursor(opening: path)
        let watch = Stopwatch()
        try cursor.seek(toEvent: .max)
        passed = watch.elapsed
        events = cursor.events
        for _ in 0..<seeks {
            let event = 1 + dice.below(events)
            let watch = Stopwatch()
            try cursor.seek(toEvent: event)
            times.append(watch.elapsed.seconds * 1000)
            guard cursor.events == event else { throw BenchmarkError.failed("the seek to event \(event) failed") }
        }
        peak = resets ? PeakMemory.megabytes : nil
        times.sort()
        try Self.check(cursor, path, dice.below(events / 10))
    }

    /// Checks that the model at an event equals that of a replay that stops there.
    private static func check(_ cursor: ReplayCursor, _ path: String, _ event: Int) throws {
        try cursor.seek(toEvent: event)
        let fresh = try ReplayCursor(opening: path)
        try fresh.seek(toEvent: event)
        let (one, other) = (cursor.model, fresh.model)
        guard one.sectionKeys == other.sectionKeys,
            one.sectionKeys.allSatisfy({ one.elements(in: $0) == other.elements(in: $0) })
        else { throw BenchmarkError.failed("the model of event \(event) differs after a seek back") }
    }

    func report(again: String) -> String {
        func at(_ share: Double) -> String { times[min(Int(Double(times.count) * share), times.count - 1)].fixed(1) }
        return [
            "\(events) events, played once in \(passed.seconds.fixed(2)) s; \(times.count) seeks", "",
            "median \(at(0.5)) ms   p90 \(at(0.9)) ms   p99 \(at(0.99)) ms   max \(at(1)) ms   peak \(peak?.fixed(0) ?? "-") MB",
            "", "Again: \(again)",
        ].joined(separator: "\n")
    }
}
