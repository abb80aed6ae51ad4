import Glibc
import Testing
import TestSupport
import WeirThreads

@Suite(.serialized) struct StoreRunTests {
    /// Starts the embedded backend in a process of its own, on a fixed port that a later one can reuse.
    private func serve(port: UInt16) throws -> (peer: Peer, url: String, token: String) {
        let peer = try Peer([try pathOfWeir(), "serve", "--seed", "4", "--quiet", "--listen", "127.0.0.1:\(port)"])
        let url = try peer.readLine(startingWith: "url ").dropFirst(4)
        let token = try peer.readLine(startingWith: "token ").dropFirst(6)
        return (peer, String(url), String(token))
    }

    private func mode(_ path: String) -> mode_t {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }

    @Test func `a tail stores its model in the state folder, and the next one shows it after authentication`()
        throws
    {
        let state = try temporaryFolder()
        let environment = ["XDG_STATE_HOME": state]
        let port = try freePort()
        var (peer, url, token) = try serve(port: port)
        let first = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--duration", "3s", "--format", "json"],
            environment: environment.merging(["T": token]) { a, _ in a })
        peer.stop()
        #expect(first.status == 0)
        #expect(mode(state + "/weir") == 0o700)
        #expect(mode(state + "/weir/store.sqlite") == 0o600)
        #expect(!String(decoding: try readFile(state + "/weir/store.sqlite"), as: Unicode.ASCII.self).contains(token))

