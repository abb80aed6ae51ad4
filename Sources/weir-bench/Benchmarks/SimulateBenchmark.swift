import Glibc
import Simulation

extension Benchmark {
    private static let seeds = BenchmarkOption(
        "seeds", "N", "number of histories", standard: 100_000, range: 1...1_000_000_000)
    private static let first = BenchmarkOption(
        "first", "S", "seed of the first history", standard: 1, range: 0...Int.max / 2)
    private static let one = BenchmarkOption(
        "seed", "S", "only this history; one that diverges is shortened and printed step by step", standard: nil,
        range: 0...Int.max)
    private static let world = BenchmarkOption(
        "world", History.Peer.allCases.map(\.rawValue), "backend of the simulated server")

    /// The long run of the simulation that the tests run briefly.
    static let simulate = Benchmark(
        name: "simulate", summary: "the whole pure core against a simulated server, under seeds",
        details: [
            "Each seed determines a history: the actions of people, and the faults of the network and the server. After it the",
            "network recovers; once everything is idle, the model must equal the server's state, no work may be left, and the",
            "diff log must lead to the model. A history that ends otherwise is shortened as far as possible and printed.",
            "The server is Twake's, GroupMe's, or a gateway that a profile declares.",
        ],
        options: [seeds, first, one, world]
    ) { arguments throws(BenchmarkError) in
        let peer = History.Peer.allCases[arguments[world]]
        if let seed = arguments.value(one) { return try SimulationRun.repeatOne(UInt64(seed), of: peer) }
        try SimulationRun(first: UInt64(arguments[first]), seeds: UInt64(arguments[seeds]), peer: peer).run()
    }
}

/// A run over many consecutive seeds.
struct SimulationRun {
    let first: UInt64
    let seeds: UInt64
    let peer: History.Peer
    /// The number of divergent histories after which the search stops, since shrinking each takes a while.
    private static let enough = 20

    /// Prints its progress from time to time, and a summary at the end.
    /// - Throws: An error when a history diverged.
    func run() throws(BenchmarkError) {
        print("\(Int(seeds).grouped) histories of \(peer.rawValue) from seed \(first)")
        let watch = Stopwatch()
        var campaign = Campaign()
        var printed = 0
        campaign.run(first..<first + seeds, of: peer) { campaign in
            if campaign.seeds % 10_000 == 0, campaign.seeds < seeds {
                print("  \(campaign.seeds.grouped) in \(watch.elapsed.seconds.fixed(0)) s")
                // Flush, so that the line appears at once even in a pipe or a file.
                fflush(nil)
            }
            for divergence in campaign.divergences[printed...] {
                print("\n\(divergence)")
                fflush(nil)
            }
            printed = campaign.divergences.count
            return printed < Self.enough
        }
        print(Self.report(campaign, took: watch.elapsed.seconds))
        let again = "Again: weir-bench simulate --seeds \(seeds) --first \(first)" + option
        guard campaign.divergences.isEmpty else {
            throw .failed("histories diverged\n\(again)\nOne of them: weir-bench simulate --seed S\(option)")
        }
        print(again)
    }

    private var option: String { " --world \(peer.rawValue)" }

    /// Runs one history and prints it. If it diverges, prints its events, made as short as possible.
    static func repeatOne(_ seed: UInt64, of peer: History.Peer) throws(BenchmarkError) {
        var campaign = Campaign()
        campaign.run(seed..<seed + 1, of: peer)
        guard let divergence = campaign.divergences.first else {
            print(History(seed: seed, of: peer))
            return print("All right: the model is the server's truth, and nothing is left to be done.")
        }
        print(divergence.history)
        print(Simulation.story(of: divergence.history).joined(separator: "\n"))
        throw .failed(divergence.findings.joined(separator: "\n"))
    }

    private static func report(_ campaign: Campaign, took seconds: Double) -> String {
        let figures = campaign.figures
        let kinds = figures.faults.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let faults = kinds.map { "  \($0.key.padded(to: 24)) \($0.value.grouped)" }.joined(separator: "\n")
        return """

            histories run              \(campaign.seeds.grouped), in \(seconds.fixed(1)) s
            acts of people             \(figures.acts.grouped)
            own deeds, done            \(figures.deeds.grouped), \(figures.deedsDone.grouped)
            tokens renewed in time     \(figures.renewals.grouped)
            workspaces looked at       \(figures.looks.grouped)
            rooms left for a while     \(figures.pauses.grouped)
            events received            \(figures.events.grouped), of them not decodable \(figures.undecodable.grouped)
            connections, gaps          \(figures.connections.grouped), \(figures.gaps.grouped)
            requests, not answered     \(figures.requests.grouped), \(figures.failures.grouped)
            batches of the diff log    \(figures.diffs.grouped)
            faults                     \(figures.faults.values.reduce(0, +).grouped)
            \(faults)
            histories that diverged    \(campaign.divergences.count)
            pending work left          \(campaign.unfinished)
            digest                     \(String(campaign.digest, radix: 16))
            """
    }
}
