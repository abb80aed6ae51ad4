import Testing
import WeirEvents

@Suite struct `Loose server data` {
    private func message(_ fields: String) throws -> Twake.Message {
        try Twake.message(from: Array(#"{"id":"M",\#(fields)}"#.utf8)[...])
    }

    private func channel(_ fields: String) throws -> Twake.Channel {
        try Twake.channel(from: Array(#"{"id":"CH","company_id":"C","workspace_id":"W",\#(fields)}"#.utf8)[...])
    }

    @Test(arguments: ["null", #""""#, #""M""#])
    func `a missing thread is the message's own id`(_ thread: String) throws {
        let head = try message(#""thread_id":\#(thread),"text":"x""#)
        #expect(head.thread == EntityID("M") && head.isHead)
    }

    @Test(arguments: ["null", "{}", "[]"])
    func `an empty last message is nil`(_ summary: String) throws {
        #expect(try channel(#""last_message":\#(summary)"#).lastMessage == nil)
    }

    @Test(arguments: [
        ("1620987774", 0), ("1620987774000", 0), ("1620987774.9", 0), ("1620987774123.5", 123), ("1.620987774e9", 0),
    ])
    func `times may be seconds, milliseconds, or have a fraction`(_ time: String, _ rest: Int64) throws {
        #expect(try channel(#""last_activity":\#(time)"#).lastActivity?.milliseconds == 1_620_987_774_000 + rest)
    }

    @Test(arguments: ["1e400", "1e300", "99999999999999999999999999"])
    func `a time that no integer can hold is refused`(_ time: String) throws {
        let failure = try #require(throws: DecodingFailure.self) { try channel(#""last_activity":\#(time)"#) }
        #expect(failure.message == "last_activity: not a valid number, or out of range")
    }

    @Test func `ids may be numbers, and are kept as written`() throws {
        #expect(try message(#""user_id":12345678901234567890"#).user == EntityID("12345678901234567890"))
        #expect(try message(#""user_id":-1.50"#).user == EntityID("-1.50"))
    }

    @Test func `a sender may be missing, an application, or named in three ways`() throws {
        #expect(try message(#""user_id":null,"application_id":"APP""#).user == EntityID("APP"))
        #expect(try message(#""user_id":"""#).user == nil)
        #expect(try message(#""username":"a.user","firstname":"First","lastname":"""#).senderName == "First")
        #expect(try message(#""username":"a.user","firstname":null"#).senderName == "a.user")
        #expect(try message(#""override":{"title":"Bot"},"username":"x""#).senderName == "Bot")
        #expect(try message(#""users":[{"id":"U1","full_name":"F L"}],"user_id":"U1""#).senderName == "F L")
        #expect(try message(#""users":[{"id":null,"full_name":"F L"}],"user_id":null"#).senderName == nil)
    }

    @Test func `reactions may be null, a list, or the old map`() throws {
        let expected = [Twake.Reaction(name: "👍", count: 1, users: [EntityID("U2")])]
        #expect(try message(#""reactions":[{"name":"👍","users":["U2"],"count":1}]"#).reactions == expected)
        #expect(try message(#""reactions":{"👍":{"users":["U2"],"count":1}}"#).reactions == expected)
        #expect(try message(#""reactions":[{"name":"👍","users":["U2"]}]"#).reactions == expected)
        #expect(try message(#""reactions":null"#).reactions.isEmpty)
        #expect(try message(#""reactions":{}"#).reactions.isEmpty)
    }

    @Test func `counts include the head in era B but not in era A, and are never negative`() throws {
        #expect(try message(#""stats":{"replies":4}"#).replies == 3)
        #expect(try message(#""stats":{"replies":0}"#).replies == 0)
        #expect(try message(#""stats":{"replies":-5}"#).replies == 0)
        #expect(try message(#""stats":null"#).replies == nil)
        #expect(try message(#""responses_count":4"#).replies == 4)
    }

    @Test func `a deletion is an update without contents`() throws {
        let deleted = try message(
            #""subtype":"deleted","text":"Deleted message","blocks":[],"files":[],"reactions":[]"#)
        #expect(deleted.subtype == "deleted")
        #expect(try message(#""subtype":"""#).subtype == nil)
    }

    @Test func `a direct may lack its workspace and its name`() throws {
        let body = #"{"id":"D","company_id":"C","visibility":"direct","members":null,"name":null}"#
        let direct = try Twake.channel(from: Array(body.utf8)[...])
        #expect(direct.workspace == EntityID("direct") && direct.name == nil && direct.members.isEmpty)
    }

    @Test func `an unknown visibility or level keeps its text`() throws {
        #expect(try channel(#""visibility":"secret""#).visibility == "secret")
        #expect(Twake.ChannelVisibility(wire: "secret").wireName == "secret")
        #expect(Twake.BadgeCount.Level(wire: "none") == "none")
        #expect(Twake.SocketIORoom.Kind(wire: "Huddle") == .unknown("Huddle"))
    }

    @Test func `flags may be numbers`() throws {
        #expect(try channel(#""archived":1"#).isArchived)
        #expect(try channel(#""archived":false"#).isArchived == false)
        #expect(try channel(#""archived":null"#).isArchived == false)
    }

    @Test func `unread follows from the last access, known or not`() throws {
        let activity = #""last_activity":1620987774000"#
        #expect(try channel(#"\#(activity),"user_last_access":1620987773"#).hasUnread)
        #expect(try channel(#"\#(activity),"user_member":{"last_access":1620987775000}"#).hasUnread == false)
        #expect(try channel(#"\#(activity),"user_member":null"#).hasUnread == false)
    }
}
