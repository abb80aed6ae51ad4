import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirPipeline
import WeirRecording
import WeirWire

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

/// A stage in processing a recording. Each stage includes the ones before it, except for the last, which reads the
/// output of the one before it.
enum ReplayStage: String, CaseIterable {
    case scan = "find the lines"
    case records = "records"
    case events = "decoded events"
    case diffs = "session, to diffs"
    case diffLines = "diff log lines"
    case applied = "diff log, applied"

    /// Whether the stage sees every event.
    var decodesEvents: Bool {
        switch self {
        case .scan, .records, .applied: false
        case .events, .diffs, .diffLines: true
        }
    }

    /// Runs the stage over `bytes`: a recording, or its diff log for the stage that applies one.
    func run(over bytes: [UInt8]) throws(BenchmarkError) -> ReplayTally {
        do {
            switch self {
            case .scan: return Self.scan(bytes)
            case .records: return try Self.readRecords(bytes)
            case .events: return try Self.decodeEvents(bytes)
            case .diffs: return try Self.runSession(bytes) { _, _ in }
            case .diffLines: return try Self.writeLines(bytes)
            case .applied: return try Self.apply(log: bytes)
            }
        } catch {
            throw .failed("\(rawValue): \(error)")
        }
    }
}

/// The counts of what a stage saw.
struct ReplayTally: Equatable {
    var records = 0
    var events = 0
    var diffs = 0
    var undecodable = 0
    var outputBytes = 0
}

extension ReplayStage {
    private static func scan(_ bytes: [UInt8]) -> ReplayTally {
        bytes.withUnsafeBytes { buffer in
            var tally = ReplayTally()
            var start = 0
            while start < buffer.count, let base = buffer.baseAddress,
                let feed = memchr(base + start, Int32(UInt8(ascii: "\n")), buffer.count - start)
            {
                tally.records += 1
                start = UnsafeRawPointer(feed) - base + 1
            }
            return tally
        }
    }

    private static func readRecords(_ bytes: [UInt8]) throws(RecordingError) -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        while let entry = try reader.next() {
            if case .record = entry { tally.records += 1 } else { tally.undecodable += 1 }
        }
        return tally
    }

    private static func decodeEvents(_ bytes: [UInt8]) throws(RecordingError) -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        var client = SocketIOClientMachine(SocketIOClientMachine.Configuration(revision: .v4), openedAt: .zero)
        var effects: [SocketIOClientMachine.Effect] = []
        while let entry = try reader.next() {
            guard case .record(let record, let stamp) = entry else {
                tally.undecodable += 1
                continue
            }
            tally.records += 1
            guard case .frame(let frame) = record, frame.direction == .in else { continue }
            client.receive(frame.message, at: stamp.time, into: &effects)
            for effect in effects { tally.add(effect) }
            effects.removeAll(keepingCapacity: true)
        }
        return tally
    }

    /// Runs the session. It keeps a checksum when its diffs are logged.
    private static func runSession(
        _ bytes: [UInt8], logged: Bool = false, _ take: (DiffReport, Moment) -> Void
    ) throws -> ReplayTally {
        var tally = ReplayTally()
        var reader = try RecordingReader(bytes: bytes)
        var session = Session(
            try Configuration(json: reader.head.session), seed: reader.head.seed, keepsChecksum: logged)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        while let entry = try reader.next() {
            guard case .record(let record, let stamp) = entry else {
                tally.undecodable += 1
                continue
            }
            tally.records += 1
            guard let input = Input(record) else { continue }
            session.advance(to: stamp.time, into: &effects)
            session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
            for effect in effects {
                guard case .report(let report) = effect else { continue }
                tally.add(report)
                if case .diff(let diff) = report { take(diff, stamp.time) }
            }
            effects.removeAll(keepingCapacity: true)
        }
        return tally
    }

    private static func writeLines(_ bytes: [UInt8]) throws -> ReplayTally {
        var writer = JSONWriter()
        var written = 0
        var tally = try runSession(bytes, logged: true) { diff, time in
            DiffLog.write(diff, at: time, into: &writer)
            guard writer.count > 1 << 16 else { return }
            written += writer.count
            writer.reset()
        }
        tally.outputBytes = written + writer.count
        return tally
    }

    /// Returns the diff log of a recording.
    static func log(of bytes: [UInt8]) throws(BenchmarkError) -> [UInt8] {
        var writer = JSONWriter()
        do {
            _ = try runSession(bytes, logged: true) { diff, time in DiffLog.write(diff, at: time, into: &writer) }
        } catch {
            throw .failed("the diff log cannot be made: \(error)")
        }
        return writer.bytes
    }

    /// Applies the log to an empty model. The model keeps a checksum and so verifies the log.
    private static func apply(log: [UInt8]) throws(DiffLogError) -> ReplayTally {
        var cursor = try DiffLogCursor(log)
        try cursor.seek(to: cursor.states.upperBound)
        var tally = ReplayTally()
        tally.diffs = cursor.sequence
        return tally
    }
}

extension ReplayTally {
    /// Decodes an event and counts it if it is part of the traffic. Answers to joins do not count.
    fileprivate mutating func add(_ effect: SocketIOClientMachine.Effect) {
        switch effect {
        case .event(let event):
            do {
                if case .resource = try Twake.Event(array: event.array.bytes) { events += 1 }
            } catch {
                undecodable += 1
            }
        case .malformed: undecodable += 1
        case .send, .connected, .refused, .acknowledged, .unacknowledged, .dropped, .disconnected, .close:
            break
        }
    }

    fileprivate mutating func add(_ report: Report) {
        switch report {
        case .event(let report): if case .resource? = report.event.twake { events += 1 }
        case .diff: diffs += 1
        case .undecodable, .gap: undecodable += 1
        case .connection, .room, .action, .emit, .refetch, .typing, .notice: break
        }
    }
}
