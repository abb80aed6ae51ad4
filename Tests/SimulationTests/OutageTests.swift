import Simulation
import Testing

/// Servers that are unavailable for a while. The time is simulated.
@Suite struct OutageTests {
    /// Messages before, during and after an outage that begins at 20 s.
    private static func history(_ era: String, _ outage: String, _ seed: Int) throws -> History {
        let posts = (0..<60).map { "\(2000 + $0 * 10_000) post \($0 % 4) \($0 * 7) \($0 * 3)" }
        // In the order of their times: after the last one the quiet period begins.
        let steps = (posts + outage.split(separator: "\n").map(String.init)).sorted { time($0) < time($1) }
        return try #require(
            History(
                "era \(era)" + (era.count > 1 ? "" : ", Engine.IO 4") + ", seed \(seed)\n"
                    + steps.joined(separator: "\n")))
    }

    private static func time(_ step: String) -> Int { Int(step.prefix { $0 != " " }) ?? 0 }

    @Test(
        arguments: ["a", "b", "c", "groupme"],
        [
            ("gone for 0.5 s", "20000 restart 500 0"), ("gone for 5 min", "20000 restart 300000 0"),
            ("restarted at once", "20000 restart 0 0"), ("cut off in silence", "20000 cut 1 0"),
        ])
    func `Check 1: a server outage leaves exactly one gap, and no message from it is missing`(
        era: String, outage: (name: String, step: String)
    ) throws {
        for seed in 1...(isLong ? 5 : 2) {
            var simulation = Simulation(try Self.history(era, outage.step, seed))
            simulation.run()
            // The model equals the server's state: it contains each message once.
            #expect(simulation.outcome == [], "seed \(seed)")
            let log = simulation.figures.faults
            #expect((log["restart"] ?? 0) + (log["cut"] ?? 0) == 1)
            #expect(simulation.figures.gaps == 1, "seed \(seed)")
            #expect(simulation.figures.connections == 1 + simulation.figures.gaps || outage.step.contains("300000"))
        }
    }

    /// GroupMe's sessions (GroupMe GM-48): one that the server ends together with its socket, and one that it
    /// forgets while the socket stays open.
    @Test(arguments: ["20000 kick 0 0", "20000 kick 1 0"])
    func `a session ended by the server or forgotten on an open socket leaves exactly one gap`(step: String)
        throws
    {
        for seed in 1...(isLong ? 5 : 2) {
            var simulation = Simulation(try Self.history("groupme", step, seed))
            simulation.run()
            #expect(simulation.outcome == [], "seed \(seed)")
            #expect(simulation.figures.gaps == 1 && simulation.figures.connections == 2, "seed \(seed)")
        }
    }

    /// Seeds of profiles that describe resuming: a resumed session leaves no gap, and the
    /// missed messages are delivered.
    @Test(
        arguments: [
            ("cut", "20000 cut 0 0", 0), ("cut off in silence", "20000 cut 1 0", 0),
            ("put out", "20000 kick 0 0", 0), ("asked for another connection", "20000 kick 3 0", 0),
            ("put out and forgotten", "20000 kick 1 0", 1), ("over", "20000 kick 2 0", 1),
            ("forgotten behind an open socket", "20000 kick 4 0", 1), ("restarted", "20000 restart 500 0", 1),
        ])
    func `a declared session leaves a gap only when the server does not resume it`(
        outage: (name: String, step: String, gaps: Int)
    ) throws {
        for seed in 1...2 {
            var simulation = Simulation(try Self.history("declared", outage.step, seed))
            simulation.run()
            #expect(simulation.outcome == [], "seed \(seed)")
            #expect(simulation.figures.gaps == outage.gaps, "seed \(seed)")
        }
    }

    @Test(arguments: ["b", "groupme"])
    func `each of several outages leaves its own gap, as many as the server counts`(era: String) throws {
        let outages = ["20000 restart 500 0", "90000 restart 300000 0", "500000 restart 0 0", "560000 cut 0 0"]
        var simulation = Simulation(try Self.history(era, outages.joined(separator: "\n"), 9))
        simulation.run()
        #expect(simulation.outcome == [])
        #expect(simulation.figures.gaps == 4)
        #expect(simulation.figures.faults == ["restart": 3, "cut": 1])
    }
}
