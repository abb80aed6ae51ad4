import Foundation
import Testing
import TestSupport
import WeirJSON
import WeirThreads

/// Tests the rules of Finish (`samples/profiles/finish.yaml`), by command, against two services with tokens of their
/// own: on a third-party server and on the embedded one.
@Suite(.timeLimit(.minutes(5))) struct FinishTests {
    enum Server: CaseIterable {
        case embedded, aiohttp

        /// The servers that are installed here.
        static let all = allCases.filter { $0 == .embedded || environment("socketio5") != nil }
    }

    /// The two services with a relay that logs their requests, and a home folder for the downloads.
    private final class World {
        let server: Peer
        let relay: HTTPRelay
        let profile: String
        let home: String

        init(_ kind: Server) throws {
            let sample = packageFolder + "/samples/profiles/finish"
            let url: String
            switch kind {
            case .embedded:
                let files = ["--profile", sample + ".yaml", "--scenario", sample + ".scenario.yaml"]
                server = try Peer([try pathOfWeir(), "serve", "--quiet"] + files)
                url = String(try server.readLine(startingWith: "url ").dropFirst(4))
            case .aiohttp:
                let python = try #require(environment("socketio5")) + "/bin/python"
                server = try Peer([python, peersFolder + "/finish_python.py"])
                url = "http://127.0.0.1:\(try server.listeningPort())"
            }
            server.drain()
            relay = try HTTPRelay(to: url, listeners: 2)
            home = try temporaryFolder()
            profile = home + "/finish.yaml"
            try String(contentsOfFile: sample + ".yaml", encoding: .utf8)
                .replacing("https://api.twitter.example", with: relay.urls[1])
                .write(toFile: profile, atomically: true, encoding: .utf8)
        }

        deinit {
            relay.close()
            server.stop()
        }

        private func variables(_ more: [String: String]) -> [String: String] {
            ["STORE": "store-token", "TWITTER": "twitter-token", "HOME": home, "XDG_STATE_HOME": home + "/state"]
                .merging(more) { $1 }
        }

        private func arguments(_ action: [String]) -> [String] {
            ["do", relay.urls[0]] + action
                + ["--profile", profile, "--token", "env:STORE", "--token", "twitter=env:TWITTER"]
        }

        /// Runs an action and waits for its end.
        func perform(_ action: String..., with more: [String: String] = [:]) throws -> CommandResult {
            try weir(arguments(action), environment: variables(more))
        }

        /// Starts a command that performs an action.
        func begin(_ action: [String], with more: [String: String] = [:]) throws -> Peer {
            try Peer([try pathOfWeir()] + arguments(action), environment: variables(more), errorsToo: true)
        }

        /// Runs an action in four processes, each with a store of its own. Each search is answered only after all four
        /// have sent it.
        func performAtOnce(_ action: String...) throws {
            let base = relay.exchanges.all.count
            relay.hold { index, all in
                let own = all[index]
                return own.method != "GET" || !own.target.hasPrefix("/parse")
                    || all[base...].count { $0.method == "GET" && $0.target == own.target } >= 4
            }
            let commands = try (0..<4).map { try begin(action, with: ["XDG_STATE_HOME": home + "/state\($0)"]) }
            for command in commands { #expect(command.wait() == 0) }
        }

        /// Returns how many rows of this kind the store refused to create twice.
        func conflicts(_ kind: String) -> Int {
            relay.exchanges.all.count { $0.target == "/parse/" + kind && $0.status == 409 }
        }

        /// Returns the rows that the store created.
        func made(_ kind: String) throws -> [JSONValue] {
            try relay.exchanges.all.filter { $0.target == "/parse/" + kind && $0.status == 201 }
                .map { try JSONValue(parsing: $0.answer[...]) }
        }

        /// The ids of the downloaded tweets, with repetitions.
        var downloads: [String] {
            relay.exchanges.all.map(\.target).filter { $0.hasPrefix("/1.1/tweets/") }.map { String($0.dropFirst(12)) }
                .sorted()
        }
    }

    private func texts(_ rows: [JSONValue], _ key: String) -> [String?] { rows.map { $0[key]?.raw.plainText } }

    @Test(arguments: Server.all) func `an account created twice is one user with one tweeter`(_ server: Server) throws {
        let world = try World(server)
        for _ in 0..<2 {
            let made = try world.perform("create-account")
            #expect(made.status == 0, "\(made.errors)")
            #expect(try [made.output] == texts(world.made("users"), "id").map { "\($0 ?? "")\n" })
        }
        let tweeters = try world.made("tweeters")
        #expect(texts(tweeters, "twitter_id") == ["ana"])
        #expect(try texts(world.made("users"), "tweeter") == texts(tweeters, "id"))
    }

    @Test(arguments: Server.all)
    func `an account created by four concurrent processes is one user with one tweeter`(_ server: Server) throws {
        let world = try World(server)
        try world.performAtOnce("create-account")
        let tweeters = try world.made("tweeters")
        #expect(texts(tweeters, "twitter_id") == ["ana"])
        #expect(try texts(world.made("users"), "tweeter") == texts(tweeters, "id"))
        #expect((world.conflicts("tweeters"), world.conflicts("users")) == (3, 3), "each found nothing, and made one")
    }

    @Test(arguments: Server.all)
    func `four concurrent guesses create one tweeter for the tweet`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        try world.performAtOnce("finish", "tweet=2", "word=cat", "right=true")
        let tweeters = try world.made("tweeters")
        #expect(texts(tweeters, "twitter_id") == ["ana", "cleo"])
        #expect(world.conflicts("tweeters") == 3)
        #expect(try texts(world.made("guesses"), "tweeter") == Array(repeating: texts(tweeters, "id")[1], count: 4))
    }

    @Test(arguments: Server.all)
    func `a tweeter may have no user, and belongs to a later user`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        #expect(try world.perform("finish", "tweet=1", "word=worm", "right=true").status == 0)
        let tweeters = try world.made("tweeters")
        #expect(texts(tweeters, "twitter_id") == ["ana", "bo"])
        #expect(try world.made("users").count == 1)
        #expect(try world.perform("create-account", with: ["TWITTER": "twitter-token-of-bo"]).status == 0)
        #expect(try world.made("tweeters").count == 2)
        #expect(try texts(world.made("users"), "tweeter") == texts(tweeters, "id"))
    }

    @Test(arguments: Server.all)
    func `a tweet is downloaded once for any number of uses`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        #expect(try world.perform("finish", "tweet=2", "word=cat", "right=true").status == 0)
        #expect(world.downloads == ["2"])
        for _ in 0..<2 {
            let result = try world.perform("refresh")
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(try world.perform("finish", "tweet=1", "word=worm", "right=true").status == 0)
        #expect(world.downloads == ["1", "2", "3"])
    }

    @Test(arguments: Server.all) func `no tweet is sent to the store`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        #expect(try world.perform("refresh").status == 0)
        #expect(try world.perform("finish", "tweet=1", "word=worm", "right=true").status == 0)
        let all = world.relay.exchanges.all
        let tweets = try all.filter { $0.target.hasPrefix("/1.1/tweets/") }
            .compactMap { try JSONValue(parsing: $0.answer[...])["text"]?.raw.plainText }
        #expect(tweets.count == 3)
        for request in all where request.target.hasPrefix("/parse") {
            let sent = String(decoding: request.body, as: UTF8.self)
            #expect(!tweets.contains { sent.contains($0) }, "\(sent)")
        }
    }

    @Test(arguments: Server.all)
    func `a guess contains the tweet, user, tweeter and word, and whether it was right`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        for (word, right) in [("cat", "true"), ("dog", "false")] {
            let guess = try world.perform("finish", "tweet=2", "word=\(word)", "right=\(right)")
            #expect(guess.status == 0, "\(guess.errors)")
            #expect(try guess.output == texts(world.made("guesses"), "id").last.map { "\($0 ?? "")\n" })
        }
        let guesses = try world.made("guesses")
        #expect(texts(guesses, "tweet") == ["2", "2"])
        let (user, tweeter) = try (texts(world.made("users"), "id")[0], texts(world.made("tweeters"), "id")[1])
        #expect(texts(guesses, "user") == [user, user])
        #expect(texts(guesses, "tweeter") == [tweeter, tweeter])
        #expect(texts(guesses, "word") == ["cat", "dog"])
        #expect(guesses.map { $0["right"] } == [.bool(true), .bool(false)])
    }

    @Test(arguments: Server.all) func `each service gets its own token and accepts no other`(_ server: Server) throws {
        let world = try World(server)
        #expect(try world.perform("create-account").status == 0)
        for request in world.relay.exchanges.all {
            #expect(request.token == (request.target.hasPrefix("/parse") ? "store-token" : "twitter-token"))
        }
        #expect(try world.perform("create-account", with: ["STORE": "twitter-token"]).status == 4)
        #expect(try world.perform("create-account", with: ["TWITTER": "store-token"]).status == 4)
    }

    /// Each action with each of its requests, whose answer never arrives. A request for the token's account precedes
    /// them.
    private static let kills = [("create-account", 5), ("refresh", 4), ("finish tweet=1 word=dog right=false", 7)]
        .flatMap { action, count in (1...count).map { (action, $0) } }

    @Test(arguments: Server.all, kills)
    func `an action killed after any request is continued, and nothing is done twice`(
        _ server: Server, _ kill: (action: String, request: Int)
    ) throws {
        let world = try World(server)
        let isFinish = kill.action.hasPrefix("finish")
        if isFinish { #expect(try world.perform("create-account").status == 0) }
        let held = world.relay.exchanges.all.count + kill.request
        world.relay.hold { index, _ in index != held }
        let command = try world.begin(kill.action.split(separator: " ").map(String.init))
        let lost = world.relay.exchanges.wait { $0.count > held }[held].target
        command.stop()
        let next = try world.perform(kill.action == "refresh" ? "create-account" : "refresh")
        #expect(next.status == 0, "\(next.errors)")
        #expect(next.errors.contains(", which was queued, was done first"), "\(next.errors)")
        #expect(try world.made("users").count == 1)
        #expect(try world.made("tweeters").count == (isFinish ? 2 : 1))
        #expect(try world.made("guesses").count == (isFinish ? 1 : 0))
        // An unanswered request is sent again.
        let again = ["1", "2", "3"].filter { lost == "/1.1/tweets/" + $0 }
        #expect(world.downloads == (["1", "2", "3"] + again).sorted())
    }

    @Test(arguments: Server.all)
    func `a refresh replaces a killed one and downloads the missing tweets`(_ server: Server)
        throws
    {
        let world = try World(server)
        // The answers before the third download: the token's account, the list, and two tweets.
        world.relay.hold { index, _ in index != 4 }
        let command = try world.begin(["refresh"])
        world.relay.exchanges.wait { $0.count > 4 }
        command.stop()
        let next = try world.perform("refresh")
        #expect(next.errors.contains("refresh, which was queued, failed: a newer one replaces it"))
        #expect(world.downloads == ["1", "2", "3", "3"], "an answer never came")
    }

    @Test(arguments: Server.all)
    func `an undeclared action, or one without a parameter, is refused before any request`(_ server: Server)
        throws
    {
        let world = try World(server)
        let unknown = try world.perform("create-acount")
        #expect(unknown.status == 2)
        #expect(unknown.errors.contains("create-account"), "\(unknown.errors)")
        let lacking = try world.perform("finish", "tweet=1")
        #expect(lacking.status == 2)
        #expect(lacking.errors.contains("'finish' needs word=VALUE"), "\(lacking.errors)")
        #expect(world.relay.exchanges.all.isEmpty)
    }
}

/// Tests `weir demo --backend finish`, which does the same in one process.
@Suite(.timeLimit(.minutes(1))) struct FinishDemoTests {
    @Test func `the demo creates one user, downloads each tweet once and finishes one`() throws {
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
