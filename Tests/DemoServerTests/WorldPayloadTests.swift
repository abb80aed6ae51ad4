import Testing
import WeirEvents
import WeirJSON

@testable import WeirDemoServer

/// Checks the payloads of Twake TW-29 to TW-45 byte for byte.
@Suite struct WorldPayloadTests {
    @Test func `a message is sent whole, with a path that omits messages`() throws {
        var stage = Stage()
        let frames = try stage.post("U2", "Hello 👋", id: "M1")
        #expect(
            frames[1].text
                == #"{"action":"created","room":"\#(Room.feed)","type":"message","path":"/companies/C/threads/M1/M1","#
                + #""resource":{"thread_id":"M1","id":"M1","ephemeral":null,"type":"message","subtype":null,"created_at":2000,"#
                + #""updated_at":2000,"user_id":"U2","application_id":null,"text":"Hello 👋","#
                + #""blocks":[{"type":"twacode","elements":["Hello 👋"]}],"files":null,"context":null,"edited":null,"#
                + #""pinned_info":null,"reactions":null,"bookmarks":null,"override":null}}"#)
    }

    @Test func `an activity contains the channel's id and a summary of the message`() throws {
        var stage = Stage()
        let frames = try stage.post("U2", "Hello", id: "M1")
        #expect(
            frames[2].text
                == #"{"action":"updated","room":"\#(Room.list)","type":"channel_activity","#
                + #""path":"/companies/C/workspaces/W/channels/CH","resource":{"company_id":"C","workspace_id":"W","id":"CH","#
                + #""last_activity":2000,"last_message":{"date":2000,"sender":"U2","sender_name":"Ben Okafor","#
                + #""title":"📄 ch1 in Acme • WS1","text":"Hello"}}}"#)
    }

    @Test func `a badge is keyed by its thread, and the notification names the sender`() throws {
        var stage = Stage()
        let frames = try stage.post("U2", "Hello", id: "M1")
        let id = stage.world.badgeIDs.badge(user: "U1", thread: "M1")
        #expect(
            frames[4].text
                == #"{"action":"saved","room":"\#(Room.notifications("U1"))","type":"user_notification_badges","path":"/","#
                + #""resource":{"company_id":"C","user_id":"U1","workspace_id":"W","channel_id":"CH","thread_id":"M1","#
                + #""message_id":"M1","id":"\#(id)"}}"#)
        #expect(
            frames[5].text
                == #"{"action":"event","room":"\#(Room.notifications("U1"))","type":"notification:desktop","path":null,"#
                + #""resource":{"company_id":"C","workspace_id":"W","channel_id":"CH","user":"U1","thread_id":"M1","#
                + #""message_id":"M1","title":"ch1 in Acme • WS1","text":"Ben Okafor: Hello"}}"#)
    }

    @Test func `a new channel's first saved event has no activity, and the activity after it has no message`() throws {
        var stage = Stage(withChannel: false)
        var new = NewChannel<EntityID>(workspace: "W", name: "ch1")
        new.icon = "📄"
        let frames = try stage.act("U2", .createChannel(new), id: "CH")
        #expect(
            frames[2].text
                == #"{"action":"saved","room":"\#(Room.list)","type":"channel","path":"/companies/C/workspaces/W/channels/CH","#
                + #""resource":{"is_default":false,"archived":false,"members":[],"connectors":[],"last_activity":0,"#
                + #""company_id":"C","workspace_id":"W","id":"CH","archivation_date":0,"channel_group":"","description":"","#
                + #""icon":"📄","name":"ch1","owner":"U2","visibility":"public","updated_at":2000,"created_at":2000}}"#)
        #expect(
            frames[3].payload["resource"]?.raw.description
                == #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":2000,"last_message":null}"#)
    }

    @Test func `a membership is nested in the member's list and bare in the channel's room`() throws {
        var stage = Stage()
        let frames = try stage.act("U1", .markRead(channel: "CH"))
        let bare =
            #"{"company_id":"C","workspace_id":"W","user_id":"U1","channel_id":"CH","id":"U1","type":"member","last_access":2000,"#
            + #""last_increment":0,"favorite":false,"notification_level":"all","expiration":null,"updated_at":2000,"created_at":1000}"#
        #expect(
            frames[0].payload["resource"]?.raw.description
                == #"{"company_id":"C","workspace_id":"W","id":"CH","user_member":\#(bare)}"#)
        #expect(frames[1].payload["resource"]?.raw.description == bare)
        #expect(frames[1].payload["path"]?.stringValue == "/companies/C/workspaces/W/channels/CH/members/U1")
    }

    @Test func `reactions count their users in order of arrival`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        _ = try stage.act("U1", .react(message: "M1", names: ["👍", "❤️"]))
        let frames = try stage.act("U3", .react(message: "M1", names: ["👍"]))
        #expect(
            frames[0].payload["resource"]?["reactions"]?.raw.description
                == #"[{"name":"👍","count":2,"users":["U1","U3"]},{"name":"❤️","count":1,"users":["U1"]}]"#)
        let back = try stage.act("U1", .react(message: "M1", names: []))
        #expect(
            back[0].payload["resource"]?["reactions"]?.raw.description == #"[{"name":"👍","count":1,"users":["U3"]}]"#)
    }

    @Test(arguments: [
        (NotificationLevel.all, "hello", true), (.mentions, "hello", false), (.mentions, "hello @ana!", true),
        (.mentions, "@all hello", true), (.me, "@all hello", false), (.me, "for @ana.", true),
        (.mentions, "@anabel hello", false),
        (.none, "@ana", false),
    ])
    func `a member is notified according to their level`(level: NotificationLevel, text: String, isNotified: Bool)
        throws
    {
        var stage = Stage()
        _ = try stage.act("U1", .changeMembership(channel: "CH", isFavorite: nil, level: level))
        _ = try stage.post("U2", text, id: "M1")
        #expect(stage.world.badges(of: "U1").isEmpty != isNotified)
    }

    @Test func `a forbidden action is refused and changes nothing`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        _ = try stage.act("U1", .openDirect(with: ["U2"]), id: "D")
        let before = stage.world.truth(for: "U2")
        #expect(throws: WorldError.refused("Can't write this message.")) {
            try stage.act("U1", .edit(message: "M1", text: "mine"))
        }
        #expect(throws: WorldError.notFound("Channel not found")) {
            try stage.post("U3", "let me in", id: "M2", in: "D")
        }
        #expect(throws: WorldError.badRequest("The message has no text")) { try stage.post("U2", "", id: "M2") }
        #expect(throws: WorldError.notFound("User U9 not found")) { try stage.post("U9", "hello", id: "M2") }
        #expect(stage.world.truth(for: "U2") == before)
    }

    @Test func `a thread above the channel's limit removes the least recently active one`() throws {
        var stage = Stage()
        stage.world.maximumThreads = 20
        for index in 0..<20 { _ = try stage.post("U2", "text", id: "M\(index)") }
        _ = try stage.reply("U1", "still alive", id: "R", to: "M0")
        _ = try stage.post("U2", "one more", id: "last")
        #expect(stage.world.threads.count == 20)
        #expect(stage.world.threads["M0"] != nil)
        #expect(stage.world.threads["M1"] == nil)
        #expect(stage.world.messages["M1"] == nil)
    }
}
