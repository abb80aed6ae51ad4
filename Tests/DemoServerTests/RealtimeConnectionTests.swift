import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

/// Checks transcripts of one client (Twake TW-2 to TW-18), frame by frame.
@Suite struct RealtimeConnectionTests {
    /// A connection and its effects as text, such as `> frame` for a sent frame and `! cause` for a close.
    private struct Line {
        var connection: RealtimeConnection
        var tokens = Tokens(key: (1, 2))
        var now = Moment.zero
        var effects: [RealtimeConnection.Effect] = []

        init(_ revision: EngineIO.Revision) {
            connection = RealtimeConnection(
                SocketIOServer.Configuration(revision: revision, sid: "S"), openedAt: .zero)
        }

        var token: String { tokens.issue(for: "U1", at: now, lifetime: .seconds(10)).reveal() }

        mutating func open() -> [String] {
            connection.start(at: now, tokens, into: &effects)
            return taken()
        }

        mutating func say(_ frame: String) -> [String] {
            connection.receive(.text(frame), at: now, tokens, into: &effects)
            return taken()
        }

        mutating func wait(_ span: Duration) -> [String] {
            now = now + span
            connection.advance(to: now, tokens, into: &effects)
            return taken()
        }

        mutating func taken() -> [String] {
            defer { effects = [] }
            return effects.map { effect in
                switch effect {
                case .send(let message): "> " + String(decoding: message.bytes, as: UTF8.self)
                case .joinWanted(let room): "wants \(room)"
                case .joined(let room): "joined \(room)"
                case .publish(let frame): "publish \(frame.room) \(frame.text)"
                case .repeatToAll(let arguments): "repeat \(arguments)"
                case .left(let room): "- \(room)"
                case .present(let user): "present \(user)"
                case .absent(let user): "absent \(user)"
                case .presenceAsked(let users, let ackID): "asked \(users) \(ackID)"
                case .close(let ending): "! \(ending.cause)"
                }
            }
        }
    }

