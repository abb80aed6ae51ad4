import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirPipeline
import WeirRecording
import WeirWire

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

/// A program that reads a recording: a stage of Weir or another program. Each runs in a separate process.
enum ReplayContender: String, CaseIterable {
    case scan = "newline scan (the floor)"
    case decode = "weir: decode"
    case apply = "weir: decode, apply"
    case log = "weir: decode, apply, write diffs"
    case declared = "weir: by a profile, the same"
    case node = "node: JSON.parse"
    case python = "python: json.loads"
    case jq = "jq: select"

    /// The command of `weir-bench` that runs one of Weir's contenders.
    static let command = "replay-contender"

    /// Runs the contender on the file at `path` and measures its process. One of the `threads` threads plays and the others read ahead.
    func run(over path: String, threads: Int) throws(BenchmarkError) -> MeasuredProcess {
        let peers = "Tests/Peers"
        let words: [String]
        switch self {
        case .scan, .decode, .apply, .log, .declared:
            words = ["/proc/self/exe", Self.command, rawValue, path, "\(threads - 1)"]
        case .node: words = ["node", "\(peers)/replay_node.js", path]
        case .python: words = ["python3", "\(peers)/replay_python.py", path]
        case .jq: words = ["jq", "-c", #"select(.k == "f" and .d == "in")"#, path]
        }
        return try MeasuredProcess(words, keepsOutput: self != .jq)
    }

    /// Returns the number of events that the process saw, or `nil` when it does not count them.
    func events(_ answer: String) -> Int? {
        switch self {
        case .scan, .jq: nil
        case .decode, .apply, .log, .declared, .node, .python: Int(answer)
        }
    }

    /// Runs one of Weir's contenders in this process, with a given number of threads that read ahead. Returns its
    /// answer.
    static func runHere(_ words: [String]) throws(BenchmarkError) -> String {
        guard words.count == 3, let contender = ReplayContender(rawValue: words[0]), let threads = Int(words[2]) else {
            throw .usage("\(command) is for weir-bench itself")
        }
        do {
            switch contender {
            case .scan: return "\(try scan(words[1]))"
            case .decode: return "\(try decode(words[1], threads))"
            case .apply: return "\(try apply(words[1], threads, log: false))"
            case .log: return "\(try apply(words[1], threads, log: true))"
            case .declared:
                let profile = try Profile(parsing: Array(declaredTwake.utf8))
                return "\(try apply(words[1], threads, log: true, by: .declared(profile)))"
            case .node, .python, .jq: throw BenchmarkError.usage("\(command) is for weir-bench itself")
            }
        } catch {
            throw .failed("\(words[0]): \(error)")
        }
    }
}

extension ReplayContender {
    /// Counts the lines of the file, read in blocks.
    private static func scan(_ path: String) throws(BenchmarkError) -> Int {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .failed("\(path) cannot be read") }
        defer { close(file) }
        var block = [UInt8](repeating: 0, count: 256 << 10)
        var lines = 0
        while true {
            let count = read(file, &block, block.count)
            guard count > 0 else { return lines }
            block.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                var start = 0
                while start < count, let feed = memchr(base + start, Int32(UInt8(ascii: "\n")), count - start) {
                    lines += 1
                    start = UnsafeRawPointer(feed) - base + 1
                }
            }
        }
    }

    // Items are accessed in place by index: copying one would retain every reference in it.

    /// Counts the events after decoding them to their types.
    private static func decode(_ path: String, _ threads: Int) throws -> Int {
        let blocks = try RecordingBlocks(opening: path)
        let configuration = try Configuration(json: blocks.head.session)
        let feed = RecordingFeed(blocks, decoder: FrameDecoder(configuration), threads: threads)
        var events = 0
        while let batch = try feed.next() {
            let items = batch.items.span
            for index in items.indices {
                if case .arrival(let arrival) = items[index], arrival.event.withEvent({ $0.isTraffic }) { events += 1 }
            }
        }
        return events
    }

    /// The number of diff log lines written at once. A processor keeps the code of only a few tasks in its cache, so it
    /// is faster to do much of one task before the next.
    private static let linesAtOnce = 64

    /// Runs the events through the whole session. The lines of the diff log go to `/dev/null`.
    private static func apply(
        _ path: String, _ threads: Int, log: Bool, by backend: Configuration.BackendKind? = nil
    ) throws -> Int {
        let blocks = try RecordingBlocks(opening: path)
        let head = blocks.head
        var configuration = try Configuration(json: head.session)
        configuration.backend = backend ?? configuration.backend
        let decoder = FrameDecoder(configuration)
        let feed = RecordingFeed(blocks, decoder: decoder, threads: threads)
        var session = Session(configuration, seed: head.seed, keepsChecksum: log)
        var writer = JSONWriter()
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        var effects: [Effect] = []
        // For each input, the end of its effects in `effects` and its time.
        var inputs: [(end: Int, time: Moment)] = []
        var events = 0
        func drain() {
            events += tell(&effects, inputs, logTo: log ? output : nil, &writer)
            effects.removeAll(keepingCapacity: true)
            inputs.removeAll(keepingCapacity: true)
        }
        func told(at time: Moment) {
            inputs.append((effects.count, time))
            if inputs.count >= linesAtOnce { drain() }
        }
        /// Plays an event. Returns false if the item is not an event or needs more work; it must then be played as any
        /// other entry.
        func playEvent(_ item: borrowing RecordingFeed.Item) -> Bool {
            switch item {
            case .arrival(let arrival):
                let stamp = arrival.stamp
                session.advance(to: stamp.time, into: &effects)
                guard
                    session.handle(arrival.event, on: arrival.connection, n: stamp.n, at: stamp.time, into: &effects)
                else { return false }
                told(at: stamp.time)
                return true
            case .entry: return false
            }
        }
        session.handle(.start, n: 0, at: .zero, into: &effects)
        while let batch = try feed.next() {
            let items = batch.items.span
            for index in items.indices {
                if playEvent(items[index]) { continue }
                guard case .record(let record, let stamp) = items[index].entry, let input = Input(record) else {
                    continue
                }
                session.advance(to: stamp.time, into: &effects)
                session.handle(input, n: stamp.n, at: stamp.time, into: &effects)
                told(at: stamp.time)
            }
        }
        drain()
        return events
    }

    /// Writes the diffs among the effects with one call of `write`, if they are logged. Returns the number of traffic
    /// events. The effects are moved out, since accessing them in place would retain each once more.
    private static func tell(
        _ effects: inout [Effect], _ inputs: [(end: Int, time: Moment)], logTo output: Int32?,
        _ writer: inout JSONWriter
    ) -> Int {
        var effects = effects.mutableSpan
        var (place, events) = (0, 0)
        for input in inputs {
            while place < input.end {
                switch exchange(&effects[place], with: .renewToken) {
                case .report(.event(let event)): if event.withEvent({ $0.isTraffic }) { events += 1 }
                case .report(.diff(let diff)): if output != nil { DiffLog.write(diff, at: input.time, into: &writer) }
                default: break
                }
                place += 1
            }
        }
        if let output { _ = writer.withUnsafeBytes { write(output, $0.baseAddress, $0.count) } }
        writer.reset()
        return events
    }
}

