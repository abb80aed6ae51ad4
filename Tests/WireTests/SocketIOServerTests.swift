import Testing
import WeirJSON
import WeirWire

struct SocketIOServerTests {
    private let open =
        #"send 0{"sid":"engine-sid","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#

    @Test func `revision 4 waits for CONNECT and answers with a sid of its own`() throws {
        var server = ServerTranscript(.v4)
        #expect(server.start() == [open])
        let lines = server.receive(#"40{"token":"t"}"#)
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix(#"send 40{"sid":""#) && lines[0].utf8.count == #"send 40{"sid":""}"#.utf8.count + 20)
        #expect(!lines[0].contains("engine-sid"))
        #expect(lines[1] == #"connected / {"token":"t"}"#)
        #expect(server.receive(#"42["hello",1]"#) == ["event / hello 1"])
    }

    @Test func `the same configuration yields the same sid, and each namespace a different one`() {
        var one = ServerTranscript(.v4)
        var two = ServerTranscript(.v4)
        _ = one.start()
        _ = two.start()
        let first = one.receive("40")
        #expect(first == two.receive("40"))
        let other = one.receive("40/admin,")
        #expect(other.last == "connected /admin")
        #expect(other[0].suffix(22) != first[0].suffix(22))
    }

    @Test func `revision 3 joins the client to the default namespace automatically`() {
        var server = ServerTranscript(.v3)
        #expect(server.start() == [open, "send 40", "connected /"])
        #expect(server.receive(#"42["hello"]"#) == ["event / hello "])
    }

    @Test func `revision 3 reads the auth of another namespace from its query`() {
        var server = ServerTranscript.joined(.v3)
        #expect(
            server.receive("40/admin?token=a%20b&x&token=no&c=%zz+d,") == [
                "send 40/admin,", #"connected /admin {"token":"a b","x":"","c":"%zz d"}"#,
            ])
        #expect(server.receive(#"42/admin,["x"]"#) == ["event /admin x "])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `an unknown namespace is refused, and the session continues`(revision: EngineIO.Revision) {
        var server = ServerTranscript.joined(revision)
        #expect(server.receive("40/x,") == [#"send 44/x,{"message":"Invalid namespace"}"#])
        #expect(server.receive("40/x") == [#"send 44/x,{"message":"Invalid namespace"}"#])
        #expect(server.receive(#"42["hello"]"#) == ["event / hello "])
    }

    @Test(arguments: [
        "40", #"42/admin,["x"]"#, "43/admin,1[]", "41/admin,", "44{}", "4", "", "9", "42[\"a\u{0}\"]", "42{}",
        "4511-[\"b\"]",
    ])
    func `a frame on which the reference closes closes the connection once`(frame: String) {
        for revision in EngineIO.Revision.allCases {
            var server = ServerTranscript.joined(revision)
            let lines = server.receive(frame)
            #expect(lines.count == 1 && lines[0].hasPrefix("close "), "\(frame) on \(revision): \(lines)")
            #expect(server.receive(frame) == [])
            #expect(server.machine.deadline == nil)
        }
    }

    @Test func `an event before CONNECT closes the connection`() {
        var server = ServerTranscript(.v4)
        _ = server.start()
        #expect(server.receive(#"42["x"]"#) == ["close parse error: a packet for a namespace that is not joined"])
    }

    @Test func `an unannounced binary frame closes the connection`() {
        var server = ServerTranscript.joined(.v4)
        let lines = server.receive(.binary([4, 1]))
        #expect(lines == ["close parse error: a binary frame that belongs to no packet"])
    }

    @Test func `a message over the limit closes the connection`() {
        var server = ServerTranscript(.v4, maxPayload: 20)
        _ = server.start()
        _ = server.receive("40")
        #expect(server.receive(#"42["12345678901234"]"#).count == 1)
        #expect(server.receive(#"42["123456789012345"]"#) == ["close a message of 21 bytes, more than 20"])
    }

    @Test func `noop, upgrade and close packets on a WebSocket are ignored`() {
        var server = ServerTranscript.joined(.v4)
        for frame in ["6", "5", "1", "0{}"] { #expect(server.receive(frame) == []) }
        #expect(server.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `acknowledgements go both ways in their namespace`(revision: EngineIO.Revision) {
        var server = ServerTranscript.joined(revision)
        _ = server.receive("40/admin,")
        #expect(
            server.run { _ = $0.emit("ask", arguments: json("1"), wantsAck: true, into: &$1) } == [
                #"send 420["ask",1]"#
            ])
        #expect(
            server.run { _ = $0.emit("ask", arguments: nil, namespace: "/admin", wantsAck: true, into: &$1) } == [
                #"send 42/admin,0["ask"]"#
            ])
        #expect(server.receive("43/admin,0[2]") == ["acknowledged /admin 0 [2]"])
        #expect(server.receive("43/admin,0[2]") == [])
        #expect(server.receive("430[3]") == ["acknowledged / 0 [3]"])
        #expect(server.receive(#"42/admin,9["you?"]"#) == ["event /admin you?  ack 9"])
        #expect(
            server.run { $0.acknowledge(9, arguments: json("[]"), namespace: "/admin", into: &$1) }
                == ["send 43/admin,9[]"])
    }

    @Test func `a client that left receives nothing more and may join again`() {
        var server = ServerTranscript.joined(.v4)
        #expect(server.receive("41") == ["disconnected /"])
        #expect(server.run { _ = $0.emit("x", arguments: nil, into: &$1) } == [])
        #expect(server.run { $0.acknowledge(1, arguments: json("[]"), into: &$1) } == [])
        #expect(server.receive("40").last == "connected /")
    }

    @Test func `the server's own disconnect is one packet`() {
        var server = ServerTranscript.joined(.v4)
        _ = server.receive("40/admin,")
        #expect(server.run { $0.disconnect(namespace: "/admin", into: &$1) } == ["send 41/admin,"])
        #expect(server.run { $0.disconnect(into: &$1) } == ["send 41"])
        #expect(server.run { $0.disconnect(into: &$1) } == [])
    }

    @Test func `a name that needs escapes is written as JSON`() throws {
        var server = ServerTranscript.joined(.v4)
        let name = "quote\" back\\ new\nline é"
        var effects: [SocketIOServer.Effect] = []
        server.machine.emit(name, arguments: nil, into: &effects)
        guard case .send(let message) = try #require(effects.first) else {
            Issue.record("nothing was sent")
            return
        }
        var client = ClientTranscript.joined(.v4)
        #expect(client.receive(message) == ["event / \(name) "])
    }
}
