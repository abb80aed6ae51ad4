import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests `weir serve --profile`, with which the embedded server plays a profile, watched by `weir tail --profile`.
@Suite(.timeLimit(.minutes(3))) struct ServedProfileTests {
    private static let samples = packageFolder + "/samples/profiles/"

    /// A server of a sample's profile, and the settings of its clients.
    private final class Stage {
        let server: Peer
        let profile: String
        let url: String
        let token: String
        let folder: String

        /// Starts a server with the sample's scenario, another one, or none. A profile that is not a sample is given by
        /// its path.
        init(_ name: String, scenario: String? = nil, _ options: String...) throws {
            folder = try temporaryFolder()
            profile = name.hasPrefix("/") ? name : samples + name + ".yaml"
            let file = scenario ?? samples + name + ".scenario.yaml"
            server = try Peer(
                [try pathOfWeir(), "serve", "--profile", profile, "--quiet"]
                    + (file.isEmpty ? [] : ["--scenario", file]) + options)
            url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        }

        private var environment: [String: String] { ["TOKEN": token, "HOME": folder, "XDG_RUNTIME_DIR": folder] }

        func tail(_ arguments: String..., ctl: String? = nil) throws -> Peer {
            try Peer(
                [
                    try pathOfWeir(), "tail", url, "--profile", profile, "--token", "env:TOKEN", "--duration", "60s",
                ] + (ctl.map { ["--name", $0] } ?? ["--no-ctl"]) + arguments, environment: environment, errorsToo: true)
        }

        func rooms(_ words: String...) throws -> CommandResult { try weir(["rooms"] + words, environment: environment) }

        func act(_ words: String..., token: String? = nil) throws -> CommandResult {
            try weir(
                [words[0], url] + words.dropFirst() + ["--profile", profile, "--token", "env:TOKEN"],
                environment: token.map { ["TOKEN": $0, "HOME": folder] } ?? environment)
        }

        deinit { server.stop() }
    }

    /// Writes a scenario of two rooms, one of them forbidden, without events.
    private func still() throws -> String {
        let path = try temporaryFolder() + "/still.yaml"
        try writeFile(
            path,
            """
            tokens: {token-of-ana: ana}
            rows:
              account: [{id: ana, name: Ana Lima}]
              channel: [{id: lobby, name: The lobby}, {id: board, name: Board}]
            forbidden: {room: board, why: members of the board only}
            """)
        return path
    }

    /// Reads lines up to one that contains a text, or to the end. Returns them.
    @discardableResult
    private func read(_ tail: Peer, to end: String = "\u{0}") -> String {
        var text = ""
        while let line = tail.readLine() {
            text += line + "\n"
            if line.contains(end) { break }
        }
        return text
    }

    @Test func `rooms are joined, one is refused with its reason, and events change rows`() throws {
        let stage = try Stage("socketio-chat")
        let tail = try stage.tail(
            "--until-match", #"text ~ "Still there""#, "--record", stage.folder + "/a.weir.jsonl", "--diff-log",
            stage.folder + "/a.jsonl")
        defer { tail.stop() }
        let text = read(tail)
        for words in [
            "! room  #Board of directors refused: members of the board only", "+ room  #The lobby",
            "+ channel  #Development",
            "+ message  #The lobby  Before you came", "Bo", "#The lobby  Hello", "~ message  #The lobby  Hello again",
            "- message  #The lobby",
        ] {
            #expect(text.contains(words), "\(words) is not in \(text)")
        }
        // After the cut of the connection the rows are read again.
        #expect(text.contains("gap"), "\(text)")
        let replay = try weir(
            "replay", stage.folder + "/a.weir.jsonl", "--diff-log", stage.folder + "/b.jsonl", "--quiet")
        #expect(replay.status == 3, "\(replay.errors)")
        #expect(try readFile(stage.folder + "/b.jsonl") == readFile(stage.folder + "/a.jsonl"))
    }

    @Test func `a message is sent, confirmed by its echo, changed and deleted, and a refusal has a reason`() throws {
        let stage = try Stage("socketio-chat", scenario: try still())
        let tail = try stage.tail("--until-match", "kind = deletion")
        defer { tail.stop() }
        read(tail, to: "+ room  #The lobby")
        let sent = try stage.act("send", "#The lobby", "hello all")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(try stage.act("edit", "lobby", "1", "hello everybody").status == 0)
        let refused = try stage.act("send", "board", "let me in")
        #expect(refused.status == 4 && refused.errors.contains("members of the board only"), "\(refused.errors)")
        let unknown = try stage.act("edit", "lobby", "9", "x")
        #expect(unknown.status != 0 && unknown.errors.contains("no message 9"), "\(unknown.errors)")
        #expect(try stage.act("delete", "lobby", "1").status == 0)
        let text = read(tail)
        #expect(tail.wait() == 0, "\(text)")
        for words in ["+ message  #The lobby  hello all", "~ message  #The lobby  hello everybody", "- message "] {
            #expect(text.contains(words), "\(words) is not in \(text)")
        }
    }

    @Test(arguments: [
        ("socketio-chat", "lobby"), ("gateway", "lobby"), ("webui", "lobby"), ("groups", "/group/lobby"),
    ])
    func `rooms are left and joined, a message is sent, another one refused, and two replays are equal`(
        _ name: String, _ room: String
    ) throws {
        let stage = try Stage(name, scenario: try still())
        let record = stage.folder + "/a.weir"
        let tail = try stage.tail("--record", record, "--ids", ctl: "t")
        defer { tail.stop() }
        read(tail, to: "+ room  " + room)
        let left = try stage.rooms("leave", room)
        #expect(left.status == 0 && left.errors.contains("- room " + room), "\(left.errors)")
        let joined = try stage.rooms("join", room)
        #expect(joined.status == 0 && joined.errors.contains("+ room " + room), "\(joined.errors)")
        let sent = try stage.act("send", "lobby", "hello all")
        #expect(sent.status == 0, "\(sent.errors)")
        read(tail, to: "  hello all")
        let refused = try stage.act("send", "board", "let me in")
        #expect(refused.status == 4 && refused.errors.contains("members of the board only"), "\(refused.errors)")
        kill(tail.pid, SIGTERM)
        #expect(!read(tail).contains("let me in"))
        let replays = try (0..<2).map { _ in
            try weir("replay", record, "--speed", "max", "--no-ctl", "--format", "json")
        }
        #expect(replays[0].output == replays[1].output && replays[0].output.contains(#""hello all""#))
    }

    @Test(arguments: ["socketio-chat", "gateway"]) func `an unknown token is refused`(_ name: String) throws {
        let stage = try Stage(name)
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", stage.url, "--profile", stage.profile, "--token", "env:TOKEN", "--no-ctl",
                "--duration", "60s",
            ], environment: ["TOKEN": "stolen", "HOME": stage.folder], errorsToo: true)
        defer { tail.stop() }
        let text = read(tail)
        #expect(tail.wait() == 4 && text.contains("unknown token"), "\(text)")
        #expect(try stage.act("send", name == "gateway" ? "1" : "lobby", "x", token: "stolen").status == 4)
    }

    @Test func `a profile's event may report that the token or a room is refused`() throws {
        let path = try temporaryFolder() + "/strict.yaml"
        try writeFile(
            path,
            """
            name: strict
            rooms: {join: {event: enter, arguments: ["{room}"], answer: event}, list: rooms}
            entities: {channel: {fields: {name: }}}
            reads: {rooms: {get: /rooms, entity: channel}}
            events:
              - {event: denied, says: unauthorized, why: reason}
              - {event: entered, says: joined, room: room}
              - {event: kept_out, says: refused, room: room, why: reason}
            """)
        let scenario = path + ".scenario.yaml"
        try writeFile(
            scenario,
            """
            tokens: {t: ana}
            rows: {channel: [{id: a, name: A}, {id: b, name: B}]}
            forbidden: {room: b, why: it is full}
            steps: {after: 1s, emit: enough}
            """)
        let stage = try Stage(path, scenario: scenario)
        let tail = try stage.tail("--until-match", "event = enough")
        defer { tail.stop() }
        let text = read(tail)
        #expect(text.contains("+ room  #A") && text.contains("! room  #B refused: it is full"), "\(text)")
        let stolen = try Peer(
            [
                try pathOfWeir(), "tail", stage.url, "--profile", path, "--token", "env:TOKEN", "--no-ctl",
                "--duration",
                "60s",
            ], environment: ["TOKEN": "stolen", "HOME": stage.folder], errorsToo: true)
        defer { stolen.stop() }
        let refusal = read(stolen)
        #expect(stolen.wait() == 4 && refusal.contains("unknown token"), "\(refusal)")
    }

    @Test func `mentions of the user by id or by name are found and raise notifications`() throws {
        let path = try temporaryFolder() + "/named.yaml"
        try writeFile(
            path,
            """
            tokens: {token-of-ana: "100"}
            rows:
              account: [{id: "100", name: ana}, {id: "200", name: bo}]
              channel: [{id: "1", name: general}]
            steps:
              - {after: 1s, create: message, by: "200", row: {channel_id: "1", text: for bo, mentions: ["200"]}}
              - {create: message, by: "200", row: {channel_id: "1", text: by id, mentions: [{id: "100"}]}}
              - {create: message, by: "200", row: {channel_id: "1", text: by name, mentions: [bo, ana]}}
              - {after: 1s, create: message, by: "200", row: {channel_id: "1", text: the end}}
            """)
        let stage = try Stage("gateway", scenario: path)
        let told = stage.folder + "/told"
        try writeFile(stage.folder + "/tell", "#!/bin/sh\ncat >> \(told)\n")
        try #require(chmod(stage.folder + "/tell", 0o700) == 0)
        let tail = try stage.tail(
            "--filter", #"kind = message and mentions = me or text ~ "the end""#, "--notify", "mention", "--notify-by",
            stage.folder + "/tell", "--until-match", #"text ~ "the end""#, "--format", "compact")
        defer { tail.stop() }
        let seen = read(tail)
        #expect(seen.contains("by id") && seen.contains("by name") && !seen.contains("for bo"), "\(seen)")
        let notified = String(decoding: try readFile(told), as: UTF8.self)
        #expect(
            notified.contains("by id") && notified.contains("by name") && !notified.contains("for bo"), "\(notified)")
    }

    @Test func `a gateway's session resumes after a cut, and begins anew when it is forgotten`() throws {
        let stage = try Stage("gateway", "--ping-interval", "200")
        let tail = try stage.tail("--until-match", #"text ~ "Still there""#)
        defer { tail.stop() }
        let text = read(tail)
        for words in [
            "  Before you came", "  Hello", "~ message ", "  Hello again", "+ channel  #news",
            "the session was recovered",
            "  In the gap", "- message ", "gap",
        ] {
            #expect(text.contains(words), "\(words) is not in \(text)")
        }
        let sent = try stage.act("send", "#general", "hello all")
        #expect(sent.status == 0, "\(sent.errors)")
    }

    @Test(arguments: ["socketio-chat", "gateway"])
    func `without a scenario the server has rows and sends events`(_ name: String) throws {
        let stage = try Stage(name, scenario: "", "--seed", "3")
        let tail = try stage.tail("--until-match", "type = event and kind in (message, typing, deletion)")
        defer { tail.stop() }
        let text = read(tail)
        #expect(text.contains("+ channel  #General"), "\(text)")
    }

    @Test(arguments: [true, false])
    func `the error for a failed action that is not stored says why`(_ hasAccount: Bool) throws {
        let folder = try temporaryFolder()
        try writeFile(
            folder + "/p.yaml",
            """
            name: shouts
            realtime: {protocol: none}
            services: {api: {url: /api}}
            entities: {account: {}}
            reads: {me: {get: /me, entity: account}}
            writes: {shout: {path: /shouts}}
            actions: {shout: {steps: {write: shout}}}
            """ + (hasAccount ? "\naccount: me\n" : "\n"))
        let command = ["do", "http://127.0.0.1:\(try freePort())", "shout", "--profile", folder + "/p.yaml"]
        func errors(_ more: String...) throws -> String {
            let result = try weir(
                command + ["--token", "env:TOKEN", "--max-attempts", "1"] + more,
                environment: ["TOKEN": "t", "HOME": folder])
            #expect(result.status == 5)
            return result.errors
        }
        let why = hasAccount ? "the server does not identify" : "the profile does not declare (account)"
        #expect(try errors().contains("error: it is not queued for later: \(why) the owner of the token\n"))
        #expect(try !errors("--store", "none").contains("queued for later"))
    }

    @Test func `an invalid scenario or one that is not a file is refused before anything is served`() throws {
        let path = try temporaryFolder() + "/wrong.yaml"
        try writeFile(path, "rows: {mesage: []}\nsteps: [{after: 1s}]\n")
        let run = try weir("serve", "--profile", Self.samples + "gateway.yaml", "--scenario", path)
        #expect(run.status == 2)
        #expect(run.errors.contains("\(path):1:8: unknown entity 'mesage'; did you mean 'message'?"), "\(run.errors)")
        #expect(
            run.errors.contains("\(path):2:9: a step needs one of emit, create, change, delete, drop"), "\(run.errors)")
        let named = try weir("serve", "--profile", Self.samples + "gateway.yaml", "--scenario", "echo")
        #expect(
            named.status == 2 && named.errors.contains("--profile requires a .yaml or .json file"), "\(named.errors)")
        let alone = try weir("serve", "--scenario", path)
        #expect(alone.status == 2 && alone.errors.contains("requires --profile FILE"), "\(alone.errors)")
        let moved = try weir("serve", "--profile", Self.samples + "gateway.yaml", "--path", "/x")
        #expect(
            moved.status == 2 && moved.errors.contains("the endpoint of 'gateway' is always at /gateway"),
            "\(moved.errors)")
    }
}
