/// A history that ended otherwise than it must.
package struct Divergence: Sendable, CustomStringConvertible {
    /// The seed it was made from.
    package let seed: UInt64
    /// As short as it could be made.
    package let history: History
    /// What is wrong at its end.
    package let findings: [String]

    /// As it is printed: what is wrong, then the lines that a test can contain.
    package var description: String {
        "seed \(seed):\n" + findings.prefix(12).map { "  \($0)" }.joined(separator: "\n") + "\n\(history)"
    }
}

/// What many histories did.
package struct Campaign: Sendable {
    package private(set) var seeds = 0
    package private(set) var figures = Figures()
    package private(set) var divergences: [Divergence] = []
    /// Histories that ended with something left to be done.
    package private(set) var unfinished = 0
    /// A number that two campaigns of the same seeds share, in whatever process.
    package private(set) var digest: UInt64 = 0

    package init() {}

    /// Runs the histories of some seeds. Calls `report` after each; ends when it says so.
    package mutating func run(
        _ range: Range<UInt64>, of peer: History.Peer = .twake, report: (Campaign) -> Bool = { _ in true }
    ) {
        for seed in range {
            run(seed, peer)
            if !report(self) { return }
        }
    }

    private mutating func run(_ seed: UInt64, _ peer: History.Peer) {
        let history = History(seed: seed, of: peer)
        var simulation = Simulation(history)
        simulation.run()
        seeds += 1
        figures += simulation.figures
        digest = (digest &* 0x0100_0000_01B3) ^ simulation.fingerprint
        guard !simulation.outcome.isEmpty else { return }
        if simulation.outcome.contains(where: { $0.hasPrefix("left to be done") }) { unfinished += 1 }
        let shortest = history.shrunk { Self.findings($0) != [] }
        divergences.append(Divergence(seed: seed, history: shortest, findings: Self.findings(shortest)))
    }

    /// What is wrong at the end of a history; empty when nothing is.
    package static func findings(_ history: History) -> [String] {
        var simulation = Simulation(history)
        simulation.run()
        return simulation.outcome
    }

    /// Puts together what was run apart.
    package static func += (whole: inout Campaign, part: Campaign) {
        whole.seeds += part.seeds
        whole.figures += part.figures
        whole.divergences += part.divergences
        whole.unfinished += part.unfinished
        whole.digest = (whole.digest &* 0x0100_0000_01B3) ^ part.digest
    }
}
