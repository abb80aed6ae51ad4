import Foundation
import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for a session of a declared backend, using the room chat sample and answers like those of its server.
@Suite struct DeclaredSessionTests {
    private static let samples = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../samples/profiles")

    private static func sample(_ name: String) throws -> Profile {
        try Profile(parsing: Array(Data(contentsOf: samples.appending(path: name + ".yaml"))))
    }

    /// A connected session of the chat that knows its rooms.
    private func joined(rooms: [String] = []) throws -> Transcript {
        var chat = Transcript(
            Configuration(backend: .declared(try Self.sample("socketio-chat")), revision: .v4, rooms: rooms))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        #expect(chat.sent.first == #"40{"token":"t0ken"}"#)
        chat.receive(#"40{"sid":"t"}"#)
        chat.answer("/api/me", #"{"id":"ana","name":"Ana Lima"}"#)
        return chat
    }

    private func row(_ chat: Transcript, _ kind: String, _ id: String) -> String? {
        chat.session.model[Item.ID(Item.Kind(rawValue: kind), EntityID(id))].map { item in
            var writer = JSONWriter()
            item.entity.encode(into: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    private func rooms(_ chat: Transcript) -> [String] {
        chat.effects.compactMap {
            if case .report(.room(let room)) = $0 {
                "\(room.change) \(room.room)\(room.why.map { ": " + $0 } ?? "")"
            } else {
                nil
            }
        }
    }

    @Test func `rooms are listed, joined by an acknowledged event, and fetched`() throws {
        var chat = try joined()
        #expect(chat.asked == ["/api/rooms"])
        chat.answer("/api/rooms", #"[{"id":"lobby","title":"The lobby"},{"id":"dev","title":"Dev"}]"#)
        #expect(chat.sent == [#"420["join",{"room":"lobby"}]"#, #"421["join",{"room":"dev"}]"#])
        #expect(chat.session.roomFacts(of: "lobby").title == "The lobby")
        chat.receive(#"430[{"ok":true}]"#)
        #expect(rooms(chat) == ["joined lobby"])
        #expect(chat.requests.map(\.target) == ["/api/rooms/lobby/messages?limit=50"])
        chat.receive(#"431[{"ok":false,"error":"members only"}]"#)
        #expect(rooms(chat) == ["refused dev: members only"])
        chat.answer(
            "/lobby/messages",
            #"{"messages":[{"id":1,"text":"hi","sender":"ana","room":"lobby","at":1700000000},{"id":2,"sender":"bo","at":0}]}"#
        )
        #expect(row(chat, "message", "1") == #"{"text":"hi","user":"ana","at":1700000000000}"#)
        let undecodable = chat.effects.compactMap {
            if case .report(.undecodable(let report)) = $0 { report.message } else { nil }
        }
        #expect(undecodable == ["message 2 without text (byte 0); the row is left out"])
    }

    @Test(arguments: [
        (#"["ana","bo"]"#, ["ana/ana", "bo/bo"]), (#""ana""#, ["ana/ana"]), ("[7]", ["7/7"]), ("null", []),
        (#"[{"id":1,"username":"ana"},{"user_id":"2"},{"name":"bo"},{"x":1}]"#, ["ana/1", "-/2", "bo/-"]),
    ])
    func `mentions of an event are ids, names or objects, taken from the event or its row`(
        mentioned: String, titles: [String]
    ) throws {
        let profile = try Profile(
            parsing: Array(
                """
                name: chat
                entities: {message: {fields: {text: , mentions: to.users}}}
                events:
                  - {event: said, entity: message}
                  - {event: called, mentions: whom}
                """.utf8))
        var chat = Transcript(Configuration(backend: .declared(profile), revision: .v4))
        chat.feed(.opened(connection: chat.connection, token: nil))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"t"}"#)
        func seen() -> [String] {
            chat.effects.flatMap { effect in
                guard case .report(.event(let event)) = effect else { return [String]() }
                return event.mentions.map { "\($0.name ?? "-")/\($0.id ?? "-")" }
            }
        }
        chat.receive(#"42["said",{"id":1,"text":"hi","to":{"users":\#(mentioned)}}]"#)
        #expect(seen() == titles)
        let row = chat.session.model[Item.ID(.message, EntityID("1"))]?.entity.value
        #expect(row?.mentions.count == titles.count)
        chat.receive(#"42["called",{"whom":\#(mentioned)}]"#)
        #expect(seen() == titles)
    }

    @Test func `an event is printed as its rule defines, and its row is kept`() throws {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(
            #"42["message",{"id":7,"text":"hello","sender":"ana","room":"lobby","at":"2026-01-02T03:04:05Z"}]"#)
        let events = chat.effects.compactMap { if case .report(.event(let event)) = $0 { event } else { nil } }
        #expect(events.map(\.kind) == ["message"])
        #expect(events.map(\.room) == ["lobby"])
        #expect(events.map(\.actor) == ["ana"])
        #expect(events.map(\.event.summary) == ["hello"])
        #expect(events.map(\.serverTime) == [Timestamp(milliseconds: 1_767_323_045_000)])
        #expect(row(chat, "message", "7") == #"{"text":"hello","user":"ana","at":1767323045000}"#)
        #expect(chat.ids(in: Item.Section("message", EntityID("lobby"))) == ["7"])
    }

    @Test func `missing fields keep their value, null fields are removed, and an older event changes nothing`()
        throws
    {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(#"42["message",{"id":7,"text":"one","sender":"ana","room":"lobby","at":1,"edited_at":5}]"#)
        chat.receive(#"42["message",{"id":7,"text":"two","room":"lobby","edited_at":6}]"#)
        #expect(row(chat, "message", "7") == #"{"text":"two","user":"ana","at":1000,"edited":6000}"#)
        chat.receive(#"42["message",{"id":7,"text":"zero","room":"lobby","edited_at":4}]"#)
        #expect(row(chat, "message", "7") == #"{"text":"two","user":"ana","at":1000,"edited":6000}"#)
        chat.receive(#"42["message",{"id":7,"text":"three","sender":null,"room":"lobby","edited_at":7}]"#)
        #expect(row(chat, "message", "7") == #"{"text":"three","at":1000,"edited":7000}"#)
        chat.receive(#"42["message_deleted",{"id":7,"room":"lobby","by":"ana"}]"#)
        #expect(row(chat, "message", "7") == nil)
    }

    @Test func `a malformed event of a known name is reported, and an unknown one is shown`() throws {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(#"42["message",{"id":7,"room":"lobby"}]"#)
        #expect(
            chat.effects.contains {
                if case .report(.undecodable(let report)) = $0 {
                    report.message.contains("message 7 without text")
                } else {
                    false
                }
            })
        chat.receive(#"42["shout",{"a":1}]"#)
        let events = chat.effects.compactMap { if case .report(.event(let event)) = $0 { event } else { nil } }
        #expect(events.map(\.kind) == ["event"])
        #expect(events.map(\.isKnown) == [false])
        #expect(events.map(\.event.summary) == [#"shout {"a":1}"#])
    }

    @Test func `a row missing from an answer is removed, unless an event brought it meanwhile`() throws {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(#"430[{"ok":true}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1},{"id":2,"text":"b","at":2}]}"#)
        let section = Item.Section("message", EntityID("lobby"))
        #expect(chat.ids(in: section) == ["1", "2"])
        chat.cut()
        chat.pass(.seconds(30))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"u"}"#)
        #expect(chat.sent == [#"421["join",{"room":"lobby"}]"#])
        chat.answer("/api/me", #"{"id":"ana","name":"Ana Lima"}"#)
        chat.receive(#"431[{"ok":true}]"#)
        chat.receive(#"42["message",{"id":3,"text":"c","room":"lobby","at":3}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1}]}"#)
        #expect(chat.ids(in: section) == ["1", "2", "3"])
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1},{"id":3,"text":"c","at":3}]}"#)
        #expect(chat.ids(in: section) == ["1", "3"])
    }

    /// A session of the chat that has joined the lobby and waits for its messages.
    private func inLobby() throws -> Transcript {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(#"430[{"ok":true}]"#)
        return chat
    }
    private let lobby = Item.Section("message", EntityID("lobby"))

    @Test func `after a gap, rows that a window does not list are removed, however old they are`() throws {
        var chat = try inLobby()
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1},{"id":2,"text":"b","at":2}]}"#)
        chat.cut()
        chat.pass(.seconds(30))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"u"}"#)
        chat.receive(#"431[{"ok":true}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"b","at":2}]}"#)
        #expect(chat.ids(in: lobby) == ["2"])
        // Without a gap, rows older than the window stay.
        chat.feed(.look(room: "lobby", part: .messages, since: nil))
        chat.answer("/lobby/messages", #"{"messages":[{"id":3,"text":"c","at":3}]}"#)
        #expect(chat.ids(in: lobby) == ["2", "3"])
    }

    @Test func `rows from an overtaken answer are removed when the next one does not list them, however old`() throws {
        var chat = try inLobby()
        chat.receive(#"42["message_deleted",{"id":1,"room":"lobby","by":"ana"}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1},{"id":2,"text":"b","at":2}]}"#)
        #expect(chat.ids(in: lobby) == ["1", "2"])
        chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"b","at":2}]}"#)
        #expect(chat.ids(in: lobby) == ["2"])
    }

    @Test func `an event in a room that is not followed is shown, and its row is not kept`() throws {
        var chat = try inLobby()
        chat.receive(#"42["message",{"id":7,"text":"late","room":"dev","at":1}]"#)
        #expect(chat.effects.contains { if case .report(.event) = $0 { true } else { false } })
        #expect(row(chat, "message", "7") == nil)
    }

    @Test func `an answer that is not a list, a row or a page is ignored and the request repeated`()
        throws
    {
        for (status, body) in [(200, #"{"messages":{"unexpected":[]}}"#), (200, "<html>"), (404, " <html>")] {
            var chat = try inLobby()
            chat.answer("/lobby/messages", status: status, body)
            #expect(!chat.requests.contains { $0.target.contains("/lobby/messages") })
            chat.idle(40)
            chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"b","at":2}]}"#)
            #expect(chat.ids(in: lobby) == ["2"])
        }
    }

    @Test func `a page does not prove that a message was deleted`() throws {
        var chat = try inLobby()
        chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"b","at":2}]}"#)
        let reference = Action.MessageReference(channel: EntityID("lobby"), message: EntityID("2"))
        chat.feed(.act(Action(id: EntityID("a"), .delete(reference), asked: Timestamp(milliseconds: 0))))
        chat.answer("/lobby/messages/2", "<html>")
        #expect(chat.session.pendingActions.count == 1)
    }

    @Test func `an event ignored for an unknown row makes the request in flight repeat`() throws {
        var profile = try Self.sample("socketio-chat")
        profile.events[0].then.unknown = .nothing
        var chat = Transcript(Configuration(backend: .declared(profile), revision: .v4, rooms: ["lobby"]))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"t"}"#)
        chat.receive(#"430[{"ok":true}]"#)
        chat.receive(#"42["message",{"id":2,"text":"new","room":"lobby","at":2,"edited_at":3}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"old","at":2}]}"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":2,"text":"new","at":2,"edited_at":3}]}"#)
        #expect(row(chat, "message", "2") == #"{"text":"new","at":2000,"edited":3000}"#)
    }

    @Test func `an answer from before a room was joined removes nothing`() throws {
        var chat = try joined(rooms: ["lobby"])
        chat.receive(#"430[{"ok":true}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1},{"id":2,"text":"b","at":2}]}"#)
        chat.feed(.look(room: "lobby", part: .messages, since: nil))
        chat.cut()
        chat.pass(.seconds(30))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"u"}"#)
        chat.receive(#"431[{"ok":true}]"#)
        chat.answer("/lobby/messages", #"{"messages":[{"id":1,"text":"a","at":1}]}"#)
        #expect(chat.ids(in: Item.Section("message", EntityID("lobby"))) == ["1", "2"])
        #expect(chat.asked.contains("/api/rooms/lobby/messages"), "it is asked again")
    }

    @Test func `a recording's header contains the profile and recreates the same session`() throws {
        let configuration = Configuration(backend: .declared(try Self.sample("socketio-chat")))
        #expect(try Configuration(json: configuration.json) == configuration)
    }

    @Test func `a chat with one event name and a type field has messages, edits, threads and typing`()
        throws
    {
        var chat = Transcript(Configuration(backend: .declared(try Self.sample("webui")), revision: .v4, rooms: []))
        chat.feed(.opened(connection: chat.connection, token: Secret("t0ken")))
        chat.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        chat.receive(#"40{"sid":"t"}"#)
        #expect(chat.sent == [#"42["user-join",{"auth":{"token":"t0ken"}}]"#])
        chat.answer("/api/v1/auths/", #"{"id":"ana","name":"Ana Lima"}"#)
        chat.answer("/api/v1/channels/", #"[{"id":"c1","name":"general","description":""}]"#)
        #expect(rooms(chat) == ["wanted c1", "joining c1", "joined c1"])
        chat.answer(
            "/channels/c1/messages",
            #"[{"id":"m1","user_id":"bo","channel_id":"c1","content":"hi","created_at":1767323045000000000,"updated_at":1767323045000000000}]"#
        )
        #expect(row(chat, "message", "m1")?.contains(#""at":1767323045000"#) == true)
        func event(_ type: String, _ data: String) -> String {
            #"42["channel-events",{"channel_id":"c1","message_id":"m1","data":{"type":"\#(type)","data":\#(data)},"user":{"id":"bo","name":"Bo"}}]"#
        }
        var kinds: [String] = []
        for (type, data) in [
            (
                "message",
                #"{"id":"m2","channel_id":"c1","content":"two","parent_id":"m1","created_at":1767323046000000000,"updated_at":1}"#
            ),
            (
                "message:reply",
                #"{"id":"m1","channel_id":"c1","content":"hi","reply_count":1,"updated_at":1767323046000000000}"#
            ),
            ("message:update", #"{"id":"m2","channel_id":"c1","content":"2","updated_at":1767323047000000000}"#),
            ("typing", #"{"typing":true}"#), ("message:reaction:add", #"{"id":"m1","name":"+1"}"#),
        ] {
            chat.receive(event(type, data))
            kinds += chat.effects.compactMap {
                if case .report(.event(let event)) = $0 {
                    "\(event.kind) \(event.room ?? "") \(event.actor ?? "")"
                } else {
                    nil
                }
            }
        }
        #expect(kinds == ["message", "reply", "edit", "typing", "reaction"].map { "\($0) c1 Bo" })
        #expect(row(chat, "message", "m2")?.hasPrefix(#"{"text":"2","thread":"m1""#) == true)
        #expect(row(chat, "message", "m1")?.contains(#""replies":1"#) == true)
        #expect(chat.asked.contains { $0.contains("/channels/c1/messages") }, "a reaction reads again")
        chat.receive(event("message:delete", #"{"id":"m2","channel_id":"c1"}"#))
        #expect(row(chat, "message", "m2") == nil)
    }
}
