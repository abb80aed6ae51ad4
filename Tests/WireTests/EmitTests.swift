import Testing
import WeirJSON
import WeirWire

/// Tests for how events are sent, by delivery, and how each one that wants an acknowledgement ends.
struct EmitTests {
    private static func emission(
        _ name: String, _ delivery: SocketIO.Delivery = .buffered, ack: SocketIO.AckRequest = .none
    ) -> SocketIO.Emission { SocketIO.Emission(name, delivery: delivery, ack: ack) }

    private static let retried = SocketIO.Delivery.retried(attempts: 3, timeout: .seconds(1))

    /// A machine of the next connection, opened at `milliseconds` and joined with the given answer.
    private static func reconnected(
        _ memory: SocketIOClientMachine.Memory, at milliseconds: Int64
    ) -> (ClientTranscript, lines: [String]) {
        var client = ClientTranscript(.init(revision: .v4), memory: memory, openedAt: milliseconds)
        _ = client.receive(openPacket, at: milliseconds)
        let lines = client.receive(#"40{"sid":"s"}"#, at: milliseconds)
        return (client, lines)
    }

    @Test func `a volatile event is sent at once or dropped`() {
        var client = ClientTranscript(.v4)
        _ = client.receive(openPacket)
        #expect(client.emit(Self.emission("tick", .volatile)) == ["dropped tick notJoined"])
        #expect(client.emit(Self.emission("tick", .volatile, ack: .unlimited)) == ["dropped tick 0 notJoined"])
        #expect(client.receive(#"40{"sid":"s"}"#) == ["connected engine"])
        #expect(client.emit(Self.emission("tick", .volatile)) == [#"send 42["tick"]"#])
    }

    @Test func `a buffered event waits for its namespace, even across a reconnect, and keeps its id`() {
        var client = ClientTranscript(.v4)
        #expect(client.emit(Self.emission("one", ack: .unlimited)) == [])
        var memory = SocketIOClientMachine.Memory()
        #expect(client.run { memory = $0.socketClosed(into: &$1) } == [], "what was not sent is not given up")
        var effects: [SocketIOClientMachine.Effect] = []
        #expect(memory.emit(Self.emission("two", ack: .unlimited), at: ms(1), into: &effects) == 1)
        #expect(memory.emit(Self.emission("never", .volatile), at: ms(1), into: &effects) == nil)
        #expect(effects.map(\.line) == ["dropped never notJoined"])
        var (next, lines) = Self.reconnected(memory, at: 5_000)
        #expect(lines == ["connected engine", #"send 420["one"]"#, #"send 421["two"]"#])
        #expect(next.receive("431[]", at: 5_000) == ["acknowledged 1 []"])
        #expect(next.run { $0.socketClosed(into: &$1) } == ["unacknowledged 0 disconnected"])
    }

    @Test func `the overflow policy decides which event is dropped when too many wait`() {
        for policy in [SocketIO.OverflowPolicy.refuseNewest, .dropOldest] {
            var client = ClientTranscript(
                .init(revision: .v4, namespaces: [.init("/")], overflow: policy))
            for number in 0..<4096 { #expect(client.emit(Self.emission("\(number)")) == []) }
            let told = client.emit(Self.emission("new", ack: .unlimited))
            _ = client.receive(openPacket)
            let sent = client.receive(#"40{"sid":"s"}"#)
            switch policy {
            case .refuseNewest:
                #expect(told == ["dropped new 0 overflow"])
                #expect(sent.last == #"send 42["4095"]"#)
            case .dropOldest:
                #expect(told == ["dropped 0 overflow"])
                #expect(sent[1] == #"send 42["1"]"#)
                #expect(sent.last == #"send 420["new"]"#)
            }
            #expect(sent.count == 4097)
        }
    }

    @Test func `an event larger than the buffer is dropped at once`() {
        var client = ClientTranscript(.init(revision: .v4, namespaces: [.init("/")], overflow: .dropOldest))
        var large = Self.emission("large")
        large.attachments = [ArraySlice(repeating: 0, count: 17 << 20)]
        #expect(client.emit(large) == ["dropped large overflow"])
    }

    @Test func `an acknowledgement that is late is given up, and ignored when it arrives`() {
        var client = ClientTranscript.joined(.v4)
        let ask = Self.emission("ask", ack: .within(.milliseconds(500)))
        #expect(client.emit(ask, at: 1_000) == [#"send 420["ask"]"#])
        #expect(client.emit(ask, at: 1_200) == [#"send 421["ask"]"#])
        #expect(client.machine.deadline == ms(1_500))
        #expect(client.receive("430[]", at: 1_300) == ["acknowledged 0 []"])
        #expect(client.advance(to: 1_699) == [])
        #expect(client.advance(to: 1_700) == ["unacknowledged 1 timeout"])
        #expect(client.receive("431[]", at: 1_701) == [])
        #expect(client.machine.deadline == ms(45_000))
    }

    @Test func `the timeout runs while an event waits, and a timed-out event is not sent`() {
        var client = ClientTranscript(.v4)
        _ = client.emit(Self.emission("ask", ack: .within(.seconds(2))), at: 0)
        var memory = SocketIOClientMachine.Memory()
        _ = client.run { memory = $0.socketClosed(into: &$1) }
        #expect(memory.deadline == ms(2_000))
        var effects: [SocketIOClientMachine.Effect] = []
        memory.advance(to: ms(2_000), into: &effects)
        #expect(effects.map(\.line) == ["dropped ask 0 timeout"])
        #expect(Self.reconnected(memory, at: 3_000).lines == ["connected engine"])
    }

    @Test func `retried events are sent one at a time, in order`() {
        var client = ClientTranscript(.v4)
        for name in ["a", "b", "c"] { #expect(client.emit(Self.emission(name, Self.retried)) == []) }
        _ = client.receive(openPacket)
        #expect(client.receive(#"40{"sid":"s"}"#) == ["connected engine", #"send 420["a"]"#])
        #expect(client.receive("431[]") == [], "not out yet")
        #expect(client.receive("430[1]", at: 10) == ["acknowledged 0 [1]", #"send 421["b"]"#])
        #expect(client.receive("430[1]", at: 11) == [], "acknowledged twice")
        #expect(client.receive("431[]", at: 20) == ["acknowledged 1 []", #"send 422["c"]"#])
        #expect(client.receive("432[]", at: 30) == ["acknowledged 2 []"])
        #expect(client.emit(Self.emission("d", Self.retried), at: 40) == [#"send 423["d"]"#])
    }

    @Test func `a retried event is repeated until its attempts are used up, and the next one follows`() {
        var client = ClientTranscript.joined(.v4)
        #expect(client.emit(Self.emission("a", Self.retried), at: 0) == [#"send 420["a"]"#])
        #expect(client.emit(Self.emission("b", Self.retried), at: 0) == [])
        #expect(client.advance(to: 1_000) == [#"send 420["a"]"#])
        #expect(client.advance(to: 2_000) == [#"send 420["a"]"#])
        #expect(client.advance(to: 3_000) == ["unacknowledged 0 timeout", #"send 421["b"]"#])
        #expect(client.receive("430[]", at: 3_100) == [])
        #expect(client.advance(to: 4_000) == [#"send 421["b"]"#])
        #expect(client.receive("431[]", at: 4_100) == ["acknowledged 1 []"], "whichever attempt it answers")
    }

    @Test func `a retried event survives as many reconnects as it has attempts`() {
        var client = ClientTranscript.joined(.v4)
        _ = client.emit(Self.emission("a", Self.retried), at: 0)
        var memory = SocketIOClientMachine.Memory()
        #expect(client.run { memory = $0.socketClosed(into: &$1) } == [])
        var effects: [SocketIOClientMachine.Effect] = []
        _ = memory.emit(Self.emission("b", Self.retried), at: ms(1), into: &effects)
        for attempt in 2...3 {
            var (next, lines) = Self.reconnected(memory, at: Int64(attempt) * 100)
            #expect(lines == ["connected engine", #"send 420["a"]"#])
            lines = next.run { memory = $0.socketClosed(into: &$1) }
            #expect(lines == (attempt == 3 ? ["unacknowledged 0 disconnected"] : []))
        }
        #expect(Self.reconnected(memory, at: 900).lines == ["connected engine", #"send 421["b"]"#])
    }

    @Test func `a client that will not reconnect gives up all events`() {
        var client = ClientTranscript.joined(.v4)
        _ = client.emit(Self.emission("sent", ack: .unlimited))
        _ = client.emit(Self.emission("out", Self.retried))
        _ = client.emit(Self.emission("behind", Self.retried))
        var memory = SocketIOClientMachine.Memory()
        #expect(client.run { memory = $0.socketClosed(into: &$1) } == ["unacknowledged 0 disconnected"])
        var effects: [SocketIOClientMachine.Effect] = []
        _ = memory.emit(Self.emission("waits", ack: .unlimited), at: .zero, into: &effects)
        memory.abandon(into: &effects)
        #expect(
            effects.map(\.line) == [
                "dropped waits 3 notJoined", "unacknowledged 1 disconnected", "unacknowledged 2 disconnected",
            ])
        #expect(memory.deadline == nil)
    }

    @Test func `disconnect keeps no events`() {
        var client = ClientTranscript.joined(.v4)
        _ = client.emit(Self.emission("out", Self.retried))
        #expect(
            client.run { $0.disconnect(into: &$1) }
                == ["send 41", "unacknowledged 0 disconnected", "close requested"])
        var memory = SocketIOClientMachine.Memory()
        _ = client.run { memory = $0.socketClosed(into: &$1) }
        #expect(Self.reconnected(memory, at: 0).lines == ["connected engine"])
    }
}
