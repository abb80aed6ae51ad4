import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for actions with several steps: find or create, conflicts settled by the server's
/// constraint, and resuming after a kill.
@Suite struct ProcedureTests {
    private static let text = """
        name: finish-lite
        realtime: {protocol: none}
        services: {parse: /parse, twitter: {url: "https://api.twitter.example/1.1", header: X-Twitter}}
        entities:
          user: {fields: {tweeter: }, unique: [tweeter]}
          tweeter: {fields: {handle: }, unique: [handle]}
          tweet: {fields: {text: {required: true}}, once: true}
          listed: {}
        reads:
          tweeter: {get: /tweeters, query: {handle: "{handle}"}, entity: tweeter}
          user: {get: "/users/of/{tweeter.id}", entity: user}
          timeline: {get: /timeline, service: twitter, entity: tweet}
          ids: {get: /ids, service: twitter, entity: listed}
          tweet: {get: "/tweets/{tweet}", service: twitter, entity: tweet}
          listed_tweet: {get: "/tweets/{listed.id}", service: twitter, entity: tweet}
        writes:
          make_tweeter: {path: /tweeters, body: {handle: "{handle}"}, entity: tweeter, why: error}
          make_user: {path: /users, body: {tweeter: "{tweeter.id}"}, entity: user, why: error}
          guess: {path: /guesses, body: {word: "{word}", key: "{action}"}, echo: key}
          shout: {path: /shouts, body: {word: "{word}"}}
        actions:
          create-account:
            parameters: [handle]
            tag: account {handle}
            steps:
              - {read: tweeter, write: make_tweeter, row: tweeter}
              - {read: user, write: make_user, row: user}
          refresh: {steps: {read: timeline}}
          guess: {parameters: word, steps: {write: guess}}
          shout: {parameters: word, steps: {write: shout}}
          download: {parameters: tweet, steps: [{read: timeline}, {read: tweet}]}
          download-all: {steps: [{read: ids, row: listed}, {read: listed_tweet, each: listed}]}
        start: timeline
        """

    private static func profile() throws -> Profile { try Profile(parsing: Array(text.utf8)) }

    private func chat(tail: Bool = false) throws -> Transcript {
        var configuration = Configuration(backend: .declared(try Self.profile()))
        configuration.connects = tail
        return Transcript(configuration)
    }

    private func action(_ name: String, _ parameters: [String: String], id: String = "a") -> Action {
        Action(id: EntityID(id), .run(Action.Run(name, parameters)), asked: Timestamp(milliseconds: 0))
    }

    private func ends(_ chat: Transcript) -> [String] {
        chat.effects.compactMap {
            guard case .report(.action(let report)) = $0 else { return nil }
            return switch report.change {
            case .done(let subject): "done \(subject?.description ?? "")"
            case .refused(let why, _): "refused: \(why)"
            case .dropped: "dropped"
            case .queued, .sending, .delayed: nil
            }
        }
    }

    private func lines(_ chat: Transcript) -> [String] { chat.requests.map { "\($0.method) \($0.target)" } }

