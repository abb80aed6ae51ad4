import Foundation
import JSONText
import TestSupport
import Testing

/// The rules of Finish (`samples/profiles/finish.yaml`), by the command, against two services with a token each.
@Suite(
    .enabled(if: environment("socketio5") != nil, "aiohttp is not installed: run Tests/run"), .timeLimit(.minutes(3)))
struct FinishTests {
    /// The two services, and a home in which what is downloaded is kept.
    private final class World {
        let server: Peer
        let port: UInt16
        let profile: String
        let home: String

        init() throws {
            port = try freePort()
            let twitter = try freePort()
            home = try temporaryFolder()
            profile = home + "/finish.yaml"
            try String(contentsOfFile: packageFolder + "/samples/profiles/finish.yaml", encoding: .utf8)
                .replacing("https://api.twitter.example/1.1", with: "http://127.0.0.1:\(twitter)/1.1")
                .write(toFile: profile, atomically: true, encoding: .utf8)
            let python = try #require(environment("socketio5")) + "/bin/python"
            server = try Peer(
                [python, peersFolder + "/finish_python.py", "--port", "\(port)", "--twitter", "\(twitter)"],
                errorsToo: true)
            try server.readLine(startingWith: "listening")
            server.drain()
        }

        deinit { server.stop() }

        private var variables: [String: String] {
            ["STORE": "store-token", "TWITTER": "twitter-token", "HOME": home, "XDG_STATE_HOME": home + "/state"]
        }

        private func arguments(_ action: [String]) -> [String] {
            ["do", "http://127.0.0.1:\(port)"] + action
                + ["--profile", profile, "--token", "env:STORE", "--token", "twitter=env:TWITTER"]
        }

        /// Has an action done.
        func perform(_ action: String...) throws -> CommandResult {
            try weir(arguments(action), environment: variables)
        }

        /// The command that has it done, as it runs.
        func begin(_ action: [String], home: String? = nil) throws -> Peer {
            var environment = variables
            if let home { environment["XDG_STATE_HOME"] = home }
            return try Peer([try pathOfWeir()] + arguments(action), environment: environment, errorsToo: true)
        }

        func ask(_ path: String, _ body: String? = nil) throws -> String {
            try TestSupport.run(
                [
                    "python3", "-c",
                    "import sys, urllib.request as r; a = sys.argv[2].encode() if len(sys.argv) > 2 else None; "
                        + "print(r.urlopen(r.Request(sys.argv[1], a)).read().decode())",
                    "http://127.0.0.1:\(port)\(path)",
                ] + (body.map { [$0] } ?? []))
        }

        func stats() throws -> JSONValue { try JSONValue(parsing: Array(ask("/stats").utf8)[...]) }
    }

    private func count(_ value: JSONValue?) -> Int? { if case .array(let rows)? = value { rows.count } else { nil } }
    private func texts(_ value: JSONValue?, _ key: String? = nil) -> [String] {
        guard case .array(let rows)? = value else { return [] }
        return rows.map { row in
            if case .string(let text)? = key.map({ row[$0] }) ?? row { text } else { "?" }
        }
    }

