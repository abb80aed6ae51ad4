import Testing
import WeirJSON

@testable import WeirEvents

@Suite struct `Twake events` {
    static let message = EntityID("5828c718-b49e-11eb-8ae0-0242ac120003")
    static let thread = EntityID("c920712e-b49d-11eb-8ed2-0242ac120003")
    static let room = "previous::channels/2982dc0a-65aa-47ae-a13c-082b2e3cc2a9/messages/updates"

    @Test func `an era A event contains the message id, which replaces an empty thread id`() throws {
        let expected: [(String, Twake.EventData)] = [
            ("3.1 and the wiki's", .message(action: .update, message: Self.message, thread: Self.thread)),
            ("3.1: the thread of a top-level", .message(action: .update, message: Self.message, thread: Self.message)),
            ("3.1: a message was removed", .message(action: .remove, message: Self.message, thread: Self.message)),
        ]
        for (note, data) in expected {
            #expect(try Sample.event(note) == .event(Twake.SocketIOEvent(room: Self.room, data: data)))
        }
    }

    @Test func `a typing event contains the user, the place and whether the user is still typing`() throws {
        let channel = EntityID("CH")
        let user = EntityID("U1")
        #expect(
            try Sample.event("1.6: somebody is")
                == .event(
                    Twake.SocketIOEvent(
                        room: "/companies/C/workspaces",
                        data: .typing(channel: channel, thread: nil, user: user, name: "First Last", isWriting: true))))
        #expect(
            try Sample.event("1.6: somebody without")
                == .event(
                    Twake.SocketIOEvent(
                        room: "/companies/C/workspaces",
                        data: .typing(channel: channel, thread: EntityID("T"), user: user, name: "", isWriting: false)))
        )
    }

    @Test func `an event about a room contains its name, and the server's reason from either field`() throws {
        #expect(try Sample.event("1.5: a room was joined") == .joined(room: "/notifications?type=private&user=U1"))
        #expect(
            try Sample.event("1.5: a room was refused")
                == .joinRefused(room: "/me/U2", message: "User is not authorized to join room"))
        #expect(
            try Sample.event("1.5: the text under")
                == .joinRefused(room: "/me/U2", message: "Error while joining room"))
        #expect(try Twake.Event("realtime:leave:error", #"{"name":"R"}"#) == .leaveRefused(room: "R", message: ""))
    }

    @Test func `an event about refused authentication is never lost, whatever its form`() throws {
        let texts = [
            #"{"message":"","err":{"message":"expired"}}"#: "expired", #""plain words""#: "plain words", "null": "null",
            #"{"err":{"code":1}}"#: #"{"err":{"code":1}}"#, "[]": "[]",
            #"{"inner":{"message":"no"}}"#: #"{"inner":{"message":"no"}}"#,
        ]
        for (text, message) in texts {
            #expect(try Twake.Event("unauthorized", text) == .unauthorized(message: message))
        }
    }

    @Test func `an unknown event keeps its arguments`() throws {
        let arguments = [try RawJSON(#"{"a":[1,2.50,"\u00e9"]}"#), try RawJSON("null")]
        let untyped = UntypedEvent(name: "typing", arguments: arguments)
        #expect(try Twake.Event(name: "typing", arguments: arguments) == .unknown(untyped))
        #expect(Event.socketIO(untyped).kind == "event" && Event.socketIO(untyped).isKnown)
        #expect(Event.socketIO(untyped).summary == #"typing {"a":[1,2.50,"é"]} null"#)
    }

    @Test func `an event has a summary of limited length, cut between characters`() throws {
        let long = UntypedEvent(
            name: "x", arguments: [try RawJSON("\"\(String(repeating: "é", count: 5000))\""), try RawJSON("1")])
        let summary = Event.socketIO(long).summary
        #expect(summary.utf8.count < 140 && summary.hasSuffix("é…"))
    }

    @Test func `an event names its actor when the payload does`() throws {
        let actors = [
            "3.3 channel_activity updated": "First Last", "3.3 channel_activity: a bot": "Twake",
            "3.3 message created": "U1",
            "3.3 message: 2022": "First Last", "3.3 channel_member saved, list": "U1", "1.6: somebody is": "First Last",
            "1.6: somebody without": "U1", "1.6: presence": "U2",
        ]
        for (note, actor) in actors {
            #expect(Event.twake(try Sample.event(note)).actor == actor, "\(note)")
        }
        #expect(Event.twake(try Sample.event("3.3 channel saved: a rename")).actor == nil)
    }

    @Test func `an event has the server's time when the payload does`() throws {
        let times: [String: Int64] = [
            "3.3 channel_activity updated": 1_620_987_774_000, "3.3 message created": 1_620_987_774_130,
            "3.3 channel_member saved, channel": 1_620_987_780_125,
        ]
        for (note, time) in times {
            #expect(Event.twake(try Sample.event(note)).serverTime?.milliseconds == time, "\(note)")
        }
        #expect(Event.twake(.authenticated).serverTime == nil)
    }

    @Test func `an event has no time when its subject only has an earlier creation or change time`() {
        let (made, changed) = (Timestamp(milliseconds: 1000), Timestamp(milliseconds: 5000))
        func time(_ action: Twake.ResourceAction, changed: Timestamp?) -> Timestamp? {
            let message = Twake.Message(
                id: Self.message, thread: Self.thread, senderName: "Ann", text: "", createdAt: made, updatedAt: changed)
            return Event.twake(
                .resource(
                    Twake.SocketIOResource(
                        action: action, room: Self.room, type: .message, path: nil, resource: .message(message)))
            ).serverTime
        }
        #expect(time(.created, changed: nil) == made)
        #expect(time(.updated, changed: changed) == changed)
        #expect(time(.updated, changed: nil) == nil, "a deleted message is an update")
        #expect(time(.deleted, changed: changed) == nil)
        let channel = Twake.Channel(
            id: Self.message, company: Self.thread, workspace: Self.thread, name: "", icon: nil, updatedAt: changed)
        let gone = Twake.SocketIOResource(
            action: .deleted, room: Self.room, type: .channel, path: nil, resource: .channel(channel))
        #expect(Event.twake(.resource(gone)).serverTime == nil)
    }

    @Test(arguments: [
        (
            #"{"action":"saved","room":"R","type":"channel","resource":{"id":"I","company_id":"C","workspace_id":"W","icon":5}}"#,
            "resource.icon: expected a string, found a number", 110
        ),
        (#"{"action":"saved" "room":"R"}"#, "unexpected byte 0x22", 18),
        (
            #"{"action":"saved","room":"R","type":"channel","resource":{"id":"I",}}"#, "resource: unexpected byte 0x7d",
            67
        ),
        ("{\"action\":\"saved\",\"room\":\"\u{1}\"}", "room: not a valid string", 26),
        (#"{"name":"R"} x"#, "something follows the value", 13),
    ])
    func `an undecodable event is refused at the exact byte`(_ text: String, _ message: String, _ offset: Int) throws {
        let failure = try #require(throws: DecodingFailure.self) {
            try Twake.Event(
                name: text.hasPrefix(#"{"name"#) ? "realtime:join:success" : "realtime:resource",
                arguments: [RawJSON(unchecked: Array(text.utf8)[...])])
        }
        #expect(failure.message == message && failure.offset == offset, "\(failure)")
    }

    @Test func `an error offset counts from the start of its argument, wherever that is in the frame`() throws {
        let frame = Array(#"42["realtime:join:success",{"name":7}]"#.utf8)
        let start = try #require(frame.firstIndex(of: UInt8(ascii: "{")))
        let failure = try #require(throws: DecodingFailure.self) {
            try Twake.Event(
                name: "realtime:join:success", arguments: [RawJSON(unchecked: frame[start..<frame.count - 1])])
        }
        #expect(failure.offset == 8 && failure.message == "name: expected a string, found a number")
    }

    @Test func `an event keeps unread parts as slices of the received bytes, not as copies`() throws {
        let payload = Array(
            #"{"action":"saved","room":"R","type":"company_application","resource":  {"id":"I"} }"#.utf8)
        let event = try Twake.Event(name: "realtime:resource", arguments: [RawJSON(unchecked: payload[...])])
        guard case .other(let text) = event.resource?.resource else { return #expect(Bool(false), "not kept") }
        #expect(text.description == #"{"id":"I"}"# && text.bytes.startIndex == 71)
    }
}
