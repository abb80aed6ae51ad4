import Simulation
import Testing

/// A check that cannot fail is worth nothing: each kind of lie must be seen.
@Suite struct SabotageTests {
    /// How many of some histories without faults of their own are found to be wrong when something is broken on purpose.
    private func divergences(_ sabotage: Simulation.Sabotage, _ peer: History.Peer) -> Int {
        (1...60).count { seed in
            var history = History(seed: UInt64(seed), of: peer)
            history.steps.removeAll { if case .fault = $0.action { true } else { false } }
            var simulation = Simulation(history, sabotage: sabotage)
            simulation.run()
            return !simulation.outcome.isEmpty
        }
    }

    @Test(arguments: History.Peer.allCases)
    func `a session that is not told of a change is seen to differ from the server`(peer: History.Peer) {
        #expect(divergences(.swallowedMessage, peer) > 5)
    }

    @Test(arguments: History.Peer.allCases)
    func `a server that says there are no directs is seen to lie`(peer: History.Peer) {
        #expect(divergences(.emptiedList, peer) > 50)
    }

    @Test(arguments: History.Peer.allCases)
    func `a diff log that lacks its last line is seen to lead elsewhere`(peer: History.Peer) {
        #expect(divergences(.lostLine, peer) > 50)
    }

    @Test(arguments: History.Peer.allCases)
    func `a session that asks for everything again and again is seen to ask for too much`(peer: History.Peer) {
        #expect(divergences(.tenfoldRequests, peer) > 50)
    }

    @Test(arguments: History.Peer.allCases) func `with nothing broken there is nothing to be seen`(peer: History.Peer) {
        #expect(divergences(.none, peer) == 0)
    }
}
