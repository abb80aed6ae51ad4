import Testing
import WeirEvents
import WeirJSON

@testable import WeirDemoServer

/// Checks the traces of Twake TW-48 to TW-60: the frames that one action makes the server send, room by room.
@Suite struct WorldTraceTests {
    @Test
    func `T1 and T2: a new message goes to the thread, the feed, the list, era A's room, then to notified users`()
        throws
    {
        var stage = Stage()
        let lines = try stage.post("U2", "Hello", id: "M1").map(\.line)
        #expect(
            lines == [
                "saved message \(Room.thread("M1"))",
                "created message \(Room.feed)",
                "updated channel_activity \(Room.list)",
                #"event \#(Room.updates) {"client_id":"system","action":"update","message_id":"M1","thread_id":""}"#,
                "saved user_notification_badges \(Room.notifications("U1"))",
                "event notification:desktop \(Room.notifications("U1"))",
                "saved user_notification_badges \(Room.notifications("U3"))",
                "event notification:desktop \(Room.notifications("U3"))",
            ])
    }

    @Test func `T3: a reply names its thread, counts as activity of the channel, and does not send the head again`()
        throws
    {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        let lines = try stage.reply("U1", "Hi", id: "M2", to: "M1").map(\.line)
        #expect(
            lines == [
                "saved message \(Room.thread("M1"))",
                "created message \(Room.feed)",
                "updated channel_activity \(Room.list)",
                #"event \#(Room.updates) {"client_id":"system","action":"update","message_id":"M2","thread_id":"M1"}"#,
                "saved user_notification_badges \(Room.notifications("U2"))",
                "event notification:desktop \(Room.notifications("U2"))",
                "saved user_notification_badges \(Room.notifications("U3"))",
                "event notification:desktop \(Room.notifications("U3"))",
            ])
        #expect(stage.world.badges(of: "U3").map(\.message) == ["M2"], "one badge per thread, saved again")
    }

    @Test func `T4: an edit, a reaction and a pin update the feed and save in the thread, without activity`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        let expected = [
            "saved message \(Room.thread("M1"))",
            "updated message \(Room.feed)",
            #"event \#(Room.updates) {"client_id":"system","action":"update","message_id":"M1","thread_id":""}"#,
        ]
        #expect(try stage.act("U2", .edit(message: "M1", text: "Hello!")).map(\.line) == expected)
        #expect(try stage.act("U1", .react(message: "M1", names: ["👍"])).map(\.line) == expected)
        #expect(try stage.act("U3", .pin(message: "M1", isPinned: true)).map(\.line) == expected)
    }

    @Test func `T5: a deletion is an update with the subtype deleted, and remove in era A`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        let frames = try stage.act("U2", .delete(message: "M1"))
        #expect(
            frames.map(\.line) == [
                "saved message \(Room.thread("M1"))",
                "updated message \(Room.feed)",
                #"event \#(Room.updates) {"client_id":"system","action":"remove","message_id":"M1","thread_id":""}"#,
            ])
        #expect(
            frames[1].payload["resource"]?.raw.description
                == #"{"thread_id":"M1","id":"M1","ephemeral":null,"type":"message","subtype":"deleted","created_at":2000,"#
                + #""updated_at":3000,"user_id":"U2","application_id":null,"text":"Deleted message","blocks":[],"files":[],"#
                + #""context":null,"edited":null,"pinned_info":null,"reactions":[],"bookmarks":null,"override":null}"#)
    }

    @Test func `T6: marking a channel read saves the membership and deletes its badges one by one`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "One", id: "M1")
        _ = try stage.post("U2", "Two", id: "M2")
        let lines = try stage.act("U1", .markRead(channel: "CH")).map(\.line)
        #expect(
            lines == [
                "saved channel_member \(Room.mine("U1"))",
                "saved channel_member \(Room.members)",
                "deleted user_notification_badges \(Room.notifications("U1"))",
                "deleted user_notification_badges \(Room.notifications("U1"))",
            ])
        #expect(stage.world.badges(of: "U1").isEmpty)
        #expect(stage.world.badges(of: "U3").count == 2)
    }

    @Test
    func `T7: a new direct has only its creator, and the first message adds the other and notifies after two seconds`()
        throws
    {
        var stage = Stage()
        let direct = "/companies/C/workspaces/direct/channels/D"
        let opened = try stage.act("U1", .openDirect(with: ["U2"]), id: "D").map(\.line)
        #expect(
            opened == [
                "saved channel_member \(Room.directs("U1"))",
                "saved channel_member \(direct)?type=public",
                "saved channel \(Room.directs("U1"))",
                "saved channel \(Room.directs("U2"))",
                "updated channel_activity \(Room.directs("U1"))",
                "updated channel_activity \(Room.directs("U2"))",
            ])
        #expect(stage.world.channels(of: "U2").map(\.id) == ["CH"], "the other's list does not have it yet")

        let first = try stage.post("U1", "Hi Ben", id: "M1", in: "D").map(\.line)
        #expect(
            first == [
                "saved message \(Room.thread("M1"))",
                "created message \(direct)/feed",
                "updated channel_activity \(Room.directs("U1"))",
                "updated channel_activity \(Room.directs("U2"))",
                #"event previous::channels/D/messages/updates "#
                    + #"{"client_id":"system","action":"update","message_id":"M1","thread_id":""}"#,
                "saved channel_member \(Room.directs("U2"))",
                "saved channel_member \(direct)?type=public",
            ])
        #expect(stage.world.channels(of: "U2").map(\.id) == ["CH", "D"])

        let due = try #require(stage.world.nextDelayed)
        #expect(stage.world.advance(to: due - 1).isEmpty)
        #expect(
            stage.world.advance(to: due).map(\.line) == [
                "saved user_notification_badges \(Room.notifications("U2"))",
                "event notification:desktop \(Room.notifications("U2"))",
            ])
    }

    @Test func `a direct that is read within two seconds gets no badge`() throws {
        var stage = Stage()
        _ = try stage.act("U1", .openDirect(with: ["U2"]), id: "D")
        _ = try stage.post("U1", "Hi Ben", id: "M1", in: "D")
        _ = try stage.act("U2", .markRead(channel: "D"))
        #expect(stage.world.advance(to: 1_000_000).isEmpty)
        #expect(stage.world.badges(of: "U2").isEmpty)
    }

    @Test func `T8: opening an existing direct sends channels to every participant`() throws {
        var stage = Stage()
        _ = try stage.act("U1", .openDirect(with: ["U2"]), id: "D")
        let outcome = try stage.world.perform(.openDirect(with: ["U1"]), by: "U2", at: 9_000, newID: "other")
        #expect(outcome.subject == "D")
        #expect(
            outcome.frames.map(\.line) == [
                "saved channels \(Room.directs("U1"))", "saved channels \(Room.directs("U2"))",
            ])
    }

    @Test func `T9: a new channel is announced to its owner, then to everyone, then to each invited member`() throws {
        var stage = Stage(withChannel: false)
        var new = NewChannel<EntityID>(workspace: "W", name: "ch1")
        new.isPrivate = true
        new.members = ["U1"]
        let lines = try stage.act("U2", .createChannel(new), id: "CH").map(\.line)
        #expect(
            lines == [
                "saved channel_member \(Room.mine("U2"))",
                "saved channel_member \(Room.members)",
                "saved channel \(Room.list)",
                "updated channel_activity \(Room.list)",
                "saved channel_member \(Room.mine("U1"))",
                "saved channel_member \(Room.members)",
            ])
    }

    @Test
    func `T10: a rename sends one saved channel with the real last activity, and a rename to the same name is refused`()
        throws
    {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        let frames = try stage.act("U1", .changeChannel("CH", name: "ch2", icon: nil, description: nil))
        #expect(frames.map(\.line) == ["saved channel \(Room.list)"])
        #expect(frames.first?.payload["resource"]?["last_activity"] == .integer(2_000))
        #expect(throws: WorldError.badRequest("Nothing to update")) {
            try stage.act("U1", .changeChannel("CH", name: "ch2", icon: nil, description: nil))
        }
        let again = try stage.act("U1", .changeMembership(channel: "CH", isFavorite: false, level: .all))
        #expect(
            again.map(\.line) == ["saved channel_member \(Room.mine("U1"))", "saved channel_member \(Room.members)"])
    }

    @Test func `T11 and T12: joins and leaves are sent to the member's list and to the channel's room`() throws {
        var stage = Stage()
        let left = try stage.act("U3", .removeMember(channel: "CH", user: "U3"))
        #expect(
            left.map(\.line) == ["deleted channel_member \(Room.mine("U3"))", "deleted channel_member \(Room.members)"])
        #expect(
            left.first?.text
                == #"{"action":"deleted","room":"\#(Room.mine("U3"))","type":"channel_member","path":"/","#
                + #""resource":{"company_id":"C","workspace_id":"W","id":"CH","user_member":null}}"#)
        let joined = try stage.act("U2", .addMember(channel: "CH", user: "U3"))
        #expect(
            joined.map(\.line) == ["saved channel_member \(Room.mine("U3"))", "saved channel_member \(Room.members)"])
    }

    @Test func `a renamed workspace is announced in the company's room`() throws {
        var stage = Stage()
        let frames = try stage.act("U1", .renameWorkspace("W", name: "New"))
        #expect(frames.map(\.line) == ["saved workspace /companies/C/workspaces"])
        #expect(frames.first?.payload["resource"]?["name"] == .string("New"))
        #expect(throws: WorldError.notFound("Workspace not found")) {
            try stage.act("U1", .renameWorkspace("X", name: "New"))
        }
    }

    @Test func `coming online is announced to the company, going offline to no room, and neither is repeated`() throws {
        var stage = Stage()
        let came = try stage.act("U2", .presence(isOnline: true))
        #expect(came.map(\.line) == ["event user:online /users/online/C"])
        #expect(try stage.act("U2", .presence(isOnline: true)).isEmpty)
        let left = try stage.act("U2", .presence(isOnline: false))
        #expect(left.map(\.line) == ["event user:online /users/online/toBeFetched"])
    }

    @Test func `T13: a deleted channel is announced once with few fields, and its badges go`() throws {
        var stage = Stage()
        _ = try stage.post("U2", "Hello", id: "M1")
        let frames = try stage.act("U2", .deleteChannel("CH"))
        #expect(
            frames.map(\.line) == [
                "deleted channel \(Room.list)",
                "deleted user_notification_badges \(Room.notifications("U1"))",
                "deleted user_notification_badges \(Room.notifications("U3"))",
            ])
        #expect(
            frames.first?.text
                == #"{"action":"deleted","room":"\#(Room.list)","type":"channel","path":"/companies/C/workspaces/W/channels/CH","#
                + #""resource":{"is_default":false,"archived":false,"members":[],"connectors":[],"last_activity":0,"#
                + #""company_id":"C","workspace_id":"W","id":"CH"}}"#)
        #expect(stage.world.messages.isEmpty)
    }

    @Test func `T14: a moved message is created in its new thread, and no frame says that it left the old one`() throws
    {
        var stage = Stage()
        _ = try stage.post("U2", "One", id: "M1")
        _ = try stage.post("U2", "Two", id: "M2")
        _ = try stage.reply("U1", "Wrong thread", id: "M3", to: "M1")
        let frames = try stage.act("U1", .move(message: "M3", target: "M2"))
        #expect(frames.map(\.line) == ["saved message \(Room.thread("M2"))", "created message \(Room.feed)"])
        #expect(stage.world.messages(ofThread: "M1").map(\.id) == ["M1"])
        #expect(stage.world.messages(ofThread: "M2").map(\.id) == ["M2", "M3"])
    }

    @Test func `typing is announced in the company's room and changes nothing`() throws {
        var stage = Stage()
        let before = stage.world.truth(for: "U1")
        let lines = try stage.act("U2", .typing(channel: "CH", message: nil, isWriting: true)).map(\.line)
        #expect(
            lines == [
                #"event /companies/C/workspaces {"type":"writing","event":{"thread_id":"","channel_id":"CH","user_id":"U2","#
                    + #""name":"Ben Okafor","is_writing":true}}"#
            ])
        #expect(stage.world.truth(for: "U1") == before)
    }
}
