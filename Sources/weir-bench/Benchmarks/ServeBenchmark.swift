import Glibc
import WeirNetwork
import WeirThreads
import WeirWire

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

/// The results of a crowd of clients.
struct CrowdFigures: Sendable {
    var sent = 0
    var heard = 0
    /// The time from the first connection to the last join, in seconds.
    var joining = 0.0
    /// The time from the first event sent to the last one returned, in seconds.
    var seconds = 0.0
    /// The round-trip time of each event, in seconds.
    var latencies: [Double] = []
    /// The server's memory in megabytes after all clients joined, after half of the events were sent, and after all
    /// came back.
    var memory = (joined: 0.0, half: 0.0, end: 0.0)
}

/// Many Socket.IO clients on one event loop. Each expects to receive every event that it sent, in order.
actor Crowd {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private struct Member {
        var socket: WebSocketClient
        var sent = 0
        var heard = 0
    }

    /// The most connections being opened at once.
    private static let opening = 64
    /// The interval at which due events are sent.
    private static let tick = Duration.milliseconds(5)

    private nonisolated let loop: EventLoop
    private nonisolated let outcome = Monitor<Result<CrowdFigures, BenchmarkError>?>(nil)
    private let port: UInt16
    private let clients: Int
    private let rate: Int
    private let events: Int
    private let memory: @Sendable () -> Double
    private var members: [Member] = []
    private var joined = 0
    private var begin = Moment.zero
    private var figures = CrowdFigures()
    private var timer: LoopTimer?
    private var deadline: LoopTimer?

    /// Creates a crowd that sends `events` events in total. `memory` returns the server's memory in megabytes.
    init(
        on loop: EventLoop, port: UInt16, clients: Int, rate: Int, events: Int,
        memory: @escaping @Sendable () -> Double
    ) {
        self.loop = loop
        self.port = port
        self.clients = clients
        self.rate = rate
        self.events = events
        self.memory = memory
    }

    /// Runs the whole measurement. It blocks, so do not call it on the loop.
    nonisolated func run(patience: Duration) throws(BenchmarkError) -> CrowdFigures {
        loop.run { self.assumeIsolated { $0.start(patience) } }
        return try outcome.wait { $0 }.get()
    }

    private func start(_ patience: Duration) {
        begin = loop.now
        deadline = loop.schedule(at: loop.now + patience) {
            self.assumeIsolated { crowd in
                crowd.fail(
                    "\(crowd.joined) joined, \(crowd.figures.sent) sent, \(crowd.figures.heard) heard, then nothing")
            }
        }
        openMore()
    }

    private func openMore() {
        while members.count < clients, members.count - joined < Self.opening {
            let index = members.count
            let url = URLParts(
                scheme: "ws", host: "127.0.0.1", port: port, path: "/socket.io/", query: "EIO=4&transport=websocket")
            let socket = WebSocketClient(on: loop, WebSocketRequest(url: url)) { event in
                self.assumeIsolated { $0.socketDid(event, of: index) }
            }
            members.append(Member(socket: socket))
        }
    }

    private func socketDid(_ event: WebSocketEvent, of index: Int) {
        switch event {
        case .opened: break
        case .received(let messages): for message in messages { receive(message.bytes, of: index) }
        case .closed(let close): fail("client \(index) was closed with code \(close.code)")
        case .failed(let failure): fail("client \(index) was not let in: \(failure.message)")
        }
    }

    private func receive(_ packet: ArraySlice<UInt8>, of index: Int) {
        switch (packet.first, packet.dropFirst().first) {
        case (UInt8(ascii: "0"), _): members[index].socket.send(.text("40"))
        case (UInt8(ascii: "2"), _): members[index].socket.send(.text("3"))
        case (UInt8(ascii: "4"), UInt8(ascii: "0")): join()
        case (UInt8(ascii: "4"), UInt8(ascii: "2")): hear(String(decoding: packet, as: UTF8.self), of: index)
        default: fail("client \(index) received an unknown event")
        }
    }

    private func join() {
        joined += 1
        guard joined == clients else { return openMore() }
        figures.joining = seconds(since: begin)
        figures.memory.joined = memory()
        begin = loop.now
        sendDue()
    }

    /// Sends the events that are due. The members take turns, so that the events are evenly spread.
    private func sendDue() {
        let due = min(events, Int(seconds(since: begin) * Double(clients * rate)) + 1)
        while figures.sent < due {
            let index = figures.sent % clients
            let packet = "42[\"message\",\(members[index].sent),\(loop.now.microseconds)]"
            members[index].socket.send(.text(packet))
            members[index].sent += 1
            figures.sent += 1
            if figures.sent == events / 2 { figures.memory.half = memory() }
        }
        guard figures.sent < events else { return }
        timer = loop.schedule(at: loop.now + Self.tick) { self.assumeIsolated { $0.sendDue() } }
    }

    /// Handles `42["message-back",NUMBER,MICROSECONDS]`, and ignores any other event, such as `auth`.
    private func hear(_ packet: String, of index: Int) {
        let parts = packet.dropLast().split(separator: ",")
        guard parts.first == "42[\"message-back\"" else { return }
        guard parts.count == 3, let number = Int(parts[1]), let sent = Int64(parts[2]), number == members[index].heard
        else { return fail("client \(index) waited for event \(members[index].heard) and heard \(packet)") }
        members[index].heard += 1
        figures.heard += 1
        figures.latencies.append(seconds(since: Moment(microseconds: sent)))
        guard figures.heard == events else { return }
        figures.seconds = seconds(since: begin)
        figures.memory.end = memory()
        finish(.success(figures))
    }

    private func seconds(since moment: Moment) -> Double { Double((loop.now - moment).microseconds) / 1e6 }

    private func fail(_ message: String) { finish(.failure(.failed(message))) }

    private func finish(_ result: Result<CrowdFigures, BenchmarkError>) {
        deadline?.cancel()
        timer?.cancel()
        outcome.change { outcome in
            if outcome == nil { outcome = result }
        }
    }
}
