import Simulation
import Testing

/// A check that cannot fail is useless: each kind of sabotage must be detected.
@Suite struct SabotageTests {
    /// Whether at least this many of the first histories, without faults of their own,
    /// fail after a deliberate sabotage.
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
    func `a session that misses a change is found to differ from the server`(peer: History.Peer) {
        #expect(finds(6, of: 60, .swallowedMessage, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a server that claims to have no directs is detected`(peer: History.Peer) {
        #expect(finds(13, of: 15, .emptiedList, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a diff log without its last line is found to lead to another state`(peer: History.Peer) {
        #expect(finds(13, of: 15, .lostLine, peer))
    }

    @Test(arguments: History.Peer.allCases)
    func `a session that repeats all requests is found to send too many`(peer: History.Peer) {
        #expect(finds(13, of: 15, .tenfoldRequests, peer))
    }

    @Test(arguments: History.Peer.allCases) func `without sabotage no difference is found`(peer: History.Peer) {
        #expect(!finds(1, of: 15, .none, peer))
    }
}