extension Event {
    /// Whether the event is part of the traffic, rather than the answer to a join.
    fileprivate var isTraffic: Bool {
        if case .resource? = twake { return true }
        return declaredTraffic.contains(kind)
    }
}

private let declaredTraffic: Set = ["posting", "room", "activity"]

/// A profile that declares the recorded events: the text to print for each, and the rows of messages and channels.
let declaredTwake = """
    name: declared-twake
    entities:
      message:
        fields:
          text: {type: text}
          user: {path: user_id, type: id}
          thread: {path: thread_id, type: id}
          reactions: {}
          edited: {path: edited.edited_at, type: time}
          at: {path: created_at, type: time}
          updated: {path: updated_at, type: time}
        parent: thread_id
        newer: updated
        sort: at
      channel:
        fields:
          name: {type: text}
          icon: {type: text}
          description: {type: text}
          owner: {type: id}
          visibility: {type: text}
          activity: {path: last_activity, type: time}
        sort: -activity
    rooms: {name: "{id}", join: {event: "realtime:join", arguments: [{name: "{room}"}], answer: event}}
    events:
      - {event: authenticated, says: ready}
      - {event: "realtime:join:success", says: joined, room: name}
      - event: realtime:resource
        when: payload.type = message
        kind: posting
        room: room
        actor: resource.user_id
        text: resource.text
        time: resource.created_at
        entity: message
        at: resource
      - {event: realtime:resource, when: payload.type = channel, kind: room, room: room, text: resource.name, entity: channel, at: resource}
      - event: realtime:resource
        kind: activity
        room: room
        actor: resource.last_message.sender
        text: resource.last_message.text
        entity: channel
        at: resource
    """
