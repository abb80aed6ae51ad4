import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirThreads

@Suite("Contexts", .timeLimit(.minutes(3)))
struct ContextTests {
    /// The home folder of a user.
    private struct Home {
        let folder: String
        var contexts: String { folder + "/.config/weir/contexts" }

        init() throws { folder = try temporaryFolder() }

        func weir(_ arguments: [String], environment: [String: String] = [:]) throws -> CommandResult {
            try CommandTests.weir(arguments, environment: with(environment))
        }

        func weir(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandResult {
            try weir(arguments, environment: environment)
        }

        func with(_ environment: [String: String]) -> [String: String] {
            environment.merging(["HOME": folder, "XDG_STATE_HOME": folder]) { own, _ in own }
        }

        /// Runs the command in another working folder.
        func weir(in working: String, _ arguments: String...) throws -> CommandResult {
            let (output, errors) = (try temporaryFile(), try temporaryFile())
            defer {
                close(output)
                close(errors)
            }
            let words =
                ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", working, try pathOfWeir()] + arguments
            let process = try start(words, environment: with([:]), descriptors: [1: output, 2: errors])
            let status = try waitForExit(of: process)
            return CommandResult(status: status, output: try contents(of: output), errors: try contents(of: errors))
        }
    }

    private func permissions(_ path: String) -> mode_t {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }

    @Test("A context is a file for its owner only with the typed options, and invalid options are refused")
    func add() throws {
        let home = try Home()
        let added = try home.weir(
            "ctx", "add", "prod", "https://chat.example.com", "--token", "env:TOKEN", "--guard", "--label", "team=chat",
            "--header", "X-Team: chat", "--format", "json", "--color", "never")
        #expect(added.status == 0)
        #expect(added.errors == "context prod; 'weir ctx use prod' selects it\n")
        #expect(
            try String(decoding: readFile(home.contexts + "/prod"), as: UTF8.self) == """
                url = https://chat.example.com
                token = env:TOKEN
                header = X-Team: chat
                format = json
                label = team=chat
                guard = yes
                color = never

                """)
        #expect(permissions(home.contexts + "/prod") == 0o600)
        #expect(permissions(home.contexts) == 0o700)
        for (words, message) in [
            (["prod", "http://h"], "the context 'prod' already exists; change it with 'weir ctx edit'"),
            (["../x", "http://h"], "invalid name '../x'; use up to 64 letters, digits, '.', '_' and '-'"),
            (["none", "http://h"], "invalid name 'none'; use up to 64 letters, digits, '.', '_' and '-'"),
            (["b", "http://h", "--format", "jsno"], "--format: 'jsno' is not one of pretty, compact"),
            (["b", "http://h", "--token", "s3cr3t"], "--token takes a reference, not the token itself"),
            (["b", "ftp://h"], "URL: "),
            (
                ["b", "http://h", "--label", "a\nurl = http://evil"],
                "--label: the value is empty or has several lines"
            ),
        ] {
            let refused = try home.weir(["ctx", "add"] + words)
            #expect(refused.status == 2)
            #expect(refused.errors.hasPrefix("weir: " + message), "\(refused.errors)")
            #expect(!refused.errors.contains("s3cr3t"))
        }
        #expect(access(home.contexts + "/b", F_OK) != 0)
    }

