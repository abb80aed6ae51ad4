import Testing
import WeirJSON
import WeirWire

/// Tests for connection state recovery at the server, and for the client against it (Socket.IO SIO-15).
struct ServerRecoveryTests {
    private static func store(_ configuration: SocketIORecoveryStore.Configuration = .init()) -> SocketIORecoveryStore {
        SocketIORecoveryStore(configuration, epoch: 1_763_695_581_000)
    }

    private static let alice = SocketIORecoveryStore.Session(
        sid: "a", pid: "secret", namespace: "/", rooms: ["blue"])

    private static func names(_ restored: SocketIORecoveryStore.Restored?) -> [String]? {
        restored?.missed.map(\.name)
    }

    /// The offset assigned to an event.
    private static func offset(_ emission: SocketIO.Emission) -> String {
        String(emission.arguments?.description.split(separator: ",").last?.dropFirst().dropLast() ?? "")
    }

    @Test func `offsets are ordered, have the reference's format, and follow the other arguments`() {
        var store = Self.store()
        let first = store.record(.init("a", arguments: json("1")), at: .zero)
        #expect(first.arguments?.description == "1,\"\(Self.offset(first))\"")
        #expect(Self.offset(first).utf8.count == 7)
        let second = store.record(.init("a"), at: .zero)
        #expect(Self.offset(second).hasPrefix(Self.offset(first) + "."))
        var client = ClientTranscript(.v4)
        _ = client.receive(openPacket)
        _ = client.receive(#"40{"sid":"s","pid":"p"}"#)
        for number in 0..<200 {
            let sent = store.record(.init("a"), at: ms(Int64(number) / 3))
            #expect(client.receive(#"42["a",\#(sent.arguments?.description ?? "")]"#) == ["event / a  offset"])
        }
    }

    @Test func `a restored session receives its rooms' missed events once`() {
        var store = Self.store()
        let seen = Self.offset(store.record(.init("seen"), at: ms(1)))
        _ = store.record(.init("all"), at: ms(2))
        _ = store.record(.init("blue"), to: ["blue", "green"], at: ms(2))
        _ = store.record(.init("red"), to: ["red"], at: ms(2))
        _ = store.record(.init("direct"), to: ["a"], at: ms(3))
        _ = store.record(.init("admin", namespace: "/admin"), at: ms(3))
        store.save(Self.alice, at: ms(1))
        #expect(store.restore(pid: "other", offset: seen, namespace: "/", at: ms(4)) == nil)
        #expect(store.restore(pid: "secret", offset: "unknown", namespace: "/", at: ms(4)) == nil)
        #expect(store.restore(pid: "secret", offset: seen, namespace: "/admin", at: ms(4)) == nil)
        let restored = store.restore(pid: "secret", offset: seen, namespace: "/", at: ms(4))
        #expect(Self.names(restored) == ["all", "blue", "direct"])
        #expect(restored?.session == Self.alice)
        #expect(store.restore(pid: "secret", offset: seen, namespace: "/", at: ms(4)) == nil)
    }

    @Test func `a client away too long, or with too many missed events, joins afresh`() {
        var late = Self.store()
        let seen = Self.offset(late.record(.init("seen"), at: ms(119_000)))
        late.save(Self.alice, at: ms(0))
        #expect(late.restore(pid: "secret", offset: seen, namespace: "/", at: ms(120_001)) == nil)
        var pruned = Self.store(.init(maximumPackets: 3))
        let old = Self.offset(pruned.record(.init("seen"), at: .zero))
        pruned.save(Self.alice, at: .zero)
        for _ in 0..<3 { _ = pruned.record(.init("more"), at: .zero) }
        #expect(pruned.restore(pid: "secret", offset: old, namespace: "/", at: .zero) == nil)
        var crowded = Self.store(.init(maximumSessions: 1))
        let place = Self.offset(crowded.record(.init("seen"), at: .zero))
        crowded.save(Self.alice, at: .zero)
        crowded.save(.init(sid: "b", pid: "another", namespace: "/"), at: .zero)
        #expect(crowded.restore(pid: "secret", offset: place, namespace: "/", at: .zero) == nil)
        #expect(crowded.restore(pid: "another", offset: place, namespace: "/", at: .zero) != nil)
    }

    @Test func `a server without recovery sends no pid and treats the request as auth`() {
        var server = ServerTranscript(.v4)
        _ = server.start()
        let lines = server.receive(#"40{"pid":"p","offset":"Q7x1cUD","token":"t"}"#)
        #expect(!lines[0].contains("pid"))
        #expect(lines[1] == #"connected / {"pid":"p","offset":"Q7x1cUD","token":"t"}"#)
    }

    @Test func `missed events precede the connect answer with the same ids, and the client accepts them`() throws {
        var store = Self.store()
        var server = ServerTranscript(.v4, recoverySecret: "one")
        var client = ClientTranscript(.v4)
        for line in server.start() { _ = client.receive(String(line.dropFirst(5))) }
        let joined = server.receive("40")
        #expect(client.receive(String(joined[0].dropFirst(5))) == ["connected one"])
        let hello = store.record(.init("hello"), at: .zero)
        let sent = server.run { _ = $0.emit("hello", arguments: hello.arguments, into: &$1) }
        #expect(client.receive(String(sent[0].dropFirst(5))) == ["event / hello  offset"])

        let lost = try #require(server.machine.recoverableSessions.first)
        #expect(server.machine.socketID() == lost.sid)
        store.save(lost, at: ms(1))
        _ = store.record(.init("missed", arguments: json("2")), at: ms(2))
        var memory = SocketIOClientMachine.Memory()
        _ = client.run { memory = $0.socketClosed(into: &$1) }

        server = ServerTranscript(.v4, recoverySecret: "two")
        client = ClientTranscript(.init(revision: .v4, auth: json(#"{"t":1}"#)), memory: memory)
        let asked = client.receive(String(server.start()[0].dropFirst(5)))
        var effects: [SocketIOServer.Effect] = []
        server.machine.receive(.text(String(asked[0].dropFirst(5))), at: ms(3), into: &effects)
        guard case .recoveryAsked(let namespace, let pid, let offset, let auth) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        let restored = store.restore(pid: pid, offset: offset, namespace: namespace, at: ms(3))
        let answers = server.run { $0.recover(restored, namespace: namespace, auth: auth, into: &$1) }
        #expect(answers.count == 2)
        #expect(client.receive(String(answers[0].dropFirst(5))) == [])
        #expect(
            client.receive(String(answers[1].dropFirst(5))) == ["connected two recovered", "event / missed 2 offset"])
        #expect(server.machine.socketID() == lost.sid)
        #expect(server.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `a session that cannot be restored is joined afresh`() {
        var server = ServerTranscript(.v4, recoverySecret: "one")
        _ = server.start()
        #expect(server.receive(#"40{"pid":"p","offset":"Q7x1cUD"}"#) == ["recoveryAsked / p Q7x1cUD"])
        let lines = server.run { $0.recover(nil, namespace: "/", auth: json("{}"), into: &$1) }
        #expect(lines.count == 2 && lines[0].contains("pid") && lines[1] == "connected / {}")
    }

    @Test func `a client that left in order has no recoverable session, and one that fell silent has`() {
        var left = ServerTranscript(.v4, recoverySecret: "one")
        _ = left.start()
        _ = left.receive("40")
        #expect(left.machine.recoverableSessions.count == 1)
        _ = left.receive("41")
        #expect(left.machine.recoverableSessions.isEmpty)
        var silent = ServerTranscript(.v4, recoverySecret: "one")
        _ = silent.start()
        _ = silent.receive("40")
        _ = silent.advance(to: 100_000)
        #expect(silent.machine.recoverableSessions.count == 1)
    }

    @Test func `an acknowledgement for the server is given up in time, and when the client leaves`() {
        var server = ServerTranscript.joined(.v4)
        let asked = server.run {
            _ = $0.emit("a", arguments: nil, wantsAck: true, ackBy: ms(500), into: &$1)
            _ = $0.emit("b", arguments: nil, wantsAck: true, into: &$1)
        }
        #expect(asked == [#"send 420["a"]"#, #"send 421["b"]"#])
        #expect(server.advance(to: 500) == ["unacknowledged / 0"])
        #expect(server.receive("430[]") == [])
        #expect(server.receive("41") == ["disconnected /", "unacknowledged / 1"])
    }
}

/// Tests for a server whose application decides which clients may join a namespace.
struct ServerAdmissionTests {
    private func server() -> ServerTranscript {
        var server = ServerTranscript(.v4, asks: true)
        _ = server.start()
        return server
    }

    @Test func `an admitted client is in the namespace`() {
        var server = server()
        #expect(server.receive(#"40{"token":"t"}"#) == [#"joinAsked / {"token":"t"}"#])
        #expect(server.run { $0.admit(into: &$1) }.last == #"connected / {"token":"t"}"#)
        #expect(server.receive(#"42["x"]"#) == ["event / x "])
    }

    @Test func `a refused client gets the reason and may retry`() {
        var server = server()
        _ = server.receive("40")
        let lines = server.run { $0.refuse("who are you?", into: &$1) }
        #expect(lines == [#"send 44{"message":"who are you?"}"#])
        #expect(server.receive("40") == ["joinAsked / "])
    }
}
