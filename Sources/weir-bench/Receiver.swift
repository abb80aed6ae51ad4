import JSONText
import Network

/// Who receives the source's events, how, and how far it takes them.
struct Receiver {
    /// What a receiver is.
    enum Kind {
        /// Ours: who frames the WebSocket, and what is done with its messages.
        case weir(WebSocketFraming, Depth)
        /// `peer_node.js` in a mode.
        case node([String])
        /// `peer_python.py`.
        case python
    }
    /// How far our receiver goes.
    enum Depth {
        case frames, events, session
        /// The session of a backend that a profile declares.
        case declared
        /// The session, by a consumer that takes so many events a second.
        case slowly(Int)
    }

    let name: String
    let kind: Kind
    let isSecure: Bool
    /// At least so many times the events per second of the reference client.
    let leastRate: Double?
    /// At most so many times its processor time an event.
    let mostProcessor: Double?
    /// Megabytes at most.
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

    /// The reference client, which the ratios are of.
    var isReference: Bool { if case .node(let mode) = kind { mode[0] == "--bundle" } else { false } }

    /// How often it is measured: a consumer that is slow on purpose once, as its rate is given.
    func runs(of wanted: Int) -> Int { if case .weir(_, .slowly) = kind { 1 } else { wanted } }

    /// Everybody who can be measured here, in the order of the table.
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

    /// Ours, with the bars of issue 3.
    private static let ours = [
        Receiver("weir: frames", .weir(.own, .frames)),
        Receiver("weir: decoded events", .weir(.own, .events)),
        Receiver(
            "weir: session, to diffs", .weir(.own, .session), leastRate: 5, mostProcessor: 0.25, mostMemory: 30),
        Receiver(
            "weir: session, library framing", .weir(.library, .session), leastRate: 2, mostProcessor: 0.5,
            mostMemory: 30),
        // At most twice the processor time of the typed backend.
        Receiver("weir: session, by a profile", .weir(.own, .declared), mostProcessor: 0.5),
        Receiver("weir: session, 20,000/s wanted", .weir(.own, .slowly(20_000)), mostMemory: 30),
        Receiver("TLS: weir: frames", .weir(.own, .frames), isSecure: true),
        Receiver("TLS: weir: session, to diffs", .weir(.own, .session), isSecure: true, leastRate: 3),
    ]

    /// Receives everything once, in a process of its own.
    func run(_ peers: BenchmarkPeers, _ source: BlastSource) throws(BenchmarkError) -> ReceiveFigures {
        switch kind {
        case .weir: try peers.weirReceives(from: source, as: name)
        case .node(let mode): try peers.nodeReceives(from: source, mode: mode)
        case .python: try peers.pythonReceives(from: source)
        }
    }
}

extension Receiver {
    /// The command of `weir-bench` that is one of ours: its name, the source's port and, over TLS, the authority to believe.
    static let command = "receive-contender"

    /// Is one of ours, in this process; gives what it answers, in the form of the other receivers.
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

/// What one run of a receiver gave.
struct ReceiveFigures: Sendable {
    var events: Int
    var span: Span
    /// Megabytes; nil when it is not known for this receiver alone.
    var peak: Double?

    /// Events a second.
    var rate: Double { Double(events) / span.seconds }
    /// Microseconds of processor time an event.
    var processor: Double { span.processor * 1e6 / Double(events) }

    /// As a receiver answers: one line of JSON, with the memory in units of 1 048 576 bytes.
    var answer: String {
        let memory = peak.map { #","rss_mb":\#($0 / 1.048_576)"# } ?? ""
        return #"{"n":\#(events),"s":\#(span.seconds),"cpu":\#(span.processor)\#(memory)}"#
    }
}

extension ReceiveFigures {
    /// Of a receiver's answer; nil when it is none.
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
    /// The number, whole or not.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .text, .array, .object: nil
        }
    }
}

/// A running `blast_node.js`.
struct BlastSource: Sendable {
    var port: UInt16
    /// The certificate authority to believe when it speaks TLS.
    var authority: String?
}
