import Glibc
import Network

extension Benchmark {
    private static let clients = BenchmarkOption(
        "clients", "N", "clients at the same time", standard: 1_000, range: 1...3_000)
    private static let rate = BenchmarkOption(
        "rate", "R", "events per second that each client sends", standard: 1, range: 1...1_000)
    private static let duration = BenchmarkOption(
        "duration", "S", "duration in seconds", standard: 60, range: 1...86_400)

    /// Measures one server with many clients.
    static let serve = Benchmark(
        name: "serve", summary: "many clients of one echo server: losses, latency and cost",
        details: [
            "Starts `weir serve --scenario echo` as a separate process, connects N Socket.IO clients over WebSockets, and lets",
            "each send R events a second, evenly spread. Every event must come back, in order, to the client that sent it;",
            "otherwise the benchmark fails. Memory and processor time are those of the server's process alone. The clients run",
            "on one thread of the same machine.",
        ],
        options: [clients, rate, duration]
    ) { arguments throws(BenchmarkError) in
        raiseDescriptorLimit()
        let process = try ChildProcess([
            try ChildProcess.program(builtAs: "weir"), "serve", "--scenario", "echo", "--listen", "127.0.0.1:0",
            "--quiet",
        ])
        // The line has the form "url http://127.0.0.1:4400".
        guard let line = process.readLine(), let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw .failed("the server did not start")
        }
        let loop: EventLoop
        do { loop = try EventLoop(name: "weir-bench") } catch { throw .failed("no event loop: \(error)") }
        defer { loop.shutDown() }
        let facts = ProcessFacts(pid: process.pid)
        let crowd = Crowd(
            on: loop, port: port, clients: arguments[clients], rate: arguments[rate],
            events: arguments[clients] * arguments[rate] * arguments[duration]
        ) { facts.megabytes("VmRSS:") ?? 0 }
        let idle = facts.megabytes("VmRSS:") ?? 0
        let figures = try crowd.run(patience: .seconds(Int64(arguments[duration]) + 60))
        print(
            report(
                figures, idle: idle, peak: facts.megabytes("VmHWM:") ?? 0, processor: facts.processorSeconds ?? 0,
                arguments))
    }

    private static func report(
        _ figures: CrowdFigures, idle: Double, peak: Double, processor: Double, _ arguments: BenchmarkArguments
    ) -> String {
        var table = Table(["the server's process", "MB"])
        table.add(["no client", idle.fixed(1)])
        table.add(["all joined", figures.memory.joined.fixed(1)])
        table.add(["half of the events", figures.memory.half.fixed(1)])
        table.add(["all events", figures.memory.end.fixed(1)])
        table.add(["peak", peak.fixed(1)])
        let latencies = figures.latencies.sorted()
        func quantile(_ share: Double) -> String {
            latencies.isEmpty ? "-" : (latencies[Int(share * Double(latencies.count - 1))] * 1e3).fixed(2)
        }
        return
            ([
                "\(arguments[clients]) clients, \(arguments[rate]) a second each: \(figures.sent) events sent, "
                    + "\(figures.heard) came back in order, \(figures.sent - figures.heard) lost",
                "joined in \(figures.joining.fixed(2)) s; \(figures.sent) events in \(figures.seconds.fixed(2)) s; there and back in "
                    + "\(quantile(0.5)) ms (median), \(quantile(0.99)) ms (99 of 100), \(quantile(1)) ms (slowest)",
                "processor time of the server: \(processor.fixed(2)) s, "
                    + "\((processor * 1e6 / Double(max(1, figures.sent))).fixed(0)) us an event with all it does besides",
                "",
            ] + table.lines + ["", "Again: \(arguments.commandLine)"]).joined(separator: "\n")
    }

    /// Raises the limit on file descriptors. Each client needs one, and the usual limit is 1024.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
