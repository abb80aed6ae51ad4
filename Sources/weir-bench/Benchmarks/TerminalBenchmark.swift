import Glibc
import WeirJSON
import WeirLive
import WeirModel
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

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

/// The cost of printing events.
enum TerminalPrinting {
    /// The number of reports printed at once, as a busy socket delivers them.
    private static let batch = 64

    static func report(_ reports: [StampedReport], runs: Int) throws(BenchmarkError) -> [String] {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw .failed("/dev/null cannot be opened") }
        defer { close(null) }
        let events = reports.count { if case .event = $0.report { true } else { false } }
        let rows = reports.reduce(0) { $0 + Self.rows(of: $1).count }
        var table = Table(["printed", "µs an event", "x raw"])
        var raw = 0.0
        for (name, form) in try forms() {
            let series = try measure(runs, events) { () throws(OutletError) in
                let printer = EventPrinter(form, descriptor: null, colour: false, width: 120)
                try write(reports, to: printer)
            }
            if raw == 0 { raw = series.median }
            table.add([name, series.text(digits: 2), (series.median / raw).fixed(1)])
        }
        let parsed = try measure(runs, events) { () throws(OutletError) in
            var differing = 0
            for report in reports { for change in Self.rows(of: report) { differing += Self.differences(change) } }
            if differing < 0 { throw .closedByReader }
        }
        table.add(["(changed fields, by parsing both states)", parsed.text(digits: 2), (parsed.median / raw).fixed(1)])
        return table.lines + [
            "", "\(events) events with \(rows) changed rows, in batches of \(batch) reports, to /dev/null.", "",
        ]
    }

    private static func forms() throws(BenchmarkError) -> [(String, PrintedForm)] {
        do {
            return [
                ("raw", .format(.raw)), ("jsonl", .format(.jsonl)), ("compact", .format(.compact)),
                ("pretty", .format(.pretty)), ("table", .format(.table)), ("json", .format(.json)),
                ("template", .template(try LineTemplate("{time} {room:20} {actor:>12.12} {payload.resource.text}"))),
                ("fields", .fields(try EnvelopeFields("room,actor,payload.resource.text"))),
            ]
        } catch {
            throw .failed("\(error)")
        }
    }

    private static func measure(
        _ runs: Int, _ events: Int, _ body: () throws(OutletError) -> Void
    ) throws(BenchmarkError) -> Series {
        var spans: [Double] = []
        for _ in 0..<runs {
            let watch = Stopwatch()
            do { try body() } catch { throw .failed("\(error)") }
            spans.append(watch.elapsed.seconds * 1e6 / Double(max(events, 1)))
        }
        return Series(spans)
    }

    private static func write(_ reports: [StampedReport], to outlet: any Outlet) throws(OutletError) {
        var start = 0
        while start < reports.count {
            let end = min(start + batch, reports.count)
            try outlet.write(Array(reports[start..<end]))
            start = end
        }
        try outlet.finish()
    }

    private static func rows(of report: StampedReport) -> [Batch<Item>.Change] {
        if case .diff(let diff) = report.report { diff.batch.updates + diff.batch.moves } else { [] }
    }

    /// Returns the number of fields that differ, found by parsing both states. An earlier version of the printer did
    /// this.
    private static func differences(_ change: Batch<Item>.Change) -> Int {
        func members(_ item: Item) -> [JSONValue.Member] {
            var writer = JSONWriter()
            item.entity.encode(into: &writer)
            if case .object(let members)? = try? JSONValue(parsing: writer.bytes[...]) { return members }
            return []
        }
        let (old, new) = (members(change.old), members(change.new))
        return new.count { field in old.first { $0.key == field.key }?.value != field.value }
    }
}

/// The memory of a long tail, in simulated time.
enum TerminalMemory {
    private static let rate = 10_000

    static func report(seconds: Int, channels: Int) throws(BenchmarkError) -> [String] {
        guard seconds > 0 else { return [] }
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { throw .failed("/dev/null cannot be opened") }
        defer { close(null) }
        let outlets: [any Outlet] = [
            SummaryCollector(), StatusPrinter(descriptor: null, colour: true),
            EventPrinter(format: .compact, descriptor: null, colour: true, width: 120),
        ]
        let viewed = ViewKind.allCases.filter { $0 != .log }.map {
            TerminalBoard($0, status: nil, isLive: false, around: [])
        }
        var traffic = TerminalTraffic(channels: channels, eachSecond: rate, seed: 1)
        var table = Table(["simulated", "events", "resident MB"])
        var marks = Set((1...8).map { max(seconds * $0 / 8, 1) })
        marks.insert(1)
        for second in 1...seconds {
            var failure: OutletError?
            for _ in 0..<rate {
                traffic.next { reports in
                    for outlet in outlets + viewed {
                        do throws(OutletError) { try outlet.write(reports) } catch { failure = error }
                    }
                }
            }
            if let failure { throw .failed("\(failure)") }
            guard marks.contains(second) else { continue }
            table.add(["\(second) s", "\(second * rate)", ((PeakMemory.residentBytes ?? 0) / 1e6).fixed(1)])
        }
        return table.lines + [
            "",
            "One session of \(channels) channels, printed in lines and taken by every view at once.",
        ]
    }
}

