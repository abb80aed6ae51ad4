import Simulation
import Testing

/// A check that cannot fail is worth nothing: each kind of lie must be seen.
@Suite struct SabotageTests {
    /// Whether so many of the first histories, without faults of their own, are found to be wrong when something is broken on purpose.
    private func finds(
        _ times: Int, of histories: Int, _ sabotage: Simulation.Sabotage, _ peer: History.Peer
    ) -> Bool {
        var found = 0
        for seed in 1...histories where found < times {
            var history = History(seed: UInt64(seed), of: peer)
            history.steps.removeAll { if case .fault = $0.action { true } else { false } }
            var simulation = Simulation(history, sabotage: sabotage)
            simulation.run()
            if !simulation.outcome.isEmpty { found += 1 }
        }
        return found == times
    }

    @Test(arguments: History.Peer.allCases)
    func `a session that is not told of a change is seen to differ from the server`(peer: History.Peer) {
        #expect(finds(6, of: 60, .swallowedMessage, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a server that says there are no directs is seen to lie`(peer: History.Peer) {
        #expect(finds(13, of: 15, .emptiedList, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a diff log that lacks its last line is seen to lead elsewhere`(peer: History.Peer) {
        #expect(finds(13, of: 15, .lostLine, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a session that asks for everything again and again is seen to ask for too much`(peer: History.Peer) {
        #expect(finds(13, of: 15, .tenfoldRequests, peer))
    }

    @Test(arguments: History.Peer.allCases) func `with nothing broken there is nothing to be seen`(peer: History.Peer) {
        #expect(!finds(1, of: 15, .none, peer))
    }
}
