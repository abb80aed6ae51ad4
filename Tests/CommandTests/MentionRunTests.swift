import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests a tail of the user Ana while Bruno sends messages.
@Suite("Mentions and unread counts of the program", .timeLimit(.minutes(3)))
struct MentionRunTests {
    final class Stage {
        let server: EraServer
        let tail: Peer
        let recording: String
        let environment: [String: String]
        private(set) var lines: [String] = []

        /// Starts the server and the tail. In the options, FOLDER is replaced by the server's folder. Programs in that folder take
        /// precedence.
        init(era: String, _ options: [String]) throws {
            let server = try EraServer(
                era: era,
                scenario: [
                    #"{"do":"team","company":"Tidewater","workspace":"Harbour"}"#,
                    #"{"do":"user","as":"ana","username":"ana.lima","first":"Ana","last":"Lima","me":true}"#,
                    #"{"do":"user","as":"bruno","username":"bruno.keller","first":"Bruno","last":"Keller"}"#,
                    #"{"do":"create_channel","as":"general","by":"ana","name":"General","default":true}"#,
                    #"{"do":"post","by":"bruno","in":"general","text":"@ana.lima welcome"}"#,
                ])
            self.server = server
            recording = server.folder + "/tail.weir.jsonl"
            let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
            environment = [
                "XDG_RUNTIME_DIR": server.folder, "XDG_STATE_HOME": server.folder, "P": "weir",
                "PATH": server.folder + ":" + path,
            ]
            let login = try weir(
                [
                    "login", server.url, "--user", "bruno.keller", "--password", "env:P", "--save",
                    server.folder + "/bruno",
                ], environment: environment)
            try #require(login.status == 0, "\(login.errors)")
            tail = try Peer(
                [try pathOfWeir(), "tail", server.url, "--name", "t", "--store", "none", "--quiet", "--format", "json"]
                    + server.token + ["--record", recording]
                    + options.map { $0.replacing("FOLDER", with: server.folder) }, environment: environment)
        }

        deinit {
            tail.stop()
            server.stop()
        }

        /// Reads the tail's output up to a line with all these words.
        func line(with words: String...) throws {
            while let line = tail.readLine() {
                lines.append(line)
                if words.allSatisfy({ line.contains($0) }) { return }
            }
            try #require(Bool(false), "the tail ended before it printed \(words)")
        }

        /// Sends a message from Bruno to #general. Returns its id.
        @discardableResult
        func say(_ text: String, thread: String? = nil) throws -> String {
            let result = try weir(
                ["send", server.url, "#general", text, "--token", "file:\(server.folder)/bruno"]
                    + (thread.map { ["--thread", $0] } ?? []), environment: environment)
            try #require(result.status == 0, "\(result.errors)")
            return String(result.output.prefix(36))
        }

        /// Returns the unread counts of the rooms that match a pattern, by kind.
        func unread(_ pattern: String...) throws -> [String: Int] {
            let result = try weir(["rooms", "ls", "--json"] + pattern, environment: environment)
            try #require(result.status == 0, "\(result.errors)")
            var counts: [String: Int] = [:]
            for line in result.output.split(separator: "\n") {
                guard let kind = line.firstMatch(of: /"kind":"([a-z]+)"/),
                    let unread = line.firstMatch(of: /"unread":([0-9]+)/)
                else { continue }
                counts[String(kind.1), default: 0] += Int(unread.1) ?? 0
            }
            return counts
        }

        func end() throws {
            kill(tail.pid, SIGTERM)
            while let line = tail.readLine() { lines.append(line) }
            #expect(tail.wait() == 143)
        }
    }