/// The cost of filters that reject every event.
enum TerminalFiltering {
    /// The limit per event, in nanoseconds.
    private static let bar = 1000.0

    /// The number of events in the test. The same few events are filtered again and again, since a tail filters events
    /// it has just decoded. A pass over more than the caches hold would measure memory instead.
    private static let mostEvents = 1000

    /// Filters that reject all of the traffic.
    private static let filters: [(name: String, text: String)] = [
        ("kind", "kind = workspace"),
        ("kind, several", "kind in (workspace, company, user, online, documents)"),
        ("room, pattern", "room like '*/nothing/*'"),
        ("room, regular expression", "room ~ /^\\/nothing$/"),
        ("actor", "actor = nobody"),
        ("size", "size > 1G"),
        ("three of them", "not known or kind = workspace or size > 1G or room like '*/nothing'"),
        ("payload, by its path", "payload.data.resource.missing exists"),
        ("line, regular expression", "/no line has this/"),
    ]

    static func report(_ reports: [StampedReport], runs: Int) throws(BenchmarkError) -> [String] {
        let events = Array(
            reports.lazy.filter { if case .event = $0.report { true } else { false } }.prefix(mostEvents))
        let rounds = max(reports.count / max(events.count, 1), 1)
        var table = Table(["a filter that refuses everything", "ns an event", "x kind", "bar"])
        var kind: Double?
        for (name, text) in filters {
            let filter: Filter
            do throws(FilterError) {
                filter = try Filter(parsing: text)
            } catch {
                throw .failed("\(text): \(error.message)")
            }
            var costs: [Double] = []
            for _ in 0..<runs { costs.append(try cost(of: filter, name, events, rounds)) }
            let series = Series(costs)
            kind = kind ?? series.median
            let verdict = series.median < bar ? "under 1 µs" : name.hasPrefix("line") ? "prints first" : "MISSED"
            table.add([name, series.text(digits: 0), (series.median / (kind ?? 1)).fixed(1), verdict])
        }
        return table.lines + [""]
    }

    private static func cost(
        of filter: Filter, _ name: String, _ events: [StampedReport], _ rounds: Int
    ) throws(BenchmarkError) -> Double {
        var judge = FilterJudge(filter)
        var shown = 0
        let watch = Stopwatch()
        for _ in 0..<rounds {
            for event in events where judge.mark(event).isShown { shown += 1 }
        }
        let elapsed = watch.elapsed.seconds
        guard shown == 0 else { throw .failed("\(name): \(shown) events were not refused") }
        return elapsed * 1e9 / Double(max(events.count * rounds, 1))
    }
}

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

/// An endless series of reports of a Twake tail, in simulated time.
struct TerminalTraffic {
    private var session: Session
    private var traffic: TwakeTraffic
    private var now = Moment.zero
    private var n = 0
    private var effects: [Effect] = []
    private var requests: [FetchRequest] = []
    private var reports: [StampedReport] = []
    /// The time from one event to the next.
    private let interval: Duration

    /// Creates traffic in channels that hold at most `messages` messages in total.
    init(channels: Int, messages: Int = 20, eachSecond rate: Int = 1000, seed: UInt64) {
        traffic = TwakeTraffic(channels: channels, messages: messages, seed: seed)
        let rooms = [traffic.listRoom] + traffic.channels.indices.map { [traffic] in traffic.feedRoom($0) }
        let configuration = Configuration(
            backend: .twake, revision: .v4, company: traffic.company, workspace: traffic.workspace, rooms: rooms,
            resyncInterval: nil)
        session = Session(configuration, seed: seed)
        interval = .microseconds(1_000_000 / Int64(rate))
        session.handle(.start, n: 0, at: now, into: &effects)
        gather()
        feed(.opened(connection: 1, token: Secret("made up")))
        receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000000,"pingTimeout":20000000,"maxPayload":1000000}"#)
        receive(#"40{"sid":"t"}"#)
        receive(#"42["authenticated"]"#)
        for room in session.configuration.rooms { receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#) }
    }

    /// Passes the next event, and all reports that it leads to, to `take`.
    mutating func next(_ take: ([StampedReport]) -> Void) {
        now = now + interval
        receive(traffic.next())
        take(reports)
        reports.removeAll(keepingCapacity: true)
    }

    private mutating func receive(_ text: String) {
        feed(.message(connection: 1, .text(text)))
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let body = Array(traffic.answer(to: request.target).utf8)
            feed(.answered(request: request.id, .response(status: 200, body: body[...], retryAfter: nil)))
        }
    }

    private mutating func feed(_ input: Input) {
        n += 1
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        gather()
    }

    private mutating func gather() {
        let stamp = Stamp(n: n, time: now, wall: 1_700_000_000_000_000 + now.microseconds)
        for effect in effects {
            switch effect {
            case .report(let report): reports.append(StampedReport(stamp: stamp, report: report))
            case .request(let request): requests.append(request)
            case .connect, .send, .close, .cancel, .renewToken, .remember, .finish: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }
}
