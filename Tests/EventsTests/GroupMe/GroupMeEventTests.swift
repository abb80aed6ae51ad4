import Testing
import WeirJSON
import WeirWire

@testable import WeirEvents

@Suite struct `Every sample of a GroupMe push` {
    @Test(arguments: GroupMeSample.events)
    func `a sample decodes to its kind and summary`(_ sample: GroupMeSample) throws {
        let event = Event.groupMe(try GroupMe.Event(channel: sample.channel, data: sample.data))
        #expect(event.kind == sample.kind)
        #expect(event.isKnown == sample.isKnown)
        #expect(event.summary == sample.summary)
        // A push on the user's channel is about a conversation, if any.
        if sample.channel != "/user/20000001" { #expect(event.room == sample.channel) }
    }

    @Test(arguments: GroupMeSample.events.filter(\.isKnown))
    func `an unused number that no integer can hold loses nothing`(_ sample: GroupMeSample) throws {
        let big = #"{"x_big":100000000000000000000,"#
        let text = (big + sample.data.description.dropFirst()).replacing(#""subject":{""#, with: #""subject":\#(big)""#)
        let data = RawJSON(unchecked: ArraySlice(text.utf8))
        let event = Event.groupMe(try GroupMe.Event(channel: sample.channel, data: data))
        #expect(event.kind == sample.kind && event.summary == sample.summary)
    }

    @Test(arguments: [
        ("line.create", "/group/10000001"), ("direct_message.create", "/direct_message/20000001_20000002"),
        ("membership.create", "/group/10000002"), ("ping", "/user/20000001"),
    ])
    func `a push on the user's channel belongs to the room of its subject`(type: String, room: String) throws {
        let samples = GroupMeSample.events.filter {
            $0.channel == "/user/20000001" && $0.data.description.contains("\"type\":\"\(type)\"")
        }
        #expect(!samples.isEmpty)
        for sample in samples {
            let event = Event.groupMe(try GroupMe.Event(channel: sample.channel, data: sample.data))
            #expect(event.room == room)
        }
    }

    @Test func `no sample of a push is missing`() { #expect(GroupMeSample.events.count == 42) }

    @Test func `a push mutated ten thousand times decodes or is refused inside its text`() {
        var generator = RandomSource(seed: 9)
        var decoded = 0
        var refused = 0
        for round in 0..<10_000 {
            let sample = GroupMeSample.events[round % GroupMeSample.events.count]
            let bytes = `Nothing a peer sends traps`.mutated(sample.data.bytes, &generator)
            do {
                let event = try GroupMe.Event(channel: sample.channel, data: RawJSON(unchecked: bytes[...]))
                let whole = Event.groupMe(event)
                _ = (whole.kind, whole.room, whole.actor, whole.summary, whole.isKnown, whole.serverTime)
                if case .push(let push) = event { _ = push.facts }
                decoded += 1
            } catch {
                #expect((0...bytes.count).contains(error.offset) && !error.message.isEmpty)
                refused += 1
            }
        }
        #expect(decoded > 500 && refused > 1000, "\(decoded) decoded, \(refused) refused")
    }
}

@Suite struct `GroupMe pushes` {
    private func message(_ push: GroupMe.Push) throws -> GroupMe.Message {
        switch push.content {
        case .line(let message), .direct(let message), .deleted(let message), .updated(let message): return message
        case .liked, .favorite, .unliked, .reaction, .added, .removed, .group, .read, .typing, .ping, .subscribed,
            .unknown:
            throw DecodingFailure(subject: "push", message: "no message", offset: 0)
        }
    }

    @Test func `a push about a group's message contains the complete message`() throws {
        let push = try GroupMeSample.push("1.9 line.create: a user's message")
        #expect(push.channel == .user("20000001") && push.alert == "Ann: hi")
        #expect(push.receivedAt?.milliseconds == 1_785_346_055_000)
        var expected = GroupMe.Message(id: "178534605527047935", conversation: .group("10000001"), text: "hi")
        expected.sender = "20000002"
        expected.senderType = .user
        expected.senderName = "Ann"
        expected.avatarURL = "https://i.groupme.com/200x200.jpeg.0123456789abcdef0123456789abcdef"
        expected.createdAt = Timestamp(milliseconds: 1_785_346_055_000)
        expected.sourceGUID = "155641929db154909fabf69e089abee8"
        expected.saysSystem = false
        #expect(push.content == .line(expected))
        #expect(push.facts == [.said(expected)])
        #expect(!expected.isSystem && !expected.isEdited && !expected.isDeleted)
        #expect(Event.groupMe(.push(push)).actor == "Ann")
    }

    @Test func `a direct message is identified by its chat, and a system message only by its sender`() throws {
        let said = try message(GroupMeSample.push("1.9 direct_message.create"))
        #expect(said.conversation == .direct("20000001", "20000002") && said.recipient == "20000001")
        #expect(!said.isSystem && said.favoritedBy == [] && said.reactions == nil)
        let edit = try message(GroupMeSample.push("1.9 DM edit"))
        #expect(edit.isSystem && edit.saysSystem == nil && edit.conversation == said.conversation)
        #expect(
            try GroupMeSample.push("1.9 DM edit").facts.last
                == .edited(
                    said.id, in: said.conversation, at: Timestamp(milliseconds: 1_785_347_452_000), text: "will",
                    attachments: []))
    }

    @Test func `a deletion is one fact, whichever of its two frames reports it`() throws {
        let tombstone = try GroupMeSample.push("1.9 message.deleted: the tombstone")
        let notice = try GroupMeSample.push("2.3: the notice of a deletion")
        let fact = GroupMe.Fact.deleted(
            "178534605527047935", in: .group("10000001"),
            .init(at: Timestamp(milliseconds: 1_785_368_422_000), actor: .sender))
        #expect(tombstone.facts == [fact])
        #expect(notice.facts.count == 2 && notice.facts.last == fact)
        // Only the tombstone has the date with fractions, and it is parsed.
        #expect(try message(tombstone).deletion?.at?.milliseconds == 1_785_368_422_891)
    }

    @Test func `an edit is one fact, whichever of its two frames reports it`() throws {
        let frame = try GroupMeSample.push("1.9 message.update")
        let notice = try GroupMe.Push(
            #"""
            {"type":"line.create","subject":{"id":"9","group_id":"10000001","sender_type":"system","event":{"type":"message.update","data":{"message_id":"178534605527047935","sender_id":"20000002","updated_at":1785346900,"message":{"text":"new text","attachments":[]}}}}}
            """#)
        #expect(frame.facts.count == 1 && frame.facts.last == notice.facts.last)
        #expect(try message(frame).isEdited)
    }

    @Test func `a push about a reaction contains the complete set, and a missing set is not an empty one`() throws {
        let liked = try GroupMeSample.push("1.9 like.create")
        let favorite = try GroupMeSample.push("1.9 favorite")
        #expect(
            liked.facts == [
                .reacted(
                    "178534605527047935", in: .group("10000001"), [.init(.unicode("👍"), users: ["20000003"])])
            ])
        #expect(
            favorite.facts == [
                .reacted(
                    "178534605527047935", in: .group("10000001"),
                    [.init(.unicode("❤️"), users: ["20000003", "20000002"])])
            ])
        guard case .liked(let reacting) = liked.content else { throw Unexpected() }
        #expect(reacting.symbol == .unicode("👍") && reacting.user == "20000003")
        #expect(
            try GroupMeSample.push("1.10 favorite of a removal").facts
                == [.reacted("178534605527047935", in: .group("10000001"), [])])
        #expect(
            try GroupMeSample.push("1.9 favorite without reactions").facts
                == [.reacted("178534605527047935", in: .group("10000001"), nil)])
    }

    @Test func `a push about being added contains a reduced group with the group's id`() throws {
        guard case .added(let group) = try GroupMeSample.push("1.9 membership.create").content else {
            throw Unexpected()
        }
        #expect(group.id == "10000002" && group.name == "test" && group.creator == "20000002")
        #expect(group.mostMembers == 5000 && group.type == .private && group.membersCount == nil)
        #expect(try GroupMeSample.push("1.8 membership.destroy").facts == [.left("10000001")])
    }

    @Test func `a push about members or a group names the data to refetch`() throws {
        for note in ["8: Cal is added", "8: a name that breaks", "2.1: before there were events"] {
            #expect(try GroupMeSample.push(note).facts.last == .membersChanged("10000001"), "\(note)")
        }
        #expect(try GroupMeSample.push("8: the group is renamed").facts.last == .groupChanged("10000001"))
        #expect(try GroupMeSample.push("2.3: a topic").facts.last == .groupChanged("10000001"))
    }

    @Test func `a push about a pin contains the user and the time`() throws {
        #expect(
            try GroupMeSample.push("1.9 line.create: a pin").facts.last
                == .pinned(
                    "178534605527047935", in: .group("10000001"),
                    .init(at: Timestamp(milliseconds: 1_785_346_155_000), by: "20000002")))
    }

    @Test func `a push about reading or typing contains the user, the place and the time`() throws {
        #expect(
            try GroupMeSample.push("1.9 read_receipt").content
                == .read(
                    .init(
                        conversation: .direct("20000001", "20000002"), message: "178534720919383985", user: "20000002",
                        readAt: Timestamp(milliseconds: 1_785_347_486_000))))
        let typing = try GroupMeSample.push("1.9 typing")
        #expect(
            typing.content
                == .typing(.init(user: "20000001", started: Timestamp(milliseconds: 1_785_346_072_997))))
        #expect(typing.channel.conversation == .group("10000001") && typing.facts.isEmpty)
    }

    @Test func `a push never keeps a token`() throws {
        let push = try GroupMeSample.push("1.7: a frame of 2011")
        #expect(
            push.content
                == .unknown(type: "hello", try RawJSON(#"{"type":"hello","subject":{"x":1}}"#)))
        let subscribed = try GroupMe.Push(#"{"type":"subscribe","x":[{"clientId":"secret"}]}"#)
        #expect(subscribed.content == .subscribed(try RawJSON(#"{"type":"subscribe","x":[{}]}"#)))
        #expect(!"\(try GroupMe.Push(#"{"type":"ping","ext":{"access_token":"secret"}}"#))".contains("secret"))
    }

    @Test(arguments: [
        (#"{"type":"line.create"}"#, "line.create", "subject: missing"),
        (#"{"type":"line.create","subject":{"id":"1"}}"#, "line.create", "subject.group_id: missing"),
        (#"{"type":"line.create","subject":{"group_id":"1"}}"#, "line.create", "subject.id: missing"),
        (
            #"{"type":"line.create","subject":{"id":"1","group_id":"1","text":[]}}"#, "line.create",
            "subject.text: expected a string, found an array"
        ),
        (
            #"{"type":"line.create","subject":{"id":"1","group_id":"1","created_at":"soon"}}"#, "line.create",
            "subject.created_at: not a time"
        ),
        (#"{"type":"favorite","subject":{"reactions":[]}}"#, "favorite", "subject.line: missing"),
        (#"{"type":"typing"}"#, "typing", "user_id: missing"),
        (#"{"type":"membership.create","subject":{}}"#, "membership.create", "subject.id: missing"),
        (#"{"type":"read_receipt.create","subject":{"id":"1"}}"#, "read_receipt.create", "subject.chat_id: missing"),
        (#"{"type":"ping"} x"#, "ping", "something follows the value"),
        ("", "/user/20000001", "the text ends inside a value"),
    ])
    func `a push of a known type with the wrong shape is refused with the path of the field`(
        _ text: String, _ subject: String, _ message: String
    ) throws {
        let failure = try #require(throws: DecodingFailure.self) {
            try GroupMe.Event(channel: "/user/20000001", data: RawJSON(unchecked: Array(text.utf8)[...]))
        }
        #expect(failure.subject == subject && failure.message == message)
    }

    @Test func `an event of a channel is a join, a refusal or a leave`() {
        let channel = GroupMe.Channel("/user/20000001")
        #expect(Event.groupMe(.joined(channel)).kind == "join" && Event.groupMe(.left(channel)).kind == "leave")
        let refused = Event.groupMe(.joinRefused(channel, message: "access token authentication failed"))
        #expect(refused.kind == "join_error" && refused.room == "/user/20000001" && refused.isKnown)
        #expect(refused.summary == "join refused: /user/20000001: access token authentication failed")
    }
}

@Suite struct `Weir accepts both where the sources on GroupMe disagree` {
    @Test func `a removed reaction is not pushed, or pushed as a favorite without it, or as like.delete`() throws {
        let favorite = try GroupMeSample.push("1.10 favorite of a removal").facts
        #expect(try GroupMeSample.push("1.8 like.delete").facts == favorite && favorite.count == 1)
    }

    @Test func `a removed pin is an event of its own, or a pin with the value false`() throws {
        for event in [
            #"{"type":"message.unpinned","data":{"message_id":"5"}}"#,
            #"{"type":"message.pinned","data":{"message_id":"5","pinned":false}}"#,
        ] {
            let push = try GroupMe.Push(
                #"{"type":"line.create","subject":{"id":"9","group_id":"1","system":true,"event":\#(event)}}"#)
            #expect(push.facts.last == .pinned("5", in: .group("1"), nil))
        }
    }

    @Test func `a ping has today's form, that of 2011, or is absent`() throws {
        #expect(try GroupMeSample.push("1.9 ping").content == .ping)
        #expect(try GroupMeSample.push("1.8: the ping of 2011").content == .ping)
        #expect(try GroupMe.Push(#"{"ping":false}"#).content != .ping)
    }

    @Test func `a deletion by an admin is a tombstone in the history, or only a notice`() throws {
        let page = try GroupMe.messages(
            from: Array(
                #"{"response":{"count":2,"messages":[{"id":"5","created_at":1,"deleted_at":1785346362,"deletion_actor":"admin","text":"An admin deleted this message"}]}}"#
                    .utf8)[...], of: .group("1"))
        #expect(page.messages.first?.deletion?.actor == .admin && page.messages.first?.isEdited == false)
        let notice = try GroupMe.Push(
            #"{"type":"line.create","subject":{"id":"9","group_id":"1","system":true,"event":{"type":"message.deleted","data":{"message_id":"5","deleted_at":1785346362,"deletion_actor":"admin","deleter_id":7}}}}"#
        )
        #expect(
            notice.facts.last
                == .deleted(
                    "5", in: .group("1"), .init(at: page.messages.first?.deletion?.at, actor: .admin)))
    }

    @Test func `a message of a topic names the topic on the user's channel or on its own channel`() throws {
        let text = #"{"type":"line.create","subject":{"id":"5","group_id":"10000009","parent_id":10000001,"text":"x"}}"#
        for channel in ["/user/20000001", "/group/10000009"] {
            guard case .line(let message) = try GroupMe.Push(text, on: channel).content else {
                throw Unexpected()
            }
            #expect(message.conversation == .group("10000009") && message.parent == "10000001")
        }
    }

    @Test(arguments: [("null", false), ("1785346055", false), ("1785346054", false), ("1785346056", true)])
    func `a message is edited only if updated_at is later than its creation`(_ time: String, _ isEdited: Bool) throws {
        let push = try GroupMe.Push(
            #"{"type":"line.create","subject":{"id":"5","group_id":"1","created_at":1785346055,"updated_at":\#(time)}}"#
        )
        guard case .line(let message) = push.content else { throw Unexpected() }
        #expect(message.isEdited == isEdited)
    }

    @Test(arguments: [("user", false), ("bot", false), ("system", true), ("service", true), ("martian", false)])
    func `a sender_type is one of four known values, and any other is kept`(_ type: String, _ isSystem: Bool) throws {
        let push = try GroupMe.Push(
            #"{"type":"line.create","subject":{"id":"5","group_id":"1","sender_id":"7","sender_type":"\#(type)"}}"#)
        guard case .line(let message) = push.content else { throw Unexpected() }
        #expect(message.senderType?.wireName == type && message.isSystem == isSystem)
    }

    @Test func `a time is in seconds, milliseconds, a quoted number or a date, and a deletion may lack one`()
        throws
    {
        for time in ["1785346055", "1785346055000", #""1785346055""#, #""2026-07-29T17:27:35Z""#, "1785346055.0"] {
            let push = try GroupMe.Push(
                #"{"type":"line.create","subject":{"id":"5","group_id":"1","created_at":\#(time)}}"#)
            guard case .line(let message) = push.content else { throw Unexpected() }
            #expect(message.createdAt?.milliseconds == 1_785_346_055_000, "\(time)")
        }
        let odd = try GroupMe.Push(
            #"{"type":"line.create","subject":{"id":"5","group_id":"1","deleted_at":"some day"}}"#)
        guard case .line(let message) = odd.content else { throw Unexpected() }
        #expect(message.isDeleted && message.deletion?.at == nil)
    }

    @Test func `a reaction's pack may be a number or a quoted number in one array`() throws {
        let push = try GroupMe.Push(
            #"{"type":"favorite","subject":{"line":{"id":"5","group_id":"1"},"reactions":[{"type":"emoji","pack_id":1,"pack_index":12,"user_ids":["2"]},{"type":"emoji","pack_id":"1","pack_index":"13","user_ids":[3]},{"type":"gif","url":"u","user_ids":["4"]}]}}"#
        )
        #expect(
            push.facts == [
                .reacted(
                    "5", in: .group("1"),
                    [
                        .init(.powerUp(pack: 1, index: 12), users: ["2"]),
                        .init(.powerUp(pack: 1, index: 13), users: ["3"]),
                        .init(
                            .unknown(try RawJSON(#"{"type":"gif","url":"u","user_ids":["4"]}"#)), users: ["4"]),
                    ])
            ])
    }
}
