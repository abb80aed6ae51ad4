import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests the full-screen view in a real terminal. A recording shows the same in every run.
@Suite("weir watch in a terminal", .timeLimit(.minutes(5)))
struct WatchRunTests {
    private static let recording = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
    /// The text of a recording's bar after it was played to its end.
    private static let end = "⏸ max +9.4s"

    private static func command(_ options: String = "--speed max") throws -> String {
        "'\(try pathOfWeir())' watch '\(recording)' \(options)"
    }

    @Test("A recording is opened, searched, inspected, navigated and closed, and the terminal is restored")
    func recording() throws {
        let terminal = try Tmux()
        let before = try terminal.modes()
        try terminal.run("clear; \(try Self.command()); echo status=$?")
        let opened = try terminal.wait("the end of the recording") {
            $0[0].contains("80 events") && $0.contains { $0.hasPrefix(Self.end) && $0.hasSuffix(" 9.4s") }
                // The changes are no longer highlighted.
                && $0[2].hasPrefix(" accounts                   8 │")
        }
        #expect(opened[0].hasPrefix(" weir watch  "))
        #expect(opened[1].hasPrefix(" model "))
        #expect(opened.contains { $0.hasPrefix(" channels of Harbour        7 │") })
        #expect(opened[29].hasPrefix("● connected  rooms 28/28"))
        try terminal.run("/canary")
        try terminal.wait("what was found") { $0[29].contains("/canary") && $0[29].contains("PAUSED") }
        try terminal.press("Enter")
        try terminal.expect(" fields ")
        try terminal.press("Enter")
        try terminal.expect(#""realtime:resource""#)
        try terminal.press("Escape")
        try terminal.expectNo(" fields ")
        try terminal.run(":n:100")
        try terminal.expect("record 100")
        try terminal.resize(width: 60, height: 12)
        let narrow = try terminal.wait("a narrow screen") { $0[0].hasSuffix("80 events") && $0[0].count < 60 }
        #expect(!narrow.contains { $0.hasPrefix(" model ") })
        try terminal.resize(width: 120, height: 30)
        try terminal.expect(" model ")
        try terminal.type("?")
        try terminal.expect("next, previous silence")
        try terminal.type("q")
        try terminal.expectNo("next, previous silence")
        try terminal.type("q")
        let left = try terminal.expect("status=0")
        #expect(!left.contains { $0.hasPrefix(" model ") })
        #expect(try terminal.modes() == before)
    }

    @Test("The filter options of tail apply, and an invalid filter can be corrected")
    func filtered() throws {
        let wrong = try weir("watch", Self.recording, "--filter", "knid = message")
        #expect(wrong.status == 2)
        #expect(wrong.errors.hasPrefix("weir: --filter: "))
        #expect(wrong.errors.contains("kind"))
        let explained = try weir("watch", "--kind", "message", "--explain-filter")
        #expect(explained.output.hasPrefix("shown: kind = message"))
        let terminal = try Tmux()
        try terminal.run("clear; \(try Self.command("--speed max --kind message")); echo status=$?")
        try terminal.wait("the end of the recording") { $0.contains { $0.hasPrefix(Self.end) } }
        let shown = try terminal.expect("filter: kind = message")
        #expect(!shown.contains { $0.contains(" badge ") })
        try terminal.type("f and room = '#none'x")
        try terminal.wait("what is wrong") { $0[28].hasPrefix("✗ ") }
        try terminal.press("BSpace")
        try terminal.wait("how many are shown") { $0[28].contains(" lines shown") }
        try terminal.press("Escape")
        try terminal.wait("the filter of before") {
            $0[29].hasPrefix("● ") && $0[29].contains("filter: kind = message")
        }
        try terminal.type("q")
        let ended = try terminal.expect("status=0")
        #expect(ended.contains { $0.contains("changes by --kind: kind = message") })
    }

    @Test("During a suspension the terminal is the shell's, and afterwards the screen is redrawn")
    func suspended() throws {
        let terminal = try Tmux()
        let modes = try terminal.modes()
        try terminal.run(try Self.command() + "; echo status=$?")
        let before = try terminal.wait("the end of the recording") {
            $0.contains { $0.hasPrefix(Self.end) } && $0[2].hasPrefix(" accounts                   8 │")
        }
        try terminal.press("C-z")
        try terminal.expect("Stopped")
        try terminal.expectNo(" model ")
        #expect(try terminal.modes() == modes)
        try terminal.run("fg")
        // The screen may be read while it is drawn.
        try terminal.wait("the screen of before") { $0.prefix(21) == before.prefix(21) }
        try terminal.type("q")
        try terminal.expect("summary: ")
        #expect(try terminal.modes() == modes)
    }

    @Test(
        "The terminal is restored after every kind of death",
        arguments: [SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func dies(signal: Int32) throws {
        let terminal = try Tmux()
        let before = try terminal.modes()
        let command = try Self.command().filter { $0 != "'" }
        try terminal.run("sh -c 'echo $$ >\(terminal.folder)/pid; exec \(command)'; echo ended=$?")
        try terminal.expect(" model ")
        let process = try #require(
            pid_t(String(decoding: try readFile(terminal.folder + "/pid"), as: UTF8.self).filter(\.isNumber)))
        kill(process, signal)
        let ended = try terminal.expect("ended=\(128 + signal)")
        #expect(!ended.contains { $0.hasPrefix(" model ") })
        #expect(try terminal.modes() == before)
    }

    @Test("A server is watched: rooms are left and joined, events wait, and a summary is printed at the end")
    func server() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "7", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let terminal = try Tmux(width: 150)
        try writeFile(terminal.folder + "/token", token + "\n")
        try terminal.run(
            "clear; '\(try pathOfWeir())' watch \(url) --token file:\(terminal.folder)/token; echo status=$?")
        try terminal.wait("rooms") { $0[29].contains("● connected  rooms ") }
        try terminal.type("r")
        try terminal.expect("WANTED STATE")
        try terminal.wait("joined rooms") { $0.contains { $0.contains("yes    joined") } }
        try terminal.type("-")
        try terminal.wait("a room that is left") { $0.contains { $0.contains("no     left") } }
        try terminal.type("+")
        try terminal.wait("no room that is left") { !$0.contains { $0.contains("no     left") } }
        try terminal.type("r")
        try terminal.expectNo("WANTED STATE")
        try terminal.type(" ")
        try terminal.wait("what waits") { $0[29].contains("PAUSED +") }
        try terminal.type(" ")
        try terminal.expectNo("PAUSED")
        try terminal.type("q")
        let ended = try terminal.expect("status=0")
        #expect(ended.contains { $0.hasPrefix("summary: ") })
    }

    @Test("A running tail is watched: it does the view's actions, shows those of others, and keeps running")
    func runningTail() throws {
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "7", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let terminal = try Tmux(width: 150)
        let environment = ["XDG_RUNTIME_DIR": terminal.folder, "XDG_STATE_HOME": terminal.folder]
        let tail = try Peer(
            [
                try pathOfWeir(), "record", url, terminal.folder + "/work.weir", "--token", "env:T", "--name", "work",
                "--store", "none",
            ], environment: environment.merging(["T": token]) { a, _ in a }, errorsToo: true)
        defer { tail.stop() }
        while let line = tail.readLine(), !line.contains("  + room  ") {}
        func rooms(_ words: String...) throws -> String {
            let result = try weir(["rooms"] + words + ["--on", "work"], environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        try terminal.run("clear; '\(try pathOfWeir())' watch --on work; echo status=$?")
        let opened = try terminal.wait("the model and the rooms") {
            $0[29].contains("● connected  rooms ") && $0.contains { $0.hasPrefix(" channels of Harbour ") }
        }
        #expect(opened[0].hasPrefix(" weir watch  work  http://"))
        try terminal.type("r")
        try terminal.wait("joined rooms") { $0.contains { $0.contains("yes    joined") } }
        try terminal.type("x")
        try terminal.wait("a hidden room") { $0.contains { $0.contains("yes    hidden") } }
        try terminal.type("j-")
        try terminal.wait("a room that is left") { $0.contains { $0.contains("no     left") } }
        #expect(try rooms("ls", "--json").components(of: "\"muted\":true") == 1)
        #expect(try rooms("ls", "--all", "--json").components(of: "\"state\":\"left\"") == 1)
        _ = try rooms("unmute", "**")
        try terminal.wait("no hidden room") { !$0.contains { $0.contains("yes    hidden") } }
        _ = try rooms("mute", "#general")
        try terminal.wait("a room that another shell hides") { $0.contains { $0.contains("yes    hidden") } }
        try terminal.type("rq")
        try terminal.expect("status=0")
        #expect(try weir("ctl", "work", "quit", environment: environment).status == 0)
        while tail.readLine() != nil {}
        try terminal.run("clear; '\(try pathOfWeir())' watch --on work; echo status=$?")
        try terminal.expect("status=5")
    }

    @Test(
        "The server gets a typed event, and the answer to an event that requests an acknowledgement",
        arguments: [false, true])
    func emits(isRunning: Bool) throws {
        let server = try NotingServer()
        defer { server.close() }
        let terminal = try Tmux(width: 150)
        let options = "\(server.url) --backend socketio --transport websocket"
        var tail: Peer?
        defer { tail?.stop() }
        if isRunning {
            let words = options.split(separator: " ").map(String.init)
            let peer = try Peer(
                [try pathOfWeir(), "tail"] + words + ["--name", "work", "--allow-emit"],
                environment: ["XDG_RUNTIME_DIR": terminal.folder, "HOME": terminal.folder], errorsToo: true)
            tail = peer
            while let line = peer.readLine(), !line.contains("connected") {}
            peer.drain()
        }
        try terminal.run("clear; '\(try pathOfWeir())' watch \(isRunning ? "--on work" : options); echo status=$?")
        try terminal.expect("● connected")
        try terminal.type(#">hello {"a":1} 2"#)
        try terminal.expect(#"emit NAME ARG…: hello {"a":1} 2"#)
        try terminal.press("Enter")
        try terminal.expect("#7? heard")
        try terminal.type(#"a"yes" 3"#)
        try terminal.press("Enter")
        try terminal.expect("#7✓ heard")
        let said = server.packets.wait { $0.contains { $0.hasPrefix("43") } }
        #expect(said.suffix(2) == [#"42["hello",{"a":1},2]"#, #"437["yes",3]"#])
        try terminal.type("q")
        try terminal.expect("status=0")
    }

    @Test(
        "A message typed in the view is sent, and a draft comes back",
        arguments: [false, true])
    func writes(isRunning: Bool) throws {
        let server = try EraServer(era: "b")
        defer { server.stop() }
        let terminal = try Tmux(width: 150)
        let options = "--token file:\(server.folder)/token --store \(terminal.folder)/kept.sqlite"
        var tail: Peer?
        defer { tail?.stop() }
        if isRunning {
            let peer = try Peer(
                [try pathOfWeir(), "tail", server.url, "--name", "work"]
                    + options.split(separator: " ").map(String.init),
                environment: ["XDG_RUNTIME_DIR": terminal.folder, "HOME": terminal.folder], errorsToo: true)
            tail = peer
            while let line = peer.readLine(), !line.contains("+ room  #General") {}
            peer.drain()
        }
        let watched = isRunning ? "--on work" : "\(server.url) \(options)"
        try terminal.run("clear; '\(try pathOfWeir())' watch \(watched); echo status=$?")
        try terminal.wait("joined rooms") {
            $0[29].contains("● connected") && $0.contains { $0.contains("1 ● #General") }
        }
        try terminal.type("rchello from here")
        try terminal.expect("to #General: hello from here")
        try terminal.press("Enter")
        try terminal.type("r")
        try terminal.expect("message  #General  Ana Lima: hello from here")
        try terminal.type("rclater")
        try terminal.press("Escape")
        try terminal.expectNo("to #General:")
        try terminal.type("c")
        try terminal.expect("to #General: later")
        try terminal.press("C-u")
        try terminal.press("Escape")
        try terminal.expectNo("to #General:")
        try terminal.type("q")
        try terminal.expect("status=0")
        let history = try weir(
            ["tail", server.url, "--no-ctl", "--store", "none", "--duration", "2s", "--format", "chat"] + server.token)
        #expect(history.output.contains("#General              Ana Lima: hello from here"), "\(history.output)")
    }

    @Test("Without a suitable terminal the view does not start, and the exit code says so")
    func noTerminal() throws {
        let result = try weir("watch", Self.recording)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("weir: watch requires a terminal"))
        let terminal = try Tmux()
        try terminal.run("TERM=dumb \(try Self.command()); echo status=$?")
        try terminal.expect("status=2")
        let missing = try weir("watch")
        #expect(missing.errors.hasPrefix("weir: nothing to watch: give a URL, a recording FILE"))
        let foreign = try weir("watch", Self.recording, "--token", "env:TOKEN")
        #expect(foreign.errors.hasPrefix("weir: --token applies only to watching a server"))
        #expect(foreign.status == 2)
        let two = try weir("watch", Self.recording, "--on", "work")
        #expect(two.errors.hasPrefix("weir: --on and ") && two.status == 2)
        let environment = ["XDG_CONFIG_HOME": try temporaryFolder()]
        #expect(try weir("ctx", "add", "work", "http://127.0.0.1:1", environment: environment).status == 0)
        #expect(try weir("ctx", "use", "work", environment: environment).status == 0)
        for words in [["watch"], ["watch", "--ctx", "work"], ["watch", Self.recording], ["watch", "--on", "work"]] {
            let result = try weir(words, environment: environment)
            #expect(result.errors.hasPrefix("weir: watch requires a terminal"), "\(words): \(result.errors)")
        }
        let elsewhere = try weir("watch", Self.recording, "--ctx", "work", environment: environment)
        #expect(elsewhere.errors.hasPrefix("weir: --ctx applies only to watching a server"))
        let local = try weir("watch", "--on", "work", "--speed", "max")
        #expect(local.errors.hasPrefix("weir: --speed applies only to watching a recording"))
    }
}

extension String {
    /// Returns the number of occurrences of a text.
    fileprivate func components(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