    @Test("An edit keeps comments, and an edit by hand is accepted only if it is valid")
    func edit() throws {
        let home = try Home()
        _ = try home.weir("ctx", "add", "a", "http://h:1", "--label", "x", "--format", "json")
        let path = home.contexts + "/a"
        try writeFile(path, "# mine\nurl = http://h:1\nlabel = x\nformat = json\n\n[record]\nfsync = chunk\n")
        chmod(path, 0o600)
        #expect(try home.weir("ctx", "edit", "a", "http://h:2", "--format", "raw", "--unset", "label").status == 0)
        #expect(
            try String(decoding: readFile(path), as: UTF8.self)
                == "# mine\n\nurl = http://h:2\nformat = raw\n[record]\nfsync = chunk\n")
        let good = try home.weir("ctx", "edit", "a", environment: ["EDITOR": "sed -i s/raw/pretty/"])
        #expect(good.status == 0, "\(good.errors)")
        #expect(try home.weir("ctx", "show", "a").output.contains("format = pretty\n"))
        let bad = try home.weir("ctx", "edit", "a", environment: ["EDITOR": "sed -i s/format/fromat/"])
        #expect(bad.status == 2)
        #expect(bad.errors.contains("unknown option 'fromat'; did you mean 'format'?"))
        #expect(try home.weir("ctx", "show", "a").output.contains("format = pretty\n"))
        #expect(
            try home.weir("ctx", "edit", "a").errors.contains("nothing to change: give an option, or set EDITOR"))
        #expect(try home.weir("ctx", "edit", "a", "--unset", "fromat").errors.contains("did you mean 'format'?"))
    }

    @Test("On a terminal, a tail without a URL asks for a context or a running tail")
    func choice() throws {
        let terminal = try Tmux()
        let weir = "'\(try pathOfWeir())'"
        try terminal.run("\(weir) ctx add one http://one.invalid; \(weir) ctx add two http://two.invalid; clear")
        try terminal.run("clear; \(weir) tail --max-attempts 1")
        let asked = try terminal.wait("the question") { $0.contains { $0.hasPrefix("Number or name") } }
        #expect(asked.contains("  1  one  context  http://one.invalid"))
        #expect(asked.contains("  2  two  context  http://two.invalid"))
        try terminal.run("2")
        try terminal.expect("two.invalid/ as")
        try terminal.expect("cannot connect")
        try terminal.run("clear; \(weir) tail; echo status=$?")
        try terminal.wait("the question") { $0.contains { $0.hasPrefix("Number or name") } }
        try terminal.run("tow")
        let refused = try terminal.expect("status=2")
        #expect(refused.contains { $0.contains("no context or tail is named 'tow'; did you mean 'two'?") })
    }

    @Test("The order is --ctx, WEIR_CTX, .weir-ctx, the selected context, and none selects no context")
    func resolution() throws {
        let home = try Home()
        for name in ["typed", "variable", "folder", "chosen"] {
            _ = try home.weir("ctx", "add", name, "http://\(name).invalid", "--count", "x-\(name)")
        }
        mkdir(home.folder + "/deep", 0o700)
        mkdir(home.folder + "/deep/er", 0o700)
        try writeFile(home.folder + "/deep/.weir-ctx", "folder\n")
        let nowhere = try home.weir("tail")
        #expect(
            nowhere.errors.hasPrefix(
                "weir: URL is missing, and no context is selected; 'weir ctx use NAME' selects one of "))
        #expect(try home.weir("ctx", "use", "chosen").status == 0)
        let wrong = { (name: String) in "contexts/\(name):2: count: invalid number 'x-\(name)'; write 1 or more" }
        #expect(try home.weir("tail").errors.contains(wrong("chosen")))
        #expect(try home.weir(in: home.folder + "/deep/er", "tail").errors.contains(wrong("folder")))
        #expect(try home.weir("tail", environment: ["WEIR_CTX": "variable"]).errors.contains(wrong("variable")))
        #expect(
            try home.weir("tail", "--ctx", "typed", environment: ["WEIR_CTX": "variable"]).errors.contains(
                wrong("typed")))
        #expect(try home.weir("tail", "--ctx", "none").errors.hasPrefix("weir: URL is missing"))
        #expect(
            try home.weir("tail", "--ctx", "tpyed").errors.hasPrefix(
                "weir: --ctx: there is no context 'tpyed'; did you mean 'typed'?\n"))
        let count = try home.weir("tail", "--count", "y", environment: ["WEIR_COUNT": "z"])
        #expect(count.errors.hasPrefix("weir: --count: invalid number 'y'"))
        let variable = try home.weir("tail", environment: ["WEIR_COUNT": "z"])
        #expect(variable.errors.hasPrefix("weir: WEIR_COUNT: invalid number 'z'"))
    }

    @Test("A .weir-ctx that others can write or own is ignored with a warning")
    func folderFile() throws {
        let home = try Home()
        _ = try home.weir("ctx", "add", "a", "http://a.invalid")
        let path = home.folder + "/.weir-ctx"
        try writeFile(path, "a\n")
        #expect(try home.weir(in: home.folder, "ctx", "show").status == 0)
        chmod(path, 0o666)
        let writable = try home.weir(in: home.folder, "ctx", "show")
        #expect(writable.errors.contains("warning: ~/.weir-ctx is not read: others can write it"))
        #expect(writable.status == 2)
        chmod(path, 0o644)
        guard getuid() == 0 else { return }
        chown(path, 12345, 12345)
        let strange = try home.weir(in: home.folder, "ctx", "show")
        #expect(strange.errors.contains("warning: ~/.weir-ctx belongs to another user and is not read"))
    }

    @Test("cp, rename, rm, ls, use, unuse and prev work, and a context can be set for one shell")
    func verbs() throws {
        let home = try Home()
        _ = try home.weir("ctx", "add", "prod", "https://p.invalid", "--guard", "--label", "eu")
        #expect(try home.weir("ctx", "cp", "prod", "stage").status == 0)
        #expect(try home.weir("ctx", "cp", "prod", "stage").status == 2)
        _ = try home.weir("ctx", "edit", "stage", "http://s.invalid")
        _ = try home.weir("ctx", "use", "prod")
        _ = try home.weir("ctx", "use", "stage")
        #expect(try home.weir("ctx", "prev").errors == "context prod\n")
        #expect(try home.weir("ctx", "prev").errors == "context stage\n")
        #expect(
            try home.weir("ctx", "ls").output == """
                  prod   https://p.invalid  guarded eu
                * stage  http://s.invalid   guarded eu (weir ctx use)

                """)
        #expect(try home.weir("ctx", "rename", "stage", "staging").status == 0)
        #expect(try home.weir("ctx", "ls").output.contains("* staging"))
        let json = try home.weir("ctx", "ls", "--json").output.split(separator: "\n")
        #expect(
            json.first
                == #"{"name":"prod","url":"https://p.invalid","guarded":true,"labels":["eu"],"current":false,"chosen_by":null}"#
        )
        #expect(try home.weir("ctx", "use", "prod", "--shell").output == "export WEIR_CTX=prod\n")
        #expect(try home.weir("ctx", "unuse", "--shell").output == "unset WEIR_CTX\n")
        #expect(
            try home.weir("ctx", "unuse", "--shell", environment: ["SHELL": "/usr/bin/fish"]).output
                == "set -e WEIR_CTX\n")
        #expect(
            try home.weir("ctx", "use", "prod", environment: ["WEIR_CTX": "staging"]).errors.contains(
                "warning: WEIR_CTX overrides the selection here with staging"))
        #expect(try home.weir("ctx", "unuse").status == 0)
        #expect(!(try home.weir("ctx", "ls").output.contains("*")))
        let wrong = try home.weir("ctx", "rm", "prod", "stagign")
        #expect(wrong.errors.hasPrefix("weir: there is no context 'stagign'; did you mean 'staging'?\n"))
        #expect(try home.weir("ctx", "rm", "prod", "staging").status == 0)
        #expect(try home.weir("ctx", "ls").output == "")
    }

    @Test("Secrets are shown as fingerprints, and a file that others can access is not read")
    func secrecy() throws {
        let home = try Home()
        try writeFile(home.folder + "/token", "s3cr3t-token\n")
        _ = try home.weir(
            "ctx", "add", "a", "http://h.invalid", "--token", "file:\(home.folder)/token", "--proxy", "http://p:1",
            "--proxy-auth", "env:LOGIN", "--header", "X-Key: s3cr3t-key", "--header", "Authorization: Bearer env:LOGIN")
        let environment = ["LOGIN": "ann:s3cr3t-login"]
        for words in [["ctx", "show", "a"], ["ctx", "show", "a", "--json"], ["config", "show", "tail"]] {
            let shown = try home.weir(words, environment: environment.merging(["WEIR_CTX": "a"]) { own, _ in own })
            #expect(shown.status == 0)
            #expect(shown.output.contains("(fingerprint "))
            #expect(!shown.output.contains("s3cr3t"), "\(shown.output)")
            #expect(shown.errors == "")
        }
        for mode: mode_t in [0o640, 0o604, 0o620] {
            chmod(home.contexts + "/a", mode)
            let refused = try home.weir("tail", "--ctx", "a")
            #expect(refused.status == 2)
            #expect(
                refused.errors.hasPrefix(
                    "weir: --ctx: ~/.config/weir/contexts/a is not read: others can read or write it; chmod 600 it first\n"
                ))
        }
    }

    @Test("A context does not apply to another server, and its token is not sent there")
    func otherServer() throws {
        let home = try Home()
        _ = try home.weir("ctx", "add", "a", "https://h.invalid", "--token", "env:NONE", "--count", "x")
        _ = try home.weir("ctx", "use", "a")
        let other = try home.weir("tail", "http://127.0.0.1:9", "--max-attempts", "1", "--no-ctl")
        #expect(other.status == 5, "\(other.errors)")
        let own = try home.weir("tail", "https://H.invalid:443/x")
        #expect(own.errors.contains("contexts/a:3: count: invalid number 'x'"))
        let both = try home.weir("tail", "http://127.0.0.1:9", "--ctx", "a")
        #expect(both.status == 2)
        #expect(
            both.errors.hasPrefix("weir: --ctx: the context 'a' is for another server; omit the URL or --ctx"))
    }

    @Test("In a guarded context, visible actions need --yes, and its name is shown first")
    func guarded() throws {
        let home = try Home()
        let server = try Peer([try pathOfWeir(), "serve", "--seed", "3", "--quiet"])
        defer { server.stop() }
        let url = String(try server.readLine(startingWith: "url ").dropFirst(4))
        let token = String(try server.readLine(startingWith: "token ").dropFirst(6))
        let environment = ["TOKEN": token, "WEIR_CTX": "prod"]
        _ = try home.weir("ctx", "add", "prod", url, "--token", "env:TOKEN", "--guard")
        for words in [
            ["send", "#general", "hello"], ["send", url, "#general", "hello"], ["edit", "#general", "m", "t"],
            ["delete", "#general", "m"], ["channel", "create", "x"], ["tail", "--emit", "x"],
            ["workspace", "delete", "x"], ["account", "set", "--status", "x"],
        ] {
            let refused = try home.weir(words, environment: environment)
            #expect(refused.status == 2)
            #expect(
                refused.errors.hasPrefix(
                    "weir: the context 'prod' is guarded, and others can see the effect of 'weir \(words[0])'; add --yes"
                ),
                "\(refused.errors)")
        }
        for words in [["workspace", "members"], ["account", "show"], ["channel", "members", "ls", "#general"]] {
            #expect(try home.weir(words, environment: environment).status == 0, "\(words)")
        }
        let sent = try home.weir("send", "#general", "hello", "--yes", environment: environment)
        #expect(sent.status == 0, "\(sent.errors)")
        let runtime = ["XDG_RUNTIME_DIR": home.folder]
        let running = try Peer(
            [try pathOfWeir(), "tail", "--name", "g", "--format", "json", "--quiet", "--join", "#general"],
            environment: home.with(environment.merging(runtime) { own, _ in own }))
        defer { running.stop() }
        while let line = running.readLine(), !line.contains(#""change":"joined""#) {}
        running.drain()
        let through = try home.weir("send", "--on", "g", "#general", "hello", environment: runtime)
        #expect(through.status == 2 && through.errors.contains("the context 'prod' is guarded"), "\(through.errors)")
        let agreed = try home.weir("send", "--on", "g", "#general", "hello", "--yes", environment: runtime)
        #expect(agreed.status == 0, "\(agreed.errors)")
        let tail = try home.weir("tail", "--no-ctl", "--count", "1", environment: environment)
        #expect(tail.status == 0, "\(tail.errors)")
        #expect(tail.errors.hasPrefix("[prod, guarded] tailing \(url)"), "\(tail.errors)")
        let red = try home.weir("tail", "--no-ctl", "--count", "1", "--color", "always", environment: environment)
        #expect(red.errors.hasPrefix("\u{1B}[38;5;160m[prod, guarded]\u{1B}[0m tailing"), "\(red.errors)")
    }
}
