import Testing
import TestSupport
import WeirEvents

@testable import WeirDemoServer

@Suite struct ScenarioFileTests {
    private static let cast = """
        {"do":"team","company":"Acme","workspace":"WS"}
        {"do":"user","as":"ana","first":"Ana","last":"Lima"}
        {"do":"user","as":"ben","first":"Ben","me":true}
        {"do":"create_channel","as":"general","by":"ana","name":"General","members":["ben"]}

        """

    private func parse(_ text: String) throws(ScenarioError) -> Scenario {
        try Scenario(parsing: ArraySlice((Self.cast + text).utf8), file: "day.jsonl")
    }

    /// Returns the error for a file that ends in `text`, or `nil` for a valid file.
    private func complaint(_ text: String) -> String? {
        do throws(ScenarioError) {
            _ = try parse(text)
            return nil
        } catch { return error.description }
    }

    @Test func `a file plays as written`() throws {
        let scenario = try parse(
            """
            {"do":"post","as":"old","by":"ana","in":"general","text":"before"}
            {"at_ms":100,"do":"post","as":"m","by":"ana","in":"general","text":"hello"}
            {"at_ms":200,"do":"reply","by":"ben","to":"m","text":"hi"}
            {"at_ms":300,"do":"react","by":"ben","message":"m","with":["👍"]}
            {"at_ms":300,"do":"edit","by":"ana","message":"m","text":"hello!"}
            {"at_ms":400,"do":"rename_channel","by":"ana","in":"general","name":"Lobby"}
            {"at_ms":500,"do":"delete","by":"ana","message":"old"}
            """)
        var (script, world) = Script.begin(scenario, seed: 1, epoch: 1_000_000)
        #expect(world.messages.values.map(\.text) == ["before"])
        var times: [Int64] = []
        while let next = script.nextAt {
            times.append(next - 1_000_000)
            #expect(!script.step(in: &world).isEmpty)
        }
        #expect(times == [100, 200, 300, 300, 400, 500])
        let truth = world.truth(for: script.me)
        let channel = try #require(truth.channels.first)
        #expect(channel.name == "Lobby")
        #expect(channel.threads.map { $0.messages.map(\.text) } == [["Deleted message"], ["hello!", "hi"]])
        #expect(channel.threads.last?.messages.first?.reactions.map(\.name) == ["👍"])
        #expect(world.user(script.me)?.username == "ben")
    }

    @Test(arguments: [
        (#"{"do":"psot"}"#, "`do` is “psot”; expected one of: team, user, post,"),
        ("{", "not JSON:"),
        ("[1]", "expected an object"),
        (#"{"at_ms":1,"do":"post","by":"ana","in":"general"}"#, "`text` is missing; expected a text"),
        (
            #"{"at_ms":1,"do":"post","by":"anna","in":"general","text":"x"}"#,
            "`by`: no user “anna” in the lines above; candidates: ana, ben"
        ),
        (
            #"{"at_ms":1,"do":"post","by":"ana","in":"genral","text":"x"}"#,
            "`in`: no channel “genral” in the lines above; candidates: general"
        ),
        (#"{"at_ms":1,"do":"reply","by":"ana","to":"m","text":"x"}"#, "`to`: no message in the lines above has"),
        (
            #"{"at_ms":1,"do":"post","by":"ana","in":"general","txt":"x","text":"y"}"#,
            "unknown field `txt`; expected here: do, at_ms, by, in, text, as"
        ),
        (#"{"at_ms":-1,"do":"mark_read","by":"ana","in":"general"}"#, "`at_ms`: expected whole milliseconds"),
        (
            #"{"at_ms":1,"do":"notify","by":"ana","in":"general","level":"loud"}"#,
            "`level` is “loud”; expected all, mentions, me or none"
        ),
        (#"{"at_ms":1,"do":"typing","by":"ana","in":"general","writing":"yes"}"#, "`writing`: expected true or false"),
        (#"{"do":"user","as":"ana","first":"Ana"}"#, "`as`: the user “ana” already exists"),
        (#"{"do":"team","company":"A","workspace":"B"}"#, "a second `team`"),
    ])
    func `the error for a bad line contains its number and what was expected`(line: String, message: String) throws {
        let said = try #require(complaint(line))
        #expect(said.hasPrefix("day.jsonl:5: "), "\(said)")
        #expect(said.contains(message), "\(said)")
    }

    @Test func `time may not go back, and a line without a time may not follow one with a time`() {
        let post = #""do":"mark_read","by":"ana","in":"general"}"#
        #expect(
            complaint("{\"at_ms\":9,\(post)\n{\"at_ms\":8,\(post)")
                == "day.jsonl:6: `at_ms` is 8, before the line above (9)")
        #expect(complaint("{\"at_ms\":9,\(post)\n{\(post)")?.hasPrefix("day.jsonl:6: `at_ms` is missing") == true)
    }

    @Test func `a file without users is refused as a whole`() {
        #expect(throws: ScenarioError.self) { try Scenario(parsing: ArraySlice("\n".utf8), file: "empty.jsonl") }
    }

    @Test func `the error for a missing file names the file and the available scenarios`() {
        do {
            _ = try Scenario.load("/nowhere/day.jsonl", seed: 1)
            Issue.record("loaded")
        } catch {
            #expect(error.description.hasPrefix("/nowhere/day.jsonl: cannot be read: No such file or directory"))
            #expect(error.description.hasSuffix("one of the scenarios: workspace"))
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `a file plays with any line ending and with a byte order mark`(ending: String) throws {
        let path = try temporaryFolder() + "/day.jsonl"
        let lines = Self.cast + "{\"do\":\"post\",\"by\":\"ana\",\"in\":\"general\",\"text\":\"hello\"}\n"
        try writeFile(path, "\u{FEFF}" + lines.split(separator: "\n").joined(separator: ending))
        let (_, world) = Script.begin(try Scenario.load(path, seed: 1), seed: 1, epoch: 0)
        #expect(world.messages.values.map(\.text) == ["hello"])
        try writeFile(path, Self.cast + "\u{0}")
        let error = ScenarioError(
            file: path, line: nil, message: "line 5, column 1: a NUL byte; expected UTF-8 text")
        #expect(throws: error) { try Scenario.load(path, seed: 1) }
    }

    @Test func `the sample plays without a refused step`() throws {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let scenario = try Scenario.load("/\(path)/samples/scenarios/standup.jsonl", seed: 1)
        var (script, world) = Script.begin(scenario, seed: 1, epoch: 0)
        var steps = 0
        while script.nextAt != nil {
            _ = script.step(in: &world)
            steps += 1
        }
        #expect(steps == 17)
        #expect(script.skipped == 0)
    }
}
