import Glibc

extension Benchmark {
    private static let cuts = BenchmarkOption(
        "cuts", "N", "number of times that each tail loses its server", standard: 100, range: 4...1_000_000)
    private static let pause = BenchmarkOption(
        "pause", "MS", "duration of each connection in milliseconds", standard: 200, range: 0...60_000)

    /// Measures tails that are disconnected again and again: the long run of a check that the tests do briefly.
    static let reconnect = Benchmark(
        name: "reconnect", summary: "repeatedly disconnected tails: the memory and processor time of each reconnect",
        details: [
            "Records a tail of `weir serve` over each transport, kills the server whenever the tail is ready, and restarts it",
            "at the same address. The memory of the tail's process (the minimum of the first quarter of the connections",
            "compared with that of the last) must not grow with their number, nor the processor time of a connection. The",
            "token is a new one each time, printed by a command.",
        ],
        options: [cuts, pause]
    ) { arguments throws(BenchmarkError) in
        var leaks: [String] = []
        for backend in ReconnectBackend.all {
            let course = try CutTail(backend).run(cuts: arguments[cuts], pause: arguments[pause])
            print(course.report + "\n")
            // Flush, so that the report appears at once even in a pipe or a file.
            fflush(nil)
            leaks += course.leaks
        }
        let again = "Again: \(arguments.commandLine)"
        guard leaks.isEmpty else { throw .failed(leaks.joined(separator: "\n") + "\n" + again) }
        print(again)
    }
}

/// A kind of server, and the options with which it is tailed.
struct ReconnectBackend {
    let name: String
    let serverOptions: [String]
    let tailOptions: [String]

    static let all = [
        ReconnectBackend(name: "WebSocket", tailOptions: ["--transport", "websocket"]),
        ReconnectBackend(name: "polling", tailOptions: ["--transport", "polling"]),
        ReconnectBackend(name: "upgrade", tailOptions: ["--transport", "upgrade"]),
        ReconnectBackend(
            name: "GroupMe", serverOptions: ["--scenario", "groupme"], tailOptions: ["--backend", "groupme"]),
    ]

    private init(name: String, serverOptions: [String] = [], tailOptions: [String]) {
        (self.name, self.serverOptions, self.tailOptions) = (name, serverOptions, tailOptions)
    }
}

/// A tail, and the consecutive servers to which it connects.
private final class CutTail {
    private let backend: ReconnectBackend
    private let weir: String
    private let folder: TemporaryFolder
    private var port = 0
    private var server: ChildProcess?

    init(_ backend: ReconnectBackend) throws(BenchmarkError) {
        self.backend = backend
        weir = try ChildProcess.program(builtAs: "weir")
        folder = try TemporaryFolder()
    }

    func run(cuts: Int, pause: Int) throws(BenchmarkError) -> ReconnectCourse {
        try startServer()
        let tail = try startTail()
        let facts = ProcessFacts(pid: tail.pid)
        var course = ReconnectCourse(name: backend.name)
        for _ in 0..<cuts {
            try waitUntilReady(tail, after: course)
            usleep(UInt32(pause) * 1000)
            course.add(facts)
            cut()
            try startServer()
        }
        try waitUntilReady(tail, after: course)
        return course
    }

    /// Starts a server. No other program is likely to listen on this address, or to get its port while no server runs.
    private func startServer() throws(BenchmarkError) {
        let process = try ChildProcess(
            [weir, "serve", "--config", "none", "--listen", "127.0.0.2:\(port)", "--quiet"] + backend.serverOptions)
        guard let url = process.readLine(), let port = url.split(separator: ":").last.flatMap({ Int($0) }),
            let token = process.readLine()?.split(separator: " ").last
        else { throw .failed("the server did not start") }
        try folder.write(String(token), to: "token")
        (self.port, server) = (port, process)
    }

    /// Ends the server. Its token is removed first, so that the tail asks for the next one.
    private func cut() {
        unlink(folder.path + "/token")
        server = nil
    }

