import Testing
import WeirJSON
import WeirWire

/// Tests for several namespaces on one connection.
struct NamespaceTests {
    private static func client(_ revision: EngineIO.Revision, _ names: String...) -> ClientTranscript {
        ClientTranscript(
            SocketIOClientMachine.Configuration(
                revision: revision, namespaces: names.map { SocketIOClientMachine.Namespace($0) }))
    }

    /// A client that joined `/` and `/admin`.
    private static func joined() -> ClientTranscript {
        var client = client(.v4, "/", "/admin")
        _ = client.receive(openPacket)
        _ = client.receive(#"40{"sid":"a"}"#)
        _ = client.receive(#"40/admin,{"sid":"b"}"#)
        return client
    }

    @Test func `revision 4 connects every namespace with its own auth, and each joins on its own answer`() {
        var client = ClientTranscript(
            SocketIOClientMachine.Configuration(
                revision: .v4,
                namespaces: [.init("/"), .init("/admin", auth: json(#"{"token":"t"}"#)), .init("/other")]))
        #expect(client.receive(openPacket) == ["send 40", #"send 40/admin,{"token":"t"}"#, "send 40/other,"])
        #expect(client.receive(#"40/admin,{"sid":"b"}"#) == ["connected engine /admin"])
        #expect(client.receive(#"42/admin,["x"]"#) == ["event /admin x "])
        #expect(client.receive(#"42["early"]"#) == [])
        #expect(client.receive(#"40{"sid":"a"}"#) == ["connected engine", "event / early "])
        #expect(client.receive(#"40/other,{"sid":"c"}"#) == ["connected engine /other"])
    }

    @Test func `the server's id in each namespace is reported`() throws {
        var client = Self.client(.v4, "/admin")
        _ = client.receive(openPacket)
        var effects: [SocketIOClientMachine.Effect] = []
        client.machine.receive(.text(#"40/admin,{"sid":"the id"}"#), at: .zero, into: &effects)
        guard case .connected(let joined) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        #expect(joined.id == "the id")
        #expect(joined.handshake.sid == "engine")
    }

    @Test(arguments: [#"44/admin,{"message":"no"}"#, #"44/admin,"no""#])
    func `a refused namespace leaves the others, and its waiting events are reported`(frame: String) {
        var client = Self.client(.v4, "/", "/admin")
        _ = client.receive(openPacket)
        _ = client.emit("waits", nil, to: "/admin", wantsAck: true)
        #expect(client.receive(#"40{"sid":"a"}"#) == ["connected engine"])
        #expect(client.receive(frame) == ["refused /admin no", "dropped /admin waits 0 notJoined"])
        #expect(client.receive(#"42["x"]"#) == ["event / x "])
        #expect(client.emit("late", nil, to: "/admin") == ["dropped /admin late notJoined"])
        #expect(client.machine.deadline == ms(45_000), "only the heartbeat is timed")
    }

    @Test func `without any namespace left the machine requests the close`() {
        var refused = Self.client(.v4, "/", "/admin")
        _ = refused.receive(openPacket)
        #expect(refused.receive(#"44"no""#) == ["refused no"])
        #expect(refused.receive(#"44/admin,"no""#) == ["refused /admin no", "close byServer"])
        var kicked = Self.joined()
        #expect(kicked.receive("41/admin,") == ["disconnected /admin"])
        #expect(kicked.receive("41") == ["disconnected", "close byServer"])
        var left = Self.joined()
        #expect(left.run { $0.leave("/", into: &$1) } == ["send 41"])
        #expect(left.receive(#"42["x"]"#).first?.hasPrefix("malformed") == true)
        #expect(left.run { $0.leave("/", into: &$1) } == [])
        #expect(left.run { $0.leave("/admin", into: &$1) } == ["send 41/admin,", "close requested"])
    }

    @Test func `disconnect leaves every namespace`() {
        var client = Self.joined()
        #expect(client.run { $0.disconnect(into: &$1) } == ["send 41", "send 41/admin,", "close requested"])
    }

    @Test func `each namespace counts its own acknowledgements`() {
        var client = Self.joined()
        #expect(client.emit("ask", nil, wantsAck: true) == [#"send 420["ask"]"#])
        #expect(client.emit("ask", nil, to: "/admin", wantsAck: true) == [#"send 42/admin,0["ask"]"#])
        #expect(client.receive("43/admin,0[1]") == ["acknowledged /admin 0 [1]"])
        #expect(client.receive("43/other,0[1]") == [])
        #expect(client.receive("41/admin,") == ["disconnected /admin"])
        #expect(client.receive("430[2]") == ["acknowledged 0 [2]"])
        let answer = client.run { $0.acknowledge(4, arguments: json("[]"), namespace: "/admin", into: &$1) }
        #expect(answer == [], "nobody waits for an answer in a namespace that was left")
    }

    @Test func `a namespace may be joined later, left and joined again`() {
        var client = ClientTranscript.joined(.v4)
        let admin = SocketIOClientMachine.Namespace("/admin", auth: json("{\"a\":1}"))
        #expect(client.run { $0.join(admin, at: ms(1_000), into: &$1) } == [#"send 40/admin,{"a":1}"#])
        #expect(client.run { $0.join(admin, at: ms(1_000), into: &$1) } == [])
        #expect(client.emit("waits", nil, to: "/admin") == [])
        #expect(
            client.receive(#"40/admin,{"sid":"b"}"#) == ["connected engine /admin", #"send 42/admin,["waits"]"#])
        _ = client.emit("ask", nil, to: "/admin", wantsAck: true)
        #expect(
            client.run { $0.leave("/admin", into: &$1) } == ["send 41/admin,", "unacknowledged /admin 0 disconnected"])
        #expect(client.run { $0.join(admin, at: ms(2_000), into: &$1) } == [#"send 40/admin,{"a":1}"#])
        _ = client.receive(#"40/admin,{"sid":"c"}"#)
        #expect(client.emit("ask", nil, to: "/admin", wantsAck: true) == [#"send 42/admin,1["ask"]"#])
        #expect(client.receive("43/admin,0[]") == [], "an answer to what was given up")
    }

    @Test func `one silent namespace is given up alone, and silence in all of them ends the connection`() {
        var one = ClientTranscript.joined(.v4)
        _ = one.run { $0.join(.init("/slow"), at: ms(5_000), into: &$1) }
        #expect(one.advance(to: 24_999) == [])
        #expect(one.advance(to: 25_000) == ["refused /slow the server does not answer"])
        #expect(one.receive(#"42["x"]"#) == ["event / x "])
        var all = Self.client(.v4, "/a", "/b")
        _ = all.receive(openPacket)
        #expect(all.advance(to: 20_000) == ["close handshakeTimeout"])
    }

    @Test func `revision 3 sends CONNECT only for non-default namespaces, each with its query`() {
        var client = Self.client(.v3, "/", "/admin?token=1", "/b")
        #expect(client.receive(openPacket) == ["send 40/admin?token=1,", "send 40/b,"])
        #expect(client.receive("40") == ["connected engine"])
        #expect(client.receive("40/admin") == ["connected engine /admin"])
        #expect(client.receive("40/b,") == ["connected engine /b"])
        #expect(client.emit("go", nil, to: "/admin?token=1") == [#"send 42/admin,["go"]"#])
    }

    @Test func `the default namespace of revision 3 can be joined later, and only once`() {
        var client = Self.client(.v3, "/admin")
        _ = client.receive(openPacket)
        #expect(client.receive("40") == [])
        _ = client.receive("40/admin,")
        #expect(client.run { $0.join(.init("/"), at: .zero, into: &$1) } == ["connected engine"])
        #expect(client.receive("41") == ["disconnected"])
        let again = client.run { $0.join(.init("/"), at: .zero, into: &$1) }
        #expect(again == ["refused Engine.IO 3 cannot join the default namespace again"])
    }

    @Test func `the server's close is reported in every namespace`() {
        var client = Self.joined()
        #expect(client.receive("1") == ["disconnected", "disconnected /admin", "close byServer"])
    }
}
