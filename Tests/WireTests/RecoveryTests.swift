import Testing
import WeirJSON
import WeirWire

/// Tests for connection state recovery at the client (Socket.IO SIO-15).
struct RecoveryTests {
    /// A client whose server recovers connections.
    private static func joined(memory: SocketIOClientMachine.Memory = .init(), auth: String? = nil) -> ClientTranscript
    {
        var client = opened(memory, auth: auth)
        _ = client.receive(openPacket)
        _ = client.receive(#"40{"sid":"s","pid":"p"}"#)
        return client
    }

    private static func opened(_ memory: SocketIOClientMachine.Memory, auth: String? = nil) -> ClientTranscript {
        ClientTranscript(.init(revision: .v4, auth: auth.map(json)), memory: memory)
    }

    private static func closed(_ client: inout ClientTranscript) -> SocketIOClientMachine.Memory {
        var memory = SocketIOClientMachine.Memory()
        _ = client.run { memory = $0.socketClosed(into: &$1) }
        return memory
    }

    @Test func `the offset is removed from the arguments and sent before the auth after a reconnect`() {
        var client = Self.joined()
        #expect(client.receive(#"42["a",1,"Q7x1cUD"]"#) == ["event / a 1 offset"])
        #expect(client.receive(#"42["a","Q7x1cUD.0"]"#) == ["event / a  offset"])
        var next = Self.opened(Self.closed(&client), auth: #"{"token":"t"}"#)
        #expect(next.receive(openPacket) == [#"send 40{"pid":"p","offset":"Q7x1cUD.0","token":"t"}"#])
        #expect(next.receive(#"42["missed",2,"Q7x1cUE"]"#) == [])
        #expect(
            next.receive(#"40{"sid":"s","pid":"p"}"#) == ["connected engine recovered", "event / missed 2 offset"])
        var third = Self.opened(Self.closed(&next))
        #expect(third.receive(openPacket) == [#"send 40{"pid":"p","offset":"Q7x1cUE"}"#])
    }

    @Test func `a different pid means a different session`() {
        var client = Self.joined()
        _ = client.receive(#"42["a","Q7x1cUD"]"#)
        var next = Self.opened(Self.closed(&client))
        _ = next.receive(openPacket)
        #expect(next.receive(#"40{"sid":"t","pid":"q"}"#) == ["connected engine"])
        var third = Self.opened(Self.closed(&next))
        #expect(third.receive(openPacket) == ["send 40"], "no event of this session came")
    }

    @Test func `without an event no recovery is requested`() {
        var client = Self.joined()
        var next = Self.opened(Self.closed(&client))
        #expect(next.receive(openPacket) == ["send 40"])
        #expect(next.receive(#"40{"sid":"t","pid":"p"}"#) == ["connected engine"], "not asked for, not recovered")
    }

    @Test(arguments: ["41", "leave"])
    func `a session that ended in order is not recovered`(how: String) {
        var client = Self.joined()
        _ = client.receive(#"42["a","Q7x1cUD"]"#)
        if how == "41" { _ = client.receive("41") } else { _ = client.run { $0.leave("/", into: &$1) } }
        var next = Self.opened(Self.closed(&client))
        #expect(next.receive(openPacket) == ["send 40"])
    }

    @Test func `an event that requests an acknowledgement has no offset`() {
        var client = Self.joined()
        #expect(client.receive(#"421["a","Q7x1cUD"]"#) == [#"event / a "Q7x1cUD" ack 1"#])
        var plain = ClientTranscript.joined(.v4)
        #expect(plain.receive(#"42["a","Q7x1cUD"]"#) == [#"event / a "Q7x1cUD""#], "no pid, no offsets")
    }

    @Test(arguments: [
        #""text""#, #""message""#, #""Stopped""#, #""Q7x1cU""#, #""Q7x1cUC""#, #""Q7x1cUD""#, #""Q7x1c D""#, "7",
        #""Q7x1cUE.""#,
        #"{"a":"Q7x1cUE"}"#,
    ])
    func `a volatile event that ends with a string does not replace the offset`(argument: String) {
        var client = Self.joined()
        _ = client.receive(#"42["a","Q7x1cUD"]"#)
        #expect(client.receive(#"42["v",\#(argument)]"#) == ["event / v \(argument)"])
        #expect(client.receive(#"42["a","Q7x1cUF"]"#) == ["event / a  offset"])
        var next = Self.opened(Self.closed(&client))
        #expect(next.receive(openPacket) == [#"send 40{"pid":"p","offset":"Q7x1cUF"}"#])
    }

    @Test func `a first string that merely looks like an offset is dropped after two that agree`() {
        var client = Self.joined()
        #expect(client.receive(#"42["v","Stopped"]"#) == ["event / v  offset"])
        #expect(client.receive(#"42["a","Q7x1cUD"]"#) == [#"event / a "Q7x1cUD""#])
        #expect(client.receive(#"42["a","Q7x1cUE"]"#) == ["event / a  offset"])
        var next = Self.opened(Self.closed(&client))
        #expect(next.receive(openPacket) == [#"send 40{"pid":"p","offset":"Q7x1cUE"}"#])
    }

    @Test func `offsets of the Redis streams adapters are supported too`() {
        var client = Self.joined()
        #expect(client.receive(#"42["a","1763695581000-0"]"#) == ["event / a  offset"])
        #expect(client.receive(#"42["a","1763695581000-1"]"#) == ["event / a  offset"])
    }

    @Test func `a loss before the connect answer voids the recovery`() {
        var client = Self.joined()
        _ = client.receive(#"42["a","Q7x1cUD"]"#)
        var next = Self.opened(Self.closed(&client))
        _ = next.receive(openPacket)
        for _ in 0...16_384 { _ = next.receive(#"421["missed"]"#) }
        #expect(next.receive(#"40{"sid":"s","pid":"p"}"#).first == "connected engine")
    }

    @Test func `each namespace has a session of its own`() {
        let configuration = SocketIOClientMachine.Configuration(
            revision: .v4, namespaces: [.init("/"), .init("/admin")])
        var client = ClientTranscript(configuration)
        _ = client.receive(openPacket)
        _ = client.receive(#"40{"sid":"s","pid":"p"}"#)
        _ = client.receive(#"40/admin,{"sid":"t","pid":"q"}"#)
        _ = client.receive(#"42/admin,["a","Q7x1cUD"]"#)
        var next = ClientTranscript(configuration, memory: Self.closed(&client))
        #expect(next.receive(openPacket) == ["send 40", #"send 40/admin,{"pid":"q","offset":"Q7x1cUD"}"#])
        #expect(next.receive(#"40/admin,{"sid":"t","pid":"q"}"#) == ["connected engine /admin recovered"])
    }
}
