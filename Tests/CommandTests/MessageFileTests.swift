import Glibc
import Testing
import TestSupport
import WeirThreads

/// Tests files in messages: the command, a relay that logs the requests, and the embedded server of each era.
@Suite("Files of messages", .timeLimit(.minutes(3)))
struct MessageFileTests {
    private static let eras = ["a", "b"]

    /// A server of an era with a relay in front of it, and two files.
    private final class World {
        let server: EraServer
        let relay: HTTPRelay
        let plan: String
        let notes: String

        init(era: String) throws {
            server = try EraServer(era: era)
            relay = try HTTPRelay(to: server.url)
            plan = server.folder + "/plan \"A\".bin"
            notes = server.folder + "/notes.txt"
            // The contents resemble the end of a form, but are not one.
            let tricky =
                Array("\r\n--\r\n\r\n----------------------------\r\n--".utf8) + (0..<200_000).map { UInt8($0 & 0xFF) }
            try writeFile(plan, tricky)
            try writeFile(notes, "remember the milk\n")
        }

        deinit {
            relay.close()
            server.stop()
        }

        func run(_ words: String...) throws -> CommandResult {
            try weir([words[0], relay.urls[0]] + words.dropFirst() + options)
        }

        var options: [String] { server.token + ["--store", server.folder + "/kept.sqlite"] }

        func did(_ command: String, _ words: String...) throws -> String {
            let result = try weir([command, relay.urls[0]] + words + options)
            try #require(result.status == 0, "\(result.errors)")
            return result.output.filter { !$0.isNewline }
        }

        /// The POST and PUT requests, each by its kind.
        var writes: [String] {
            relay.exchanges.all.filter { $0.method != "GET" }.map { exchange in
                let path = exchange.target.split(separator: "?")[0]
                return path.hasSuffix("/files") || path.hasSuffix("/upload") ? "upload" : "message"
            }
        }

        /// The ids in the answers to uploads, in order.
        var uploaded: [String] {
            relay.exchanges.all.filter { isUpload($0) }.compactMap { exchange in
                let answer = String(decoding: exchange.answer, as: UTF8.self)
                return answer.firstMatch(of: /(?:^\{|"company_id":"[^"]*",)"id":"([^"]*)"/).map { String($0.1) }
            }
        }

        /// The answer to the last request that wrote a message.
        var lastMessage: String {
            let last = relay.exchanges.all.last { $0.method != "GET" && !isUpload($0) }
            return String(decoding: last?.answer ?? [], as: UTF8.self)
        }

        private func isUpload(_ exchange: HTTPRelay.Exchange) -> Bool {
            exchange.target.hasSuffix("/files") || exchange.target.hasSuffix("/upload")
        }

        /// Tails for two seconds. Returns the lines of the messages in the model.
        func look() throws -> String {
            let tail = try weir(
                ["tail", server.url, "--no-ctl", "--store", "none", "--duration", "2s"] + server.token)
            return tail.output
        }
    }

    @Test("A message is sent with two files that arrive completely, and an edit adds one", arguments: eras)
    func sent(era: String) throws {
        let world = try World(era: era)
        let id = try world.did("send", "#general", "as we said", "--file", world.plan, "--file", world.notes)
        #expect(world.writes == ["upload", "upload", "message"])
        let files = world.uploaded
        try #require(files.count == 2)
        #expect(files.allSatisfy { world.lastMessage.contains($0) }, "\(world.lastMessage)")
        for (file, path) in zip(files, [world.plan, world.notes]) {
            let copy = world.server.folder + "/copy"
            let command = ["download", "file", world.server.url, file, "--output", copy, "--force"]
            let downloaded = try weir(command + world.options)
            #expect(downloaded.status == 0, "\(downloaded.errors)")
            #expect(try readFile(copy) == readFile(path))
        }
        // A server removes files that an edit does not contain.
        #expect(try world.did("edit", "#general", id, "as we did not say") == id)
        #expect(files.allSatisfy { world.lastMessage.contains($0) }, "\(world.lastMessage)")
        #expect(try world.did("edit", "#general", id, "and more", "--file", world.notes) == id)
        #expect(world.uploaded.count == 3)
        #expect(world.uploaded.allSatisfy { world.lastMessage.contains($0) }, "\(world.lastMessage)")
    }

    @Test("A message may have only a file, and its line shows the name and size", arguments: eras)
    func withoutWords(era: String) throws {
        let world = try World(era: era)
        _ = try world.did("send", "#general", "--file", world.notes)
        _ = try world.did("send", "#general", "see", "--file", world.plan)
        let seen = try world.look()
        #expect(seen.contains(": [notes.txt 18 B]"), "\(seen)")
        #expect(
            seen.contains(": see [plan \"A\".bin 200 kB]"),
            "\(seen)")
    }

    @Test func `a missing or irregular file is refused before any request`() throws {
        let folder = try temporaryFolder()
        let command = ["send", "https://nowhere.invalid", "#general", "x", "--token", "env:T", "--file"]
        let environment = ["T": "t", "WEIR_STORE": "none"]
        for (path, why) in [
            (folder, "is a folder"), (folder + "/none", "No such file"), ("/dev/null", "is not a regular file"),
        ] {
            let refused = try weir(command + [path], environment: environment)
            #expect(refused.status == 2 && refused.errors.contains(why), "\(refused.errors)")
        }
        try writeFile(folder + "/a.txt", "x")
        let elsewhere = try weir(command + [folder + "/a.txt", "--backend", "groupme"], environment: environment)
        #expect(elsewhere.status == 2 && elsewhere.errors.contains("--file requires --backend twake"))
    }

    @Test func `a file that is too large for the server is not uploaded, and nothing is sent`() throws {
        let world = try World(era: "a")
        let large = world.server.folder + "/large.iso"
        try writeFile(large, "")
        #expect(truncate(large, 50_000_001) == 0)
        let refused = try world.run("send", "#general", "x", "--file", world.notes, "--file", large)
        #expect(refused.status == 4)
        #expect(
            refused.errors.contains("large.iso has 50000001 bytes, and this server takes 50000000 at most"),
            "\(refused.errors)")
        #expect(world.writes == [])
    }

