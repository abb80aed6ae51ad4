import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

/// Checks where the last server (era C) differs from that of 2021.
@Suite struct LastEditionTests {
    private func stage() throws -> Stage {
        var stage = Stage()
        stage.world.edition = .last
        _ = try stage.post("U2", "Hello", id: "M1")
        return stage
    }

    private func messages(_ frames: [Frame]) -> [String] {
        frames.filter { $0.payload["type"]?.stringValue == "message" }.map(\.line)
    }

    @Test func `T3: a reply is sent twice and once per author of its thread, then its head with its counters`()
        throws
    {
        var stage = try stage()
        let frames = try stage.reply("U1", "Hi", id: "M2", to: "M1")
        #expect(
            messages(frames)
                == Array(repeating: "created message \(Room.feed)", count: 4) + ["updated message \(Room.feed)"])
        let head = frames.last { $0.payload["type"]?.stringValue == "message" }?.payload["resource"]
        #expect(head?["id"]?.stringValue == "M1")
        // The counter includes the head (Twake TW-82).
        #expect(head?["stats"]?["replies"]?.integerValue == 2)
        #expect(head?["last_replies"]?.arrayValue?.last?["id"]?.stringValue == "M2")
        #expect(head?["cache"]?["channel_id"]?.stringValue == "CH")
    }

    @Test func `T1 and T5: the thread's room is silent, and the list shows the edited text of the last message`() throws
    {
        var stage = try stage()
        let edit = try stage.act("U2", .edit(message: "M1", text: "Hello!"))
        #expect(
            edit.map(\.line) == [
                "updated message \(Room.feed)",
                #"event \#(Room.updates) {"client_id":"system","action":"update","message_id":"M1","thread_id":""}"#,
                "updated channel_activity \(Room.list)",
            ])
        let last = edit.last?.payload["resource"]?["last_message"]
        #expect(last?["text"]?.stringValue == "Hello!")
        _ = try stage.post("U1", "Newer", id: "M2")
        let older = try stage.act("U2", .delete(message: "M1"))
        #expect(!older.map(\.line).contains("updated channel_activity \(Room.list)"))
    }

    @Test func `T12: the event of a removal names the removed user`() throws {
        var stage = try stage()
        let frames = try stage.act("U2", .removeMember(channel: "CH", user: "U3"))
        #expect(frames.first?.payload["resource"]?["user_id"]?.stringValue == "U3")
    }

    @Test func `an internal error's message is hidden`() throws {
        let error = RESTError(status: 500, message: "Can't write this message.")
        let body = Backend.response(to: error, .core, .last).body
        let value = try JSONValue(parsing: body[...])
        #expect(value["message"]?.stringValue == "Something went wrong")
        #expect(value["requestId"] != nil)
    }

    @Test func `an old client with a refused token is disconnected at once`() {
        var effects: [RealtimeConnection.Effect] = []
        var connection = RealtimeConnection(
            SocketIOServer.Configuration(revision: .v3, sid: "S"), .last, openedAt: .zero)
        let tokens = Tokens(key: (1, 2))
        connection.start(at: .zero, tokens, into: &effects)
        #expect(connection.deadline.map { $0 > Moment(microseconds: 15_000_000) } ?? true)
        connection.receive(.text(#"42["authenticate",{}]"#), at: .zero, tokens, into: &effects)
        #expect(effects.last == .close(.orderly("unauthorized")))
    }
}
