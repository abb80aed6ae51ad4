import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests a backend declared by a profile, by command: the sample of a room chat against a server with the genuine
/// python-socketio.
@Suite(
    .enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"),
    .timeLimit(.minutes(3)))
struct ProfileRunTests {
    private static let profile = packageFolder + "/samples/profiles/socketio-chat.yaml"

    /// The chat's server, whose state is in a file.
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

        /// Posts to the server as another user.
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
        #expect(text.contains("! room  #Board of directors refused: members of the board only"), "\(text)")
        #expect(text.contains("bo  hello again"), "\(text)")
        #expect(text.contains("  hello again  text, edited"), "\(text)")
        #expect(text.contains("- message  "), "\(text)")
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

    @Test func `messages sent while the server was down are read when it is back`() throws {
        let chat = try Chat()
        let first = try chat.start()
        let tail = try tail(chat, "--duration", "60s", "--until-match", #"text ~ "the last one""#)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("+ room  #The lobby") {}
        first.stop()
        try writeFile(
            chat.state,
            #"{"rooms":[{"id":"lobby","title":"The lobby"}],"messages":{"lobby":[{"id":5,"room":"lobby","sender":"bo","text":"said to nobody","at":1}]},"last":5}"#
        )
        let second = try chat.start()
        defer { second.stop() }
        var (text, isSaid) = ("", false)
        while let line = tail.readLine() {
            text += line + "\n"
            // The message ends the tail, so it comes after everything that is expected.
            if !isSaid, text.contains("said to nobody"), text.contains("- channel  #") {
                isSaid = true
                try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"the last one"}"#)
            }
        }
        #expect(tail.wait() == 3, "\(text)")
        #expect(text.contains("gap"), "\(text)")
        #expect(text.contains("  said to nobody"), "\(text)")
        #expect(text.contains("- channel  #"), "\(text)")
    }

    @Test func `a message is sent, changed and deleted, and a refusal has a reason`() throws {
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
        #expect(unknown.status != 0 && unknown.errors.contains("no room #Nowhere"), "\(unknown.errors)")
        let deleted = try act("delete", "lobby", "1")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(!String(decoding: try readFile(chat.state), as: UTF8.self).contains("hello everybody"))
        let undeclared = try act("react", "lobby", "1", "👍")
        #expect(
            undeclared.errors.contains("the profile 'socketio-chat' has no write 'react'; it has send, edit, delete"),
            "\(undeclared.errors)")
    }

    @Test func `an invalid profile is refused before any connection, and each problem has its place`() throws {
        let path = try temporaryFolder() + "/wrong.yaml"
        try writeFile(path, "name: x\nrealtime: {protocl: socketio}\nevents:\n  - {event: m, entity: row}\n")
        let run = try weir("tail", "http://127.0.0.1:1", "--profile", path)
        #expect(run.status == 2)
        #expect(run.errors.contains("\(path):2:12: unknown key 'protocl'; did you mean 'protocol'?"), "\(run.errors)")
        #expect(run.errors.contains("\(path):4:24: unknown entity 'row'; none is declared"), "\(run.errors)")
        let both = try weir("tail", "http://127.0.0.1:1", "--profile", Self.profile, "--backend", "twake")
        #expect(
            both.status == 2 && both.errors.contains("--profile and --backend exclude each other"), "\(both.errors)")
    }

    @Test func `a profile inferred from a recording matches it`() throws {
        let chat = try Chat()
        let server = try chat.start()
        defer { server.stop() }
        let folder = try temporaryFolder()
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", chat.url, "--backend", "socketio", "--token", "env:TOKEN", "--no-ctl",
                "--emit",
                #"join {"room":"lobby"}"#, "--emit-ack", "--record", folder + "/a.weir.jsonl", "--count", "2",
            ], environment: ["TOKEN": "token-of-ana", "HOME": folder], errorsToo: true)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains(#"[{"ok":true}]"#) {}
        try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"one"}"#)
        try chat.post("/say", #"{"room":"lobby","sender":"bo","text":"two"}"#)
        while tail.readLine() != nil {}
        #expect(tail.wait() == 0)
        let inferred = try weir("profile", "infer", folder + "/a.weir.jsonl")
        #expect(inferred.status == 0, "\(inferred.errors)")
        try writeFile(folder + "/mine.yaml", inferred.output)
        let check = try weir("profile", "check", folder + "/mine.yaml", "--against", folder + "/a.weir.jsonl")
        #expect(check.output.contains("2 message; 2 changes of the model"), "\(inferred.output)\(check.output)")
    }

    @Test func `the published schema equals the one that the program uses for profiles`() throws {
        let run = try weir("profile", "schema")
        let published = try TestSupport.run(["jq", "-c", ".", packageFolder + "/schemas/profile.schema.json"])
        #expect(run.output == published || run.output == published + "\n")
    }
}

/// Tests a plain WebSocket gateway by command: its sample against a server with the genuine aiohttp.
@Suite(
    .enabled(if: environment("socketio5") != nil, "aiohttp is not installed: run Tests/run"), .timeLimit(.minutes(3)))
struct GatewayRunTests {
    private static let profile = packageFolder + "/samples/profiles/gateway.yaml"

    private func serve(_ port: UInt16, _ state: String, _ arguments: String...) throws -> Peer {
        let python = try #require(environment("socketio5")) + "/bin/python"
        let peer = try Peer(
            [python, peersFolder + "/gateway_python.py", "--port", "\(port)", "--state", state] + arguments,
            errorsToo: true)
        try peer.readLine(startingWith: "listening")
        peer.drain()
        return peer
    }

