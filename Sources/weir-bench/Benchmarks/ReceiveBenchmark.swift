import Glibc
import WeirJSON
import WeirNetwork

extension Benchmark {
    private static let count = BenchmarkOption(
        "count", "N", "events per run", standard: 200_000, range: 1...10_000_000)

    /// Measures the path from a socket to decoded events.
    static let receive = Benchmark(
        name: "receive", summary: "events per second from a socket to the model, compared with other clients",
        details: [
            "Connects to Tests/Peers/blast_node.js over a WebSocket, which sends N Socket.IO events of a Twake backend as",
            "fast as possible, and measures the loop thread at several depths: whole frames, decoded events, the",
            "session with its model and diffs; with its own framing, that of libwebsockets, and over TLS. Compares node's ws package,",
            "the reference client's browser bundle and python-socketio, if Tests/run has installed them (.build/peers).",
            "The source runs on the same machine. Requires node with its ws package (Debian: nodejs, node-ws) and openssl. Run",
            "it at the top of the repository.",
        ],
        options: [count, .runs]
    ) { arguments throws(BenchmarkError) in
        let peers = try BenchmarkPeers()
        let certificates = try BenchmarkCertificates()
        let plain = try peers.startSource(count: arguments[count])
        let secure = try peers.startSource(count: arguments[count], certificates)
        let receivers = Receiver.all(peers)
        var results = [[ReceiveFigures]](repeating: [], count: receivers.count)
        for run in 0..<arguments[.runs] {
            for (index, receiver) in receivers.enumerated() where run < receiver.runs(of: arguments[.runs]) {
                let source = receiver.isSecure ? secure.source : plain.source
                results[index].append(try receiver.run(peers, source))
            }
        }
        for (receiver, figures) in zip(receivers, results) {
            guard figures.allSatisfy({ $0.events == arguments[count] }) else {
                throw .failed("\(receiver.name): not every run saw all events: \(figures.map(\.events))")
            }
        }
        print(report(receivers, results, arguments))
        // Keeps the sources and their certificates alive until all receivers have finished.
        withExtendedLifetime((plain.process, secure.process, certificates)) {}
    }

    private static func report(
        _ receivers: [Receiver], _ results: [[ReceiveFigures]], _ arguments: BenchmarkArguments
    ) -> String {
        var table = Table(["receiver", "events/s", "CPU us an event", "rate x JS", "CPU x JS", "peak MB"])
        var verdicts: [String] = []
        for (receiver, figures) in zip(receivers, results) {
            let reference =
                zip(receivers, results).first { $0.0.isReference && $0.0.isSecure == receiver.isSecure }?.1 ?? []
            let pairs = figures.count == reference.count ? Array(zip(figures, reference)) : []
            let rate = Series(pairs.map { $0.rate / $1.rate })
            let processor = Series(pairs.map { $0.processor / $1.processor })
            let peak = figures.compactMap(\.peak).max()
            table.add([
                receiver.name, Series(figures.map(\.rate)).text(digits: 0),
                Series(figures.map(\.processor)).text(digits: 2), rate.text(digits: 2), processor.text(digits: 2),
                peak?.fixed(1) ?? "-",
            ])
            if !pairs.isEmpty, let least = receiver.leastRate {
                let bar = Bar(name: "\(receiver.name), times JS", digits: 2, least: least)
                verdicts.append(bar.verdict(on: rate.median))
            }
            if !pairs.isEmpty, let most = receiver.mostProcessor {
                let bar = Bar(name: "\(receiver.name), CPU times JS", digits: 2, most: most)
                verdicts.append(bar.verdict(on: processor.median))
            }
            if let peak, let most = receiver.mostMemory {
                verdicts.append(Bar(name: "\(receiver.name), peak", unit: " MB", most: most).verdict(on: peak))
            }
        }
        return
            ([
                "\(arguments[count]) events a run over 127.0.0.1, from the first event to `done`; \(arguments[.runs]) runs, "
                    + "median [lowest..highest]", "",
            ] + table.lines + [""] + verdicts + [
                "",
                "Compared: all receive the same bytes from the same source in the same run, one after the other, each a",
                "process of its own. `x JS` is over the reference client's browser bundle in the same round, TLS over TLS. CPU is the",
                "receiver's own, of all its threads; the source uses part of the machine as well. peak MB is the receiver's",
                "process at its largest while it received (for node and python: since it started).",
                "Again: \(arguments.commandLine)",
            ]).joined(separator: "\n")
    }
}

/// A client that receives the source's events, with the limits for its figures.
struct Receiver {
    /// The program that receives the events.
    enum Kind {
        /// Weir, with a choice of WebSocket framing and of processing depth.
        case weir(WebSocketFraming, Depth)
        /// `peer_node.js`, with the arguments that select its mode.
        case node([String])
        /// `peer_python.py`, which uses python-socketio's asynchronous client.
        case python
    }
    /// How far Weir processes the messages.
    enum Depth {
        case frames, events, session
        /// A session of a backend declared by a profile.
        case declared
        /// A session whose consumer takes this many events per second.
        case slowly(Int)
    }

    let name: String
    let kind: Kind
    let isSecure: Bool
    /// The least ratio of its events per second to the reference client's.
    let leastRate: Double?
    /// The greatest ratio of its processor time per event to the reference client's.
    let mostProcessor: Double?
    /// The limit on its peak memory, in megabytes.
    let mostMemory: Double?

    private init(
        _ name: String, _ kind: Kind, isSecure: Bool = false, leastRate: Double? = nil, mostProcessor: Double? = nil,
        mostMemory: Double? = nil
    ) {
        self.name = name
        self.kind = kind
        self.isSecure = isSecure
        self.leastRate = leastRate
        self.mostProcessor = mostProcessor
        self.mostMemory = mostMemory
    }

