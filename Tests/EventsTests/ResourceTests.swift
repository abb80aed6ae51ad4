import Testing
import WeirJSON
import WeirWire

@testable import WeirEvents

@Suite struct `Resource events` {
    static let actions: [(String, Twake.ResourceAction)] = [
        ("created", .created), ("saved", .saved), ("updated", .updated), ("deleted", .deleted), ("event", .event),
        ("Saved", .unknown("Saved")), ("", .unknown("")),
    ]
    static let types: [(String, Twake.ResourceType)] = [
        ("channel", .channel), ("channels", .channels), ("channel_activity", .channelActivity),
        ("channel_member", .channelMember), ("channel_tabs", .channelTabs), ("message", .message),
        ("user_notification_badges", .badges), ("notification:desktop", .desktopNotification),
        ("user_message_bookmark", .bookmark), ("workspace", .workspace), ("user", .user), ("company", .company),
        ("company_user", .companyUser), ("company_application", .companyApplication), ("user:online", .online),
        ("documents:updated", .documentsUpdated), ("channel_activities", .unknown("channel_activities")),
    ]
    /// A resource with the required fields of every type.
    static let everything = """
        {"id":"I","company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":"T","user_id":"U","online":[]}
        """

    @Test(arguments: actions, types)
    func `an event of every action and type is read, and keeps its wire names`(
        _ action: (name: String, value: Twake.ResourceAction), _ type: (name: String, value: Twake.ResourceType)
    ) throws {
        let event = try Twake.Event(
            "realtime:resource",
            #"{"action":"\#(action.name)","room":"R","type":"\#(type.name)","path":"/","resource":\#(Self.everything)}"#
        )
        let resource = try #require(event.resource)
        #expect(resource.action == action.value && resource.action.wireName == action.name)
        #expect(resource.type == type.value && resource.type.wireName == type.name)
        #expect(Twake.ResourceAction(wire: action.name) == action.value)
        #expect(Twake.ResourceType(wire: type.name) == type.value)
        #expect(Event.twake(event).isKnown == (action.value.isKnown && type.value.isKnown))
        #expect(Event.twake(event).room == "R")
        try expectForm(of: resource)
    }

    /// Types of known form are decoded; the others keep their text.
    private func expectForm(of resource: Twake.SocketIOResource) throws {
        switch (resource.type, resource.resource) {
        case (.channel, .channel), (.channels, .channel), (.channelActivity, .activity), (.channelMember, .member),
            (.message, .message), (.badges, .badge), (.desktopNotification, .desktopNotification), (.online, .online),
            (.workspace, .workspace), (.company, .company), (.user, .user), (.companyUser, .companyUser),
            (.channelTabs, .tab), (.bookmark, .bookmark), (.documentsUpdated, .document):
            break
        case (.companyApplication, .other(let text)), (.unknown, .other(let text)):
            #expect(text.description == Self.everything)
        default: Issue.record("\(resource.type) is read as \(resource.resource)")
        }
    }

