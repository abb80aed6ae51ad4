import Glibc
import TestSupport
import Testing

/// The full-screen view in a real terminal. A recording shows the same in every run.
@Suite("weir watch in a terminal", .timeLimit(.minutes(5)))
struct WatchRunTests {
    private static let recording = packageFolder + "/samples/recordings/twake-day.weir.jsonl"
    /// What the bar of a recording says when it was played to its end.
    private static let end = "⏸ max +9.4s"

    private static func command(_ options: String = "--speed max") throws -> String {
        "'\(try pathOfWeir())' watch '\(recording)' \(options)"
    }

    @Test("A recording is opened, searched, looked into, gone through, and left; the terminal is as it was")
    func recording() throws {
        let terminal = try Tmux()
        let before = try terminal.modes()
        try terminal.run("clear; \(try Self.command()); echo status=$?")
        let opened = try terminal.wait("the end of the recording") {
            $0[0].contains("80 events") && $0.contains { $0.hasPrefix(Self.end) && $0.hasSuffix(" 9.4s") }
                // What changed stands out no more.
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
        try terminal.expect(#"["realtime:resource""#)
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

    @Test("While it is suspended the terminal is the shell's, and afterwards the screen is as it was")
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
        let after = try terminal.expect(" model ")
        #expect(Array(after[0...20]) == Array(before[0...20]))
        try terminal.type("q")
        try terminal.expect("summary: ")
        #expect(try terminal.modes() == modes)
    }

    @Test(
        "However it dies, the terminal is as it was",
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

    @Test("A server is watched: rooms are left and joined, what comes waits, and the end has a summary")
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

    @Test("Without a terminal that can show it nothing is begun, and the code says so")
    func noTerminal() throws {
        let result = try weir("watch", Self.recording)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("weir: watch needs a terminal"))
        let terminal = try Tmux()
        try terminal.run("TERM=dumb \(try Self.command()); echo status=$?")
        try terminal.expect("status=2")
        let missing = try weir("watch")
        #expect(missing.errors.hasPrefix("weir: what is to be watched is missing: a URL, or a recording's FILE"))
        let foreign = try weir("watch", Self.recording, "--token", "env:TOKEN")
        #expect(foreign.errors.hasPrefix("weir: --token is for watching a server"))
        #expect(foreign.status == 2)
    }
}
