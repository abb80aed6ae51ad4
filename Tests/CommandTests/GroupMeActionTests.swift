import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests GroupMe's actions from the command line against the embedded service.
@Suite(.serialized, .timeLimit(.minutes(3))) struct GroupMeActionTests {
    /// A service in a process of its own, and the environment for its clients.
    private struct Service {
        let peer: Peer
        let url: String
        let folder: String
        let environment: [String: String]

        init() throws {
            folder = try temporaryFolder()
            peer = try Peer([try pathOfWeir(), "serve", "--scenario", "groupme", "--seed", "3", "--quiet"])
            url = String(try peer.readLine(startingWith: "url ").dropFirst(4))
            let token = String(try peer.readLine(startingWith: "token ").dropFirst(6))
            environment = ["T": token, "WEIR_STORE": folder + "/store.sqlite"]
        }

        func run(_ command: String, _ rest: String...) throws -> CommandResult {
            try weir(
                [command, url] + rest + ["--backend", "groupme", "--token", "env:T"], environment: environment)
        }

        /// Tails one room for a second. Returns the diff log that fills its model.
        func look(at room: String, _ more: String...) throws -> String {
            let log = folder + "/look.diff"
            unlink(log)
            let tail = try weir(
                [
                    "tail", url, "--backend", "groupme", "--token", "env:T", "--no-ctl", "--quiet", "--join", room,
                    "--store", "none", "--diff-log", log, "--duration", "1s",
                ] + more, environment: environment)
            try #require(tail.status == 0, "\(tail.errors)")
            return String(decoding: try readFile(log), as: UTF8.self)
        }

        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            try write(bytes, to: folder + "/" + name)
            return folder + "/" + name
        }
    }

    /// A GIF of one pixel.
    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0x3B]

    @Test func `a message is sent to a group and to a direct by name, and reacted to`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let sent = try service.run("send", "#Family", "from the command line")
        try #require(sent.status == 0, "\(sent.errors)")
        let id = sent.output.filter { !$0.isNewline }
        #expect(id.count == 18 && id.allSatisfy(\.isNumber), "\(id)")
        let reacted = try service.run("react", "#Family", id, "🎉")
        #expect(reacted.status == 0, "\(reacted.errors)")
        #expect(try service.run("send", "#ann", "for you").status == 0)
        let seen = try service.look(at: "#Family")
        #expect(seen.contains("from the command line") && seen.contains("🎉"))
        #expect(try service.look(at: "#Ann").contains("for you"))
        let refused = try service.run("edit", "#Family", id, "other words")
        #expect(refused.status == 4 && refused.errors.contains("edits no messages"), "\(refused.errors)")
        #expect(try service.run("send", "#Nobody", "x").status == 4)
    }

    @Test func `the service identifies a token's user and refuses an unknown token`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        #expect(try service.run("whoami").output == "20000001  Mia\n")
        #expect(try service.run("whoami", "--json").output == #"{"id":"20000001","name":"Mia","era":null}"# + "\n")
        let wrong = try weir(
            ["whoami", service.url, "--backend", "groupme", "--token", "env:WRONG"], environment: ["WRONG": "none"])
        #expect(wrong.status == 4)
        #expect(wrong.errors == "weir: refused: unauthorized (HTTP 401)\n")
    }

    @Test func `a login accepts a token that the service knows, and a logout deletes it and the account`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let file = service.folder + "/token"
        let environment = service.environment.merging(["WRONG": "none"]) { $1 }
        func account(_ words: String...) throws -> CommandResult {
            try weir(words + ["--backend", "groupme"], environment: environment)
        }
        let wrong = try account("login", service.url, "--password", "env:WRONG", "--save", file)
        #expect(wrong.status == 4 && wrong.errors == "weir: refused: unauthorized (HTTP 401)\n", "\(wrong.errors)")
        #expect(access(file, F_OK) != 0)

        let login = try account("login", service.url, "--password", "env:T", "--save", file)
        #expect(login.output == "logged in as Mia; token saved to \(file)\n", "\(login.errors)")
        var facts = stat()
        #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(try account("whoami", service.url, "--token", "file:\(file)").output == "20000001  Mia\n")
        let tail = try account(
            "tail", service.url, "--token", "file:\(file)", "--no-ctl", "--quiet", "--duration", "1s")
        try #require(tail.status == 0, "\(tail.errors)")

        let logout = try account("logout", service.url, "--token", "file:\(file)")
        #expect(
            logout.output
                == "logged out; token file removed; the account's stored data was deleted\n",
            "\(logout.errors)")
        #expect(access(file, F_OK) != 0)
        let store = try #require(service.environment["WEIR_STORE"])
        #expect(try weir("rooms", "ls", "--store", store).errors.contains("contains no account"))
    }

    @Test func `a login reads the token from standard input`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let file = service.folder + "/token"
        let (input, output) = (try temporaryFile(), try temporaryFile())
        defer {
            close(input)
            close(output)
        }
        let token = Array(try #require(service.environment["T"]).utf8)
        #expect(Glibc.write(input, token, token.count) == token.count)
        lseek(input, 0, SEEK_SET)
        let process = try start(
            [try pathOfWeir(), "login", service.url, "--backend", "groupme", "--save", file, "--json"],
            environment: service.environment, descriptors: [0: input, 1: output, 2: output])
        #expect(try waitForExit(of: process) == 0)
        #expect(try contents(of: output) == #"{"user":"Mia","file":"\#(file)","expiration":null}"# + "\n")
    }

    @Test func `an unsupported option is refused before any request`() throws {
        let folder = try temporaryFolder()
        try write(Array("token\n".utf8), to: folder + "/token")
        // No server listens on this port.
        let url = "http://127.0.0.1:\(try freePort())"
        func refused(_ words: String...) throws -> String {
            let result = try weir(words + ["--backend", "groupme"], environment: ["P": "secret"])
            #expect(result.status == 2)
            return result.errors
        }
        let login = try refused("login", url, "--user", "mia", "--password", "env:P", "--save", folder + "/new")
        #expect(
            login.hasPrefix("weir: --user cannot be used with --backend groupme: the token identifies the user\n"),
            "\(login)")
        let picture = try refused("download", "picture", url, "--output", folder + "/me.png")
        #expect(picture.hasPrefix("weir: --backend: 'groupme' does not support downloads yet\n"), "\(picture)")
        #expect(access(folder + "/token", F_OK) == 0 && access(folder + "/new", F_OK) != 0)
    }

    @Test func `a group is created, a member added and removed, and the group deleted`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        func channel(_ words: String...) throws -> CommandResult {
            try weir(
                ["channel"] + words + ["--backend", "groupme", "--token", "env:T"], environment: service.environment)
        }
        let made = try channel("create", service.url, "Picnic", "--description", "On Sunday")
        try #require(made.status == 0, "\(made.errors)")
        let group = made.output.filter { !$0.isNewline }
        #expect(try channel("members", "add", service.url, group, "20000002").status == 0)
        #expect(try channel("edit", service.url, group, "--rename", "Picnic 🧺").status == 0)
        #expect(try channel("members", "remove", service.url, group, "20000002").status == 0)
        #expect(try channel("delete", service.url, group).status == 0)
        #expect(try channel("delete", service.url, group).status == 4)
    }

    @Test func `a group is shared on creation or later, and unshared`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        func channel(_ words: String...) throws -> CommandResult {
            try weir(
                ["channel"] + words + ["--backend", "groupme", "--token", "env:T"], environment: service.environment)
        }
        let made = try channel("create", service.url, "Picnic", "--visibility", "public")
        let group = made.output.filter { !$0.isNewline }
        let address = "https://groupme.com/join_group/\(group)/"
        #expect(try service.look(at: "/group/" + group).contains(address), "\(made.errors)")
        for (visibility, isShared) in [("private", false), ("public", true)] {
            let edited = try channel("edit", service.url, "#picnic", "--visibility", visibility)
            #expect(edited.status == 0 && edited.output == made.output, "\(edited.errors)")
            #expect(try service.look(at: "/group/" + group).contains(#""share_url":"\#(address)"#) == isShared)
        }
        let direct = try channel("edit", service.url, "#ann", "--visibility", "public")
        #expect(direct.status == 4 && direct.errors.contains("a direct has no name and no members"), "\(direct.errors)")
    }

    @Test func `a group is created with a picture and members, and its picture changed`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let picture = try service.file("cake.gif", Self.gif)
        func channel(_ words: String...) throws -> CommandResult {
            try weir(
                ["channel"] + words + ["--backend", "groupme", "--token", "env:T"], environment: service.environment)
        }
        let made = try channel(
            "create", service.url, "Picnic", "--icon", picture, "--member", "20000002", "--member", "9000001")
        try #require(made.status == 0, "\(made.errors)")
        let group = made.output.filter { !$0.isNewline }
        let address = /i\.groupme\.com\/1x1\.png\.[0-9a-f]*/
        let seen = try service.look(at: "/group/" + group, "--members")
        let first = try #require(seen.firstMatch(of: address)).output
        #expect(seen.contains(#""nickname":"Ann""#) && seen.contains(#""nickname":"Dee""#), "by their names")

        let edited = try channel("edit", service.url, group, "--icon", picture)
        try #require(edited.status == 0, "\(edited.errors)")
        let again = try service.look(at: "/group/" + group)
        #expect(!again.contains(first) && again.contains(address), "each picture was uploaded for itself")
        let known = "https://" + first
        #expect(try channel("edit", service.url, group, "--icon", known).status == 0)
        #expect(try service.look(at: "/group/" + group).contains(known))

        for (icon, why) in [
            ("cake.png", "No such file or directory"), ("https://example.com/cake.png", "No such file or directory"),
            (service.folder, "Is a directory"),
        ] {
            let refused = try channel("edit", service.url, group, "--icon", icon)
            #expect(refused.status == 2)
            #expect(
                refused.errors.hasPrefix(
                    "weir: --icon: '\(icon)': \(why); give the FILE of a picture, or a URL at"
                        + " https://i.groupme.com/\n"),
                "\(refused.errors)")
        }
    }

    @Test func `a former group is listed separately, and rejoined by name`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let environment = service.environment.merging(["XDG_RUNTIME_DIR": service.folder]) { $1 }
        let tail = try Peer(
            [
                try pathOfWeir(), "tail", service.url, "--backend", "groupme", "--token", "env:T", "--name", "t",
                "--quiet", "--format", "json", "--duration", "40s",
            ], environment: environment)
        defer { tail.stop() }
        func rooms(_ words: String...) throws -> String {
            let result = try weir(["rooms"] + words, environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            return result.output
        }
        func awaitLine(_ parts: String...) throws {
            while let line = tail.readLine() { if parts.allSatisfy(line.contains) { return } }
            Issue.record("no line has \(parts)")
        }
        try awaitLine(#""former_groups""#)
        let left = try rooms("ls", "--all", "#Book club", "--json")
        #expect(left.contains(#""room":"/group/10000003""#) && left.contains(#""state":"former""#), "\(left)")
        #expect(!(try rooms("ls", "--json")).contains("/group/10000003"))

        let rejoined = try weir(
            "channel", "rejoin", service.url, "#Book club", "--backend", "groupme", "--token", "env:T",
            environment: environment)
        #expect(rejoined.output == "10000003\n", "\(rejoined.errors)")
        try awaitLine(#""change":"joined""#, "/group/10000003")
        #expect(try rooms("ls", "#Book club", "--json").contains(#""state":"joined""#))

        #expect(try service.run("send", "#Book club", "back again").status == 0)
        let history = try rooms("history", "#Book club")
        #expect(history.contains(/17:\d\d:\d\d  Mia \(you\)  back again\n/), "the world's clock: \(history)")
        #expect(try rooms("history", "#Book club", "--since", "1ms") == "", "the world's time is long ago")
        let people = try rooms("who", "#Book club")
        #expect(people.contains("20000001  Mia  (you)\n") && people.contains("20000002  Ann\n"), "\(people)")
        let facts = try rooms("who", "#Book club", "--json")
        #expect(facts.contains(#""is_user":true"#) && facts.contains(#""is_user":false"#), "\(facts)")

        let never = try weir(
            "channel", "rejoin", service.url, "99999999", "--backend", "groupme", "--token", "env:T",
            environment: environment)
        #expect(never.status == 4 && never.errors.contains("you left no group 99999999"), "\(never.errors)")
    }

    @Test func `a picture is uploaded and sent with a message, with or without text`() throws {
        let service = try Service()
        defer { service.peer.stop() }
        let picture = try service.file("cake.gif", Self.gif)
        let sent = try service.run("send", "#Family", "--image", picture)
        try #require(sent.status == 0, "\(sent.errors)")
        let both = try service.run("send", "#Family", "look at this cake", "--image", picture, "--image", picture)
        try #require(both.status == 0, "\(both.errors)")
        let seen = try service.look(at: "#Family")
        #expect(seen.contains("look at this cake"))
        // Each picture was uploaded separately. The list of groups shows one of the last message.
        let addresses = Set(seen.matches(of: /i\.groupme\.com\/1x1\.png\.[0-9a-f]*/).map { String($0.0) })
        #expect(addresses.count >= 3, "\(addresses)")
    }

    @Test func `an invalid, too large or missing picture is refused before any request`() throws {
        let folder = try temporaryFolder()
        let server = ["https://nowhere.invalid", "#Family", "--backend", "groupme", "--token", "env:T"]
        let environment = ["T": "t", "WEIR_STORE": "none"]
        func refused(_ path: String, _ bytes: [UInt8]?) throws -> String {
            if let bytes { try write(bytes, to: path) }
            let result = try weir(["send"] + server + ["--image", path], environment: environment)
            #expect(result.status == 2)
            return result.errors
        }
        #expect(try refused(folder + "/a.png", Array("text".utf8)).contains("is not a JPEG, PNG, GIF or WebP picture"))
        let large = Self.gif + [UInt8](repeating: 0, count: 8 << 20)
        #expect(try refused(folder + "/b.gif", large).contains("larger than 8 MiB"))
        #expect(try refused(folder + "/c.gif", nil).contains("No such file"))
        let twake = try weir(
            "send", "https://nowhere.invalid", "#general", "x", "--image", folder + "/a.png", "--token", "env:T",
            environment: environment)
        #expect(twake.status == 2 && twake.errors.contains("--image requires --backend groupme"))
        try write(Self.gif, to: folder + "/d.gif")
        let unreachable = try weir(
            ["send"] + server + ["--image", folder + "/d.gif", "--max-attempts", "1"], environment: environment)
        #expect(unreachable.status == 5 && unreachable.errors.contains("the picture was not uploaded"))
    }
}

private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}