    private func member(_ revision: EngineIO.Revision) -> Line {
        var line = Line(revision)
        _ = line.open()
        if revision == .v4 { _ = line.say("40") }
        #expect(
            line.say(#"42["authenticate",{"token":"\#(line.token)"}]"#) == [#"> 42["authenticated"]"#, "present U1"])
        return line
    }

    @Test func `Engine.IO 3: open, authenticate, join, receive, leave`() {
        var line = Line(.v3)
        #expect(
            line.open() == [
                #"> 0{"sid":"S","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#, "> 40",
            ])
        #expect(
            line.say(#"42["authenticate",{"token":"\#(line.token)"}]"#) == [#"> 42["authenticated"]"#, "present U1"])
        #expect(line.connection.user == "U1")
        let room = "/notifications?type=private&user=U1"
        #expect(
            line.say(#"42["realtime:join",{"name":"\#(room)","token":"twake"}]"#)
                == [#"> 42["realtime:join:success",{"name":"\#(room)"}]"#, "joined \(room)"])
        let frame = Frame.event(room: room, data: .bool(true))
        line.connection.deliver(frame.name, to: room, frame.payload.raw, into: &line.effects)
        #expect(line.taken() == [#"> 42["realtime:event",{"name":"\#(room)","data":true}]"#])
        #expect(line.say("2") == ["> 3"])
        #expect(
            line.say(#"42["realtime:leave",{"name":"\#(room)","token":"twake"}]"#) == [
                "- \(room)",
                #"> 42["realtime:leave:success",{"name":"\#(room)"}]"#,
            ])
        line.connection.deliver(frame.name, to: room, frame.payload.raw, into: &line.effects)
        #expect(line.taken() == [])
    }

    @Test func `Engine.IO 4: the client asks for the namespace, and the server pings`() {
        var line = Line(.v4)
        #expect(line.open().count == 1)
        #expect(line.say("40").first?.hasPrefix(#"> 40{"sid":""#) == true)
        #expect(
            line.say(#"42["authenticate",{"token":"\#(line.token)"}]"#) == [#"> 42["authenticated"]"#, "present U1"])
        #expect(line.wait(.seconds(25)) == ["> 2"])
        #expect(line.say("3") == [])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `messages before authentication are dropped without an error`(revision: EngineIO.Revision) {
        var line = Line(revision)
        _ = line.open()
        if revision == .v4 { _ = line.say("40") }
        #expect(line.say(#"42["realtime:join",{"name":"/ping","token":"twake"}]"#) == [])
        #expect(line.say(#"42["realtime:event",{"name":"previous::x","data":1}]"#) == [])
        #expect(line.connection.rooms.isEmpty)
    }

    @Test func `2021 server: a refused token is reported with an ack id, and the server waits for the ack forever`() {
        var line = Line(.v3)
        _ = line.open()
        let token = line.token
        line.now = line.now + .seconds(11)
        let said =
            #"{"message":"jwt expired","inner":{"message":"jwt expired"},"data":{"message":"jwt expired","#
            + #""code":"invalid_token","type":"UnauthorizedError"}}"#
        #expect(line.say(#"42["authenticate",{"token":"\#(token)"}]"#) == [#"> 420["unauthorized",\#(said)]"#])
        #expect(line.wait(.seconds(15)) == [], "its timer was cleared by the attempt")
        #expect(line.say(#"42["realtime:join",{"name":"/ping","token":"twake"}]"#) == [])
        #expect(line.say("430[]") == ["> 41", "! unauthorized"])
    }

    @Test func `2021 server: a token that is not text has an invalid datatype, and a valid one is still accepted`() {
        var line = Line(.v3)
        _ = line.open()
        #expect(
            line.say(#"42["authenticate",{"token":7}]"#).first?.contains(#""message":"invalid token datatype""#) == true
        )
        #expect(
            line.say(#"42["authenticate",{"token":"\#(line.token)"}]"#) == [#"> 42["authenticated"]"#, "present U1"])
    }

    @Test func `2021 server: a client that does not authenticate is disconnected after fifteen seconds`() {
        var line = Line(.v3)
        _ = line.open()
        #expect(line.connection.deadline == Moment(microseconds: 15_000_000))
        #expect(line.wait(.milliseconds(14_999)) == [])
        #expect(line.wait(.milliseconds(1)) == ["> 41", "! not authenticated in time"])
        #expect(line.say("2") == [])
        #expect(line.connection.deadline == nil)
    }

    @Test func `last server: a refused token is reported and the client is disconnected`() {
        var line = Line(.v4)
        _ = line.open()
        _ = line.say("40")
        let token = line.token
        line.now = line.now + .seconds(11)
        line.tokens.calendarOffset = 1_664_618_400_000
        #expect(
            line.say(#"42["authenticate",{"token":"\#(token)"}]"#) == [
                #"> 42["unauthorized",{"err":{"name":"TokenExpiredError","message":"jwt expired","expiredAt":"2022-10-01T10:00:10.000Z"}}]"#,
                "> 41", "! unauthorized",
            ])
        var other = Line(.v4)
        _ = other.open()
        _ = other.say("40")
        #expect(
            other.say(#"42["authenticate",{}]"#) == [
                #"> 42["unauthorized",{"err":"No token provided"}]"#, "> 41", "! unauthorized",
            ])
    }

    @Test func `last server: an unauthenticated client is not disconnected`() {
        var line = Line(.v4)
        _ = line.open()
        _ = line.say("40")
        #expect(line.wait(.seconds(20)) == [])
    }

    @Test func `a client that authenticates twice gets double answers, but a limited number`() {
        var line = member(.v3)
        let authenticate = #"42["authenticate",{"token":"\#(line.token)"}]"#
        _ = line.say(authenticate)
        #expect(line.say(#"42["realtime:join",{"name":"r","token":"twake"}]"#).count { $0.hasPrefix(">") } == 2)
        for _ in 0..<20 { _ = line.say(authenticate) }
        #expect(line.say(#"42["realtime:join",{"name":"r","token":"twake"}]"#).count { $0.hasPrefix(">") } == 4)
    }

    @Test func `a join needs the token twake or a user's token, and previous rooms need none`() {
        var line = member(.v3)
        func join(_ fields: String) -> String? { line.say(#"42["realtime:join",{\#(fields)}]"#).first }
        #expect(join(#""name":"a","token":"twake""#) == #"> 42["realtime:join:success",{"name":"a"}]"#)
        #expect(
            join(#""name":"/users/online/C","token":"\#(line.token)""#)
                == #"> 42["realtime:join:success",{"name":"/users/online/C"}]"#)
        #expect(join(#""name":"previous::channels/x/messages/updates""#) != nil)
        let refusal = #""message":"User is not authorized to join room"}]"#
        #expect(join(#""name":"b""#) == #"> 42["realtime:join:error",{"name":"b",\#(refusal)"#)
        #expect(join(#""name":"b","token":"wrong""#) == #"> 42["realtime:join:error",{"name":"b",\#(refusal)"#)
        #expect(
            join(#""token":"twake""#)
                == #"> 42["realtime:join:error",{"name":"","message":"Error while joining room"}]"#)
        #expect(line.connection.rooms == ["a", "/users/online/C", "previous::channels/x/messages/updates"])
        #expect(
            line.say(#"42["realtime:leave",{"name":"never joined"}]"#) == [
                #"> 42["realtime:leave:success",{"name":"never joined"}]"#
            ])
        #expect(
            line.say(#"42["realtime:leave",7]"#) == [
                #"> 42["realtime:leave:error",{"name":"","message":"Error while leaving room"}]"#
            ])
    }

    @Test func `a client's publication goes to the room as name and data`() {
        var line = member(.v4)
        #expect(
            line.say(
                #"42["realtime:event",{"name":"/companies/C/workspaces","data":{"type":"writing"},"token":"twake"}]"#)
                == [#"publish /companies/C/workspaces {"name":"/companies/C/workspaces","data":{"type":"writing"}}"#])
        #expect(
            line.say(#"42["realtime:event",{"name":"r","data":1,"token":"x"}]"#)
                == [
                    #"> 42["realtime:event:error",{"name":"r","message":"User is not authorized to emit in this room"}]"#
                ])
    }

    @Test func `the last server broadcasts message events and ignores all other events`() {
        var line = member(.v4)
        #expect(line.say(#"42["message",{"a":1},"b"]"#) == [#"repeat {"a":1},"b""#])
        #expect(line.say(#"42["online:set",{"data":[]}]"#) == [])
        var old = member(.v3)
        #expect(old.say(#"42["message",1]"#) == [])
    }

    @Test func `a kicked client leaves the namespace and its rooms, and may come back`() {
        var line = member(.v4)
        _ = line.say(#"42["realtime:join",{"name":"r","token":"twake"}]"#)
        line.connection.kick(into: &line.effects)
        #expect(line.taken() == ["> 41", "- r", "absent U1"])
        #expect(line.connection.rooms.isEmpty)
        #expect(line.say("40").count == 1)
        #expect(line.say(#"42["realtime:join",{"name":"r","token":"twake"}]"#) == [], "not authenticated any more")
        #expect(
            line.say(#"42["authenticate",{"token":"\#(line.token)"}]"#) == [#"> 42["authenticated"]"#, "present U1"])
    }

    @Test func `presence is requested with an acknowledgement, and users announce themselves again`() {
        var line = member(.v4)
        #expect(line.say(#"427["online:get",{"data":["U1","U2"],"name":"/users/online/C"}]"#) == ["asked [U1, U2] 7"])
        line.connection.tellPresence([("U1", true), ("U2", false)], ackID: 7, into: &line.effects)
        #expect(line.taken() == [#"> 437[{"data":[["U1",true],["U2",false]]}]"#])
        #expect(line.say(#"42["online:set",{"data":["U1"]}]"#) == ["present U1"])
        #expect(line.say(#"428["online:set",{"data":["U1"]}]"#) == ["present U1", "> 438[]"])
        #expect(line.say(#"42["online:set",{"data":["U2"]}]"#) == [], "nobody else can say it")
        #expect(line.say(#"42["online:get",{"data":["U1"]}]"#) == [], "there is nothing to answer")
        #expect(line.say(#"429["online:get",{"data":7}]"#) == ["asked [] 9"])
        var anonymous = Line(.v3)
        _ = anonymous.open()
        #expect(anonymous.say(#"427["online:get",{"data":["U1"]}]"#) == [])
    }

    @Test func `the number of rooms and the length of their names are limited`() {
        var line = member(.v3)
        for index in 0..<RealtimeConnection.maximumRooms {
            _ = line.say(#"42["realtime:join",{"name":"r\#(index)","token":"twake"}]"#)
        }
        #expect(
            line.say(#"42["realtime:join",{"name":"one more","token":"twake"}]"#).first?.contains(
                "Error while joining room") == true)
        #expect(line.say(#"42["realtime:join",{"name":"r0","token":"twake"}]"#).first?.contains("success") == true)
        let long = String(repeating: "x", count: 2_000)
        #expect(
            line.say(#"42["realtime:join",{"name":"\#(long)","token":"twake"}]"#).first?.contains(
                "Error while joining room") == true)
    }

    @Test(arguments: [
        "42[]", "4", "9", "42[\"authenticate\"", "\u{0}", "451-[\"x\",{\"_placeholder\":true,\"num\":1}]",
    ])
    func `an invalid packet closes the connection`(frame: String) {
        var line = member(.v3)
        #expect(line.say(frame).last?.hasPrefix("! ") == true)
        #expect(line.say(#"42["realtime:join",{"name":"r","token":"twake"}]"#) == [])
    }

    @Test(arguments: [
        #"42["authenticate"]"#, #"42["authenticate",null]"#, #"42["authenticate",[1]]"#, #"42["realtime:join"]"#,
        #"42["realtime:join",{"name":{"a":1},"token":[]}]"#, #"42["realtime:event"]"#,
        #"42["realtime:event",{"name":null}]"#, #"42[7,8]"#,
    ])
    func `payloads of any shape do no harm`(frame: String) {
        for revision in EngineIO.Revision.allCases {
            var line = member(revision)
            _ = line.say(frame)
            #expect(line.connection.rooms.isEmpty)
        }
    }
}
