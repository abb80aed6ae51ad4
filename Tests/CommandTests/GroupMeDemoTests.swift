import Glibc
import Testing
import TestSupport

/// Tests the GroupMe demo, which tails its own service by Bayeux and REST in one process.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GroupMeDemoTests {
    @Test func `the demo of GroupMe shows its users' activity, and its recording replays to the same diff log`()
        throws
    {
        let folder = try temporaryFolder()
        let demo = try weir(
            "demo", "--backend", "groupme", "--duration", "5s", "--no-ctl", "--format", "json", "--record",
            folder + "/d.weir.jsonl", "--diff-log", folder + "/live.diff")
        try #require(demo.status == 0, "\(demo.errors)")
        for kind in ["message", "typing", "reaction"] {
            #expect(demo.output.contains(#""kind":"\#(kind)""#), "no \(kind)")
        }
        #expect(demo.output.contains("Good morning, all! ☀️"))
        for section in ["groups", "directs", "messages", "members", "former"] {
            #expect(demo.errors.contains(section), "no \(section) in \(demo.errors)")
        }
        let replayed = try weir(
            "replay", folder + "/d.weir.jsonl", "--speed", "max", "--format", "json", "--diff-log",
            folder + "/again.diff")
        #expect(replayed.status == 0, "\(replayed.errors)")
        #expect(try readFile(folder + "/again.diff") == readFile(folder + "/live.diff"))
        #expect(events(replayed.output) == events(demo.output))
    }

    @Test func `filters match users by id, and published values by path`() throws {
        let file = try temporaryFolder() + "/d.weir.jsonl"
        let demo = try weir(
            "demo", "--backend", "groupme", "--duration", "5s", "--no-ctl", "--format", "json", "--record", file)
        try #require(demo.status == 0, "\(demo.errors)")
        let messages = demo.output.split(separator: "\n").filter {
            $0.contains(#""type":"event""#) && $0.contains(#""kind":"message""#)
        }
        let key = #""sender_id":""#
        let message = try #require(messages.first { $0.contains(key) })
        let place = try #require(message.firstRange(of: key)).upperBound
        let id = String(message[place...].prefix { $0 != "\"" })
        func replay(_ options: String...) throws -> (lines: [Substring], errors: String) {
            let result = try weir(["replay", file, "--speed", "max"] + options)
            #expect(result.status == 0, "\(result.errors)")
            return (result.output.split(separator: "\n"), result.errors)
        }
        let said = try replay("--from", id, "--kind", "message", "--format", "json").lines
        #expect(said.count { $0.contains(#""type":"event""#) } == messages.count { $0.contains(key + id + "\"") })
        let texts = try replay(
            "--filter", "type = event and payload.subject.text exists", "--template", "{payload.subject.text}")
        #expect(texts.lines.contains("Good morning, all! ☀️"))
        #expect(!texts.errors.contains("no event had"))
        let fields = try replay("--kind", "message", "--fields", "payload.subject.text")
        #expect(fields.lines.contains(#"{"payload.subject.text":"Good morning, all! ☀️"}"#))
        let nothing = try replay("--filter", "payload.text ~ /morning/")
        let absent = "no event had payload.text; closest: payload.subject.text\n"
        #expect(nothing.errors.contains(absent))
        let hooked = try replay(
            "--hook", "type = event and payload.subject.text ~ /morning/=cat", "--hook", "payload.text ~ /morning/=cat",
            "--format", "json")
        #expect(hooked.errors.contains(#""type":"event""#) && hooked.errors.contains("Good morning, all!"))
        #expect(hooked.errors.contains("hooks: " + absent))
        let waited = try weir("replay", file, "--speed", "max", "--until-match", "payload.text ~ /morning/")
        #expect(waited.errors.contains("the recording ended before anything matched\n"))
        #expect(waited.errors.contains("--until-match: " + absent))
    }

    @Test func `the demo's connection is cut and its server restarted, and the demo continues`() throws {
        let arguments = ["demo", "--backend", "groupme", "--no-ctl", "--until-match", "type = gap", "--fail-on", "gap"]
        #expect(try weir(arguments + ["--duration", "12s"]).status == 3)
    }

    @Test func `only a backend with an embedded world has a demo, whatever the environment says about servers`() throws
    {
        let refused = try weir("demo", "--backend", "socketio")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("is not one of twake, groupme"))
        let inherited = try weir(
            ["demo", "--no-ctl", "--count", "1", "--quiet"], environment: ["WEIR_BACKEND": "socketio"])
        #expect(inherited.status == 0, "\(inherited.errors)")
    }

    /// Returns the lines of events and diffs. The connection's lines depend on timers.
    private func events(_ output: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.contains(#""type":"event""#) || $0.contains(#""type":"diff""#) }
    }
}
