import Testing
import WeirJSON

@testable import WeirEvents

/// One test for each row of Twake TW-46, in its order: the wiki's description of events compared
/// with the events that servers send.
@Suite struct `The wiki compared with the servers` {
    private func resource(_ action: String, _ type: String, _ resource: String) throws -> Twake.SocketIOResource {
        let event = try Twake.Event(
            "realtime:resource",
            #"{"action":"\#(action)","room":"R","type":"\#(type)","path":null,"resource":\#(resource)}"#)
        return try #require(event.resource)
    }

    @Test func `ResourceAction also has created and event, which the wiki does not list`() throws {
        for action in ["updated", "saved", "deleted", "created", "event"] {
            let decoded = try resource(action, "workspace", #"{"id":"W"}"#).action
            #expect(decoded.isKnown && decoded.wireName == action)
        }
        #expect(try resource("archived", "workspace", #"{"id":"W"}"#).action == .unknown("archived"))
    }

    @Test func `ResourceType has sixteen values, not the wiki's three`() throws {
        let body =
            #"{"id":"I","company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":"T","user_id":"U","online":[]}"#
        let types = [
            "channel", "channel_member", "channel_activity", "channels", "message", "user_notification_badges",
            "notification:desktop", "user:online", "channel_tabs", "user_message_bookmark", "workspace", "user",
            "company", "company_user", "company_application", "documents:updated",
        ]
        for type in types { #expect(try resource("saved", type, body).type.isKnown, "\(type)") }
        #expect(try resource("saved", "huddle", body).type == .unknown("huddle"))
    }

    @Test func `SocketIORoom.key is a text, not a ResourceAction, and five types of rooms are not in the wiki`()
        throws
    {
        let rooms = try Twake.rooms(from: Sample.answer("A", "rooms", "2.2: since"))
        #expect(rooms.first?.key == "/companies/C/workspaces/W/channels?type=public")
        #expect(Set(rooms.map(\.kind)) == [.channelsList, .directsList, .notifications, .channel, .direct])
    }

    @Test func `SocketIOEvent.data also has a client and a signature, and its thread may be empty`()
        throws
    {
        guard case .event(let event) = try Sample.event("3.1: the thread of a top-level message is empty") else {
            return #expect(Bool(false), "no event")
        }
        let id = EntityID("5828c718-b49e-11eb-8ae0-0242ac120003")
        #expect(event.data == .message(action: .update, message: id, thread: id))
    }

    @Test
    func `SocketIOResource also has a room and a path, which identify a message's channel`()
        throws
    {
        let message = try #require(try Sample.event("3.3 message created: a reply").resource)
        #expect(Twake.RoomName(message.room).channel == EntityID("CH"))
        #expect(message.path?.description.hasPrefix(#""/companies/C/threads/"#) == true)
        #expect(try Sample.event("1.6: presence").resource?.path == nil)
    }

    @Test func `the wiki's example of a created channel is a rename`() throws {
        guard case .channel(let renamed) = try Sample.event("the wiki's SocketIOResource: 'channel").resource?.resource,
            case .channel(let created) = try Sample.event("3.3 channel saved: a new direct").resource?.resource
        else { return #expect(Bool(false), "no channels") }
        #expect(renamed.lastActivity == Timestamp(milliseconds: 1_620_987_956_000))
        #expect(created.lastActivity == Timestamp(milliseconds: 0))
    }

    @Test func `Authentication.expiration is in seconds, while all other timestamps are in milliseconds`() throws {
        let a = try Twake.authentication(from: Sample.answer("A", "authentication"))
        #expect(a.expiration == Timestamp(milliseconds: 1_620_991_374_000))
        #expect(a.refreshExpiration == Timestamp(milliseconds: 1_623_579_774_000) && a.issuedAt == nil)
        let b = try Twake.authentication(from: Sample.answer("B", "authentication"))
        #expect(b.expiration == Timestamp(milliseconds: 1_631_613_600_000))
        #expect(b.issuedAt == Timestamp(milliseconds: 1_631_610_000_000))
        let accounts = try ["A", "B"].map { try Twake.account(from: Sample.answer($0, "account")).lastActivity }
        #expect(accounts.map { $0?.milliseconds } == [1_620_987_000_000, 1_631_600_000_000])
    }

    @Test func `Message has content and dates, and in era B text, blocks, files and always a thread`()
        throws
    {
        let a = try Twake.message(from: Sample.answer("A", "message"))
        let b = try #require(try Sample.message("3.3 message created: a reply"))
        #expect(a.text == "Message 2" && a.content == [.text("Message 2")] && a.blocks == nil)
        #expect(b.text == "Message 2" && b.content == [.text("Message 2")] && b.blocks == nil)
        #expect(a.createdAt == Timestamp(milliseconds: 1_620_987_774_000) && a.updatedAt == a.createdAt)
        #expect(b.createdAt == Timestamp(milliseconds: 1_620_987_774_123))
        let head = try #require(try Twake.messages(from: Sample.answer("A", "messages")).first)
        #expect(head.thread == head.id)
        #expect(try Sample.message("3.3 message updated: deleted")?.subtype == .deleted)
    }

    @Test func `Message.userId contains the application in era A, and era B sends userId and appId`() throws {
        let a = try #require(try Twake.messages(from: Sample.answer("A", "messages")).last)
        #expect(a.user == EntityID("APP") && a.application == nil && a.senderName == "Calendar")
        let b = try #require(try Sample.message("3.3 message created: by an application"))
        #expect(b.user == EntityID("APP") && b.application == EntityID("APP") && b.subtype == .application)
        #expect(b.sender == "CI" && b.override == Twake.Override(title: "CI", picture: "https://example.org/ci.png"))
    }

    @Test func `MessageSummary.sender and senderName may be missing`() throws {
        let body =
            #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":1,"last_message":{"date":1,"text":"x"}}"#
        guard case .activity(let bot) = try Sample.event("3.3 channel_activity: a bot").resource?.resource,
            case .activity(let bare) = try resource("updated", "channel_activity", body).resource
        else { return #expect(Bool(false), "no activities") }
        #expect(bot.lastMessage?.sender == nil && bot.lastMessage?.senderName == "Twake")
        #expect(bare.lastMessage?.sender == nil && bare.lastMessage?.senderName == nil)
    }

    @Test func `Channel.lastMessage may be an empty object, which the core writes instead of null`() throws {
        #expect(try Twake.channels(from: Sample.answer("B", "channels")).first?.lastMessage == nil)
        #expect(try Twake.channels(from: Sample.answer("A", "channels")).last?.lastMessage == nil)
        guard case .activity(let created) = try Sample.event("3.3 channel_activity: at").resource?.resource else {
            return #expect(Bool(false), "no activity")
        }
        #expect(created.lastMessage == nil)
    }

    @Test func `Channel.name is missing for a direct on the core, which is named after its other members`() throws {
        let body = try Sample.answer("B", "channels")
        #expect(try Twake.channels(from: body, user: EntityID("U1")).last?.name == "Second User")
        let event = #"{"id":"D","company_id":"C","workspace_id":"direct","visibility":"direct","members":["U1","U2"]}"#
        guard case .channel(let direct) = try resource("saved", "channel", event).resource else {
            return #expect(Bool(false), "no channel")
        }
        #expect(direct.name == nil)
    }

    @Test func `Channel.permissions and membersCount were replaced by a role and a getter in July`() throws {
        let june = try #require(try Twake.channels(from: Sample.answer("A", "channels")).first)
        #expect(june.permissions.first == .updateName && june.permissions.count == 6 && june.role == nil)
        #expect(june.membersCount == 2 && june.statedMembersCount == nil)
        let last = try #require(try Sample.channel("3.3 channel saved: of 2022"))
        #expect(last.role == .owner && last.permissions.isEmpty)
        #expect(last.membersCount == 3 && last.members.isEmpty && last.messagesCount == 9)
        let companies = try ["A", "B"].map { try Twake.companies(from: Sample.answer($0, "companies")).first }
        #expect(companies.map { $0?.role } == [nil, .owner])
        #expect(companies.map { $0?.permissions } == [[.createWorkspaces], []])
        #expect(try Twake.workspaces(from: Sample.answer("B", "workspaces")).first?.role == .moderator)
        #expect(try Twake.workspaces(from: Sample.answer("A", "workspaces")).first?.permissions == [.editWorkspace])
    }

    @Test func `Channel.hasUnread ignores messages by the user, unlike the wiki's rule`() throws {
        let channel = try #require(try Twake.channels(from: Sample.answer("A", "channels")).first)
        #expect(channel.hasUnread && channel.lastMessage?.sender == EntityID("U1"))
        #expect(channel.hasUnread(for: EntityID("U2")) && !channel.hasUnread(for: EntityID("U1")))
        #expect(channel.hasUnread(for: nil))
    }

    @Test func `Account.thumbnail, consoleId, statusIcon and firstname have other names on the core`()
        throws
    {
        let a = try #require(try Twake.accounts(from: Sample.answer("A", "accounts")).first)
        #expect(a.picture == "https://example.org/a.png" && a.providerID == EntityID("60") && a.firstName == "First")
        #expect(a.statusIcon == "🌴" && a.status == "away" && a.language == "fr" && a.isVerified == nil)
        let b = try Twake.account(from: Sample.answer("B", "account"))
        #expect(b.picture == "https://example.org/a.png" && b.providerID == EntityID("60") && b.firstName == "First")
        #expect(b.statusIcon == nil && b.status == nil && b.language == "en" && b.isVerified == true && !b.isDeleted)
    }

    @Test func `File has five fields and a numeric size, which was once text, and the core has metadata`() throws {
        let upload = try Twake.file(from: Sample.answer("A", "file"))
        #expect(upload.size == 1234 && upload.name == "plan.png" && upload.extension == "png" && upload.preview == nil)
        #expect(upload.download?.hasPrefix("/ajax/drive/download?") == true)
        #expect(try Twake.file(from: Array(#"{"id":"F","size":"1234"}"#.utf8)[...]).size == 1234)
        #expect(try Twake.file(from: Array(#"{"id":"F","size":"big"}"#.utf8)[...]).size == nil)
        let core = try Twake.file(from: Sample.answer("B", "file"))
        #expect(core.size == 1234 && core.mime == "image/png" && core.source == "internal")
        #expect(core.externalID == EntityID("F0") && core.thumbnails.first?.width == 64)
    }

    @Test func `Badge.count counts threads, not messages, and is matched by the arguments`() throws {
        let badge = Twake.BadgeCount(level: .channel, id: EntityID("CH"), count: 2)
        #expect(badge.matches(.channel, EntityID("CH")))
        #expect(!badge.matches(.channel, EntityID("C2")) && !badge.matches(.workspace, EntityID("CH")))
        #expect(Twake.BadgeCount.Level(wire: "none") == "none")
        // Ten messages in one thread are one badge, identified by the thread.
        let frames = try ["3.3 user_notification_badges saved", "3.3 user_notification_badges deleted"].map {
            try Sample.event($0).resource?.resource
        }
        #expect(frames.first == frames.last)
    }

    @Test func `states are equal only if every field is equal, not only the fields of their hash`() throws {
        let channel = Twake.Channel(id: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"), name: "n")
        var told = channel
        told.description = "what the first app's hash left out"
        #expect(told != channel)
        let message = Twake.Message(id: EntityID("M"), thread: EntityID("M"), text: "t")
        var edited = message
        edited.updatedAt = Timestamp(milliseconds: 1)
        #expect(edited != message)
        #expect(message == Twake.Message(id: EntityID("M"), thread: EntityID("M"), text: "t"))
    }

    @Test func `an unreadable event does not end the updates, as it did in the first application`() throws {
        #expect(throws: DecodingFailure.self) { try resource("deleted", "channel", #"{"id":7,"company_id":[]}"#) }
        // A sparse deletion, which ended the first application's updates, and events after an unreadable one.
        #expect(try Sample.event("3.3 channel deleted").resource?.action == .deleted)
        #expect(try resource("saved", "channel_member", #"{"id":"CH","user_member":null}"#).type == .channelMember)
    }

    @Test func `NotificationPayload has nested ids as the text of an object`() throws {
        let expected = ["C", "W", "CH", "T", "M"].map { EntityID($0) }
        for body in [
            try Sample.answer("A", "push"), try Sample.answer("B", "push"),
            Array(
                #"{"data":{"company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":"T","message_id":"M"}}"#
                    .utf8
            )[...],
        ] {
            let push = try Twake.pushNotification(from: body)
            #expect([push.company, push.workspace, push.channel, push.thread, push.message] == expected)
        }
        let push = try Twake.pushNotification(from: Sample.answer("A", "push"))
        #expect(push.title == "ch1 in TestCompany • WS1" && push.body == "First Last: Message 2")
        #expect(push.badge == 1 && push.sound == "default" && push.collapseKey == "CH")
        #expect(push.clickAction == "FLUTTER_NOTIFICATION_CLICK")
        let failure = try #require(throws: DecodingFailure.self) {
            try Twake.pushNotification(from: Array(#"{"data":{"notification_data":"{]"}}"#.utf8)[...])
        }
        #expect(failure.message == "data.notification_data: not the text of a JSON object of ids")
    }

    @Test func `a badge's frame contains everything, though the wiki describes no badges, mentions and files cubits`()
        throws
    {
        guard case .badge(let badge) = try Sample.event("3.3 user_notification_badges deleted").resource?.resource
        else {
            return #expect(Bool(false), "no badge")
        }
        let listed = try #require(try Twake.badges(from: Sample.answer("B", "badges")).first)
        #expect(badge.company == listed.company && badge.workspace == listed.workspace)
        #expect(badge.channel == listed.channel && badge.user == listed.user)
        let mention = try #require(try Sample.message("3.3 message created: somebody is addressed"))
        #expect(mention.content == [.text("Hi "), .mention(name: "a.user", user: EntityID("U1")), .lineBreak])
        let files = try #require(try Sample.message("3.3 message created: with files")).files
        #expect(files.map(\.id) == [EntityID("F1"), EntityID("F2")])
    }

    @Test func `the token and user of Globals may be missing, though the wiki requires them`() throws {
        #expect(
            try Sample.event("1.4: refused by the 2022 server, without a token")
                == .unauthorized(message: "No token provided"))
        let channel = try #require(try Twake.channels(from: Sample.answer("A", "channels")).first)
        #expect(channel.hasUnread(for: nil) && channel.hasUnread)
        for body in ["{}", #"{"token":null,"expiration":1}"#, #"{"access_token":null}"#] {
            let failure = try #require(throws: DecodingFailure.self) {
                try Twake.authentication(from: Array(body.utf8)[...])
            }
            #expect(failure.message == "token: missing")
        }
    }
}

extension Sample {
    /// The message of the event whose note starts with `note`; `nil` if the event has another subject.
    static func message(_ note: String) throws -> Twake.Message? {
        if case .message(let message) = try event(note).resource?.resource { message } else { nil }
    }

    /// The channel of the event whose note starts with `note`; `nil` if the event has another subject.
    static func channel(_ note: String) throws -> Twake.Channel? {
        if case .channel(let channel) = try event(note).resource?.resource { channel } else { nil }
    }
}
