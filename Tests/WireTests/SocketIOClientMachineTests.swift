import Testing
import WeirJSON
import WeirWire

struct SocketIOClientTests {
    @Test func `revision 4 requests the namespace and joins on the answer`() {
        var client = ClientTranscript(.v4)
        #expect(client.receive(openPacket) == ["send 40"])
        #expect(client.receive(#"40{"sid":"other"}"#) == ["connected engine"])
        #expect(client.receive(#"42["hello",1,{"a":[true]}]"#) == [#"event / hello 1|{"a":[true]}"#])
        #expect(client.emit("join", #"{"name":"x"}"#) == [#"send 42["join",{"name":"x"}]"#])
        #expect(client.emit("bare") == [#"send 42["bare"]"#])
        #expect(client.emit("two", "1,2") == [#"send 42["two",1,2]"#])
    }

    @Test func `revision 4 sends the auth object with CONNECT`() {
        var client = ClientTranscript(.v4, auth: #"{"token":"t"}"#)
        #expect(client.receive(openPacket) == [#"send 40{"token":"t"}"#])
    }

    @Test func `revision 3 never sends CONNECT for the default namespace`() {
        var client = ClientTranscript(.v3)
        #expect(client.receive(openPacket) == [])
        #expect(client.receive("40") == ["connected engine"])
        #expect(client.receive(#"42["hello"]"#) == ["event / hello "])
        #expect(client.receive("40") == [], "a python server answers again (Socket.IO SIO-19)")
    }

    @Test func `revision 3 requests another namespace with its query and joins only on its answer`() {
        var client = ClientTranscript(.v3, namespace: "/admin?token=1234")
        #expect(client.receive(openPacket) == ["send 40/admin?token=1234,"])
        #expect(client.receive("40") == [])
        #expect(client.receive("40/admin") == ["connected engine /admin"], "python leaves the comma out (SIO-6)")
        #expect(client.receive(#"42/admin,["x"]"#) == ["event /admin x "])
        #expect(client.receive(#"42["y"]"#) == ["event / y "], "the server joined us to / by itself")
        #expect(client.emit("go", "1") == [#"send 42/admin,["go",1]"#])
    }

    @Test func `revision 4 ignores packets of other namespaces`() {
        var client = ClientTranscript(.v4, namespace: "/admin")
        #expect(client.receive(openPacket) == ["send 40/admin,"])
        #expect(client.receive(#"40/other,{"sid":"x"}"#).first?.hasPrefix("malformed") == true)
        #expect(client.receive(#"40/admin,{"sid":"x"}"#) == ["connected engine /admin"])
        #expect(client.receive(#"42["y"]"#).first?.hasPrefix("malformed") == true)
        #expect(client.receive("41") == [])
        #expect(client.receive("41/admin") == ["disconnected /admin", "close byServer"])
    }

    @Test func `the open packet may have its keys in any order, and additional keys`() {
        var client = ClientTranscript(.v4)
        let packet = #"0{"x":{"y":[1]},"pingTimeout":20000,"pingInterval":25000,"sid":"aé"}"#
        #expect(client.receive(packet) == ["send 40"])
        #expect(client.receive(#"40{"pid":"p","sid":"o"}"#) == ["connected aé"])
    }

    @Test(arguments: ["40", "40{}", #"40{"sid":1}"#])
    func `a CONNECT without a sid on revision 4 means a server of revision 3`(answer: String) {
        var client = ClientTranscript(.v4)
        _ = client.receive(openPacket)
        #expect(client.receive(answer) == ["close revisionMismatch(WeirWire.EngineIO.Revision.v3)"])
        #expect(client.machine.deadline == nil)
    }

    @Test func `an unsolicited 40 is a mismatch, whichever namespace was requested`() {
        var client = ClientTranscript(.v4, namespace: "/admin")
        _ = client.receive(openPacket)
        #expect(client.receive("40") == ["close revisionMismatch(WeirWire.EngineIO.Revision.v3)"])
    }

    /// The open packet of a server of 2.x, and of one of 4.x before 4.5.
    private static let bareOpen = #"0{"sid":"engine","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#

    private func guessing(_ namespace: String = "/") -> ClientTranscript {
        var configuration = SocketIOClientMachine.Configuration(revision: .v4, namespace: namespace)
        configuration.detectsRevision = true
        return ClientTranscript(configuration)
    }

    @Test func `a server of 2.x is detected and used on the same connection, and nothing is sent twice`() {
        var client = guessing("/admin")
        #expect(client.receive(Self.bareOpen) == [])
        #expect(client.receive("40", at: 10) == ["send 40/admin,"])
        #expect(client.receive("40/admin,", at: 20) == ["connected engine /admin"])
        #expect(client.machine.revision == .v3)
        #expect(client.receive(#"42["y"]"#, at: 20) == ["event / y "])
        #expect(client.advance(to: 25_010) == ["send 2"], "this side pings")

        var alone = guessing()
        _ = alone.receive(Self.bareOpen)
        #expect(alone.receive("40") == ["connected engine"])
    }

    @Test func `an immediate refusal from a server of 2.x is understood`() {
        var client = guessing()
        _ = client.receive(Self.bareOpen)
        #expect(client.receive("44[1]") == ["refused [1]", "close byServer"])
        #expect(client.machine.revision == .v3)
    }

    @Test func `a server that sends nothing first gets a CONNECT after a moment, with one deadline`() {
        var client = guessing()
        #expect(client.receive(Self.bareOpen, at: 100) == [])
        #expect(client.receive("2", at: 200) == ["send 3"])
        #expect(client.advance(to: 400) == ["send 40"])
        #expect(client.advance(to: 20_000) == ["close handshakeTimeout"])

        var told = guessing()
        #expect(told.receive(openPacket) == ["send 40"], "only revision 4 says maxPayload")
        #expect(told.receive("40") == ["close revisionMismatch(WeirWire.EngineIO.Revision.v3)"], "it was asked already")

        var captured = guessing()
        _ = captured.receive(Self.bareOpen)
        #expect(captured.receive(#"40{"sid":"o"}"#) == ["send 40", "connected engine"])
    }

    @Test func `packets of the msgpack parser are identified, and end the connection`() {
        let packet: [UInt8] = [0x84, 0xA4] + "type".utf8 + [0x00, 0xA4] + "data".utf8
        var asked = ClientTranscript(.v4)
        _ = asked.receive(openPacket)
        #expect(asked.machine.isUnanswered)
        #expect(asked.receive(.binary(packet[...])) == ["close msgpack"])
        var joined = ClientTranscript.joined(.v4)
        #expect(!joined.machine.isUnanswered)
        #expect(joined.receive(.binary(packet[...])).first?.hasPrefix("malformed") == true)
    }

    @Test func `a pause in reading extends the time to detect the revision`() {
        var client = guessing()
        _ = client.receive(Self.bareOpen)
        client.machine.set(.paused, at: ms(100))
        #expect(client.machine.deadline == nil)
        client.machine.set(.resumed, at: ms(5_000))
        #expect(client.advance(to: 5_200) == [])
        #expect(client.receive("40", at: 5_200) == ["connected engine"])
    }

    @Test(arguments: [
        (#"44{"message":"not authorized","data":{"a":[1]}}"#, #"refused not authorized {"a":[1]}"#),
        (#"44{"message":"Invalid namespace"}"#, "refused Invalid namespace"),
        (#"44"Unable to connect""#, "refused Unable to connect"),
        (#"44{"reason":"x"}"#, #"refused {"reason":"x"}"#),
        ("44", "refused "),
    ])
    func `a refusal is an object or a string`(frame: String, line: String) {
        var client = ClientTranscript(.v4)
        _ = client.receive(openPacket)
        _ = client.emit("waits", nil, wantsAck: true)
        #expect(client.receive(frame) == [line, "dropped waits 0 notJoined", "close byServer"])
    }

    @Test func `revision 3 refuses with any JSON`() {
        var client = ClientTranscript(.v3, namespace: "/admin")
        _ = client.receive(openPacket)
        #expect(client.receive("44/admin,[1]") == ["refused /admin [1]", "close byServer"])
    }

    @Test func `an error after the join is reported, and the session continues`() {
        var client = ClientTranscript.joined(.v3)
        #expect(client.receive(#"44"no""#) == ["malformed at 1: the server reports an error: no"])
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `events received or emitted before the connect answer wait in order`() {
        var client = ClientTranscript(.v4)
        #expect(client.emit("first") == [])
        #expect(client.receive(openPacket) == ["send 40"])
        #expect(client.emit("second", "2", wantsAck: true) == [])
        #expect(client.receive(#"42["missed",1,"offset"]"#) == [])
        #expect(client.receive(#"427["missed",2]"#) == [])
        #expect(
            client.receive(#"40{"sid":"s"}"#) == [
                "connected engine", #"event / missed 1|"offset""#, "event / missed 2 ack 7",
                #"send 42["first"]"#, #"send 420["second",2]"#,
            ])
        #expect(client.receive("430[]") == ["acknowledged 0 []"])
    }

    @Test func `the number of waiting events is limited, and dropped ones are reported`() {
        var client = ClientTranscript(.v4)
        _ = client.receive(openPacket)
        for _ in 0..<16_384 { #expect(client.receive(#"42["early"]"#) == []) }
        for _ in 0..<4096 { #expect(client.emit("late") == []) }
        #expect(client.receive(#"42["early"]"#).first?.contains("too many events") == true)
        #expect(client.emit("late", nil, wantsAck: true) == ["dropped late 0 overflow"])
        #expect(client.receive(#"40{"sid":"s"}"#).count == 1 + 16_384 + 4096)
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `acknowledgements go both ways, and only once`(revision: EngineIO.Revision) {
        var client = ClientTranscript.joined(revision)
        #expect(client.emit("ask", "1", wantsAck: true) == [#"send 420["ask",1]"#])
        #expect(client.emit("ask", "2", wantsAck: true) == [#"send 421["ask",2]"#])
        #expect(client.receive(#"431["yes"]"#) == [#"acknowledged 1 ["yes"]"#])
        #expect(client.receive("431[]") == [], "a duplicate is ignored (Socket.IO SIO-13)")
        #expect(client.receive("4399[]") == [])
        #expect(client.receive(#"4212["you?"]"#) == ["event / you?  ack 12"])
        #expect(
            client.run { $0.acknowledge(12, arguments: json("[3]"), into: &$1) } == ["send 4312[3]"])
        #expect(client.run { $0.socketClosed(into: &$1) } == ["unacknowledged 0 disconnected"])
    }

    @Test func `missing acknowledgements use bounded memory`() {
        var client = ClientTranscript.joined(.v4)
        var lines: [String] = []
        for _ in 0..<16_384 { lines += client.emit("ask", nil, wantsAck: true) }
        #expect(lines.allSatisfy { $0.hasPrefix("send") })
        #expect(client.emit("ask", nil, wantsAck: true).first == "unacknowledged 0 overflow")
        #expect(client.receive("430[]") == [])
        #expect(client.receive("431[]") == ["acknowledged 1 []"])
        #expect(client.run { $0.socketClosed(into: &$1) }.count == 16_383)
    }

    @Test func `the server's disconnect and its close end the machine`() {
        var kicked = ClientTranscript.joined(.v4)
        _ = kicked.emit("ask", nil, wantsAck: true)
        #expect(kicked.receive("41") == ["disconnected", "unacknowledged 0 disconnected", "close byServer"])
        #expect(kicked.receive(#"42["x"]"#) == [])
        #expect(kicked.emit("x") == ["dropped x finished"])
        #expect(kicked.emit("x", nil, wantsAck: true) == ["dropped x 1 finished"])
        #expect(kicked.machine.deadline == nil)
        var closed = ClientTranscript.joined(.v3)
        #expect(closed.receive("1") == ["disconnected", "close byServer"])
    }

    @Test func `disconnect leaves the namespace and requests the close once`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.run { $0.disconnect(into: &$1) } == ["send 41", "close requested"])
        #expect(client.run { $0.disconnect(into: &$1) } == [])
        var early = ClientTranscript(.v4, namespace: "/admin")
        #expect(early.run { $0.disconnect(into: &$1) } == ["close requested"])
    }

    @Test(arguments: [
        ("<html>", "close notEngineIO at 0: a frame that begins with no Engine.IO packet type"),
        ("", "close notEngineIO at 0: an empty frame"),
        (#"42["x"]"#, "close notEngineIO at 0: another packet where the open packet should be"),
        ("0{", "close notEngineIO at 2: the open packet is not the JSON it should be: the text ends too early"),
        (#"0{"sid":"x"}"#, "close notEngineIO at 0: an open packet without sid, pingInterval or pingTimeout"),
        (
            #"0{"sid":"x","pingInterval":0,"pingTimeout":1}"#,
            "close notEngineIO at 0: an open packet without sid, pingInterval or pingTimeout"
        ),
    ])
    func `a first frame that is not an open packet is not Engine-IO`(frame: String, line: String) {
        var client = ClientTranscript(.v4)
        #expect(client.receive(frame) == [line])
    }

    @Test func `a binary first frame is not Engine-IO`() {
        var client = ClientTranscript(.v4)
        #expect(client.receive(.binary([0])).first?.hasPrefix("close notEngineIO") == true)
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `noops and stray heartbeats are ignored anywhere`(revision: EngineIO.Revision) {
        var client = ClientTranscript(revision)
        #expect(client.receive("6") == [])
        _ = client.receive(openPacket)
        #expect(client.receive("6") == [])
        #expect(client.receive("3") == [])
        #expect(client.receive("3probe") == [])
        if revision == .v3 { #expect(client.receive("2") == []) }
    }

    @Test func `malformed frames are reported with their position, and the session continues`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive("") == ["malformed at 0: an empty frame"])
        #expect(client.receive("4") == ["malformed at 1: an empty message"])
        #expect(client.receive("7") == ["malformed at 0: a frame that begins with no Engine.IO packet type"])
        #expect(client.receive("0{}") == ["malformed at 0: a packet that has no place in an open session"])
        #expect(client.receive(#"42["a",tru]"#).first?.hasPrefix("malformed at 10:") == true)
        #expect(client.receive(#"42["connect"]"#) == ["malformed at 3: an event with a reserved name"])
        #expect(client.receive(.binary([1])) == ["malformed at 0: a binary frame that belongs to no packet"])
        #expect(client.receive(#"40{"sid":"s"}"#) == ["malformed at 1: a second CONNECT"])
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
    }
}
