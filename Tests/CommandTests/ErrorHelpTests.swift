import Glibc
import Testing
import TestSupport

/// Checks that error messages help to correct the command, and that the exit code fits.
@Suite(.timeLimit(.minutes(2))) struct `Errors that help` {
    private let sample =
        #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        + "/samples/recordings/hello.weir.jsonl"

    /// An embedded backend, and the means to run commands for it.
    private struct Stage {
        let peer: Peer
        let url: String
        let folder: String
        var environment: [String: String]

        init() throws {
            folder = try temporaryFolder()
            peer = try Peer([try pathOfWeir(), "serve", "--quiet", "--listen", "127.0.0.1:0"])
            url = String(try peer.readLine(startingWith: "url ").dropFirst(4))
            let token = String(try peer.readLine(startingWith: "token ").dropFirst(6))
            environment = [
                "T": token, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder, "HOME": folder, "WEIR_STORE": "none",
            ]
        }

        func run(_ words: String...) throws -> CommandResult { try weir(words, environment: environment) }
    }

    @Test func `an unavailable token is not a connection error, and an unset variable is wrong usage`()
        throws
    {
        let stage = try Stage()
        defer { stage.peer.stop() }
        let url = stage.url
        for command in [["whoami", url], ["tail", url, "--no-ctl"], ["send", url, "#general", "hi"]] {
            let unset = try weir(command + ["--token", "env:NOT_SET"], environment: stage.environment)
            #expect(unset.status == 2, "\(command)")
            #expect(unset.errors == "weir: the environment variable NOT_SET is not set\n")
            let failed = try weir(command + ["--token", "cmd:exit 3"], environment: stage.environment)
            #expect(failed.status == 4 && failed.errors.contains("weir: the token command failed with status 3\n"))
            #expect(!failed.errors.contains("cannot connect"))
        }
        let login = try stage.run("login", url, "--user", "ana", "--save", stage.folder + "/t")
        #expect(login.status == 2 && login.errors == "weir: standard input contains no password\n", "\(login.errors)")
    }

    @Test func `a missing object is not a refusal, and without a token the message says how to get one`() throws {
        let stage = try Stage()
        defer { stage.peer.stop() }
        let gone = try stage.run("download", "file", stage.url, "nope", "--token", "env:T", "-o", stage.folder + "/x")
        #expect(gone.status == 1 && gone.errors == "weir: not found: File not found (HTTP 404)\n", "\(gone.errors)")
        let hint =
            "; no token was given: --token env:NAME, file:PATH or cmd:COMMAND; 'weir login' gets one\n"
        for command in [["whoami"], ["tail", "--no-ctl"], ["send", "#general", "hi"]] {
            var words = command
            words.insert(stage.url, at: 1)
            let bare = try weir(words, environment: stage.environment)
            #expect(bare.status == 4 && bare.errors.contains(hint), "\(command): \(bare.errors)")
        }
        let typo = try stage.run("send", stage.url, "#Genral", "hi", "--token", "env:T")
        #expect(typo.status == 4 && typo.errors.contains("; did you mean '#General'?\n"), "\(typo.errors)")
    }

    @Test func `the error for https on a port without TLS suggests http`() throws {
        let stage = try Stage()
        defer { stage.peer.stop() }
        let url = "https" + stage.url.dropFirst(4)
        for command in [["whoami", url], ["tail", url, "--no-ctl"]] {
            let result = try weir(command + ["--token", "env:T"], environment: stage.environment)
            #expect(
                result.status == 5 && result.errors.contains("write http:// instead of https://\n"), "\(result.errors)")
        }
    }

    @Test func `the error for an unknown word lists the valid ones`() throws {
        let folder = try temporaryFolder()
        let environment = ["XDG_RUNTIME_DIR": folder, "HOME": folder]
        try writeFile(folder + "/a.har", #"{"log":{"version":"1.2","entries":[]}}"#)
        for (words, status, expected) in [
            (
                ["replay", folder + "/a.har"], 1,
                "is har, not a recording; convert it with 'weir file convert \(folder)/a.har --to weir"
            ),
            (["attach", "nope"], 5, "weir: no tail is named 'nope'; no tail is running\n"),
            (["rooms", "ls", "--on", "nope"], 5, "weir: no tail is named 'nope'; no tail is running\n"),
            (["serve", "--listen", "3110"], 2, "'3110' is not ADDR:PORT; write it like 127.0.0.1:3110\n"),
            (["serve", "--listen", "127.0.0.1"], 2, "'127.0.0.1' is not ADDR:PORT; write it like 127.0.0.1:8080\n"),
            (
                ["serve", "--scenario", "nope"], 2,
                "--scenario: 'nope' is not one of workspace, groupme, echo, engine-echo, finish, and not a file\n"
            ),
            (["file", "index", sample, "-o", folder + "/a.har"], 7, "already exists; --force overwrites it\n"),
            (
                ["tail", "http://127.0.0.1:1", "--emit", "join", "lobby"], 2,
                "unexpected argument 'lobby'; --emit takes one argument: --emit 'join ARG…'\n"
            ),
        ] as [([String], Int32, String)] {
            let result = try weir(words, environment: environment)
            #expect(result.status == status && result.errors.contains(expected), "\(words): \(result)")
        }
    }

    @Test func `an error is coloured only where colours are shown`() throws {
        for (words, plain) in [(["frob"], "unknown command"), (["replay", "/none"], "cannot open /none")] {
            let coloured = try weir(words, environment: ["FORCE_COLOR": "1"]).errors
            #expect(coloured.hasPrefix("\u{1B}[38;5;160mweir:\u{1B}[0m \(plain)"), "\(coloured)")
            for environment in [[:], ["FORCE_COLOR": "1", "NO_COLOR": "1"]] as [[String: String]] {
                #expect(try weir(words, environment: environment).errors.hasPrefix("weir: \(plain)"))
            }
        }
    }
}