    @Test func `a channel event contains all fields that were sent`() throws {
        let event = try Sample.event("3.3 channel saved: a rename")
        #expect(
            event.resource?.resource
                == .channel(
                    Twake.Channel(
                        id: EntityID("2982dc0a-65aa-47ae-a13c-082b2e3cc2a9"), company: EntityID("C"),
                        workspace: EntityID("W"), visibility: .public, name: "Primary channel", icon: "📄",
                        description: "",
                        owner: EntityID("U1"), lastActivity: Timestamp(milliseconds: 1_620_987_956_000),
                        updatedAt: Timestamp(milliseconds: 1_620_987_956_123),
                        createdAt: Timestamp(milliseconds: 1_620_987_900_000))))
        #expect(Event.twake(event).serverTime == Timestamp(milliseconds: 1_620_987_956_123))
    }

    @Test func `a direct has its members, and a deleted channel only its ids`() throws {
        guard case .channel(let direct) = try Sample.event("3.3 channel saved: a new direct").resource?.resource,
            case .channel(let deleted) = try Sample.event("3.3 channel deleted").resource?.resource
        else { return #expect(Bool(false), "not channels") }
        #expect(direct.members == [EntityID("U1"), EntityID("U2")])
        #expect(direct.workspace == EntityID("direct") && direct.visibility == .direct)
        #expect(
            deleted
                == Twake.Channel(
                    id: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"),
                    lastActivity: Timestamp(milliseconds: 0)))
    }

    @Test func `an activity has the last message, or none`() throws {
        guard case .activity(let activity) = try Sample.event("3.3 channel_activity updated").resource?.resource,
            case .activity(let first) = try Sample.event("3.3 channel_activity: at creation").resource?.resource,
            case .activity(let numbers) = try Sample.event("9 (8): ids as numbers").resource?.resource
        else { return #expect(Bool(false), "not activities") }
        let time = Timestamp(milliseconds: 1_620_987_774_000)
        let message = Twake.MessageSummary(
            date: time, sender: EntityID("U1"), senderName: "First Last", title: "📄 ch1 in TestCompany • WS1",
            text: "Message 2")
        #expect(
            activity
                == Twake.ChannelActivity(
                    channel: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"), lastActivity: time,
                    lastMessage: message))
        #expect(first.lastMessage == nil)
        #expect(numbers.lastMessage == nil && numbers.lastActivity == time && numbers.channel == EntityID("4711"))
    }

    @Test func `a membership is the same in its nested and its bare form`() throws {
        let expected = Twake.ChannelMember(
            channel: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"), user: EntityID("U1"),
            type: "member",
            lastAccess: Timestamp(milliseconds: 1_620_987_780_123), isFavorite: false, notificationLevel: "mentions",
            updatedAt: Timestamp(milliseconds: 1_620_987_780_125),
            createdAt: Timestamp(milliseconds: 1_620_900_000_000), lastIncrement: 0)
        #expect(try Sample.event("3.3 channel_member saved, list").resource?.resource == .member(expected))
        #expect(try Sample.event("3.3 channel_member saved, channel").resource?.resource == .member(expected))
        var left = Twake.ChannelMember(channel: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"))
        #expect(try Sample.event("3.3 channel_member deleted, list room").resource?.resource == .member(left))
        left.user = EntityID("U1")
        #expect(try Sample.event("3.3 channel_member deleted, list room of 2022").resource?.resource == .member(left))
    }

    @Test func `a message is the same in the feed's and the thread's room`() throws {
        let created = try Sample.event("3.3 message created")
        let saved = try Sample.event("3.3 message saved")
        let expected = Twake.Message(
            id: EntityID("5828c718-b49e-11eb-8ae0-0242ac120003"),
            thread: EntityID("c920712e-b49d-11eb-8ed2-0242ac120003"),
            user: EntityID("U1"), text: "Message 2", createdAt: Timestamp(milliseconds: 1_620_987_774_123),
            updatedAt: Timestamp(milliseconds: 1_620_987_774_130))
        #expect(created.resource?.resource == .message(expected) && created.resource?.action == .created)
        #expect(saved.resource?.resource == .message(expected) && saved.resource?.action == .saved)
        #expect(!expected.isHead)
    }

    @Test func `a message event contains edits, pins, reactions and the deletion`() throws {
        guard case .message(let edited) = try Sample.event("3.3 message updated: edited").resource?.resource,
            case .message(let deleted) = try Sample.event("3.3 message updated: deleted").resource?.resource,
            case .message(let head) = try Sample.event("3.3 message: 2022").resource?.resource
        else { return #expect(Bool(false), "not messages") }
        #expect(edited.editedAt == Timestamp(milliseconds: 1_620_987_800_000) && edited.isPinned)
        #expect(edited.reactions.map(\.name) == [":heart:", "❤️"] && edited.reactions.map(\.count) == [2, 1])
        #expect(edited.reactions.first?.users == [EntityID("U1"), EntityID("U2")])
        #expect(deleted.subtype == "deleted" && deleted.reactions.isEmpty)
        #expect(head.isHead && head.replies == 3 && head.channel == EntityID("CH") && head.senderName == "First Last")
    }

    @Test func `an ephemeral message, which has no id, keeps its text`() throws {
        guard case .other(let text) = try Sample.event("3.3 message: ephemeral").resource?.resource else {
            return #expect(Bool(false), "not kept as text")
        }
        #expect(text.description.contains(#""ephemeral":{"id":"E""#))
    }

    @Test func `a badge, a notification and presence contain their ids`() throws {
        let message = EntityID("5828c718-b49e-11eb-8ae0-0242ac120003")
        let thread = EntityID("c920712e-b49d-11eb-8ed2-0242ac120003")
        #expect(
            try Sample.event("3.3 user_notification_badges saved").resource?.resource
                == .badge(
                    Twake.Badge(
                        company: EntityID("C"), workspace: EntityID("W"), channel: EntityID("CH"), thread: thread,
                        user: EntityID("U1"), message: message)))
        #expect(
            try Sample.event("3.3 notification:desktop").resource?.resource
                == .desktopNotification(
                    Twake.DesktopNotification(
                        company: EntityID("C"), workspace: EntityID("W"), channel: EntityID("CH"),
                        thread: EntityID("T"), message: EntityID("M"), user: EntityID("U1"),
                        title: "ch1 in TestCompany • WS1", text: "First Last: Message 2")))
        #expect(
            try Sample.event("1.6: presence as").resource?.resource
                == .online([
                    Twake.OnlineStatus(user: EntityID("U2"), isOnline: true),
                    Twake.OnlineStatus(user: EntityID("U3"), isOnline: false),
                ]))
    }

    @Test func `an event reads the same, whatever the order of its keys`() throws {
        let members = [
            #""action":"saved""#, #""room":"R""#, #""type":"user_notification_badges""#, #""path":null"#,
            #""resource":{"company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":null,"message_id":"M"}"#,
        ]
        let usual = try Twake.Event("realtime:resource", "{\(members.joined(separator: ","))}")
        var generator = RandomSource(seed: 3)
        for _ in 0..<200 {
            let shuffled = members.shuffled(using: &generator).joined(separator: " ,\n")
            #expect(try Twake.Event("realtime:resource", "{ \(shuffled) }") == usual)
        }
        guard case .badge(let badge) = usual.resource?.resource else { return #expect(Bool(false), "no badge") }
        #expect(badge.thread == EntityID("M"))
    }

    @Test func `an event accepts names written with escapes`() throws {
        let event = try Twake.Event(
            "realtime:resource",
            #"{"\u0061ction":"s\u0061ved","room":"a\/b","type":"us\u0065r","resource":{"id":"\u00e9"}}"#)
        #expect(event.resource?.action == .saved && event.resource?.type == .user && event.resource?.room == "a/b")
    }
}
