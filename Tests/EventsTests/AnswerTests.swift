import Testing

@testable import WeirEvents

@Suite struct `REST answers` {
    @Test func `an answer of era A contains the account, companies and workspaces`() throws {
        #expect(try Twake.account(from: Sample.answer("A", "account")).name == "First Last")
        #expect(
            try Twake.places(from: Sample.answer("A", "companies"))
                == [.init(id: EntityID("C"), name: "TestCompany")])
        #expect(
            try Twake.places(from: Sample.answer("A", "workspaces"))
                == [.init(id: EntityID("W"), name: "WS1")])
    }

    @Test func `an answer of era B contains the account, companies and workspaces`() throws {
        #expect(try Twake.account(from: Sample.answer("B", "account")).name == "First Last")
        #expect(
            try Twake.places(from: Sample.answer("B", "companies"))
                == [.init(id: EntityID("C"), name: "TestCompany")])
        #expect(
            try Twake.places(from: Sample.answer("B", "workspaces"))
                == [.init(id: EntityID("W"), name: "WS1")])
    }

    @Test func `an answer of era A contains channels with their last messages and access times`() throws {
        let channels = try Twake.channels(from: Sample.answer("A", "channels"))
        let first = try #require(channels.first)
        #expect(channels.count == 2)
        var expected = Twake.Channel(
            id: EntityID("CH"), company: EntityID("C"), workspace: EntityID("W"), visibility: .public,
            name: "General", icon: "📄", description: "", members: [EntityID("U1"), EntityID("U2")],
            lastActivity: Timestamp(milliseconds: 1_621_233_242_000),
            lastMessage: Twake.MessageSummary(
                date: Timestamp(milliseconds: 1_621_233_242_000), sender: EntityID("U1"), senderName: "First Last",
                title: "General in TestCompany • WS1", text: "some text"),
            lastAccess: Timestamp(milliseconds: 1_621_233_000_000))
        expected.isMember = true
        expected.permissions = [
            .updateName, .updateDescription, .addMember, .removeMember, .updatePrivacy, .deleteChannel,
        ]
        #expect(first == expected)
        #expect(first.hasUnread)
        #expect(
            channels.last?.lastMessage == nil && channels.last?.lastAccess == nil && channels.last?.hasUnread == false)
        #expect(try Twake.channel(from: Sample.answer("A", "channel")) == first)
    }

    @Test func `an answer of era B contains channels, and directs are named after the included users`() throws {
        let body = try Sample.answer("B", "channels")
        let channels = try Twake.channels(from: body, user: EntityID("U1"))
        #expect(channels.map(\.name) == ["General", "Second User"])
        #expect(try Twake.channels(from: body).last?.name == "First Last, Second User")
        #expect(channels.first?.lastMessage == nil && channels.last?.lastMessage?.text == "hi")
        #expect(channels.first?.lastAccess == Timestamp(milliseconds: 1_620_987_780_123))
        #expect(channels.last?.members == [EntityID("U1"), EntityID("U2")])
        let channel = try Twake.channel(from: Sample.answer("B", "channel"))
        #expect(channel.name == "General" && channel.owner == EntityID("U1") && channel.updatedAt == nil)
    }

    @Test func `an answer of era A contains messages, and a head's thread is its own id`() throws {
        let messages = try Twake.messages(from: Sample.answer("A", "messages"))
        let thread = EntityID("c920712e-b49d-11eb-8ed2-0242ac120003")
        #expect(messages.map(\.isHead) == [true, false, true])
        #expect(messages.map(\.text) == ["", "Message 2", "Message 2"])
        #expect(messages.map(\.senderName) == ["First Last", "First Last", "Calendar"])
        #expect(messages.first?.replies == 1)
        let reply = Twake.Message(
            id: EntityID("5828c718-b49e-11eb-8ae0-0242ac120003"), thread: thread, channel: EntityID("CH"),
            user: EntityID("U1"), senderName: "First Last", text: "Message 2",
            createdAt: Timestamp(milliseconds: 1_620_987_774_000),
            updatedAt: Timestamp(milliseconds: 1_620_987_774_000),
            reactions: [Twake.Reaction(name: "👍", count: 1, users: [EntityID("U2")])], replies: 0)
        #expect(messages.dropFirst().first == reply)
        #expect(try Twake.message(from: Sample.answer("A", "message")) == reply)
    }

    @Test func `a feed of era B contains each head followed by its last replies, every message once`() throws {
        let messages = try Twake.messages(from: Sample.answer("B", "messages", "4.4 feed"))
        #expect(messages.map(\.text) == ["Message 1", "Message 2", "alone"])
        #expect(messages.map(\.replies) == [3, nil, 0])
        #expect(messages.map(\.isHead) == [true, false, true])
        #expect(messages.first?.senderName == "First Last")
        #expect(try Twake.messages(from: Sample.answer("B", "messages", "4.4 thread")).count == 2)
        let head = try Twake.message(from: Sample.answer("B", "message"))
        #expect(head == messages.first)
    }

    @Test func `an answer contains badges in era B and counters in era A`() throws {
        let badges = try Twake.badges(from: Sample.answer("B", "badges"))
        #expect(badges.map(\.workspace) == [EntityID("W"), EntityID("direct")])
        #expect(badges.last?.thread == badges.last?.message)
        let counts = try Twake.badgeCounts(from: Sample.answer("A", "badge_counts"))
        #expect(
            counts.map(\.count) == [3, 2, 1, 2] && counts.map(\.level) == [.company, .workspace, .workspace, .channel])
        #expect(counts.first?.matches(.company, EntityID("C")) == true)
        #expect(counts.first?.matches(.workspace, EntityID("C")) == false)
    }

    @Test func `an answer contains the members of the requested channel`() throws {
        let channel = EntityID("CH")
        let era = try Twake.members(from: Sample.answer("A", "members"), channel: channel)
        #expect(era.map(\.user) == [EntityID("U1")] && era.map(\.channel) == [channel])
        let members = try Twake.members(from: Sample.answer("B", "members"), channel: channel)
        #expect(members.map(\.user) == [EntityID("U1"), EntityID("U2")])
        #expect(members.map(\.channel) == [channel, channel] && members.map(\.type) == ["member", "guest"])
    }

    @Test func `the list of rooms and the older map contain the same rooms`() throws {
        let list = try Twake.rooms(from: Sample.answer("A", "rooms", "2.2: since"))
        let map = try Twake.rooms(from: Sample.answer("A", "rooms", "2.2: before"))
        #expect(Array(list.prefix(5)) == map)
        #expect(list.map(\.kind) == [.channelsList, .channelsList, .directsList, .notifications, .channel, .direct])
        #expect(list.map(\.id).prefix(4) == ["public", "private", "direct", "private"])
    }

    @Test(arguments: [
        ("{}", "resources: missing"), ("null", "expected an array, found null"), ("", "the text ends inside a value"),
        (#"{"error":"Wrong token"}"#, "resources: missing"),
        (#"{"resources":null}"#, "resources: expected an array, found null"),
        (#"{"resources":[{"id":"CH"}]}"#, "resources[0].company_id: missing"),
        (#"[{"id":"CH","company_id":"C","workspace_id":{}}]"#, "[0].workspace_id: expected a string, found an object"),
        (#"{"resources":[]"#, "the text ends inside a value"), ("[] []", "something follows the value"),
        ("<html>", "unexpected byte 0x3c"),
    ])
    func `an answer of the wrong shape is refused with the field's path`(_ body: String, _ message: String) throws {
        let failure = try #require(throws: DecodingFailure.self) { try Twake.channels(from: Array(body.utf8)[...]) }
        #expect(failure.message == message && failure.subject == "channels")
    }

    @Test(arguments: [
        ("[]", "the list is empty"), ("{}", "id: missing"),
        (#"{"resource":null}"#, "resource: expected an object, found null"),
        (#"{"resource":{"id":"I"},"x":}"#, "x: unexpected byte 0x7d"), ("true", "expected an object, found a Boolean"),
    ])
    func `an answer about one entity of the wrong shape is refused, too`(_ body: String, _ message: String) throws {
        let failure = try #require(throws: DecodingFailure.self) { try Twake.account(from: Array(body.utf8)[...]) }
        #expect(failure.message == message && failure.subject == "account")
    }
}