    private static func events(_ lines: [String]) -> [String] { lines.filter { $0.contains(#""type":"event""#) } }

    private static func replayed(_ stage: Stage, _ options: String...) throws -> [String] {
        let result = try weir(["replay", stage.recording, "--speed", "max", "--quiet", "--no-ctl"] + options)
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map { String($0) }
    }

    @Test("Mentions of the user are found, live and in a replay, and highlighted", arguments: ["a", "b"])
    func mentions(era: String) throws {
        let stage = try Stage(era: era, ["--filter", "type = room or mentions = me"])
        try stage.line(with: #""change":"joined""#, era == "a" ? "/messages/updates" : "/feed")
        try stage.line(with: #""type":"diff""#, "@ana.lima")
        for text in [
            "@ana.lima look", "plain", "@all hands", "mail ana.lima@example.org", "to @bruno.keller", "bye @ana.lima",
        ] { try stage.say(text) }
        try stage.line(with: #""type":"diff""#, "bye @ana.lima")
        try stage.end()
        let texts = ["@ana.lima look", "bye @ana.lima"]
        if era == "b" {
            let events = Self.events(stage.lines)
            #expect(events.count == 2, "\(events)")
            for (event, text) in zip(events, texts) { #expect(event.contains(text), "\(event)") }
            #expect(events.allSatisfy { $0.contains(#""name":"ana.lima"}]"#) })
            #expect(try Self.events(Self.replayed(stage, "--filter", "mentions = me", "--format", "json")) == events)
            let all = try Self.replayed(stage, "--filter", "type = event and mentions = all", "--format", "compact")
            #expect(all.count == 1 && all[0].hasSuffix("@all hands") && !all[0].contains("  @ "))
            let named = try Self.replayed(stage, "--filter", "type = event and mentions ~ bruno", "--format", "compact")
            #expect(named.count == 1 && named[0].hasSuffix("to @bruno.keller"))
        } else {
            let changes = stage.lines.filter { $0.contains(#""type":"diff""#) }
            #expect(texts.allSatisfy { text in changes.contains { $0.contains("\"text\":\"\(text)\"") } })
            #expect(!changes.contains { $0.contains(#""text":"plain""#) || $0.contains(#""text":"@all hands""#) })
        }
        let shown = try Self.replayed(stage, "--filter", "mentions = me", "--format", "compact")
        #expect(shown.contains { $0.contains("  @ ") && $0.contains(texts[0]) }, "\(shown)")
        #expect(shown.contains { $0.contains("+ message  #General  @ ") && $0.contains(texts[0]) }, "\(shown)")
        let coloured = try Self.replayed(stage, "--format", "pretty", "--color", "always")
        #expect(coloured.contains { $0.contains("\u{1B}[7m") && $0.contains(texts[1]) })
        #expect(!coloured.contains { $0.contains("\u{1B}[7m") && ($0.contains("plain") || $0.contains("@all hands")) })
        #expect(!coloured.contains { $0.contains("@ Bruno") })
    }

    @Test(
        "Unread counts increase with others' messages and fall when the channel is read, in both eras",
        arguments: ["a", "b"])
    func unread(era: String) throws {
        let stage = try Stage(era: era, [])
        try stage.line(with: #""change":"joined""#, era == "a" ? "/messages/updates" : "/feed")
        stage.tail.drain()
        /// Polls until the tail has received the change.
        func become(_ count: Int) throws {
            for _ in 0..<500 where try stage.unread("#general") == ["public": count] { return }
            #expect(try stage.unread("#general") == ["public": count])
        }
        let first = try stage.say("first")
        _ = try stage.server.did(["read"], ["#general"])
        try become(0)
        try stage.say("one")
        try stage.say("two")
        try stage.say("three", thread: first)
        try become(3)
        #expect(try stage.unread("unread>=3,title=General") == ["public": 3])
        #expect(try stage.unread("unread>3,title=General").isEmpty)
        let all = try stage.unread()
        #expect(try #require(all["list"]) == 3 && #require(all["badges"]) == 3, "\(all)")
        _ = try stage.server.did(["read"], ["#general"])
        try become(0)
        try stage.end()
    }
}