        func again(_ options: String..., token: String) throws -> CommandResult {
            try weir(
                [
                    "tail", url, "--token", "env:T", "--no-ctl", "--format", "json", "--hook",
                    "type = diff=touch \(state)/hooked",
                ]
                    + options, environment: environment.merging(["T": token]) { a, _ in a })
        }
        let offline = try again(token: token)
        #expect(offline.status == 5)
        (peer, url, token) = try serve(port: port)
        defer { peer.stop() }
        let stranger = try again(token: "no token of this server's")
        #expect(stranger.status == 4, "\(stranger.errors)")
        for result in [offline, stranger] {
            let printed = result.output + result.errors
            #expect(!printed.contains("remembered") && !printed.contains("Engineering"), "\(printed)")
        }
        #expect(access(state + "/hooked", F_OK) != 0)
        let own = try again("--duration", "1s", token: token)
        #expect(
            own.errors.contains("rows restored from the store for user") && own.output.contains("Engineering"),
            "\(own.errors)")

        let rooms = try weir(["rooms", "ls", "--store", state + "/weir/store.sqlite"])
        let row = try #require(rooms.output.split(separator: "\n").first { $0.contains("/companies/") })
        #expect(row.contains("  list  ") && row.contains("  remembered  "))
    }

    @Test func `with --store none nothing is stored`() throws {
        let state = try temporaryFolder()
        let (peer, url, token) = try serve(port: try freePort())
        defer { peer.stop() }
        let result = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--count", "20", "--store", "none"],
            environment: ["T": token, "XDG_STATE_HOME": state])
        #expect(result.status == 0)
        #expect(mode(state + "/weir") == 0)
    }

    @Test func `rooms of a store are joined and left without a tail`() throws {
        let folder = try temporaryFolder()
        let file = folder + "/kept.sqlite"
        #expect(try weir("rooms", "ls", "--store", file).errors.contains("contains no account"))
        let (peer, url, token) = try serve(port: try freePort())
        defer { peer.stop() }
        let tail = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--count", "20", "--store", file], environment: ["T": token])
        #expect(tail.status == 0)
        #expect(try weir("rooms", "join", "/by/hand", "--store", file).status == 0)
        let listed = try weir("rooms", "ls", "/by/*", "--json", "--store", file).output
        #expect(
            listed.hasPrefix(#"{"room":"/by/hand","kind":"room","source":"ctl","want":"yes","state":"remembered","#))
        #expect(listed.filter { $0 == "\n" }.count == 1)
        #expect(try weir("rooms", "leave", "/by/hand", "--store", file).status == 0)
        #expect(!(try weir("rooms", "ls", "--store", file).output.contains("/by/hand")))
        #expect(try weir("rooms", "leave", "/by/hand", "--store", file).status == 1)
    }

    @Test func `an unusable store is an error if it was requested`() throws {
        let folder = try temporaryFolder()
        symlink("/etc/passwd", folder + "/link.sqlite")
        let link = try weir(
            ["tail", "http://127.0.0.1:1", "--token", "env:T", "--store", folder + "/link.sqlite"],
            environment: ["T": "t"])
        #expect(link.status == 7)
        #expect(link.errors.contains("link.sqlite cannot hold a store: not a regular file"))
        let untyped = try weir(
            ["tail", "http://127.0.0.1:1", "--backend", "socketio", "--store", folder + "/x.sqlite"])
        #expect(untyped.status == 2)
        #expect(try weir("rooms", "ls", "--store", folder + "/x.sqlite", "--on", "t").status == 2)
    }

    @Test func `an action without a server waits in the store, and the next tail sends it once`() throws {
        let file = try temporaryFolder() + "/kept.sqlite"
        let port = try freePort()
        func tail(_ url: String, _ token: String, _ store: String) throws -> CommandResult {
            try weir(
                [
                    "tail", url, "--token", "env:T", "--no-ctl", "--duration", "3s", "--format", "json", "--store",
                    store,
                ], environment: ["T": token])
        }
        var (peer, url, token) = try serve(port: port)
        #expect(try tail(url, token, file).status == 0)
        peer.stop()
        let sent = try weir(
            [
                "send", url, "#general", "Words without a server", "--token", "env:T", "--store", file,
                "--max-attempts", "1",
            ], environment: ["T": token])
        #expect(sent.status == 5)
        #expect(
            sent.errors.contains("the message is queued; the next weir command or tail of this account"),
            "\(sent.errors)")

        (peer, url, token) = try serve(port: port)
        defer { peer.stop() }
        // The model contains the message while it waits. The pending state is in its row.
        let sender = try Peer(
            [
                try pathOfWeir(), "tail", url, "--token", "env:T", "--no-ctl", "--format", "json", "--quiet", "--store",
                file,
            ], environment: ["T": token])
        var isSent = false
        while !isSent, let line = sender.readLine() {
            isSent =
                line.contains(#""type":"diff""#) && line.contains("Words without a server")
                && !line.contains(#""delivery":"#)
        }
        #expect(isSent)
        kill(sender.pid, SIGTERM)
        while sender.readLine() != nil {}
        #expect(sender.wait() == 143)
        #expect(try tail(url, token, file).status == 0)
        let log = file + ".diff"
        _ = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--duration", "3s", "--store", "none", "--diff-log", log],
            environment: ["T": token])
        // The channel's row also shows the newest message, so only rows of messages count.
        let messages = String(decoding: try readFile(log), as: UTF8.self).split(separator: #""type":"twake.message""#)
        #expect(messages.dropFirst().filter { $0.prefix(400).contains("Words without a server") }.count == 1)
    }

    @Test func `waiting actions are sent before new ones, and once`() throws {
        let file = try temporaryFolder() + "/kept.sqlite"
        let port = try freePort()
        func send(_ url: String, _ token: String, _ channel: String, _ text: String) throws -> CommandResult {
            try weir(
                ["send", url, channel, text, "--token", "env:T", "--store", file, "--max-attempts", "1"],
                environment: ["T": token])
        }
        var (peer, url, token) = try serve(port: port)
        let known = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--count", "20", "--store", file], environment: ["T": token])
        #expect(known.status == 0)
        peer.stop()
        #expect(try send(url, token, "#general", "waits first").status == 5)
        #expect(try send(url, token, "#general", "waits second").status == 5)

        (peer, url, token) = try serve(port: port)
        defer { peer.stop() }
        let third = try send(url, token, "#general", "comes third")
        #expect(third.status == 0, "\(third.errors)")
        #expect(third.errors == String(repeating: "the message, which was queued, was done first\n", count: 2))
        #expect(third.output.count == 37)
        #expect(try send(url, token, "#general", "comes fourth").errors == "")
        let log = file + ".diff"
        _ = try weir(
            ["tail", url, "--token", "env:T", "--no-ctl", "--duration", "3s", "--store", "none", "--diff-log", log],
            environment: ["T": token])
        let rows = String(decoding: try readFile(log), as: UTF8.self).split(separator: #""type":"twake.message""#)
        let texts = ["waits first", "waits second", "comes third", "comes fourth"]
        let found = rows.dropFirst().compactMap { row in texts.first { row.prefix(400).contains($0) } }
        #expect(found == texts)
    }

    @Test func `a logout leaves no data in the store`() throws {
        let folder = try temporaryFolder()
        let file = folder + "/kept.sqlite"
        let (peer, url, token) = try serve(port: try freePort())
        defer { peer.stop() }
        try writeFile(folder + "/token", token + "\n")
        let options = ["--token", "file:\(folder)/token", "--store", file]
        #expect(try weir(["tail", url, "--no-ctl", "--count", "20"] + options).status == 0)
        #expect(try weir("rooms", "ls", "--store", file).status == 0)
        let logout = try weir(["logout", url] + options)
        #expect(logout.status == 0)
        #expect(logout.output.contains("the account's stored data was deleted"))
        #expect(try weir("rooms", "ls", "--store", file).errors.contains("contains no account"))
        #expect(!String(decoding: try readFile(file), as: Unicode.ASCII.self).contains("Engineering"))
    }
}