    private func post(_ port: UInt16, _ path: String, _ body: String = "{}") throws {
        _ = try TestSupport.run([
            "python3", "-c", "import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], sys.argv[2].encode()))",
            "http://127.0.0.1:\(port)" + path, body,
        ])
    }

    private func tail(_ port: UInt16, token: String = "token-of-ana", _ arguments: String...) throws -> Peer {
        try Peer(
            [
                try pathOfWeir(), "tail", "http://127.0.0.1:\(port)", "--profile", Self.profile, "--token", "env:TOKEN",
                "--no-ctl", "--duration", "60s",
            ] + arguments, environment: ["TOKEN": token, "HOME": try temporaryFolder()], errorsToo: true)
    }

    /// Reads lines up to one that contains a text. Returns all of them.
    @discardableResult
    private func read(_ tail: Peer, to end: String = "\u{0}") -> String {
        var text = ""
        while let line = tail.readLine() {
            text += line + "\n"
            if line.contains(end) { break }
        }
        return text
    }

    @Test func `a session that was cut resumes without a gap, and replays byte by byte`() throws {
        let (port, folder) = (try freePort(), try temporaryFolder())
        let server = try serve(port, folder + "/state.json", "--beat", "200")
        defer { server.stop() }
        let tail = try tail(
            port, "--record", folder + "/a.weir.jsonl", "--diff-log", folder + "/a.jsonl", "--until-match",
            "text ~ last")
        defer { tail.stop() }
        read(tail, to: "+ channel  #random")
        try post(port, "/say", #"{"channel":"1","text":"hello"}"#)
        read(tail, to: "bo  hello")
        try post(port, "/cut")
        try post(port, "/say", #"{"channel":"2","text":"in the gap"}"#)
        let between = read(tail, to: "the session was recovered")
        try post(port, "/say", #"{"channel":"1","text":"the last"}"#)
        let end = read(tail)
        #expect(tail.wait() == 0, "\(end)")
        #expect((between + end).contains("bo  in the gap"), "\(between)\(end)")
        #expect(!between.contains("gap ") && !end.contains("gaps"), "\(between)\(end)")
        let replay = try weir("replay", folder + "/a.weir.jsonl", "--diff-log", folder + "/b.jsonl", "--quiet")
        #expect(replay.status == 0, "\(replay.errors)")
        #expect(try readFile(folder + "/b.jsonl") == readFile(folder + "/a.jsonl"))
    }

    @Test func `a killed server knows no session: a new one begins, and missed messages are read`() throws {
        let (port, state) = (try freePort(), try temporaryFolder() + "/state.json")
        let first = try serve(port, state)
        let tail = try tail(port, "--until-match", "text ~ last")
        defer { tail.stop() }
        read(tail, to: "+ channel  #random")
        first.stop()
        try writeFile(
            state,
            #"{"channels":[{"id":"1","name":"general","position":1}],"last":7,"messages":[{"id":"7","channel_id":"1","author":{"id":"200","username":"bo"},"content":"said to nobody","timestamp":"2026-01-01T00:00:00Z","edited_timestamp":null}]}"#
        )
        let second = try serve(port, state)
        defer { second.stop() }
        var text = read(tail, to: "said to nobody")
        try post(port, "/say", #"{"channel":"1","text":"the last"}"#)
        // Both streams share one pipe here, and their order is undefined.
        text += read(tail)
        #expect(tail.wait() == 3)
        #expect(text.contains("gap") && text.contains("said to nobody"), "\(text)")
    }

    @Test func `a heartbeat without an answer makes the tail reconnect`() throws {
        let port = try freePort()
        let server = try serve(port, try temporaryFolder() + "/state.json", "--beat", "150", "--deaf")
        defer { server.stop() }
        let tail = try tail(port)
        defer { tail.stop() }
        let text = read(tail, to: "did not answer a heartbeat")
        #expect(text.contains("did not answer a heartbeat"), "\(text)")
    }

    @Test func `a close code of the profile means a refused token, and a refused message has a reason`() throws {
        let port = try freePort()
        let server = try serve(port, try temporaryFolder() + "/state.json")
        defer { server.stop() }
        let tail = try tail(port, token: "stolen")
        defer { tail.stop() }
        let text = read(tail)
        #expect(tail.wait() == 4)
        #expect(text.contains("authentication failed"), "\(text)")
        func send(_ words: String) throws -> CommandResult {
            try weir(
                [
                    "send", "http://127.0.0.1:\(port)", "#general", words, "--profile", Self.profile, "--token",
                    "env:TOKEN",
                ], environment: ["TOKEN": "token-of-ana"])
        }
        #expect(try send("hello").status == 0)
        let refused = try send("spam")
        #expect(refused.status == 4 && refused.errors.contains("no spam in here"), "\(refused.errors)")
    }
}

/// Follows the page "Your backend in half an hour" literally.
@Suite(.enabled(if: environment("socketio5") != nil, "python-socketio is not installed: run Tests/run"))
struct DocumentedStepsTests {
    @Test func `each step of the page works as described`() throws {
        let port = try freePort()
        let python = try #require(environment("socketio5")) + "/bin/python"
        let state = try temporaryFolder() + "/chat.json"
        let peer = try Peer(
            [python, peersFolder + "/chat_python.py", "--port", "\(port)", "--state", state, "--chatter"],
            errorsToo: true)
        defer { peer.stop() }
        try peer.readLine(startingWith: "listening")
        peer.drain()
        let page = String(
            decoding: try readFile(packageFolder + "/Sources/WeirLive/WeirLive.docc/YourBackendInHalfAnHour.md"),
            as: UTF8.self)
        let steps = DocumentedSteps(of: page[...])
        #expect(steps.list.count == 10)
        try steps.follow(port: port, token: "token-of-ana")
    }
}
