/// A history that ended in a wrong state.
package struct Divergence: Sendable, CustomStringConvertible {
    /// The seed from which the history was made.
    package let seed: UInt64
    /// The history, made as short as possible.
    package let history: History
    /// The errors at the end of the history.
    package let findings: [String]

    /// The errors, followed by the history in the form that a test can contain.
    package var description: String {
        "seed \(seed):\n" + findings.prefix(12).map { "  \($0)" }.joined(separator: "\n") + "\n\(history)"
    }
}

/// The combined results of many histories.
package struct Campaign: Sendable {
    package private(set) var seeds = 0
    package private(set) var figures = Figures()
    package private(set) var divergences: [Divergence] = []
    /// The number of histories that ended with unfinished work.
    package private(set) var unfinished = 0
    /// A digest that is equal for two campaigns over the same seeds, in any process.
    package private(set) var digest: UInt64 = 0

    package init() {}

    /// Runs the histories of some seeds. Calls `report` after each, and stops when it returns false.
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

    /// Runs a history and returns the errors at its end.
    package static func findings(_ history: History) -> [String] {
        var simulation = Simulation(history)
        simulation.run()
        return simulation.outcome
    }

    /// Combines the results of separate runs.
    package static func += (whole: inout Campaign, part: Campaign) {
        whole.seeds += part.seeds
        whole.figures += part.figures
        whole.divergences += part.divergences
        whole.unfinished += part.unfinished
        whole.digest = (whole.digest &* 0x0100_0000_01B3) ^ part.digest
    }
}
