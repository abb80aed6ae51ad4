import Glibc

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
