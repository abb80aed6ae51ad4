import Foundation
import Testing
import WeirEvents
import WeirJSON
import WeirNetwork
import WeirWire

@testable import WeirDemoServer
@testable import WeirPipeline

/// The server of a declared backend, driven request by request without a socket.
struct DeclaredWorld {
    var service: DeclaredService
    private var now = Moment.zero

    static let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../samples/profiles")

    static func profile(_ name: String) throws -> Profile {
        try Profile(parsing: Array(try Data(contentsOf: samples.appending(path: name + ".yaml"))))
    }

    /// Creates the world of a sample, or the generated one for its profile.
    init(sample name: String, isMadeUp: Bool = false, seed: UInt64 = 1) throws {
        let profile = try Self.profile(name)
        let text = try Data(contentsOf: Self.samples.appending(path: name + ".scenario.yaml"))
        let scenario = isMadeUp ? nil : try ProfileScenario(parsing: Array(text), for: profile)
        service = DeclaredService(profile, scenario, seed: seed, startsAtOnce: true, at: .zero)
    }

    init(_ profile: String, _ scenario: String = "{}") throws {
        let profile = try Profile(parsing: Array(profile.utf8))
        service = DeclaredService(
            profile, try ProfileScenario(parsing: Array(scenario.utf8), for: profile), seed: 1, at: .zero)
    }

    /// Sends a request such as `GET /path?query`. Returns the status, the body and the lines of the events.
    mutating func ask(
        _ line: String, _ body: String = "", token: String? = "token-of-ana"
    ) -> (status: Int, body: String, told: [String]) {
        let words = line.split(separator: " ")
        let (status, answer, news) = service.answer(
            String(words[0]), String(words[1]), body: Array(body.utf8), bearer: token, at: now)
        return (status, String(decoding: answer, as: UTF8.self), Self.lines(service.tell(news)))
    }

    /// Returns one line per effect, with its client.
    static func lines(_ effects: [DeclaredService.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .tell(let client, let news):
                "\(client) \(news.name) " + news.arguments.map(\.raw.description).joined(separator: ",")
            case .drop(let forgetting): forgetting ? "forget" : "drop"
            }
        }
    }

    @discardableResult
    mutating func connect(_ client: Int, token: String = "token-of-ana") -> [String] {
        Self.lines(service.connect(client, service.user(of: token), at: now))
    }

    mutating func emit(_ client: Int, _ name: String, _ argument: String) throws -> (ack: String, told: [String])? {
        let value = try JSONValue(parsing: Array(argument.utf8)[...])
        let answer = service.heard(client, .event(name, [value]), at: now)
        return answer.map { ($0.acknowledgement.raw.description, Self.lines($0.effects)) }
    }

    mutating func pass(_ seconds: Int64) -> [String] {
        now = now + .seconds(seconds)
        return Self.lines(service.advance(to: now))
    }
}

