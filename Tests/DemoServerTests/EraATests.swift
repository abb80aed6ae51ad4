import Testing
import WeirJSON

@testable import WeirDemoServer
@testable import WeirEvents

/// Checks the calls of era A (Twake TW-71 to TW-78), both the raw answers and their decoding by `WeirEvents`.
@Suite struct EraATests {
    @Test func `the host answers without a token and names its socket`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "/internal/mobile/", token: .some(nil))
        #expect(answer.status == 200)
        #expect(answer.json["ready"] == .bool(true))
        #expect(answer.json["socket_endpoint"]?.raw.description == #"{"host":"http://127.0.0.1:1","path":"/socket"}"#)
    }

    @Test func `the user, the companies and the workspaces are not wrapped in an envelope`() throws {
        var stage = try RESTStage()
        let user = stage.ask("GET", "/internal/mobile/user")
        #expect(
            user.json.keys == [
                "id", "email", "username", "firstname", "lastname", "thumbnail", "last_activity", "console_id",
                "status_icon", "status", "language",
            ])
        let account = try Twake.account(from: user.body)
        #expect(account.id == stage.user("ana") && account.name == "Ana Lima")
        #expect(try Twake.places(from: stage.ask("GET", "/internal/mobile/companies").body).map(\.name) == ["Acme"])
        let workspaces = stage.ask("GET", "/internal/mobile/workspaces?company_id=\(stage.company)")
        #expect(try Twake.places(from: workspaces.body).map(\.name) == ["WS1"])
        #expect(
            stage.ask("GET", "/internal/mobile/workspaces/members?\(stage.place())").json.texts("username") == [
                "ana", "ben", "cleo",
            ])
    }

    @Test func `rooms are four fixed ones, then one for each channel and each direct`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "/internal/mobile/workspace/notifications?\(stage.place())")
        let rooms = try Twake.rooms(from: answer.body)
        #expect(rooms.map(\.kind) == [.channelsList, .channelsList, .directsList, .notifications, .channel, .direct])
        #expect(
            rooms.map(\.id) == [
                "public", "private", "direct", "private", stage.channel("General").description,
                stage.direct.description,
            ])
        #expect(rooms[4].key == "previous::channels/\(stage.channel("General"))/messages/updates")
    }

    @Test func `channels are sorted by name with all members, and a direct is named after its other members`() throws {
        var stage = try RESTStage()
        let mine = stage.ask("GET", "/internal/mobile/channels?\(stage.place())")
        let general = try #require(try Twake.channels(from: mine.body).first)
        #expect(general.members == [stage.user("ben"), stage.user("ana"), stage.user("cleo")])
        #expect(mine.json.arrayValue?.first?["has_unread"] == .bool(true))
        #expect(mine.json.arrayValue?.first?["permissions"]?.arrayValue?.count == 4)
        #expect(
            stage.ask("GET", "/internal/mobile/channels?\(stage.place())&all=true").json.texts("name") == [
                "Another", "General",
            ])
        let directs = stage.ask("GET", "/internal/mobile/direct?company_id=\(stage.company)")
        #expect(directs.json.texts("name") == ["Ben Okafor"])
        #expect(try Twake.channels(from: directs.body).first?.members == [stage.user("ben")], "without oneself")
    }

    @Test func `messages are heads and replies mixed by date, and a head's thread is null`() throws {
        var stage = try RESTStage()
        let general = stage.channel("General")
        let answer = stage.ask("GET", "/internal/mobile/messages?\(stage.place(general))")
        let messages = try Twake.messages(from: answer.body)
        #expect(messages.map(\.text) == ["one", "two", "first"])
        #expect(messages.map(\.isHead) == [true, true, false])
        #expect(messages.map(\.replies) == [1, 0, 0])
        #expect(messages.first?.senderName == "Ben Okafor")
        #expect(answer.json.arrayValue?.first?["thread_id"] == .null)
        let thread = stage.ask("GET", "/internal/mobile/messages?\(stage.place(general))&thread_id=\(stage.id("one"))")
        #expect(try Twake.messages(from: thread.body).map(\.text) == ["one", "first"])
        let single = stage.ask(
            "GET", "/internal/mobile/messages?\(stage.place(general))&message_id=\(stage.id("first"))")
        #expect(try Twake.message(from: single.body).text == "first")
    }

    @Test func `before_message_id excludes its message, and drops the last one if the id is unknown`() throws {
        var stage = try RESTStage()
        let place = stage.place(stage.channel("General"))
        let before = stage.ask("GET", "/internal/mobile/messages?\(place)&before_message_id=\(stage.id("one"))")
        #expect(try Twake.messages(from: before.body).map(\.text) == ["two", "first"])
        let unknown = stage.ask("GET", "/internal/mobile/messages?\(place)&before_message_id=none")
        #expect(try Twake.messages(from: unknown.body).map(\.text) == ["one", "two"])
    }

    @Test func `after_date returns newer messages regardless of edits, and zero means no date`() throws {
        var stage = try RESTStage()
        let place = stage.place(stage.channel("General"))
        let date = try #require(stage.message("two")).createdAt
        let after = stage.ask("GET", "/internal/mobile/messages?\(place)&after_date=\(date)")
        #expect(
            try Twake.messages(from: after.body).map(\.text) == ["one", "first"], "the head's thread was active later")
        #expect(
            try Twake.messages(from: stage.ask("GET", "/internal/mobile/messages?\(place)&after_date=0").body).count
                == 3)
    }

    @Test func `messages are posted, answered, edited, liked and deleted, and a deleted one is absent`() throws {
        var stage = try RESTStage()
        let general = stage.channel("General")
        let posted = stage.ask("POST", "/internal/mobile/messages", stage.body(general, #""original_str":"three""#))
        let id = try Twake.message(from: posted.body).id
        #expect(stage.frames.contains { $0.payload["data"]?["message_id"]?.stringValue == id.description })
        let reply = stage.ask(
            "POST", "/internal/mobile/messages", stage.body(general, #""original_str":"re","thread_id":"\#(id)""#))
        #expect(try Twake.message(from: reply.body).thread == id)
        let edited = stage.ask(
            "PUT", "/internal/mobile/messages", stage.body(general, #""original_str":"III","message_id":"\#(id)""#))
        #expect(try Twake.message(from: edited.body).text == "III")
        let liked = stage.ask(
            "POST", "/internal/mobile/reactions", stage.body(general, #""message_id":"\#(id)","reaction":"👍""#))
        #expect(liked.json["reactions"]?.texts("name") == ["👍"])
        let unliked = stage.ask(
            "POST", "/internal/mobile/reactions", stage.body(general, #""message_id":"\#(id)","reaction":"""#))
        #expect(unliked.json["reactions"]?.arrayValue == [])
        let deleted = stage.ask("DELETE", "/internal/mobile/messages", stage.body(general, #""message_id":"\#(id)""#))
        #expect(deleted.json.raw.description == #"{"success":true}"#)
        let gone = stage.ask("GET", "/internal/mobile/messages?\(stage.place(general))&message_id=\(id)")
        #expect(gone.status == 400)
        #expect(gone.json.raw.description == #"{"error":"Object not found"}"#)
        #expect(
            try !Twake.messages(from: stage.ask("GET", "/internal/mobile/messages?\(stage.place(general))").body)
                .contains { $0.id == id })
    }

    @Test func `channels are made, changed, read, joined, left and deleted`() throws {
        var stage = try RESTStage()
        let made = stage.ask(
            "POST", "/internal/mobile/channels",
            stage.body(nil, #""name":"new","visibility":"private","members":["\#(stage.user("ben"))"]"#))
        let channel = try Twake.channel(from: made.body)
        #expect(channel.name == "New", "the proxy begins names with a capital")
        let id = channel.id
        let changed = stage.ask("PUT", "/internal/mobile/channels", stage.body(id, #""name":"Newer""#))
        #expect(changed.json["permissions"] == nil)
        #expect(changed.json["name"]?.stringValue == "Newer")
        #expect(stage.ask("POST", "/internal/mobile/channels/read", stage.body(id)).json == .bool(true))
        let added = stage.ask(
            "POST", "/internal/mobile/channels/members", stage.body(id, #""members":["\#(stage.user("cleo"))"]"#))
        #expect(added.json.texts("email") == ["ana@example.org", "ben@example.org", "cleo@example.org"])
        let removed = stage.ask(
            "DELETE", "/internal/mobile/channels/members", stage.body(id, #""members":["\#(stage.user("cleo"))"]"#))
        #expect(removed.json.arrayValue?.count == 2)
        #expect(
            stage.ask("DELETE", "/internal/mobile/channels", stage.body(id)).json.raw.description
                == #"{"success":true}"#)
        #expect(stage.world.channel(id) == nil)
    }

    @Test func `a direct is found or created`() throws {
        var stage = try RESTStage()
        let found = stage.ask("POST", "/internal/mobile/direct", stage.body(nil, #""member":"\#(stage.user("ben"))""#))
        #expect(try Twake.channel(from: found.body).id == stage.direct)
        let made = stage.ask("POST", "/internal/mobile/direct", stage.body(nil, #""member":"\#(stage.user("cleo"))""#))
        #expect(try Twake.channel(from: made.body).name == "Cleo Žák")
    }

    @Test func `badges are counted per company, workspace and channel`() throws {
        var stage = try RESTStage()
        let counts = try Twake.badgeCounts(
            from: stage.ask("GET", "/internal/mobile/badges?company_id=\(stage.company)").body)
        #expect(
            counts == [
                .init(level: .company, id: stage.company, count: 3),
                .init(level: .workspace, id: stage.workspace, count: 2),
                .init(level: .workspace, id: "direct", count: 1),
                .init(level: .channel, id: stage.channel("General"), count: 2),
                .init(level: .channel, id: stage.direct, count: 1),
            ])
    }

    @Test func `the proxy answers 403 to a bad token and 400 to anything it cannot find`() throws {
        var stage = try RESTStage()
        let wrong = stage.ask("GET", "/internal/mobile/companies", token: "nonsense")
        #expect(wrong.status == 403)
        #expect(wrong.json.raw.description == #"{"error":"Wrong token"}"#)
        let none = stage.ask("GET", "/internal/mobile/companies", token: .some(nil))
        #expect(none.status == 403)
        #expect(none.json.raw.description == #"{"error":"Token is not provided"}"#)
        #expect(stage.ask("GET", "/internal/mobile/channels?company_id=none&workspace_id=x").status == 400)
        #expect(
            stage.ask("GET", "/internal/mobile/channels").json.raw.description
                == #"{"error":"should have required property 'company_id'"}"#)
        #expect(stage.ask("GET", "/internal/mobile/nothing").status == 404)
    }
}
