import Glibc
import JSONText

/// The programs of `Tests/Peers` that run under node, with Debian's `ws` package.
struct NodePeer {
    private static let folder = "Tests/Peers"
    /// Where the `ws` package is, as node wants to be told; empty when Debian's is not installed.
    private let variables: [String]

    init() throws(BenchmarkError) {
        guard access("\(Self.folder)/blast_node.js", R_OK) == 0 else {
            throw .failed("\(Self.folder)/blast_node.js is not here: run this at the top of the repository")
        }
        variables = Self.packageFolder().map { ["NODE_PATH=\($0)"] } ?? []
    }

    /// Starts the source on a port the system chooses; gives the port.
    func startSource(count: Int) throws(BenchmarkError) -> (process: ChildProcess, port: UInt16) {
        let source = try start(["blast_node.js", "--port", "0", "--count", "\(count)", "--on-join"])
        // "listening on 127.0.0.1:4400/socket (…)"
        guard let line = source.readLine(), line.hasPrefix("listening on "),
            let port = line.split(separator: ":").dropFirst().first.flatMap({ UInt16($0.prefix { $0.isNumber }) })
        else { throw .failed("the source did not start; it needs node and its ws package (Debian: nodejs, node-ws)") }
        return (source, port)
    }

    /// Lets node receive from the source; `mode` is `--raw` or `--raw-parse`.
    func receive(from port: UInt16, mode: String) throws(BenchmarkError) -> ReceiveFigures {
        let peer = try start(["peer_node.js", "http://127.0.0.1:\(port)", mode])
        guard let line = peer.readLine(), let result = try? JSONValue(parsing: ArraySlice(line.utf8)),
            let events = result["n"]?.number, let seconds = result["s"]?.number, let processor = result["cpu"]?.number
        else { throw .failed("node \(mode): peer_node.js gave no result") }
        return ReceiveFigures(
            events: Int(events), span: Span(seconds: seconds, processor: processor), peak: result["rss_mb"]?.number)
    }

    private func start(_ arguments: [String]) throws(BenchmarkError) -> ChildProcess {
        let script = "\(Self.folder)/\(arguments[0])"
        do {
            return try ChildProcess(["node", script] + arguments.dropFirst(), variables: variables)
        } catch {
            throw .failed("\(error.message); node is needed for this benchmark (Debian: nodejs, node-ws)")
        }
    }

    /// The folder of Debian's node packages.
    private static func packageFolder() -> String? {
        guard let list = try? ChildProcess(["dpkg", "-L", "node-ws"]) else { return nil }
        var folder: String?
        while let line = list.readLine() {
            let suffix = "/ws/package.json"
            if line.hasSuffix(suffix), !line.contains("/@types/") { folder = String(line.dropLast(suffix.count)) }
        }
        return folder
    }
}

extension JSONValue {
    /// The number, whole or not.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
