import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests `weir rooms` against a tail of the embedded backend.
@Suite(.serialized) struct RoomsRunTests {
    /// A backend, a tail of it that has joined its rooms, and their environment.
    private final class Stage {
        let backend: Peer
        private(set) var tail: Peer
        private let options: [String]
        /// Whether the test reads the tail's output. Otherwise it is drained.
        private let isRead: Bool
        let environment: [String: String]
        let folder: String
        let url: String
        let token: String

        init(_ options: [String] = [], server: [String] = [], isRead: Bool = false) throws {
            let folder = try temporaryFolder()
            self.folder = folder
            self.options = options
            self.isRead = isRead
            environment = ["XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder]
            backend = try Peer(
                [try pathOfWeir(), "serve", "--seed", "4", "--quiet", "--listen", "127.0.0.1:0"] + server)
            url = String(try backend.readLine(startingWith: "url ").dropFirst(4))
            token = String(try backend.readLine(startingWith: "token ").dropFirst(6))
            tail = try Self.tail(url, token, folder, environment, options, isRead)
        }

        private static func tail(
            _ url: String, _ token: String, _ folder: String, _ environment: [String: String], _ options: [String],
            _ isRead: Bool
        ) throws -> Peer {
            let tail = try Peer(
                [
                    try pathOfWeir(), "tail", url, "--token", "env:T", "--name", "t", "--format", "json", "--quiet",
                    "--store", folder + "/kept.sqlite",
                ] + options.map { $0.replacing("FOLDER", with: folder) },
                environment: environment.merging(["T": token]) { a, _ in a })
            while let line = tail.readLine(), !(line.contains(#""change":"joined""#) && line.contains("/feed")) {}
            if !isRead { tail.drain() }
            return tail
        }

        /// Ends the tail cleanly, and starts another one.
        func beginAgain(after work: () throws -> Void = {}) throws {
            kill(tail.pid, SIGTERM)
            tail.wait()
            try work()
            tail = try Self.tail(url, token, folder, environment, options, isRead)
        }

        deinit {
            tail.stop()
            backend.stop()
        }

        func rooms(_ words: String...) throws -> CommandResult {
            try weir(["rooms"] + words, environment: environment)
        }
    }

    /// A pattern for the one channel that the tests use.
    private let general = "#general"

    @Test func `rooms are resolved, left and joined by title, and excluded rooms are left`() throws {
        let stage = try Stage(["--join", "#gen*"])
        #expect(try stage.rooms("join", general).status == 0)
        let resolved = try stage.rooms("resolve", "#*", "-#general")
        #expect(resolved.status == 0)
        #expect(resolved.output.contains("  by #*\n") && !resolved.output.contains("  General  "))
        let joined = try stage.rooms("ls", general)
        #expect(joined.output.contains("General") && joined.output.contains("joined"), "\(joined.output)")
        #expect(joined.output.split(separator: "\n").first?.hasPrefix("ROOM") == true)
        let left = try stage.rooms("leave", general)
        #expect(left.status == 0 && left.errors.hasPrefix("- room "), "\(left.errors)")
        #expect(try stage.rooms("ls", general).output == "")
        #expect(try stage.rooms("ls", "--all", general).output.contains("left"))
        let back = try stage.rooms("join", general, "--json")
        #expect(back.status == 0 && back.output.contains(#""state":"joined""#), "\(back.output) \(back.errors)")
        // A file of patterns is read completely with any line ending or byte order mark.
        for ending in ["\r\n", "\r"] {
            try writeFile(stage.folder + "/rooms", "\u{FEFF}#gen*\(ending)\(ending)#rand*")
            let read = try stage.rooms("resolve", "@\(stage.folder)/rooms")
            #expect(read.status == 0, "\(read.errors)")
            #expect(read.output.contains("  General  ") && read.output.contains("  Random  "), "\(read.output)")
        }
        let unknown = try stage.rooms("resolve", "#genral")
        #expect(unknown.status == 1)
        #expect(unknown.errors.hasPrefix("no room matches #genral; did you mean '#General'?\n"), "\(unknown.errors)")
    }

    @Test func `Check 9: a new room that matches a pattern appears, and is joined, listed and recorded`() throws {
        let stage = try Stage(["--join", "#general + #incident*", "--record", "FOLDER/new.weir"], isRead: true)
        #expect(try stage.rooms("ls", "#incident*").output == "")
        let made = try weir(
            ["channel", "create", stage.url, "incident-1", "--token", "env:T", "--store", "none"],
            environment: ["T": stage.token])
        #expect(made.status == 0, "\(made.errors)")
        var room: Substring = ""
        while let line = stage.tail.readLine() {
            guard line.contains(#""change":"joined""#), let start = line.firstRange(of: #""room":""#) else { continue }
            room = line[start.upperBound...].prefix { $0 != "\"" }
            break
        }
        #expect(room.hasSuffix("/feed"))
        let listed = try stage.rooms("ls", "#incident*")
        #expect(listed.output.contains("incident-1") && listed.output.contains("  joined  "), "\(listed.output)")
        kill(stage.tail.pid, SIGTERM)
        while stage.tail.readLine() != nil {}
        let recorded = String(decoding: try readFile(stage.folder + "/new.weir"), as: UTF8.self)
        #expect(recorded.contains(#""act":"ack","room":"\#(room)""#))
    }

    @Test func `a set is saved, shown, used, compared and removed, and exists for the next tail`() throws {
        let stage = try Stage()
        #expect(try stage.rooms("set", "save", "work", "#*", "-#general").status == 0)
        #expect(try stage.rooms("set", "save", "few", "@work", "-", "#random").status == 0)
        #expect(try stage.rooms("set", "ls").output == "@few  @work - #random\n@work  #* - #general\n")
        #expect(try stage.rooms("set", "show", "work").output == "#*\n-#general\n")
        #expect(try stage.rooms("set", "diff", "work", "few").output == "- #*\n- -#general\n+ @work\n+ -#random\n")
        #expect(try stage.rooms("set", "use", "work").status == 0)
        #expect(try stage.rooms("ls", general).output == "")
        #expect(try stage.rooms("reset").status == 0)
        #expect(try stage.rooms("ls", general).output.contains("joined"))
        let none = try stage.rooms("join", "@wrok")
        #expect(
            none.status == 1 && none.errors.contains("there is no set @wrok; did you mean 'work'?"), "\(none.errors)")
        let loop = try stage.rooms("set", "save", "work", "@few")
        #expect(loop.status == 2 && loop.errors.contains("the set @work holds itself"), "\(loop.errors)")
        #expect(try stage.rooms("set", "rm", "few").status == 0)
        #expect(try stage.rooms("set", "show", "few").status == 1)
        let kept = try weir("rooms", "set", "ls", "--store", stage.folder + "/kept.sqlite")
        #expect(kept.output == "@work  #* - #general\n")
    }

    @Test func `a muted room is joined and recorded, and not shown until it is unmuted`() throws {
        let stage = try Stage()
        let muted = try stage.rooms("mute", "**", "--json")
        #expect(muted.status == 0 && muted.output.contains(#""state":"joined""#))
        #expect(!muted.output.contains(#""muted":false"#), "\(muted.output)")
        #expect(try stage.rooms("unmute", "**", "--json").output.contains(#""muted":false"#))
    }

    @Test func `a pinned room is stored, and removed when it is unpinned`() throws {
        let stage = try Stage(["--join", "#random"])
        #expect(try stage.rooms("pin", general).status == 0)
        #expect(try stage.rooms("ls", general).output.contains("  pin "))
        let file = stage.folder + "/kept.sqlite"
        #expect(try weir("rooms", "ls", "--store", file).output.contains("#general"))
        #expect(try stage.rooms("unpin", general).status == 0)
        #expect(try stage.rooms("ls", general).output == "")
        #expect(!(try weir("rooms", "ls", "--store", file).output.contains("#general")))
    }

    @Test func `members and messages of a room are requested from the server, if it supports that`() throws {
        let stage = try Stage()
        let who = try stage.rooms("who", "#general", "--json")
        #expect(who.status == 0 && who.output.contains(#""type":"twake.member""#), "\(who.output) \(who.errors)")
        let history = try stage.rooms("history", "#general", "--json")
        #expect(history.status == 0 && history.output.contains(#""type":"twake.message""#), "\(history.errors)")
        #expect(try stage.rooms("history", "#general", "--since", "1ms").output == "")
        let list = try stage.rooms("who", "kind=badges")
        #expect(
            list.status == 1 && list.errors.contains("the backend cannot list the members of /notifications"),
            "\(list.errors)")
    }

    @Test func `a permanent mute applies at the next start, and a temporary one does not`() throws {
        let stage = try Stage()
        #expect(try stage.rooms("mute", general, "--json").output.contains(#""muted":true"#))
        #expect(try stage.rooms("mute", "#random", "--for", "1h").status == 0)
        try stage.beginAgain()
        #expect(try stage.rooms("ls", general, "--json").output.contains(#""muted":true"#))
        #expect(try stage.rooms("ls", "#random", "--json").output.contains(#""muted":false"#))
        #expect(try stage.rooms("unmute", general).status == 0)
        try stage.beginAgain()
        #expect(try stage.rooms("ls", general, "--json").output.contains(#""muted":false"#))
    }

    @Test func `with dynamic pins a permanent join pins a room, and leaving unpins it`() throws {
        let stage = try Stage(["--join", "#random", "--dynamic-pins"])
        let file = stage.folder + "/kept.sqlite"
        #expect(try stage.rooms("join", general).status == 0)
        #expect(try weir("rooms", "ls", "--store", file, "--json").output.contains(##""room":"#general""##))
        #expect(try stage.rooms("leave", general).status == 0)
        #expect(!(try weir("rooms", "ls", "--store", file, "--json").output.contains(##""room":"#general""##)))
        #expect(try stage.rooms("join", general, "--for", "1h").status == 0)
        #expect(!(try weir("rooms", "ls", "--store", file, "--json").output.contains(##""room":"#general""##)))
    }

    @Test func `changes of rooms are printed as they happen, as text and as JSON, until the tail ends`() throws {
        let stage = try Stage()
        let room = String(
            try stage.rooms("resolve", general).output.split(separator: " ").first { $0.hasPrefix("/") } ?? "")
        let weir = try pathOfWeir()
        let people = try Peer([weir, "rooms", "watch", room], environment: stage.environment)
        let json = try Peer([weir, "rooms", "watch", "--json"], environment: stage.environment)
        // Both must be attached before anything happens.
        while !(try CommandTests.weir("ctl", "t", "status", environment: stage.environment)).output.contains(
            #""viewers":2"#)
        {}
        #expect(try stage.rooms("leave", general).status == 0)
        #expect(try stage.rooms("join", general).status == 0)
        var lines: [String] = []
        while let line = people.readLine() {
            lines.append(line)
            if line.hasSuffix(" + \(room) joined") { break }
        }
        #expect(lines.contains { $0.hasSuffix(" - \(room) left") }, "\(lines)")
        #expect(lines.allSatisfy { $0.contains(room) })
        var changes: [String] = []
        while let line = json.readLine() {
            changes.append(line)
            if line.contains(#""change":"joined""#) && line.contains(room) { break }
        }
        #expect(changes.allSatisfy { $0.contains(#""type":"room""#) })
        kill(stage.tail.pid, SIGTERM)
        while people.readLine() != nil {}
        #expect(people.wait() == 0)
    }

    @Test func `a set is edited in an editor, and an invalid edit is refused`() throws {
        let stage = try Stage()
        #expect(try stage.rooms("set", "save", "work", "#dev*", "-#noise").status == 0)
        let edited = try weir(
            ["rooms", "set", "edit", "work"],
            environment: stage.environment.merging(["EDITOR": "sed -i s/noise/chatter/"]) { $1 })
        #expect(edited.status == 0, "\(edited.errors)")
        #expect(try stage.rooms("set", "show", "work").output == "#dev*\n-#chatter\n")
        let wrong = try weir(
            ["rooms", "set", "edit", "work"],
            environment: stage.environment.merging(["EDITOR": "sed -i s/#dev/kidn=/"]) { $1 })
        #expect(wrong.status != 0 && !wrong.errors.isEmpty)
        #expect(try stage.rooms("set", "show", "work").output == "#dev*\n-#chatter\n")
    }

    @Test func `a room selected by its title is printed, stored and restored`() throws {
        let stage = try Stage()
        let chosen = try stage.rooms("select", general)
        #expect(chosen.status == 0 && chosen.output.hasSuffix(" / #General\n"), "\(chosen.output) \(chosen.errors)")
        let unknown = try stage.rooms("select", "genral")
        #expect(unknown.status == 1)
        #expect(
            unknown.errors.contains(
                "'genral' is not a channel, message, workspace or company here; did you mean 'general'?"))
        let names = chosen.output.split(separator: " / ").map(String.init)
        #expect(try stage.rooms("select", names[1]).output == chosen.output, "the workspace it is in")
        let shown = try weir(
            [
                "tail", stage.url, "--token", "env:T", "--store", stage.folder + "/kept.sqlite", "--no-ctl",
                "--duration", "1s",
            ],
            environment: stage.environment.merging(["T": stage.token]) { a, _ in a })
        #expect(shown.errors.contains("selected: " + chosen.output), "\(shown.errors)")
        try stage.beginAgain()
        let globals = try weir("ctl", "t", "globals", environment: stage.environment)
        #expect(globals.output.contains(#""channel_name":"General""#), "\(globals.output)")
        #expect(globals.output.contains(#""token":"env:T""#) && globals.output.contains(#""connected":true"#))
        #expect(!globals.output.contains(stage.token))
        let none = try stage.rooms("select", "none", "--json")
        #expect(none.status == 0 && none.output.contains(#""channel":null"#), "\(none.output)")
    }

    @Test func `a channel created by a command is selected at the next start of a tail`() throws {
        let stage = try Stage()
        _ = try stage.rooms("select", general)
        try stage.beginAgain {
            let made = try weir(
                [
                    "channel", "create", stage.url, "Launch", "--token", "env:T", "--store",
                    stage.folder + "/kept.sqlite",
                ], environment: stage.environment.merging(["T": stage.token]) { a, _ in a })
            #expect(made.status == 0, "\(made.errors)")
        }
        let globals = try weir("ctl", "t", "globals", environment: stage.environment)
        #expect(globals.output.contains(#""channel_name":"Launch""#), "\(globals.output)")
    }

    @Test func `a running tail accepts titles and prefixes of ids, and lists the candidates if several match`() throws {
        let stage = try Stage()
        func weir(_ words: String...) throws -> CommandResult {
            try CommandTests.weir(words, environment: stage.environment)
        }
        let sent = try weir("send", "--on", "t", "general", "hello")
        #expect(sent.status == 0 && sent.output.count == 37, "\(sent.errors)")
        let edited = try weir("edit", "--on", "t", "General", String(sent.output.prefix(8)), "hello again")
        #expect(edited.output == sent.output, "\(edited.errors)")
        let channel = try weir("ctl", "t", "model.item", "id=#engineering")
        #expect(channel.output.contains(#""name":"Engineering""#), "\(channel.errors)")
        #expect(try weir("ctl", "t", "model.item", "id=@Ana Lima").output.contains("ana"))
        let nothing = try weir("ctl", "t", "model.item", "id=nothing")
        #expect(nothing.status != 0 && nothing.errors.contains("no row is named 'nothing'"), "\(nothing.errors)")
        #expect(try stage.rooms("select", String(sent.output.prefix(8))).status == 0)
        let rooms = try weir("ctl", "t", "model.sections")
        #expect(rooms.status == 0)
        let both = try weir("channel", "create", "--on", "t", "General")
        #expect(both.status == 0, "\(both.errors)")
        let several = try weir("send", "--on", "t", "general", "to which?")
        #expect(several.errors.contains("'general' names 2: channel "), "\(several.errors)")
    }

    @Test func `a room of another company or beyond the limit is refused with the server's reason`() throws {
        let stage = try Stage(server: ["--strict-rooms"])
        let foreign = "/companies/00000000-0000-0000-0000-000000000001/workspaces"
        let refused = try stage.rooms("join", foreign)
        #expect(refused.status == 4)
        #expect(
            refused.errors.contains("! room \(foreign) refused: User is not authorized to join room"),
            "\(refused.errors)")
        let listed = try stage.rooms("ls", "--json", foreign)
        #expect(
            listed.output.contains(#""state":"refused","why":"User is not authorized to join room""#),
            "\(listed.output)")
        let full = try Stage(server: ["--room-limit", "12"])
        let rows = try full.rooms("join", "/users/me", "/users/us", "/users/them", "/users/all")
        #expect(rows.status == 4 && rows.errors.contains("refused: Error while joining room"), "\(rows.errors)")
    }

    @Test func `the page before the oldest message is fetched on demand`() throws {
        let stage = try Stage()
        for number in 1...25 {
            let sent = try weir(
                "send", stage.url, general, "line \(number)", "--token", "env:T", "--store", "none",
                environment: stage.environment.merging(["T": stage.token]) { a, _ in a })
            #expect(sent.status == 0, "\(sent.errors)")
        }
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", stage.url, "--token", "env:T", "--name", "second", "--store", "none",
                "--quiet",
                "--format", "json", "--join", general,
            ], environment: stage.environment.merging(["T": stage.token]) { a, _ in a })
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("line 25") {}
        tail.drain()
        let newest = try stage.rooms("history", general, "--on", "second")
        #expect(
            newest.output.contains("line 25") && !newest.output.contains("line 1\n"),
            "\(newest.output) \(newest.errors)")
        let older = try stage.rooms("history", general, "--on", "second", "--older")
        #expect(older.status == 0 && older.output.contains("line 1\n"), "\(older.output) \(older.errors)")
        #expect(!older.output.contains("line 25"))
    }

    @Test func `a push notification passed by another process is an event, also in the recording and its replay`()
        throws
    {
        let stage = try Stage(["--record", "FOLDER/pushed.weir"], isRead: true)
        let listed = try stage.rooms("ls", general, "--json")
        let channel = try #require(listed.output.split(separator: "/").dropLast().last.map(String.init))
        let push = #"{"notification":{"title":"Sales","body":"Ana: hello"},"channel_id":"\#(channel)"}"#
        let file = stage.folder + "/push.json"
        try writeFile(file, push + "\n" + push)
        let handed = try weir("notify", file, "--on", "t", environment: stage.environment)
        #expect(handed.status == 0, "\(handed.errors)")
        var seen = 0
        while seen < 2, let line = stage.tail.readLine() {
            if line.contains(#""kind":"notification""#), line.contains("Sales: Ana: hello"),
                line.contains("#General") || line.contains(channel)
            {
                seen += 1
            }
        }
        try writeFile(file, "[1]")
        let wrong = try weir("notify", "--on", "t", file, environment: stage.environment)
        #expect(wrong.status == 2 && wrong.errors.contains("notification 1 is not a JSON object"), "\(wrong.errors)")
        kill(stage.tail.pid, SIGTERM)
        stage.tail.drain()
        stage.tail.wait()
        let replayed = try weir(
            "replay", stage.folder + "/pushed.weir", "--filter", "kind = notification", "--format", "compact",
            environment: stage.environment)
        #expect(
            replayed.output.split(separator: "\n").count == 2 && replayed.output.contains("Ana: hello"),
            "\(replayed.output)\(replayed.errors)")
    }

    @Test func `commands report unpinned rooms, rooms left by only, and unknown selections`() throws {
        let stage = try Stage()
        #expect(try stage.rooms("pin", general).status == 0)
        let unpinned = try stage.rooms("unpin", general)
        #expect(unpinned.status == 0 && unpinned.errors.hasPrefix("unpinned /"), "\(unpinned.errors)")
        let muted = try stage.rooms("mute", general).errors + stage.rooms("unmute", general).errors
        #expect(muted.split(separator: "\n").map { $0.prefix { $0 != " " } } == ["muted", "unmuted"], "\(muted)")
        let only = try stage.rooms("only", general)
        #expect(only.status == 0, "\(only.errors)")
        let lines = only.errors.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("+ room ") && $0.hasSuffix("(General)") }, "\(only.errors)")
        #expect(lines.contains { $0.hasPrefix("- room ") && $0.hasSuffix("(Engineering)") }, "\(only.errors)")
        let json = try stage.rooms("only", "#engineering", "--json").output
        #expect(json.contains(#""want":"no""#) && json.contains(#""want":"yes""#), "\(json)")
        let reset = try stage.rooms("reset")
        #expect(reset.status == 0 && !reset.errors.contains("- room "), "\(reset.errors)")
        let nowhere = try stage.rooms("select", "nope")
        #expect(nowhere.status == 1 && nowhere.errors.contains("'nope' is not a channel"), "\(nowhere.errors)")
    }

    @Test func `with --members a channel is still found by its title, and --join accepts several patterns`() throws {
        let stage = try Stage(["--members", "--join", general, "#engineering"])
        let who = try stage.rooms("who", "#Engineering")
        #expect(who.status == 0 && who.output.contains("(you)"), "\(who.errors)")
        #expect(try stage.rooms("history", general).status == 0)
        let wanted = try stage.rooms("ls").output
        #expect(
            wanted.contains("Engineering") && wanted.contains("General") && !wanted.contains("Support"), "\(wanted)")
        let file = try weir("record", "http://127.0.0.1:1", "--join", general, "out.jsonl", "more")
        #expect(file.status == 2 && file.errors.contains("unexpected argument 'more'"), "\(file.errors)")
    }

    @Test func `a running tail shows, completes or refuses the actions of another process`() throws {
        let stage = try Stage(isRead: true)
        let sent = try weir("send", "--on", "t", general, "spoken through", environment: stage.environment)
        #expect(sent.status == 0 && sent.output.count == 37, "\(sent.output) \(sent.errors)")
        var lines: [String] = []
        while let line = stage.tail.readLine() {
            lines.append(line)
            if line.contains(#""state":"done""#) { break }
        }
        let shown = try #require(lines.firstIndex { $0.contains(#""state":"queued""#) })
        #expect(lines[shown...].contains { $0.contains(#""type":"diff""#) && $0.contains("spoken through") })
        #expect(lines.last?.contains(String(sent.output.dropLast())) == true)
        stage.tail.drain()

        let message = String(sent.output.dropLast())
        let edited = try weir(
            "ctl", "t", "act", "do=edit", "channel=" + general, "message=" + message, "text=better",
            environment: stage.environment)
        #expect(edited.output.contains(#""do":"edit","state":"done""#), "\(edited.output) \(edited.errors)")
        let refused = try weir(
            "delete", "--on", "t", "--json", general, "3f8e0000-0000-1000-8000-000000000000",
            environment: stage.environment)
        #expect(refused.status == 4 && refused.output.contains(#""state":"refused""#), "\(refused.output)")
        let unknown = try weir("ctl", "t", "act", "do=snd", "text=x", environment: stage.environment)
        #expect(unknown.status == 2 && unknown.errors.contains("unknown action 'snd'; did you mean 'send'?"))
        let short = try weir("ctl", "t", "act", "do=send", "text=x", environment: stage.environment)
        #expect(short.errors.contains("send takes channel, text, thread"), "\(short.errors)")
        let typed = try weir("send", stage.url, "--on", "t", general, "x", environment: stage.environment)
        #expect(typed.status == 2 && typed.errors.contains("--on: omit the URL"), "\(typed.errors)")

        let made = try weir("workspace", "create", "--on", "t", "Sales", environment: stage.environment)
        try #require(made.status == 0, "\(made.errors)")
        let sales = String(made.output.dropLast())
        let member = try weir(
            "workspace", "members", stage.url, "--token", "env:T", "--store", "none", environment: ["T": stage.token]
        ).output.split(separator: "\n").first { !$0.contains("Ana Lima") }
        let user = String(try #require(member).prefix(36))
        for (verb, place, state) in [
            ("remove", sales, "done"), ("add", sales, "done"), ("remove", "Harbour", "refused"),
        ] {
            let result = try weir(
                "ctl", "t", "act", "do=\(verb)_workspace_member", "place=" + place, "user=" + user,
                environment: stage.environment)
            #expect(result.output.contains(#""state":"\#(state)""#), "\(verb): \(result.output)\(result.errors)")
        }
        // An empty value creates an object without the attribute, or removes the attribute.
        let channel = try weir("channel", "create", "--on", "t", "Plans", environment: stage.environment)
        let plans = String(channel.output.dropLast())
        let said = try weir("send", "--on", "t", plans, "first", environment: stage.environment)
        for words in [
            ["react", "--on", "t", plans, String(said.output.dropLast())],
            ["channel", "edit", "--on", "t", plans, "--description", ""],
            ["account", "set", "--on", "t", "--status", ""],
        ] {
            let result = try weir(words, environment: stage.environment)
            #expect(result.status == 0 || result.errors.contains("Nothing to update"), "\(words): \(result.errors)")
        }
        let wordless = try weir("ctl", "t", "act", "do=send", "channel=#plans", "text=", environment: stage.environment)
        #expect(wordless.status == 2, "\(wordless.output)")
        let hidden = try weir(
            "ctl", "t", "act", "do=edit_channel", "channel=" + general, "kind=private", environment: stage.environment)
        #expect(hidden.output.contains(#""do":"edit_channel","state":"refused""#), "\(hidden.output)\(hidden.errors)")
        let direct = try weir(
            "ctl", "t", "act", "do=edit_channel", "channel=" + general, "kind=direct", environment: stage.environment)
        #expect(direct.errors.contains("edit_channel takes channel, name, kind"), "\(direct.errors)")

        stage.backend.stop()
        let waits = try weir("send", "--on", "t", general, "later", environment: stage.environment)
        #expect(waits.status == 5 && waits.errors.contains("the message is queued"), "\(waits.errors)")
    }
}
