import Simulation
import Testing

/// A check that cannot fail is worth nothing: each kind of lie must be seen.
@Suite struct SabotageTests {
    /// How many of some histories without faults of their own are found to be wrong when something is broken on purpose.
    private func divergences(_ sabotage: Simulation.Sabotage) -> Int {
        (1...60).count { seed in
            var history = History(seed: UInt64(seed))
            history.steps.removeAll { if case .fault = $0.action { true } else { false } }
            var simulation = Simulation(history, sabotage: sabotage)
            simulation.run()
            return !simulation.outcome.isEmpty
        }
    }

    @Test func `a session that is not told of a change is seen to differ from the server`() {
        #expect(divergences(.swallowedMessage) > 5)
    }

    @Test func `a server that says there are no directs is seen to lie`() { #expect(divergences(.emptiedList) > 50) }

    @Test func `a diff log that lacks its last line is seen to lead elsewhere`() {
        #expect(divergences(.lostLine) > 50)
    }

    @Test func `with nothing broken there is nothing to be seen`() { #expect(divergences(.none) == 0) }
}
