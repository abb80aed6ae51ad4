import Glibc
import Network

extension Benchmark {
    private static let count = BenchmarkOption(
        "count", "N", "events of a run", standard: 200_000, range: 1...10_000_000)
    private static let port = BenchmarkOption(
        "port", "P", "the port of a source that runs already: blast_node.js --on-join (default: one is started)",
        standard: nil, range: 1...65_535)

    /// From a socket to decoded events.
    static let receive = Benchmark(
        name: "receive", summary: "events per second from a socket to decoded events and to diffs",
        details: [
            "Connects to Tests/Peers/blast_node.js over a WebSocket, lets it send N Socket.IO events of a Twake backend as",
            "fast as it can, and measures how far the one loop thread gets with them: whole frames, decoded events, the",
            "session with its diffs. Beside it node's own ws package counts the frames, and parses them. The source runs on",
            "the same machine. Needs node and its ws package (Debian: nodejs, node-ws), and is run at the top of the repository.",
        ],
        options: [count, .runs, port]
    ) { arguments throws(BenchmarkError) in
        let node = try NodePeer()
        let source = arguments.value(port) == nil ? try node.startSource(count: arguments[count]) : nil
        let port = source?.port ?? UInt16(arguments[port])
        let loop: EventLoop
        do { loop = try EventLoop(name: "weir-bench") } catch { throw .failed("no event loop: \(error)") }
        defer { loop.shutDown() }
        var results = [[ReceiveFigures]](repeating: [], count: Receiver.allCases.count)
        for _ in 0..<arguments[.runs] {
            for (index, receiver) in Receiver.allCases.enumerated() {
                results[index].append(try receiver.run(on: loop, node, port: port))
            }
        }
        for (receiver, figures) in zip(Receiver.allCases, results) {
            guard figures.allSatisfy({ $0.events == results[0][0].events }) else {
                throw .failed("\(receiver.rawValue): not every run saw all events: \(figures.map(\.events))")
            }
        }
        print(report(results, arguments))
        // The source may not end before the last word is said.
        withExtendedLifetime(source?.process) {}
    }

    private static func report(_ results: [[ReceiveFigures]], _ arguments: BenchmarkArguments) -> String {
        var table = Table(["receiver", "events/s", "us an event", "CPU us", "x node raw", "peak MB"])
        let baseline = zip(Receiver.allCases, results).first { $0.0 == .nodeFrames }?.1 ?? []
        for (receiver, figures) in zip(Receiver.allCases, results) {
            let rates = figures.map(\.rate)
            table.add([
                receiver.rawValue, Series(rates).text(digits: 0), Series(rates.map { 1e6 / $0 }).text(digits: 2),
                Series(figures.map { $0.span.processor * 1e6 / Double($0.events) }).median.fixed(2),
                Series(zip(rates, baseline).map { $0 / $1.rate }).text(digits: 2),
                figures.compactMap(\.peak).max()?.fixed(0) ?? "-",
            ])
        }
        let events = results.first?.first?.events ?? 0
        return
            ([
                "\(events) events a run over 127.0.0.1, from the first event to `done`; \(arguments[.runs]) runs, "
                    + "median [lowest..highest]", "",
            ] + table.lines + [
                "",
                "Compared: all receive the same bytes from the same source in the same run; x node raw is the rate over that of",
                "node counting frames. CPU is the receiver's own, of all its threads; the source takes its share of the machine",
                "beside it. peak MB is the receiver's process (node's counts its megabytes as 1 048 576 bytes).",
                "Again: \(arguments.commandLine)",
            ]).joined(separator: "\n")
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
}

/// Who receives, and how far.
enum Receiver: String, CaseIterable {
    case frames = "weir: frames"
    case events = "weir: decoded events"
    case session = "weir: session, to diffs"
    case nodeFrames = "node ws: frames (--raw)"
    case nodeParse = "node ws: JSON.parse (--raw-parse)"

    /// Receives everything once.
    func run(on loop: EventLoop, _ node: NodePeer, port: UInt16) throws(BenchmarkError) -> ReceiveFigures {
        switch self {
        case .frames: try SourceConnection(on: loop, FrameCounter()).receive(from: port)
        case .events: try SourceConnection(on: loop, EventDecoder()).receive(from: port)
        case .session: try SourceConnection(on: loop, SessionRunner()).receive(from: port)
        case .nodeFrames: try node.receive(from: port, mode: "--raw")
        case .nodeParse: try node.receive(from: port, mode: "--raw-parse")
        }
    }
}
