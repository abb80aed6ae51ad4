import Glibc
import Testing
import TestSupport

/// Tests a tail of the user Ana that raises notifications while messages are sent and read.
@Suite("Notifications of the program", .timeLimit(.minutes(3)))
struct NotificationRunTests {
    private typealias Stage = MentionRunTests.Stage

    private static func program(_ name: String, _ text: String, in stage: Stage) throws {
        let path = stage.server.folder + "/" + name
        try writeFile(path, "#!/bin/sh\n" + text + "\n")
        try #require(chmod(path, 0o700) == 0)
    }

    private static func lines(_ name: String, of stage: Stage) throws -> [String] {
        String(decoding: try readFile(stage.server.folder + "/" + name), as: UTF8.self).split(separator: "\n").map {
            String($0)
        }
    }

    /// Marks the channel as read for Ana, and waits until her tail has the change.
    private static func read(_ stage: Stage) throws {
        _ = try stage.server.did(["read"], ["#general"])
        try stage.line(with: #""type":"diff""#, #""last_access""#, #""kind":"channel""#)
    }

    /// Waits for the sender's account, which era B needs to name a sender.
    private static func meet(_ stage: MentionRunTests.Stage) throws {
        if !stage.lines.contains(where: { $0.contains(#""type":"diff""#) && $0.contains("bruno.keller") }) {
            try stage.line(with: #""type":"diff""#, "bruno.keller")
        }
    }

    @Test(
        "A program gets one notification for a message in two rooms, and another when it is read",
        arguments: ["mention", "mentions = me"])
    func command(rule: String) throws {
        let stage = try Stage(era: "b", ["--notify", rule, "--notify-by", "FOLDER/tell"])
        try Self.program("tell", #"(cat; echo " $WEIR_TYPE") >> "$(dirname "$0")/told""#, in: stage)
        try stage.line(with: #""change":"joined""#, "/feed")
        let head = try stage.say("plain")
        try stage.line(with: #""type":"diff""#, #""text":"plain""#)
        try Self.meet(stage)
        let feed = try #require(stage.lines.last { $0.contains("/feed") }?.firstMatch(of: /\/companies\/[^\/]+/))
        let joined = try weir(["rooms", "join", "\(feed.0)/threads/\(head)"], environment: stage.environment)
        try #require(joined.status == 0, "\(joined.errors)")
        try stage.line(with: #""change":"joined""#, "/threads/")
        let id = try stage.say("@ana.lima look", thread: head)
        try stage.line(with: #""type":"diff""#, "@ana.lima look")
        _ = try stage.server.did(["send"], ["#general", "@ana.lima is me"])
        try stage.line(with: #""type":"diff""#, "@ana.lima is me")
        try Self.read(stage)
        try stage.end()
        let rooms = Set(stage.lines.compactMap { $0.firstMatch(of: /"room":"([^"]*)".*@ana.lima look/)?.1 })
        #expect(rooms.count >= 2, "\(rooms)")
        let told = try Self.lines("told", of: stage).filter { $0.contains(id) }
        #expect(told.count == 2, "\(told)")
        let name = rule == "mention" ? "mention" : "filter"
        #expect(told.allSatisfy { $0.hasPrefix(#"{"type":"message","rule":"\#(name)","payload":{"room":""#) })
        #expect(told.allSatisfy { $0.contains(#""name":"Bruno Keller""#) && $0.contains("@ana.lima look") }, "\(told)")
        #expect(told.map { $0.suffix(36).contains("raised") } == [true, false], "\(told)")
        #expect(told.last?.hasSuffix(#""state":"cleared"} notification"#) == true)
        let own = try Self.lines("told", of: stage).count { $0.contains("is me") }
        #expect(rule == "mention" ? own == 0 : own > 0)
    }

    @Test("notify-send shows a notification with its text, and closes it by its number", arguments: ["a", "b"])
    func desktop(era: String) throws {
        let stage = try Stage(era: era, ["--notify", "keyword:look", "--notify-by", "desktop"])
        try Self.program("notify-send", #"(printf '%s|' "$@"; echo) >> "$(dirname "$0")/told"; echo 42"#, in: stage)
        try stage.line(with: #""change":"joined""#, era == "a" ? "/messages/updates" : "/feed")
        try stage.say("hello")
        try stage.line(with: #""type":"diff""#, "hello")
        if era == "b" { try Self.meet(stage) }
        try stage.say("Look; $(id) <b> --")
        try stage.line(with: #""type":"diff""#, "Look;")
        try Self.read(stage)
        try stage.end()
        let told = try Self.lines("told", of: stage)
        #expect(
            told == [
                "--app-name=weir|-p|--|Bruno Keller in #General|Look; $(id) &lt;b&gt; --|",
                "--app-name=weir|-r|42|-t|1|-h|int:transient:1|--|Bruno Keller in #General|read|",
            ])
    }

    @Test(
        "An invalid rule or a program without a rule is wrong usage",
        arguments: [
            (["--notify", "keyword:"], "keyword:"), (["--notify", "mention me"], "--notify"),
            (["--notify-by", "desktop"], "--notify-by needs --notify"),
            (["--notify", "direct", "--notify-by", " "], "COMMAND"),
        ])
    func usage(options: [String], words: String) throws {
        let result = try weir(["tail", "http://localhost:1"] + options)
        #expect(result.status == 2 && result.errors.contains(words), "\(result)")
    }
}