    private func startTail() throws(BenchmarkError) -> ChildProcess {
        let token = folder.path + "/token"
        let words = [
            weir, "tail", "http://127.0.0.2:\(port)", "--config", "none", "--no-ctl", "--quiet", "--format", "json",
            "--filter", "type = conn", "--idle-timeout", "60s", "--record", folder.path + "/tail.weir.jsonl",
            "--token", "cmd:until cat '\(token)' 2>/dev/null; do sleep 0.01; done",
        ]
        return try ChildProcess(
            ["sh", "-c", "exec \"$@\" 2>\"$0\"", folder.path + "/errors"] + words + backend.tailOptions,
            variables: ["XDG_STATE_HOME=\(folder.path)"])
    }

    private func waitUntilReady(_ tail: ChildProcess, after course: ReconnectCourse) throws(BenchmarkError) {
        while let line = tail.readLine() {
            if line.contains(#""state":"ready""#) { return }
        }
        let errors = String(decoding: try folder.contents(of: "errors").suffix(1000), as: UTF8.self)
        throw .failed("\(backend.name): the tail ended after \(course.connections) connections: \(errors)")
    }
}

/// The resources of a tail before each disconnection.
private struct ReconnectCourse {
    let name: String
    private var threads: [Double] = []
    private var descriptors: [Double] = []
    private var mappings: [Double] = []
    private var megabytes: [Double] = []
    private var processor: [Double] = []

    init(name: String) { self.name = name }

    var connections: Int { threads.count }

    mutating func add(_ facts: ProcessFacts) {
        threads.append(Double(facts.threads))
        descriptors.append(Double(facts.descriptors))
        mappings.append(Double(facts.mappings))
        megabytes.append(facts.megabytes("VmRSS:") ?? 0)
        processor.append(facts.processorSeconds ?? 0)
    }

    /// A figure in the first quarter and in the last quarter of the connections.
    private struct Figure {
        let name: String
        let first: Double
        let last: Double
        /// The greatest value allowed for `last`.
        let bar: Double
        let digits: Int

        var isKept: Bool { last <= bar }
    }

    private var quarter: Int { max(connections / 4, 1) }

    private var figures: [Figure] {
        // If connections leaked, each would add at least one; half of that can only be noise. Even with few
        // connections, usage varies from moment to moment: requests run, for which libcurl keeps 16 connections.
        let growth = Double(connections - quarter) / 2
        let milliseconds = zip(processor.dropFirst(), processor).map { ($0 - $1) * 1e3 }
        return [
            held("threads", threads, most: max(4, growth)), held("descriptors", descriptors, most: max(16, growth)),
            held("mappings", mappings, most: max(16, growth)),
            held("MB resident", megabytes, most: 8 + 0.2 * growth, digits: 1),
            spent("processor, ms a connection", milliseconds),
        ]
    }

    private func held(_ name: String, _ values: [Double], most growth: Double, digits: Int = 0) -> Figure {
        let first = values.prefix(quarter).min() ?? 0
        return Figure(
            name: name, first: first, last: values.suffix(quarter).min() ?? 0, bar: first + growth, digits: digits)
    }

    /// Compares processor time. The kernel counts it in hundredths of a second, so a few connections yield no figure.
    private func spent(_ name: String, _ values: [Double]) -> Figure {
        func mean(_ values: ArraySlice<Double>) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
        let first = mean(values.prefix(quarter))
        return Figure(
            name: name, first: first, last: mean(values.suffix(quarter)), bar: 2 * first + 100 / Double(quarter),
            digits: 1)
    }

    var report: String {
        var table = Table(["\(name), \(connections) connections", "first quarter", "last quarter", "bar"])
        for figure in figures {
            table.add([
                figure.name, figure.first.fixed(figure.digits), figure.last.fixed(figure.digits),
                figure.isKept ? "kept" : "GROWS",
            ])
        }
        return table.lines.joined(separator: "\n")
    }

    /// One sentence for each figure that grows.
    var leaks: [String] {
        figures.filter { !$0.isKept }.map {
            "\(name): \($0.name) grew from \($0.first.fixed($0.digits)) to \($0.last.fixed($0.digits)) in \(connections) connections"
        }
    }
}
