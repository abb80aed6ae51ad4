import Simulation
import Testing

/// Crowds that are busy while the client is away: hundreds of messages, and edits, reactions and deletions of older ones.
@Suite struct BurstTests {
    /// What the channels hold before the client is away, and is talked about then.
    private static let before = (0..<12).map { "\(1_000 + $0 * 500) post \($0) \($0) \($0)" }.joined(separator: "\n")

    private static func history(_ era: String, seed: Int, options: String = "", _ steps: String) throws -> History {
        let revision = era == "groupme" ? "" : ", Engine.IO \(seed % 2 + 3)"
        return try #require(History("era \(era)\(revision), seed \(seed)\(options)\n\(before)\n\(steps)"))
    }

    @Test(arguments: ["a", "b", "c", "groupme"], 1...(isLong ? 2 : 1))
    func `hundreds of messages that are missed are all caught up with`(era: String, seed: Int) throws {
        let history = try Self.history(
            era, seed: seed,
            """
            20000 restart 60000 0
            30000 burst 0 \(seed) \(seed * 7)
            50000 burst 0 \(seed + 1) \(seed * 3)
            """)
        var simulation = Simulation(history, showsAll: true)
        simulation.run()
        #expect(simulation.outcome == [])
        #expect(simulation.figures.gaps == 1)
    }

    @Test(arguments: ["a", "b", "c", "groupme"], 1...(isLong ? 2 : 1))
    func `a crowd that goes on while the client catches up, and a second gap meanwhile, leave nothing out`(
        era: String, seed: Int
    ) throws {
        let lines = (0..<300).map { "\(60_000 + $0 * 20) \($0 % 3 == 0 ? "post" : "reply") \($0) \($0 * 7 % 31) \($0)" }
        let history = try Self.history(
            era, seed: seed,
            """
            20000 restart 40000 0
            30000 burst 0 \(seed) \(seed * 7)
            \(lines[..<200].joined(separator: "\n"))
            64000 cut 0 0
            \(lines[200...].joined(separator: "\n"))
            """)
        var simulation = Simulation(history, showsAll: true)
        simulation.run()
        #expect(simulation.outcome == [])
    }

    @Test(arguments: ["a", "b", "c", "groupme"], 2...(isLong ? 3 : 2))
    func `a session that catches up with less says what it left out, until somebody asks for it`(
        era: String, seed: Int
    ) throws {
        let bursts = (0..<(era == "groupme" ? 6 : 3)).map { "\(30_000 + $0 * 2_000) burst 0 \(seed + $0) 39" }.joined(
            separator: "\n")
        let history = try Self.history(
            era, seed: seed, options: ", catch-up \(era == "groupme" ? 100 : 5)", "20000 restart 60000 0\n\(bursts)")
        var simulation = Simulation(history)
        simulation.run()
        #expect(simulation.outcome == [])
        #expect(!simulation.holes.isEmpty)
        // All that is missing of what was said since the restart is in the hole of its place.
        #expect(simulation.untold(since: 20_000) == [])
        #expect(simulation.readHistory() == [])
        #expect(simulation.holes.isEmpty)
    }

    /// Nothing that was held is old enough to show how far back the page goes: all of it came forward meanwhile.
    @Test(arguments: ["a", "b", "c"])
    func `where every thread that was known is answered meanwhile, what was begun meanwhile is not left out`(
        era: String
    )
        throws
    {
        let missed = (0..<90).map { "\(30_000 + $0 * 100) post \($0) 0 \($0)" }
        let answers = (0..<400).map { "\(45_000 + $0 * 10) reply 0 \($0) \($0)" }
        let history = try Self.history(
            era, seed: 4,
            (["20000 restart 60000 0"] + missed + answers).joined(separator: "\n"))
        var simulation = Simulation(history, showsAll: true)
        simulation.run()
        #expect(simulation.outcome == [])
    }
}
