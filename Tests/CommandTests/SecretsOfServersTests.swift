import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests secrets in a server's messages, and where they appear afterwards.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `Secrets that a server sends` {
    /// Secrets of every kind. The server sends each at a place of its own.
    private static let secrets = [
        "hunter2-of-an-event", "tok-0123456789-nested", "hunter3-in-a-string", "hunter4-twice-in-a-string",
        "tok-of-an-acknowledgement", "ck=of-a-connect-error", "tok-of-an-answer", "ann:pw-of-a-url", "tk-of-a-query",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0", "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "abcDEF123456.bearer", "tok-escaped-name", "q8Zr1XvT0pLk3mNw5yBd7cFg9hJs2aQeW4rT6yU8iO0p",
        "Zk39sKd02mXq81LpVb7c",
        "hunter5-of-a-form", "hunter6-of-a-batch", "tok-of-a-refusal",
    ]

    private static let feed =
        "/companies/a4016b55-ca68-4a8e-af79-15b5b3b86c8f/workspaces/0cff04ed-6b25-405a-ad9e-256e1a779020/channels/fac1cba5-a359-4b28-8afc-b25426f9a980/feed"

    private static var frames: [String] {
        let s = secrets
        let message =
            #""thread_id":"2499fa03-153a-11ec-bd13-815db2d2076b","id":"2499fa03-153a-11ec-bd13-815db2d2076b","type":"message","subtype":null,"created_at":1631610000800,"updated_at":1631610000800,"user_id":"af382e55-4952-4599-babb-6a6dcdd4ac31""#
        return [
            #"42["realtime:event",{"name":"/r","data":{"password":"\#(s[0])","token":{"v":"\#(s[1])"}}}]"#,
            #"42["realtime:event",{"name":"/r","data":{"json":"{\"user_password\":\"\#(s[2])\"}","deep":"{\"a\":\"{\\\"pwd\\\":\\\"\#(s[3])\\\"}\"}"}}]"#,
            #"4317[{"accessToken":"\#(s[4])"}]"#,
            #"44/other,{"message":"no","data":{"headers":{"Set-Cookie":"\#(s[5])"}}}"#,
            #"42["realtime:event",{"name":"/r","data":{"u":"https://\#(s[7])@host/","v":"https://host/?a=1&access_token=\#(s[8])"}}]"#,
            #"42["realtime:resource",{"action":"created","room":"\#(feed)","type":"message","path":"/x","resource":{\#(message),"text":"see \#(s[9]) and \#(s[10]), Bearer \#(s[11])","blocks":[],"files":null,"context":{"\u0074oken":"\#(s[12])"}}}]"#,
            #"42["unknown",{"any":["\#(s[13])"],"sessionId":"\#(s[14])","body":"user=ann&password=\#(s[15])"}]"#,
            #"42["unknown",[{"x-api-key":"\#(s[16])"},{"x-api-key":"\#(s[16])"}],{"token":"\#(s[17])"}]"#,
            #"42["realtime:event",{"name":"/r","data":"the-last-event"}]"#,
        ]
    }

    private func server() throws -> ScriptedServer {
        let user =
            #"{"id":"af382e55-4952-4599-babb-6a6dcdd4ac31","username":"ann","first_name":"\#(Self.secrets[9])","api_key":"\#(Self.secrets[6])"}"#
        return try ScriptedServer(frames: Self.frames, rest: #"{"resource":\#(user),"resources":[\#(user)]}"#)
    }

    /// Runs a tail until all of `awaited` was printed. Calls `during` before the tail is stopped.
    private func tail(
        _ port: UInt16, _ options: [String], until awaited: [String], folder: String, _ during: () throws -> Void = {}
    ) throws -> String {
        let process = try Peer(
            [
                try pathOfWeir(), "tail", "http://127.0.0.1:\(port)", "--token", "env:TOKEN", "--name",
                "x",
                "--duration", "1m",
            ] + options,
            environment: ["TOKEN": "a-token-of-the-test", "XDG_RUNTIME_DIR": folder, "HOME": folder], errorsToo: true)
        var text = ""
        var missing = awaited
        while !missing.isEmpty, let line = process.readLine() {
            text += line + "\n"
            missing.removeAll { line.contains($0) }
        }
        #expect(missing.isEmpty, "\(text)")
        try during()
        kill(process.pid, SIGINT)
        while let line = process.readLine() { text += line + "\n" }
        #expect(process.wait() == 130)
        return text
    }

    private func expectClean(_ text: String, _ name: String) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) is in the \(name)") }
    }

    private func file(_ path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }

    @Test func `secrets are in no output, recording, diff log, store, hook or answer of the control socket`() throws {
        let server = try server()
        defer { server.close() }
        let folder = try temporaryFolder()
        try writeFile(folder + "/hook", "")
        var asked = ""
        let raw = try tail(
            server.port,
            [
                "--view", "raw", "--record", folder + "/a.weir.jsonl", "--diff-log", folder + "/a.diff", "--store",
                folder + "/store.sqlite", "--hook", "size < 1M=tee -a \(folder)/hook",
            ], until: ["the-last-event", "api_key"], folder: folder
        ) {
            let environment = ["XDG_RUNTIME_DIR": folder, "HOME": folder]
            for words in [
                ["mark", "label=password=\(Self.secrets[15])"], ["model.sections"], ["status"], ["stats"],
            ] {
                let answer = try weir(["ctl", "x"] + words, environment: environment)
                asked += answer.output + answer.errors
            }
        }
        let recording = try file(folder + "/a.weir.jsonl")
        let places = [
            "raw view": raw, "recording": recording, "diff log": try file(folder + "/a.diff"),
            "store": try file(folder + "/store.sqlite"), "hook's input": try file(folder + "/hook"),
            "control socket": asked,
        ]
        for (name, text) in places { expectClean(text, name) }
        for name in ["raw view", "recording", "diff log", "hook's input"] {
            #expect(places[name]?.contains("‹secret-") == true, "\(name): \(places[name] ?? "")")
        }
        #expect(recording.contains(#""sessions","received"]"#))
        let doctor = try weir("file", "doctor", "--secrets", folder + "/a.weir.jsonl")
        #expect(doctor.status == 0, "\(doctor.output)")
        #expect(try weir("file", "info", folder + "/a.weir.jsonl").output.contains("sessions, received\n"))
        // The batch has the same key twice, so it also has the mark twice.
        let batch = try #require(recording.split(separator: "\n").first { $0.contains("x-api-key") })
        let marks = batch.matches(of: /‹secret-[0-9a-f]{16}›/).map { String($0.output) }
        #expect(marks.count == 3 && marks[0] == marks[1] && marks[1] != marks[2])
        // A replay shows the same and writes the same diff log.
        let replay = try weir(
            "replay", folder + "/a.weir.jsonl", "--speed", "max", "--verify", "--diff-log", folder + "/b.diff")
        // Some messages could not be decoded, which is reported as in the live run.
        #expect(replay.status == 3, "\(replay.errors)")
        expectClean(replay.output, "replay")
        #expect(try file(folder + "/b.diff") == file(folder + "/a.diff"))
    }

    @Test(arguments: [[], ["--format", "json"], ["--template", "{event} {summary} {payload}"]])
    func `secrets are in no form of output`(options: [String]) throws {
        let server = try server()
        defer { server.close() }
        let text = try tail(
            server.port, options + ["--store", "none"], until: ["the-last-event"], folder: try temporaryFolder())
        expectClean(text, "output")
        #expect(text.contains("‹secret-"), "\(text)")
    }

    @Test(arguments: [[], ["--keep-secrets"]])
    func `secrets are neither forwarded nor shown to a viewer, unless they are kept`(
        options: [String]
    ) throws {
        let server = try server()
        defer { server.close() }
        let receiver = try Receiver()
        defer { receiver.close() }
        let folder = try temporaryFolder()
        var shown = ""
        _ = try tail(
            server.port, options + ["--store", "none", "--allow-emit", "--forward", receiver.url],
            until: ["the-last-event"], folder: folder
        ) {
            let environment = ["XDG_RUNTIME_DIR": folder, "HOME": folder]
            let viewer = try Peer(
                [try pathOfWeir(), "attach", "x", "--format", "json"], environment: environment, errorsToo: true)
            defer { viewer.stop() }
            while let line = viewer.readLine(), line != "attached to x" {}
            // The scripted server sends all its frames again after a `realtime:join`.
            let asked = try weir("emit", "--on", "x", "--no-ack", "realtime:join", environment: environment)
            #expect(asked.status == 0, "\(asked.errors)")
            for awaited in ["user_password", "the-last-event"] {
                while let line = viewer.readLine() {
                    shown += line + "\n"
                    if line.contains(awaited) { break }
                }
            }
        }
        let bodies = receiver.bodies.wait { bodies in bodies.contains { $0.contains("the-last-event") } }
        let places = ["viewer": shown, "receiver of --forward": bodies.joined(separator: "\n")]
        for (name, text) in places {
            if options.isEmpty { expectClean(text, name) }
            #expect(text.contains("‹secret-") == options.isEmpty, "\(name): \(text)")
            #expect(text.contains(Self.secrets[2]) != options.isEmpty, "\(name): \(text)")
        }
    }

    @Test(arguments: ["", "--keep-secrets"])
    func `secrets are not in the full-screen view, unless they are kept`(option: String) throws {
        let server = try server()
        defer { server.close() }
        let terminal = try Tmux(width: 250, height: 80)
        try writeFile(terminal.folder + "/token", "a-token-of-the-test\n")
        try terminal.run(
            "clear; '\(try pathOfWeir())' watch http://127.0.0.1:\(server.port) --token file:\(terminal.folder)/token"
                + " --store none \(option); echo status=$?")
        // First the lines, then the fields of one, then its frame.
        let lines = try terminal.expect("the-last-event")
        try terminal.run("ftype = event and kind = message")
        try terminal.expect("filter: type = event and kind = message")
        try terminal.press("Enter")
        let fields = try terminal.expect("payload[1].resource.context.token")
        try terminal.press("Enter")
        let frame = try terminal.expect(#""realtime:resource""#)
        for screen in [lines, fields, frame] {
            let text = screen.joined(separator: "\n")
            #expect(text.contains("‹secret-") == option.isEmpty, "\(text)")
            #expect(Self.secrets.contains { text.contains($0) } != option.isEmpty, "\(text)")
        }
        try terminal.type("q")
        try terminal.expect("status=3")
    }

    @Test(arguments: [[], ["--keep-secrets"]])
    func `secrets are not in the wire view of an upgrade`(options: [String]) throws {
        let secret = Self.secrets[1]
        let server = try NotingServer(upgrades: true, aside: #"42["x",{"token":"\#(secret)"}]"#)
        defer { server.close() }
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", server.url, "--backend", "socketio", "--transport", "upgrade", "--view",
                "raw", "--no-ctl", "--config", "none", "--quiet",
            ] + options)
        defer { tail.stop() }
        var shown = ""
        while let line = tail.readLine(), !line.hasSuffix(" 5") { shown += line + "\n" }
        #expect(shown.contains("3probe"), "\(shown)")
        #expect(shown.contains("‹secret-") == options.isEmpty, "\(shown)")
        #expect(shown.contains(secret) != options.isEmpty, "\(shown)")
    }

    @Test func `secrets are not in the output of a command that acts`() throws {
        let secret = Self.secrets[10]
        let company = #"{"id":"af382e55-4952-4599-babb-6a6dcdd4ac31","username":"ann","name":"\#(secret)"}"#
        let server = try ScriptedServer(rest: #"{"resource":\#(company),"resources":[\#(company)]}"#)
        defer { server.close() }
        let sent = try weir(
            "send", "http://127.0.0.1:\(server.port)", "#general", "hi", "--workspace", "nope", "--token", "env:TOKEN",
            "--store", "none", environment: ["TOKEN": "a-token-of-the-test"])
        #expect(sent.status == 4)
        #expect(sent.errors.contains("in company ‹secret-") && !sent.errors.contains(secret), "\(sent.errors)")
    }

    @Test func `secrets are not in the output of whoami`() throws {
        let server = try server()
        defer { server.close() }
        let run = try weir(
            "whoami", "http://127.0.0.1:\(server.port)", "--token", "env:TOKEN",
            environment: ["TOKEN": "a-token-of-the-test"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("  ‹secret-") && !run.output.contains(Self.secrets[9]), "\(run.output)")
    }

    @Test func `with --keep-secrets secrets are kept, and the head says so`() throws {
        let server = try server()
        defer { server.close() }
        let folder = try temporaryFolder()
        let text = try tail(
            server.port,
            ["--keep-secrets", "--format", "json", "--store", "none", "--record", folder + "/a.weir.jsonl"],
            until: ["the-last-event"], folder: folder)
        #expect(text.contains(Self.secrets[0]))
        let recording = try file(folder + "/a.weir.jsonl")
        for secret in Self.secrets {
            #expect(recording.contains(secret), "\(secret)")
        }
        #expect(!recording.contains("‹secret-") && !recording.contains("a-token-of-the-test"))
        #expect(recording.contains(#""credentials","sessions"]"#))
        let info = try weir("file", "info", folder + "/a.weir.jsonl")
        #expect(info.output.contains("secrets sent by the server are not redacted"))
        #expect(try weir("file", "doctor", "--secrets", folder + "/a.weir.jsonl").status != 0)
        let redacted = try weir(
            "file", "redact", folder + "/a.weir.jsonl", "--rule", "secrets", "-o", folder + "/b.weir.jsonl")
        #expect(redacted.status == 0, "\(redacted.errors)")
        expectClean(try file(folder + "/b.weir.jsonl"), "redacted recording")
        #expect(try weir("file", "doctor", "--secrets", folder + "/b.weir.jsonl").status == 0)
        #expect(try weir("file", "info", folder + "/b.weir.jsonl").output.contains("sessions, received\n"))
    }
}

/// An HTTP server on a loopback port that stores the request bodies.
private final class Receiver: HTTPServerHandler {
    let bodies = Mailbox<String>()
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)

    init() throws {
        loop = try EventLoop(name: "weir-receiver")
        let made = try HTTPServer(on: loop, handler: self)
        server.change { $0 = made }
    }

    var url: String { "http://127.0.0.1:\(server.change { $0?.port ?? 0 })/" }

    func close() {
        server.change { $0.take() }?.close()
        loop.shutDown()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        bodies.put(String(decoding: request.body, as: UTF8.self))
        respond(HTTPResponse(status: 204))
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { HTTPResponse(status: 404) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {}
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {}
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}
