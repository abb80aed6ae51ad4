import Testing
import WeirJSON

@testable import WeirEvents

@Suite struct `GroupMe ids` {
    @Test func `an id is the same, whether the wire contains a number or a string`() throws {
        let texts = [
            #"{"type":"membership.announce.joined","data":{"user":{"id":20000003,"nickname":"Cal"}}}"#,
            #"{"type":"membership.announce.joined","data":{"user":{"id":"20000003","nickname":"Cal"}}}"#,
        ]
        for text in texts {
            let event = GroupMe.SystemEvent(try RawJSON(text))
            #expect(event.content == .membership(.joined(.init(id: "20000003", nickname: "Cal"))))
        }
    }

    @Test func `an id is ordered as a number of any length, never as text`() {
        let ordered: [GroupMe.MessageID] = [
            "99999", "1785346055123456", "178534605500000001", "178534605500000002", "1178534605500000000",
            "99999999999999999999999999", "a", "b1",
        ]
        #expect(ordered.shuffled().sorted() == ordered)
        #expect(GroupMe.UserID("9000001") < "20000001")
        #expect(GroupMe.UserID("007") != "7" && (GroupMe.UserID("007") < "7") != (GroupMe.UserID("7") < "007"))
    }

    @Test func `messages are ordered by time first, and by id only within one time`() {
        let early = GroupMe.Place(createdAt: Timestamp(milliseconds: 1000), message: "9")
        let late = GroupMe.Place(createdAt: Timestamp(milliseconds: 2000), message: "1")
        let tie = GroupMe.Place(createdAt: Timestamp(milliseconds: 2000), message: "10")
        let next = GroupMe.Place(createdAt: Timestamp(milliseconds: 2000), message: "9")
        #expect([tie, late, early, next].sorted() == [early, late, next, tie])
        #expect(GroupMe.Place(createdAt: nil, message: "5") < early)
    }

    @Test func `a message's sort key contains its id and ascends with its place`() throws {
        func message(_ id: String, _ second: Int64) -> GroupMe.Message {
            var message = GroupMe.Message(id: .init(id), conversation: .group("1"))
            message.createdAt = Timestamp(milliseconds: second * 1000)
            return message
        }
        let ordered = [
            message("99999", 1_785_346_054), message("178534605499999999", 1_785_346_054),
            message("1785346055123456", 1_785_346_055), message("178534605500000001", 1_785_346_055),
            message("178534605500000002", 1_785_346_055), message("178534605600000000", 1_785_346_056),
        ]
        #expect(ordered.map(\.sortKey) == ordered.map(\.sortKey).sorted() && Set(ordered.map(\.sortKey)).count == 6)
        #expect(ordered.map(\.place) == ordered.map(\.place).sorted())
        // Values that no server sends must not trap.
        _ = (message("x", .max / 1000).sortKey, message("-5", .min / 1000).sortKey)
    }
}

@Suite struct `GroupMe conversations` {
    @Test func `a conversation of two users is the same in every spelling and order`() {
        let direct = GroupMe.ConversationID.direct(between: "20000001", and: "9000001")
        for text in ["9000001+20000001", "20000001+9000001", "9000001_20000001", "20000001_9000001"] {
            #expect(GroupMe.ConversationID(text) == direct)
        }
        #expect(direct.description == "9000001+20000001" && direct.entity == EntityID("9000001+20000001"))
        #expect(GroupMe.Channel.conversation(direct).description == "/direct_message/9000001_20000001")
        #expect(direct.partner(of: "9000001") == "20000001" && direct.partner(of: "1") == nil && direct.group == nil)
    }

    @Test func `any other conversation is a group`() {
        #expect(GroupMe.ConversationID("10000001") == .group("10000001"))
        #expect(GroupMe.ConversationID("1+2+3") == .group("1+2+3") && GroupMe.ConversationID("+2") == .group("+2"))
        #expect(GroupMe.ConversationID("") == nil)
    }

    @Test(arguments: [
        ("/user/20000001", GroupMe.Channel.user("20000001")),
        ("/group/10000001", .conversation(.group("10000001"))),
        ("/direct_message/20000002_9000001", .conversation(.direct("9000001", "20000002"))),
        ("/direct_message/9000001+20000002", .conversation(.direct("9000001", "20000002"))),
        ("/direct_message/1", .other("/direct_message/1")), ("/copilot/session/1/2", .other("/copilot/session/1/2")),
        ("/user/", .other("/user/")), ("user/1", .other("user/1")), ("", .other("")),
    ])
    func `a conversation has a channel, and unknown channels are kept`(_ name: String, _ channel: GroupMe.Channel) {
        #expect(GroupMe.Channel(name) == channel)
        #expect(GroupMe.Channel(channel.description) == channel)
    }
}

@Suite struct `ISO 8601 dates` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2026-07-29T23:40:22.8912Z", 1_785_368_422_891),
        ("2026-07-29T23:40:22Z", 1_785_368_422_000), ("2026-07-30T01:40:22.5+02:00", 1_785_368_422_500),
        ("2024-02-29T12:00:00.05Z", 1_709_208_000_050), ("1969-12-31T23:59:59Z", -1000),
        ("2000-03-01T00:00:00-0130", 951_874_200_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("2026-12-31T00:00:00Z", 1_798_675_200_000),
    ])
    func `a date is an instant`(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-07-29", "2026-13-01T00:00:00Z", "2026-07-29T24:00:00Z", "2026-07-29T23:40:22",
        "2026-07-29T23:40:22.Z",
        "2026-07-29T23:40:22Zx", "Wed Jul 29 2026", "２０２６-07-29T23:40:22Z",
        "2026-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2026-04-31T00:00:00Z", "2026-12-32T00:00:00Z",
    ])
    func `any other text is not a date`(_ text: String) { #expect(Timestamp(iso8601: text) == nil) }
}
