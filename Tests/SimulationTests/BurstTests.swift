import Simulation
import Testing

/// Many messages while the client is away: hundreds of new ones, and edits, reactions and deletions of older ones.
@Suite struct BurstTests {
    /// The messages before the client is away, which are discussed meanwhile.
    private static let before = (0..<12).map { "\(1_000 + $0 * 500) post \($0) \($0) \($0)" }.joined(separator: "\n")

    private static func history(_ era: String, seed: Int, options: String = "", _ steps: String) throws -> History {
        let revision = era == "groupme" ? "" : ", Engine.IO \(seed % 2 + 3)"
        return try #require(History("era \(era)\(revision), seed \(seed)\(options)\n\(before)\n\(steps)"))
    }

    @Test(arguments: ["a", "b", "c", "groupme"], 1...(isLong ? 2 : 1))
    func `a session catches up on hundreds of missed messages`(era: String, seed: Int) throws {
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
    func `a busy crowd during the catch-up and a second gap leave nothing out`(
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
    func `a session that catches up partially reports the rest, until the user requests it`(
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
        // The hole of each place covers all missing messages since the restart.
        #expect(simulation.untold(since: 20_000) == [])
        #expect(simulation.readHistory() == [])
        #expect(simulation.holes.isEmpty)
    }

    /// No kept message is old enough to mark how far back the page reaches: all of them moved forward meanwhile.
    @Test(arguments: ["a", "b", "c"])
    func `new threads are found even when every known thread got a reply meanwhile`(
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