    @Test("A file is uploaded once, even if the answer to its message is lost", arguments: eras)
    func lostAnswer(era: String) throws {
        let world = try World(era: era)
        world.relay.loseFirst { $0.method == "POST" && $0.target.contains("/messages") }
        let sent = try world.did("send", "#general", "once", "--file", world.notes)
        #expect(world.writes == ["upload", "message"])
        #expect(world.lastMessage.contains(sent) && world.uploaded.count == 1)
    }

    @Test("An upload with a lost answer is not repeated, and nothing is sent", arguments: eras)
    func lostUpload(era: String) throws {
        let world = try World(era: era)
        world.relay.loseFirst { $0.method == "POST" }
        let refused = try world.run("send", "#general", "once", "--file", world.notes)
        #expect(refused.status == 4)
        #expect(refused.errors.contains("notes.txt was not uploaded: HTTP status 502"), "\(refused.errors)")
        #expect(refused.errors.contains("the text is saved as a draft"), "\(refused.errors)")
        #expect(world.writes == ["upload"])
    }

    @Test("An interrupted upload sends nothing", arguments: eras)
    func interrupted(era: String) throws {
        let world = try World(era: era)
        world.relay.hold { index, all in all[index].method == "GET" }
        let (output, errors) = (try temporaryFile(), try temporaryFile())
        defer {
            close(output)
            close(errors)
        }
        let process = try start(
            [try pathOfWeir(), "send", world.relay.urls[0], "#general", "x", "--file", world.notes] + world.options,
            environment: [:], descriptors: [1: output, 2: errors])
        world.relay.exchanges.wait { $0.contains { $0.method == "POST" } }
        kill(process, SIGINT)
        #expect(try waitForExit(of: process) == 130)
        let words = try contents(of: errors)
        #expect(words.contains("the message was refused: it was cancelled before it was sent"), "\(words)")
        #expect(try contents(of: output).isEmpty)
        #expect(world.writes == ["upload"])
    }

    @Test func `on a terminal a line shows the progress of an upload`() throws {
        let world = try World(era: "b")
        let terminal = try Tmux()
        let words = [try pathOfWeir(), "send", world.server.url, "'#general'", "x", "--file", world.notes]
        try terminal.run((words + world.options).joined(separator: " "))
        try terminal.expect("uploading notes.txt  100 % of 18 B")
        let piped = try world.run("send", "#general", "x", "--file", world.notes)
        #expect(piped.errors == "")
    }
}