    @Test func `a procedure finds an existing row and creates a missing one`() throws {
        var chat = try chat()
        chat.feed(.act(action("create-account", ["handle": "@ana"])))
        #expect(lines(chat) == ["GET /parse/tweeters?handle=%40ana"])
        chat.answer("tweeters", #"[{"id":"t1","handle":"@ana"}]"#)
        #expect(lines(chat) == ["GET /parse/users/of/t1"])
        chat.answer("users", "[]")
        #expect(lines(chat) == ["POST /parse/users"])
        #expect(chat.requests.first.map { String(decoding: $0.body, as: UTF8.self) } == #"{"tweeter":"t1"}"#)
        chat.answer("users", status: 201, #"{"id":"u1","tweeter":"t1"}"#)
        #expect(ends(chat) == ["done u1"])
        #expect(chat.ids(in: Item.Section("tweeter")) == ["t1"])
        #expect(chat.ids(in: Item.Section("user")) == ["u1"])
    }

    @Test func `a row that another client created meanwhile is found, and both share it`() throws {
        var chat = try chat()
        chat.feed(.act(action("create-account", ["handle": "ana"])))
        chat.answer("tweeters", status: 404, "{}")
        chat.answer("tweeters", status: 409, #"{"error":"there is one"}"#)
        #expect(lines(chat) == ["GET /parse/tweeters?handle=ana"])
        chat.answer("tweeters", #"[{"id":"t9","handle":"ana"}]"#)
        #expect(lines(chat) == ["GET /parse/users/of/t9"])
        chat.answer("users", "[]")
        chat.answer("users", status: 409, "{}")
        chat.answer("users", "[]")
        #expect(ends(chat) == ["refused: the server reports that it already exists, but 'user' does not find it"])
    }

    @Test func `after a lost answer the row is looked up before it is created again`() throws {
        var chat = try chat()
        chat.feed(.act(action("create-account", ["handle": "ana"])))
        chat.answer("tweeters", "[]")
        let lost = chat.requests.removeFirst()
        chat.feed(.answered(request: lost.id, .failure(kind: "timeout", message: "timed out")))
        chat.pass(.seconds(60))
        #expect(lines(chat) == ["GET /parse/tweeters?handle=ana"])
        chat.answer("tweeters", #"[{"id":"t1","handle":"ana"}]"#)
        #expect(lines(chat) == ["GET /parse/users/of/t1"])
    }

    @Test func `a restored action continues at its step with the values it had found`() throws {
        var first = try chat()
        first.feed(.act(action("create-account", ["handle": "ana"])))
        first.answer("tweeters", #"[{"id":"t1","handle":"ana"}]"#)
        var writer = JSONWriter()
        first.session.pendingActions[0].encode(into: &writer)
        let kept = try #require(OutboxEntry(try JSONValue(parsing: writer.bytes[...])))
        var second = try chat()
        second.feed(.restoreOutbox([kept]))
        #expect(lines(second) == ["GET /parse/users/of/t1"])
    }

    @Test func `after a lost answer a write is repeated only if it has a key`()
        throws
    {
        for (name, isRepeated) in [("guess", true), ("shout", false)] {
            var chat = try chat()
            chat.feed(.act(action(name, ["word": "x"])))
            let lost = chat.requests.removeFirst()
            chat.feed(.answered(request: lost.id, .failure(kind: "timeout", message: "timed out")))
            chat.pass(.seconds(60))
            #expect(chat.requests.isEmpty != isRepeated, "\(name)")
            #expect(chat.requests.allSatisfy { $0.body == lost.body })
        }
    }

    @Test func `a newer action replaces a running one with the same tag, and leaves other tags alone`() throws {
        var chat = try chat()
        chat.feed(.act(action("create-account", ["handle": "ana"], id: "a")))
        chat.feed(.act(action("create-account", ["handle": "bo"], id: "b")))
        #expect(chat.requests.count == 2)
        chat.feed(.act(action("create-account", ["handle": "ana"], id: "c")))
        #expect(ends(chat) == ["dropped"])
        #expect(lines(chat) == ["GET /parse/tweeters?handle=bo", "GET /parse/tweeters?handle=ana"])
        #expect(chat.session.pendingActions.map(\.action.id.description) == ["b", "c"])
    }

    @Test func `requests name the service at another address, and an immutable row is kept`() throws {
        var chat = try chat(tail: true)
        chat.feed(.opened(connection: 1, token: nil))
        #expect(lines(chat) == ["GET /1.1/timeline"])
        #expect(chat.requests.map(\.call.service) == ["twitter"])
        chat.answer("timeline", #"[{"id":"1","text":"one"}]"#)
        chat.feed(.act(action("refresh", [:])))
        chat.answer("timeline", #"[{"id":"1","text":"changed"},{"id":"2","text":"two"}]"#)
        #expect(ends(chat) == ["done 1"])
        let rows = chat.ids(in: Item.Section("tweet"))
        #expect(rows == ["1", "2"])
        let first = chat.session.model[Item.ID(Item.Kind(rawValue: "tweet"), EntityID("1"))]
        #expect(first?.entity.as(DeclaredRow.self)?.json.description == #"{"text":"one"}"#)
    }

    @Test func `concurrent actions download an immutable row once`() throws {
        var chat = try chat()
        chat.feed(.act(action("download", ["tweet": "2"], id: "a")))
        chat.feed(.act(action("download-all", [:], id: "b")))
        chat.answer("ids", #"[{"id":"1"},{"id":"2"}]"#)
        #expect(lines(chat) == ["GET /1.1/timeline", "GET /1.1/tweets/1"])
        chat.answer("tweets/1", #"{"id":"1","text":"one"}"#)
        // The first action to reach this step sends the request; it need not be the older one.
        #expect(lines(chat) == ["GET /1.1/timeline", "GET /1.1/tweets/2"])
        chat.answer("timeline", "[]")
        #expect(lines(chat) == ["GET /1.1/tweets/2"])
        chat.answer("tweets/2", #"{"id":"2","text":"two"}"#)
        #expect(chat.requests.isEmpty)
        #expect(ends(chat) == ["done 2", "done 2"])
    }

    @Test func `an action downloads a row that another action failed to download`() throws {
        var chat = try chat()
        for id in ["a", "b"] { chat.feed(.act(action("download", ["tweet": "2"], id: id))) }
        for _ in 0..<2 { chat.answer("timeline", "[]") }
        #expect(lines(chat) == ["GET /1.1/tweets/2"])
        chat.answer("tweets/2", status: 403, "{}")
        #expect(lines(chat) == ["GET /1.1/tweets/2"])
        chat.answer("tweets/2", #"{"id":"2","text":"two"}"#)
        #expect(ends(chat).last == "done 2")
    }

    @Test func `missing parameters of an action are reported before anything is sent`() throws {
        var chat = try chat()
        chat.feed(.act(action("create-account", [:])))
        #expect(ends(chat) == ["refused: 'create-account' needs handle=VALUE"])
        chat.feed(.act(action("nope", [:], id: "b")))
        #expect(
            ends(chat) == [
                "refused: the profile 'finish-lite' has no action 'nope'; it has create-account, refresh, guess, shout, download, download-all"
            ])
        #expect(chat.requests.isEmpty)
    }

    @Test(arguments: [
        ("tag: account {handle}", "tag: account {name}", "a tag consists of parameters, and '{name}' is not one"),
        ("{handle}\"}, entity: tweeter}", "{hanlde}\"}, entity: tweeter}", "unknown place '{hanlde}'"),
        ("- {read: tweeter, write: make_tweeter, row: tweeter}", "- {read: tweeter}", "does not know {tweeter.id} yet"),
        ("steps: {write: guess}", "steps: {row: x}", "needs a read or a write"),
        ("steps: {write: guess}", "steps: {write: gues}", "unknown write 'gues'"),
        ("https://api", "ftp://api", "invalid address 'ftp://api.twitter.example/1.1'"),
        ("unique: [handle]", "unique: [hanle]", "unknown field 'hanle'"),
    ])
    func `an error in an action is reported with its position`(_ text: String, _ other: String, _ message: String)
        throws
    {
        let wrong = Self.text.replacing(text, with: other)
        #expect(wrong != Self.text)
        let error = #expect(throws: Profile.Invalid.self) { try Profile(parsing: Array(wrong.utf8)) }
        #expect(
            error?.problems.contains { $0.message.contains(message) && $0.line > 0 } == true, "\(error?.problems ?? [])"
        )
    }

    @Test func `a profile with actions reads back as written`() throws {
        let profile = try Self.profile()
        #expect(try Profile(parsing: Array(profile.json.bytes)) == profile)
    }
}
