import Glibc
import TestSupport
import Testing

/// A backend that a profile declares, by the command: the sample of a room chat against a server on the genuine python-socketio.
@Suite(
    .enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"),
    .timeLimit(.minutes(3)))
struct ProfileRunTests {
    private static let profile = packageFolder + "/samples/profiles/socketio-chat.yaml"

    /// The chat's server; what it knows is in a file.
    private struct Chat {
        let port: UInt16
        let state: String
        var url: String { "http://127.0.0.1:\(port)" }

        init() throws {
            port = try freePort()
            state = try temporaryFolder() + "/chat.json"
        }

        func start() throws -> Peer {
            let python = try #require(environment("socketio5")) + "/bin/python"
            let peer = try Peer(
                [python, peersFolder + "/chat_python.py", "--port", "\(port)", "--state", state], errorsToo: true)
            try peer.readLine(startingWith: "listening")
            peer.drain()
            return peer
        }

        /// Another user says something.
        func post(_ path: String, _ body: String) throws {
            _ = try TestSupport.run([
                "python3", "-c",
                "import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], sys.argv[2].encode()))",
                url + path, body,
            ])
        }
    }

    private func tail(_ chat: Chat, _ arguments: String...) throws -> Peer {
        try Peer(
            [try pathOfWeir(), "tail", chat.url, "--profile", Self.profile, "--token", "env:TOKEN", "--no-ctl"]
                + arguments,
            environment: ["TOKEN": "token-of-ana", "HOME": try temporaryFolder()], errorsToo: true)
    }

    @Test func `rooms are joined and refused, events change rows, and a replay without the file prints the same bytes`()
        throws
    {
        let chat = try Chat()
        let server = try chat.start()
        defer { server.stop() }
        try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"before you came"}"#)
        let folder = try temporaryFolder()
        let tail = try tail(
            chat, "--record", folder + "/a.weir.jsonl", "--diff-log", folder + "/a.jsonl", "--duration", "60s",
            "--until-match", "kind = deletion")
        defer { tail.stop() }
        var lines: [String] = []
        while let line = tail.readLine() {
            lines.append(line)
            if line.contains("before you came") { break }
        }
        try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"hello"}"#)
        try chat.post("/edit", #"{"room":"lobby","id":2,"by":"bo","text":"hello again"}"#)
        try chat.post("/edit", #"{"room":"lobby","id":2,"by":"bo"}"#)
        while let line = tail.readLine() { lines.append(line) }
        #expect(tail.wait() == 0)
        let text = lines.joined(separator: "\n")
        #expect(text.contains("! room  board refused: members of the board only"), "\(text)")
        #expect(text.contains("bo  hello again"), "\(text)")
        #expect(text.contains("~ message 2  “hello again”  text, edited"), "\(text)")
        #expect(text.contains("- message 2"), "\(text)")
        for name in ["b", "c"] {
            let replay = try weir(
                "replay", folder + "/a.weir.jsonl", "--diff-log", folder + "/\(name).jsonl", "--quiet")
            #expect(replay.status == 0, "\(replay.errors)")
            #expect(try readFile(folder + "/\(name).jsonl") == readFile(folder + "/a.jsonl"))
        }
        let kinds = try weir("replay", folder + "/a.weir.jsonl", "--kind", "deletion", "--format", "jsonl")
        #expect(kinds.status == 0, "\(kinds.errors)")
        #expect(kinds.output.split(separator: "\n").count == 1, "\(kinds.output)")
    }

    @Test func `what was said while the server was dead is read when it is back`() throws {
        let chat = try Chat()
        let first = try chat.start()
        let tail = try tail(chat, "--duration", "60s", "--until-match", #"text ~ "the last one""#)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("+ room  lobby") {}
        first.stop()
        try writeFile(
            chat.state,
            #"{"rooms":[{"id":"lobby","title":"The lobby"}],"messages":{"lobby":[{"id":5,"room":"lobby","sender":"bo","text":"said to nobody","at":1}]},"last":5}"#
        )
        let second = try chat.start()
        defer { second.stop() }
        var text = ""
        while let line = tail.readLine() {
            text += line + "\n"
            if line.contains("+ message 5") {
                try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"the last one"}"#)
            }
        }
        #expect(tail.wait() == 3, "\(text)")
        #expect(text.contains("gap"), "\(text)")
        #expect(text.contains("+ message 5  “said to nobody”"), "\(text)")
        #expect(text.contains("- channel dev"), "\(text)")
    }

    @Test func `a message is sent, changed and deleted, and a refusal says why`() throws {
        let chat = try Chat()
        let server = try chat.start()
        defer { server.stop() }
        func act(_ words: String...) throws -> CommandResult {
            let verb = Array(words.prefix(1))
            return try weir(
                verb + [chat.url] + words.dropFirst() + ["--profile", Self.profile, "--token", "env:TOKEN"],
                environment: ["TOKEN": "token-of-ana"])
        }
        let sent = try act("send", "#The lobby", "hello all")
        #expect(sent.status == 0, "\(sent.errors)")
        let edited = try act("edit", "lobby", "1", "hello everybody")
        #expect(edited.status == 0, "\(edited.errors)")
        #expect(String(decoding: try readFile(chat.state), as: UTF8.self).contains("hello everybody"))
        let refused = try act("send", "lobby", "spam")
        #expect(refused.status == 4, "\(refused.errors)")
        #expect(refused.errors.contains("no spam in here"), "\(refused.errors)")
        let unknown = try act("send", "#Nowhere", "hello")
        #expect(unknown.status != 0 && unknown.errors.contains("there is no room #Nowhere"), "\(unknown.errors)")
        let deleted = try act("delete", "lobby", "1")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(!String(decoding: try readFile(chat.state), as: UTF8.self).contains("hello everybody"))
        let undeclared = try act("react", "lobby", "1", "👍")
        #expect(
            undeclared.errors.contains("the profile 'socketio-chat' has no write 'react'; it has send, edit, delete"),
            "\(undeclared.errors)")
    }

    @Test func `a wrong profile is refused before anything is connected to, each problem with its place`() throws {
        let path = try temporaryFolder() + "/wrong.yaml"
        try writeFile(path, "name: x\nrealtime: {protocl: socketio}\nevents:\n  - {event: m, entity: row}\n")
        let run = try weir("tail", "http://127.0.0.1:1", "--profile", path)
        #expect(run.status == 2)
        #expect(run.errors.contains("\(path):2:12: unknown key 'protocl'; did you mean 'protocol'?"), "\(run.errors)")
        #expect(run.errors.contains("\(path):4:24: unknown entity 'row'; none is declared"), "\(run.errors)")
        let both = try weir("tail", "http://127.0.0.1:1", "--profile", Self.profile, "--backend", "twake")
        #expect(both.status == 2 && both.errors.contains("give one of them"), "\(both.errors)")
    }

    @Test func `the published schema is the one that the program reads profiles by`() throws {
        let run = try weir("profile", "schema")
        let published = try TestSupport.run(["jq", "-c", ".", packageFolder + "/schemas/profile.schema.json"])
        #expect(run.output == published || run.output == published + "\n")
    }
}
