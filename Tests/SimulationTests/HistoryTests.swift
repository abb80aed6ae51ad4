import Simulation
import Testing

@Suite struct HistoryTests {
    @Test(arguments: History.Peer.allCases, 1..<200)
    func `a history reads back from its text`(peer: History.Peer, seed: Int) throws {
        let history = History(seed: UInt64(seed), of: peer)
        #expect(History(history.description) == history)
        #expect(!history.steps.isEmpty)
    }

    @Test(arguments: [
        "", "era d, Engine.IO 4, seed 1", "era b, Engine.IO 5, seed 1", "era b, Engine.IO 4, seed 1\n100 dance 1 2 3",
        "era b, Engine.IO 4, seed 1\n100 post 1 2", "era b, Engine.IO 4, seed 1\n-100 post 1 2 3",
        "era b, Engine.IO 4, seed 1, watching", "era b, Engine.IO 4, seed 1, watching birds",
        "era b, Engine.IO 4, seed 1, history 0", "era b, Engine.IO 4, seed 1, mood 3",
        "era b, Engine.IO 4, seed 1, catch-up 0",
        "era declared, Engine.IO 4, seed 1", "era groupme, Engine.IO 4, seed 1", "era groupme, seed", "era b, seed 1",
        "era groupme, seed 1\n100 post 1 2",
    ])
    func `an invalid history is refused`(text: String) { #expect(History(text) == nil) }

    @Test func `a failing history is shrunk as far as it still fails`() {
        let history = History(seed: 7)
        let needed = Set([history.steps[1], history.steps[history.steps.count - 1]])
        let shortest = history.shrunk { needed.isSubset(of: $0.steps) }
        #expect(shortest.steps == [history.steps[1], history.steps[history.steps.count - 1]])
    }

    @Test func `a history has the same run in this process and in others`() async {
        let numbers = fingerprints()
        #expect(numbers == fingerprints())
        #expect(Set(numbers).count == numbers.count)
        let elsewhere = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            print(fingerprints())
        }
        let output = String(decoding: elsewhere?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("\(numbers)"))
    }
}

/// The fingerprints of the runs of some seeds' histories.
private func fingerprints() -> [UInt64] {
    History.Peer.allCases.flatMap { peer in
        (1...5).map { seed in
            var simulation = Simulation(History(seed: UInt64(seed), of: peer))
            simulation.run()
            return simulation.fingerprint
        }
    }
}