    @Test func `an account made twice is one user with one tweeter`() throws {
        let world = try World()
        for _ in 0..<2 {
            let made = try world.perform("create-account")
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output == "user-1\n")
        }
        let stats = try world.stats()
        #expect(texts(stats["users"], "tweeter") == ["tweeter-1"])
        #expect(texts(stats["tweeters"], "twitter_id") == ["tw-9"])
        #expect(count(stats["wrong"]) == 0, "each service gets its own token")
    }

    @Test func `an account made by two processes at the same time is one user with one tweeter`() throws {
        let world = try World()
        let commands = try (0..<4).map { try world.begin(["create-account"], home: world.home + "/state\($0)") }
        for command in commands {
            #expect(command.readLine() == "user-1")
            #expect(command.wait() == 0)
        }
        let stats = try world.stats()
        #expect(count(stats["users"]) == 1)
        #expect(count(stats["tweeters"]) == 1)
    }

    @Test func `a second refresh downloads no tweet that is there, and the store gets none`() throws {
        let world = try World()
        for _ in 0..<2 {
            let result = try world.perform("refresh")
            #expect(result.status == 0, "\(result.errors)")
        }
        let stats = try world.stats()
        #expect(stats["downloads"] == .object(["1", "2", "3"].map { .init($0, .integer(1)) }))
        #expect(!texts(stats["asked"]).contains { $0.contains("/parse") && !$0.hasPrefix("GET") })
    }

    @Test func `a guess names tweet, user, tweeter and word, and whether it was right; its tweeter needs no user`()
        throws
    {
        let world = try World()
        #expect(try world.perform("create-account").status == 0)
        #expect(try world.perform("refresh").status == 0)
        let guess = try world.perform("finish", "tweet=2", "word=cat", "right=true")
        #expect(guess.status == 0, "\(guess.errors)")
        #expect(guess.output == "guesse-1\n")
        let stats = try world.stats()
        guard case .array(let guesses)? = stats["guesses"] else { return }
        #expect(guesses.count == 1)
        for (key, value) in ["tweet": "2", "user": "user-1", "tweeter": "tweeter-2", "word": "cat"] {
            #expect(guesses.first?[key] == .string(value), "\(key)")
        }
        #expect(guesses.first?["right"] == .bool(true))
        #expect(texts(stats["tweeters"], "twitter_id") == ["tw-9", "tw-0"])
        #expect(count(stats["users"]) == 1)
        #expect(stats["downloads"]?["2"] == .integer(1), "the tweet was there")
    }

    /// `finish` asks seven times; the answer that never comes is that of the first to the last.
    @Test(arguments: 1...7)
    func `killed after any request, an action is gone on with, and nothing is done twice`(_ request: Int) throws {
        let world = try World()
        #expect(try world.perform("create-account").status == 0)
        _ = try world.ask("/hold", "\(request + 1)")
        let command = try world.begin(["finish", "tweet=1", "word=dog", "right=false"])
        _ = try world.ask("/held")
        command.stop()
        let next = try world.perform("refresh")
        #expect(next.status == 0, "\(next.errors)")
        #expect(next.errors.contains("that had waited was done first"), "\(next.errors)")
        let stats = try world.stats()
        #expect(count(stats["guesses"]) == 1)
        #expect(count(stats["tweeters"]) == 2)
        #expect(count(stats["users"]) == 1)
        #expect(count(stats["wrong"]) == 0)
    }

    @Test func `an action that is not declared, or lacks a parameter, is refused before anything is asked`() throws {
        let world = try World()
        let unknown = try world.perform("create-acount")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("create-account"), "\(unknown.errors)")
        let lacking = try world.perform("finish", "tweet=1")
        #expect(lacking.status == 2)
        #expect(lacking.errors.contains("'finish' needs word=VALUE"), "\(lacking.errors)")
        #expect(count(try world.stats()["asked"]) == 0)
    }
}

/// `weir demo --backend finish`: the same, whole, in one process.
@Suite(.timeLimit(.minutes(1))) struct FinishDemoTests {
    @Test func `the demo makes one user, downloads each tweet once and finishes one`() throws {
        let demo = try weir(
            "demo", "--backend", "finish", "--until-match", "kind = guess", "--duration", "40s", "--no-ctl")
        #expect(demo.status == 0, "\(demo.errors)")
        func count(_ words: String) -> Int { demo.output.components(separatedBy: words).count - 1 }
        for (words, times) in [("+ user ", 1), ("+ tweeter ", 2), ("+ tweet ", 3), ("+ guess ", 1)] {
            #expect(count(words) == times, "\(words): \(demo.output)")
        }
        #expect(!(demo.output + demo.errors).contains("-token"))
    }
}