    /// Whether this is the reference client, the base of all ratios.
    var isReference: Bool { if case .node(let mode) = kind { mode[0] == "--bundle" } else { false } }

    /// Returns how often to measure the receiver. A deliberately slow consumer is measured once, since its rate is
    /// fixed.
    func runs(of wanted: Int) -> Int { if case .weir(_, .slowly) = kind { 1 } else { wanted } }

    /// Returns all receivers that can be measured here, in the order of the table.
    static func all(_ peers: BenchmarkPeers) -> [Receiver] {
        var plain = [
            Receiver("node ws: frames (--raw)", .node(["--raw"])),
            Receiver("node ws: JSON.parse (--raw-parse)", .node(["--raw-parse"])),
        ]
        var secure: [Receiver] = []
        if let bundle = peers.bundle {
            plain.append(Receiver("socket.io-client bundle", .node(["--bundle", bundle])))
            secure.append(Receiver("TLS: socket.io-client bundle", .node(["--bundle", bundle]), isSecure: true))
        }
        if peers.python != nil { plain.append(Receiver("python-socketio AsyncClient", .python)) }
        return plain + ours.filter { !$0.isSecure } + secure + ours.filter(\.isSecure)
    }

    /// Weir's own receivers, with the limits of issue 3.
    private static let ours = [
        Receiver("weir: frames", .weir(.own, .frames)),
        Receiver("weir: decoded events", .weir(.own, .events)),
        Receiver(
            "weir: session, to diffs", .weir(.own, .session), leastRate: 5, mostProcessor: 0.25, mostMemory: 30),
        Receiver(
            "weir: session, library framing", .weir(.library, .session), leastRate: 2, mostProcessor: 0.5,
            mostMemory: 30),
        // This is at most twice the processor time of the typed backend.
        Receiver("weir: session, by a profile", .weir(.own, .declared), mostProcessor: 0.5),
        Receiver("weir: session, 20,000/s wanted", .weir(.own, .slowly(20_000)), mostMemory: 30),
        Receiver("TLS: weir: frames", .weir(.own, .frames), isSecure: true),
        Receiver("TLS: weir: session, to diffs", .weir(.own, .session), isSecure: true, leastRate: 3),
    ]

    /// Receives all events once, in a separate process.
    func run(_ peers: BenchmarkPeers, _ source: BlastSource) throws(BenchmarkError) -> ReceiveFigures {
        switch kind {
        case .weir: try peers.weirReceives(from: source, as: name)
        case .node(let mode): try peers.nodeReceives(from: source, mode: mode)
        case .python: try peers.pythonReceives(from: source)
        }
    }
}

extension Receiver {
    /// The command of `weir-bench` that runs one of Weir's receivers. Its arguments are the receiver's name, the
    /// source's port and, for TLS, the trusted authority.
    static let command = "receive-contender"

    /// Runs one of Weir's receivers in this process. Returns its answer in the same form as the other receivers.
    static func runHere(_ words: [String]) throws(BenchmarkError) -> String {
        guard 2...3 ~= words.count, let port = UInt16(words[1]),
            case .weir(let framing, let depth)? = ours.first(where: { $0.name == words[0] })?.kind
        else { throw .usage("\(command) is for weir-bench itself") }
        let loop: EventLoop
        do { loop = try EventLoop(name: "weir-bench") } catch { throw .failed("no event loop: \(error)") }
        defer { loop.shutDown() }
        let connection =
            switch depth {
            case .frames: SourceConnection(on: loop, FrameCounter())
            case .events: SourceConnection(on: loop, EventDecoder())
            case .session: SourceConnection(on: loop, SessionRunner())
            case .declared: SourceConnection(on: loop, SessionRunner(try .declared(declaredTwake)))
            case .slowly(let rate): SourceConnection(on: loop, SessionRunner(), rate: rate)
            }
        let source = BlastSource(port: port, authority: words.dropFirst(2).first)
        return try connection.receive(from: source, framing).answer
    }
}

/// The results of one run of a receiver.
struct ReceiveFigures: Sendable {
    var events: Int
    var span: Span
    /// The peak memory in megabytes; `nil` when it is unknown for this receiver alone.
    var peak: Double?

    /// The number of events per second.
    var rate: Double { Double(events) / span.seconds }
    /// The processor time per event in microseconds.
    var processor: Double { span.processor * 1e6 / Double(events) }

    /// The figures in the form of a receiver's answer: one line of JSON, with memory in units of 1,048,576 bytes.
    var answer: String {
        let memory = peak.map { #","rss_mb":\#($0 / 1.048_576)"# } ?? ""
        return #"{"n":\#(events),"s":\#(span.seconds),"cpu":\#(span.processor)\#(memory)}"#
    }
}

extension ReceiveFigures {
    /// Parses a receiver's answer; `nil` when it is malformed.
    init?(answer: String) {
        guard let result = try? JSONValue(parsing: ArraySlice(answer.utf8)), let events = result["n"]?.number,
            let seconds = result["s"]?.number, let processor = result["cpu"]?.number
        else { return nil }
        self.events = Int(events)
        span = Span(seconds: seconds, processor: processor)
        peak = result["rss_mb"]?.number.map { $0 * 1.048_576 }
    }
}

extension JSONValue {
    /// The value of a number, whether whole or not.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .text, .array, .object: nil
        }
    }
}

/// A running `blast_node.js` on 127.0.0.1.
struct BlastSource: Sendable {
    var port: UInt16
    /// The certificate authority to trust; `nil` without TLS.
    var authority: String?
}