@Suite struct DeclaredServiceTests {
    @Test(arguments: ["socketio-chat", "gateway"], [true, false])
    func `the client's parser reads every row of every read's answer`(_ name: String, _ isMadeUp: Bool) throws {
        var world = try DeclaredWorld(sample: name, isMadeUp: isMadeUp)
        let profile = world.service.profile
        let room = try #require(world.service.speech.roomEntity.map { world.service.tables.rows(of: $0)[0].id })
        for read in profile.reads {
            let path = (profile.services.first?.basePath ?? "") + (try #require(read.get.filled { _ in room }))
            let answer = world.ask("GET \(path)")
            #expect(answer.status == 200, "\(read.name): \(answer.body)")
            let body = try RawJSON(checking: Array(answer.body.utf8)[...])
            let rows = try #require((read.rows ?? .whole).inValue.value(in: body)).elements
            #expect(!rows.isEmpty)
            let entity = try #require(profile.entities.first { $0.name == read.entity })
            for row in rows {
                let reading = try entity.reading(row)
                #expect(reading.id.description == world.service.tables.row(reading.id.description, of: entity)?.id)
            }
        }
    }

    @Test func `a sent message becomes a row once, and only clients in its room receive it`() throws {
        var world = try DeclaredWorld(sample: "socketio-chat")
        for client in 1...3 { world.connect(client) }
        #expect(try #require(try world.emit(1, "join", #"{"room":"lobby"}"#)) == (#"{"ok":true}"#, []))
        #expect(try #require(try world.emit(2, "join", #"{"room":"dev"}"#)).ack == #"{"ok":true}"#)
        let text = #"{"text":"hello","nonce":"n-1"}"#
        let sent = world.ask("POST /api/rooms/lobby/messages", text)
        let row =
            #"{"room":"lobby","text":"hello","nonce":"n-1","sender":"ana","id":2,"at":"2026-07-29T17:26:40.000Z"}"#
        #expect(sent.status == 201)
        #expect(sorted(sent.body) == sorted(row))
        #expect(sent.told.count == 1 && sent.told[0].hasPrefix("1 message "), "\(sent.told)")
        let again = world.ask("POST /api/rooms/lobby/messages", text)
        #expect(again.status == 200 && again.body == sent.body && again.told == [])
        let edited = world.ask("PUT /api/rooms/lobby/messages/2", #"{"text":"bye"}"#)
        #expect(edited.status == 200 && edited.body.contains(#""text":"bye""#) && edited.body.contains("edited_at"))
        #expect(edited.told.count == 1)
        let deleted = world.ask("DELETE /api/rooms/lobby/messages/2")
        #expect(deleted.told == [#"1 message_deleted {"id":2,"room":"lobby","by":"ana"}"#])
        _ = try world.emit(1, "leave", #"{"room":"lobby"}"#)
        #expect(world.ask("POST /api/rooms/lobby/messages", #"{"text":"x","nonce":"n-2"}"#).told == [])
    }

    private func sorted(_ object: String) -> [String] {
        object.dropFirst().dropLast().split(separator: ",").map(String.init).sorted()
    }

    @Test func `an invalid request is refused with its status and a reason in the place that the profile names`() throws
    {
        var world = try DeclaredWorld(sample: "socketio-chat")
        func check(_ status: Int, _ words: String, _ answer: (status: Int, body: String, told: [String])) {
            #expect(answer.status == status && answer.body == "{\"error\":\"\(words)\"}", "\(answer)")
            #expect(answer.told == [])
        }
        check(401, "unknown token", world.ask("GET /api/me", token: "stolen"))
        check(401, "unknown token", world.ask("GET /api/rooms", token: nil))
        check(404, "no such path", world.ask("GET /api/elsewhere"))
        check(404, "no such path", world.ask("POST /api/rooms"))
        check(404, "no such room", world.ask("GET /api/rooms/attic/messages"))
        check(403, "members of the board only", world.ask("GET /api/rooms/board/messages"))
        check(404, "no message 9", world.ask("PUT /api/rooms/lobby/messages/9", #"{"text":"x"}"#))
        check(404, "no message 1", world.ask("DELETE /api/rooms/dev/messages/1"))
        for body in ["", "{", "[]", "{}", #"{"text":"x"}"#, #"{"text":{},"nonce":"1"}"#] {
            #expect(world.ask("POST /api/rooms/lobby/messages", body).status == 400, "\(body)")
        }
    }

    @Test func `a token is valid only for its service, and the login returns the right one`() throws {
        let profile = """
            name: two
            services: {store: /store, news: "https://news.example"}
            login: {call: {path: /login, body: {user: "{user}", password: "{password}"}}, token: token}
            entities: {row: {}}
            reads: {rows: {get: /rows, entity: row}, items: {get: /items, entity: row, service: news}}
            """
        let tokens = "{a: {user: ana, service: news}, b: {user: ana, service: store}, c: ana}"
        var world = try DeclaredWorld(profile, "tokens: \(tokens)")
        for (token, statuses) in ["a": [401, 200], "b": [200, 401], "c": [200, 200]] {
            #expect(["/store/rows", "/items"].map { world.ask("GET \($0)", token: token).status } == statuses)
        }
        let login = #"{"user":"ana","password":"weir"}"#
        #expect(world.ask("POST /store/login", login, token: nil).body == #"{"token":"b"}"#)
        #expect(throws: Profile.Invalid.self) { try DeclaredWorld(profile, "tokens: {t: {user: ana, service: stor}}") }
    }

    @Test func `oversized numbers, empty ids and nonces of another room bypass no check`() throws {
        var chat = try DeclaredWorld(sample: "socketio-chat")
        for place in ["", "%20"] {
            #expect(chat.ask("GET /api/rooms/\(place)/messages").status == 404)
            #expect(chat.ask("POST /api/rooms/\(place)/messages", #"{"text":"x","nonce":"n"}"#).status == 404)
        }
        for room in ["lobby", "dev"] {
            let made = chat.ask("POST /api/rooms/\(room)/messages", #"{"text":"x","nonce":"same"}"#)
            #expect(made.status == 201 && made.body.contains("\"room\":\"\(room)\""), "\(made)")
        }
        var pages = try DeclaredWorld(
            """
            name: pages
            services: {api: {token: false}}
            entities: {row: {}}
            reads: {all: {get: /rows, entity: row, rows: rows, pages: {query: page, from: 1}}}
            """, "rows: {row: [{id: a}, {id: b}]}")
        for query in [
            "limit=9223372036854775807&page=3", "page=-9223372036854775808", "page=9223372036854775807",
            "limit=-1&page=x",
        ] {
            #expect(pages.ask("GET /rows?\(query)").status == 200)
        }
    }

    @Test func `a unique field is enforced, and a body that matches no write is refused`() throws {
        var world = try DeclaredWorld(
            """
            name: unique
            services: {api: {token: false}}
            entities: {user: {fields: {mail: {}}, unique: mail}}
            writes:
              a: {path: /users, body: {mail: "{mail}"}, entity: user}
              b: {path: /users, body: {phone: "{mail}"}, entity: user}
            actions: {go: {parameters: mail, steps: [{write: a}, {write: b}]}}
            """)
        #expect(world.ask("POST /users", #"{"mail":"x@y"}"#).status == 201)
        #expect(world.ask("POST /users", #"{"mail":"x@y"}"#).body == #"{"error":"another user has this mail"}"#)
        #expect(world.ask("POST /users", #"{"fax":"1"}"#).status == 400)
    }

    @Test func `the key of a row is unique`() throws {
        var world = try DeclaredWorld(
            """
            name: keys
            entities: {account: {key: login, fields: {name: {type: text}, age: {type: integer}}}}
            reads: {who: "/accounts/{id}", all: /accounts}
            writes: {send: {path: /accounts, body: {login: "{text}", age: "{thread}"}, entity: account, why: why.text}}
            """.replacing("who: \"/accounts/{id}\"", with: "who: {get: \"/accounts/{id}\", entity: account}")
                .replacing("all: /accounts", with: "all: {get: /accounts, entity: account, rows: list.rows}"),
            "rows: {account: [{login: ana, name: Ana}]}")
        let made = world.ask("POST /accounts", #"{"login":"bo","age":3}"#)
        #expect(made.status == 201 && made.body == #"{"login":"bo","age":3}"#, "\(made)")
        let again = world.ask("POST /accounts", #"{"login":"bo","age":4}"#)
        #expect(again.status == 409 && again.body == #"{"why":{"text":"account bo exists already"}}"#, "\(again)")
        let wrong = world.ask("POST /accounts", #"{"login":"cy","age":"old"}"#)
        #expect(wrong.status == 400 && wrong.body.contains("age of a account is not of type integer"), "\(wrong)")
        #expect(world.ask("GET /accounts/bo").body == #"{"login":"bo","age":3}"#)
        #expect(world.ask("GET /accounts/cy").status == 404)
        #expect(world.ask("GET /accounts").body.hasPrefix(#"{"list":{"rows":[{"login":"ana""#))
    }

    @Test func `reads are paged by number, by the next page's token, or by the last row`() throws {
        func pages(_ how: String, _ queries: [String]) throws -> [String] {
            var world = try DeclaredWorld(
                """
                name: pages
                entities: {row: {}}
                reads: {all: {get: /rows, rows: list, entity: row, query: {limit: "2"}, pages: \(how)}}
                """, "{tokens: {token-of-ana: ana}, rows: {row: [{id: 1}, {id: 2}, {id: 3}]}}")
            return queries.map { world.ask("GET /rows?limit=2" + $0).body }
        }
        let (first, second) = (#"{"list":[{"id":1},{"id":2}]"#, #"{"list":[{"id":3}]"#)
        #expect(
            try pages("{query: page, from: 1}", ["&page=1", "&page=2", "&page=3"])
                == [first + "}", second + "}", #"{"list":[]}"#])
        #expect(
            try pages("{query: cursor, next: next}", ["", "&cursor=1"])
                == [first + #","next":"1"}"#, second + #","next":null}"#])
        #expect(try pages("{query: after, last: id}", ["", "&after=2"]) == [first + "}", second + "}"])
    }

    @Test func `a room is refused by an acknowledgement or by an event, with its reason`() throws {
        var world = try DeclaredWorld(sample: "socketio-chat")
        world.connect(1)
        let refused = try #require(try world.emit(1, "join", #"{"room":"board"}"#))
        #expect(refused.ack == #"{"ok":false,"error":"members of the board only"}"#)
        #expect(try #require(try world.emit(1, "join", #"{"room":"attic"}"#)).ack.contains("no such room"))
        #expect(try world.emit(1, "shout", "{}") == nil)
        world = try DeclaredWorld(
            """
            name: by-events
            rooms: {name: "chat:{id}", join: {event: enter, arguments: ["{room}"], answer: event}}
            events:
              - {event: entered, says: joined, room: of.chat}
              - {event: trouble, when: payload.kind = room, says: refused, room: chat, why: reason}
            """, "{tokens: {token-of-ana: ana}, forbidden: {room: '7', why: it is closed}}")
        world.connect(1)
        #expect(try #require(try world.emit(1, "enter", #""chat:3""#)).told == [#"1 entered {"of":{"chat":"3"}}"#])
        #expect(
            try #require(try world.emit(1, "enter", #""chat:7""#)).told
                == [#"1 trouble {"kind":"room","chat":"7","reason":"it is closed"}"#])
    }

    @Test func `the steps of a scenario happen in order, each at its time`() throws {
        var world = try DeclaredWorld(sample: "socketio-chat")
        world.connect(1)
        _ = try world.emit(1, "join", #"{"room":"lobby"}"#)
        #expect(world.pass(1).map { $0.prefix(10) } == ["1 message "])
        let changed = world.pass(1)
        #expect(changed.count == 1 && changed[0].contains(#""text":"Hello again""#), "\(changed)")
        #expect(world.pass(1) == [#"1 typing {"room":"lobby","user":"bo"}"#])
        #expect(world.pass(1) == [#"1 message_deleted {"id":2,"room":"lobby","by":"bo"}"#])
        #expect(world.pass(1) == ["drop"])
        #expect(world.pass(3600).count == 1)
        #expect(world.service.deadline == nil)
    }

    @Test(arguments: ["socketio-chat", "gateway"])
    func `without a scenario an event happens about once a second, and a seed gives one history`(_ name: String)
        throws
    {
        func history(_ seed: UInt64) throws -> [String] {
            var world = try DeclaredWorld(sample: name, isMadeUp: true, seed: seed)
            world.connect(1)
            if world.service.profile.rooms?.join != nil {
                for room in ["general", "random", "help"] { _ = try world.emit(1, "join", "{\"room\":\"\(room)\"}") }
            }
            return world.pass(100)
        }
        let one = try history(1)
        #expect(one.count > 70 && one.count < 150, "\(one.count)")
        #expect(try history(1) == one)
        #expect(try history(2) != one)
    }

    @Test func `all errors of a scenario are reported at once, each with its place`() throws {
        let profile = try DeclaredWorld.profile("socketio-chat")
        let text = """
            tokens: {t: cleo}
            rows:
              account: [{id: ana}, {name: x}]
              message:
                - {id: 1, room: lobby, txt: hi}
                - {id: 1, room: lobby, text: hi, at: soon}
              mesage: []
            steps:
              - {after: 1s, create: message}
              - {after: soon, drop: all}
              - {change: message, emit: x, row: {text: x}}
            """
        let error = try #require(throws: Profile.Invalid.self) {
            try ProfileScenario(parsing: Array(text.utf8), for: profile)
        }
        #expect(
            error.problems.map { "\($0.line):\($0.column): \($0.message)" } == [
                "1:13: unknown user 'cleo'; allowed: ana",
                "3:24: the key 'id' is missing: where the id of a row is",
                "5:7: the field 'text' is missing: the profile requires it",
                "5:28: unknown field 'txt'; did you mean 'text'?",
                "6:12: the row '1' already exists",
                "6:42: a field of type time is expected here, not the value 'soon'",
                "7:3: unknown entity 'mesage'; did you mean 'message'?",
                "9:5: the key 'row' is missing: The new values of its fields.",
                "10:13: invalid duration 'soon'; write it like 500ms, 2s, 1.5m or 1h",
                "10:25: unknown word 'all'; allowed: connections, sessions",
                "11:5: a step needs one of emit, create, change, delete, drop",
                "11:5: the key 'id' is missing: The key of the row.",
            ])
    }
}

@Suite struct MessageServerTests {
    private func server() throws -> MessageServer {
        MessageServer(try DeclaredWorld(sample: "gateway").service, heartbeats: .seconds(10), seed: 1)
    }

    private func lines(_ effects: [MessageServer.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .send(let number, let message): "\(number) \(message.raw)"
            case .close(let number, let close): "\(number) close \(close.code)"
            case .cut(let number): "\(number) cut"
            }
        }
    }

    private func say(
        _ server: inout MessageServer, _ text: String, on connection: Int = 1, at now: Moment = .zero
    ) -> [String] {
        lines(server.received(Array(text.utf8)[...], on: connection, at: now))
    }

    @Test func `a client is greeted and identifies itself, and its heartbeats are answered`() throws {
        var server = try server()
        #expect(lines(server.opened(1, at: .zero)) == [#"1 {"op":10,"d":{"heartbeat_interval":10000}}"#])
        #expect(say(&server, #"{"op":1,"d":null}"#) == [#"1 {"op":11}"#])
        let ready = say(&server, #"{"op":2,"d":{"token":"token-of-ana"}}"#)
        #expect(ready.count == 1)
        #expect(
            ready[0].contains(#""user":{"username":"ana"}"#) && ready[0].contains(#""t":"READY","s":1"#), "\(ready)")
        #expect(ready[0].contains("session_id"))
    }

    @Test func `a client without a heartbeat for one and a half intervals is closed, even if it sends other messages`()
        throws
    {
        var server = try server()
        #expect(server.deadline == nil)
        _ = server.opened(1, at: .zero)
        _ = server.opened(2, at: .zero + .seconds(3))
        _ = say(&server, #"{"op":1,"d":null}"#, at: .zero + .seconds(10))
        _ = say(&server, #"{"op":2,"d":{"token":"token-of-ana"}}"#, at: .zero + .seconds(12))
        #expect(server.deadline == .zero + .seconds(18))
        #expect(lines(server.advance(to: .zero + .seconds(24))) == ["2 close 1008"])
        #expect(lines(server.advance(to: .zero + .seconds(25))) == ["1 close 1008"])
        #expect(server.deadline == nil)
        // The server does not wait for a client that has left.
        _ = server.opened(3, at: .zero)
        server.closed(3)
        #expect(server.deadline == nil)
    }

    @Test func `without heartbeats in the profile the server expects none`() throws {
        let service = try DeclaredWorld("{name: bare, realtime: {protocol: websocket}}").service
        var server = MessageServer(service, heartbeats: .seconds(10), seed: 1)
        _ = server.opened(1, at: .zero)
        #expect(server.deadline == nil)
    }

    @Test func `a wrong token closes the connection with the profile's code`() throws {
        var server = try server()
        _ = server.opened(1, at: .zero)
        #expect(say(&server, #"{"op":2,"d":{"token":"stolen"}}"#) == ["1 close 4004"])
    }

    @Test func `a resumed session receives the events from while it was cut`() throws {
        var server = try server()
        _ = server.opened(1, at: .zero)
        let ready = say(&server, #"{"op":2,"d":{"token":"token-of-ana"}}"#)[0]
        let session = try #require(ready.split(separator: "\"").drop { $0 != "session_id" }.dropFirst(2).first)
        let effects = lines(server.carryOut(server.service.advance(to: .zero + .seconds(4))))
        #expect(effects.count == 4 && effects[3] == "1 cut", "\(effects)")
        _ = server.opened(2, at: .zero)
        let resumed = say(
            &server, #"{"op":6,"d":{"token":"token-of-ana","session_id":"\#(session)","seq":4}}"#, on: 2)
        #expect(resumed.count == 2 && resumed[0].contains("In the gap"), "\(resumed)")
    }

    @Test func `a resumed session receives missed events, and an unknown session is refused`() throws {
        var server = try server()
        _ = server.opened(1, at: .zero)
        let ready = say(&server, #"{"op":2,"d":{"token":"token-of-ana"}}"#)[0]
        let session = try #require(ready.split(separator: "\"").drop { $0 != "session_id" }.dropFirst(2).first)
        server.closed(1)
        let missed = DeclaredNews(name: "TYPING_START", arguments: [.fields(["channel_id": .string("1")])])
        #expect(server.carryOut(server.service.tell(missed)) == [])
        _ = server.opened(2, at: .zero)
        func resume(_ name: some StringProtocol) -> [String] {
            say(&server, #"{"op":6,"d":{"token":"token-of-ana","session_id":"\#(name)","seq":1}}"#, on: 2)
        }
        #expect(resume("another") == [#"2 {"op":9}"#])
        #expect(
            resume(session) == [
                #"2 {"d":{"channel_id":"1"},"t":"TYPING_START","s":2}"#, #"2 {"d":{},"t":"RESUMED","s":3}"#,
            ])
    }
}

@Suite struct ProfileInversionTests {
    @Test func `a filled template yields its values again`() throws {
        let path = try Template("/rooms/{room}/messages/{message}")
        #expect(path.values(in: "/rooms/a%2Fb/messages/7", stop: "/") == ["room": "a%2Fb", "message": "7"])
        #expect(path.values(in: "/rooms/a/b/messages/7", stop: "/") == nil)
        #expect(try Template("{a}-{b}").values(in: "x-y-z") == ["a": "x", "b": "y-z"])
        #expect(try Template("{a}{a}").values(in: "xx") == ["a": "x"])
        let body = try JSONTemplate(JSONValue(parsing: Array(#"{"d":[1,"{text}"],"n":"no {id}"}"#.utf8)[...]))
        let value = try JSONValue(parsing: Array(#"{"n":"no 7","more":true,"d":[1,{"x":1}]}"#.utf8)[...])
        #expect(body.values(in: value) == nil)
        let fitting = try JSONValue(parsing: Array(#"{"n":"no 7","more":true,"d":[1,5]}"#.utf8)[...])
        #expect(body.values(in: fitting) == ["text": .integer(5), "id": .string("7")])
    }

    @Test(arguments: [
        ("payload.op = 10", #"{"op":10}"#),
        ("payload.data.type = message and payload.n in (3, 4)", #"{"data":{"type":"message"},"n":3}"#),
        ("not payload.ok = true", #"{"ok":false}"#), ("payload.a exists", #"{"a":true}"#),
        ("payload.a != x", "{}"), ("payload.list[1].x = 2", #"{"list":[null,{"x":2}]}"#),
    ])
    func `an example value satisfies its condition`(_ condition: String, _ value: String) throws {
        #expect(try ProfileCondition(condition).example(from: .object([]))?.raw.description == value)
    }
}
