import Testing
import WeirJSON
import WeirWire

/// Tests for a client over many connections: when it reconnects, and when not.
struct ReconnectionTests {
    private struct Transcript {
        var machine: SocketIOReconnection
        var now: Int64 = 0

        init(_ configuration: SocketIOReconnection.Configuration = .init(revision: .v4)) {
            machine = SocketIOReconnection(configuration, seed: 1)
        }

        /// A client whose first connection joined its namespace.
        static func joined(_ configuration: SocketIOReconnection.Configuration = .init(revision: .v4)) -> Transcript {
            var transcript = Transcript(configuration)
            _ = transcript.run { $0.start(into: &$2) }
            _ = transcript.join()
            return transcript
        }

        mutating func run(
            _ step: (inout SocketIOReconnection, Moment, inout [SocketIOReconnection.Effect]) -> Void
        ) -> [String] {
            var effects: [SocketIOReconnection.Effect] = []
            step(&machine, ms(now), &effects)
            return effects.map(\.line)
        }

        mutating func receive(_ text: String) -> [String] {
            run { $0.received([.text(text)], at: $1, into: &$2) }
        }

        mutating func join(_ answer: String = #"40{"sid":"s"}"#) -> [String] {
            _ = run { $0.opened(at: $1, into: &$2) }
            _ = receive(openPacket)
            return receive(answer)
        }

        mutating func fail(_ retry: Reconnection = .later) -> [String] {
            run { $0.failed(ConnectFailure(phase: .connect, message: "no", retry: retry), at: $1, into: &$2) }
        }

        mutating func close(_ retry: Reconnection = .later) -> [String] {
            run { $0.closed(WebSocketClose(code: 1006, retry: retry), at: $1, into: &$2) }
        }

        /// Waits for the next attempt and returns the elapsed milliseconds.
        mutating func wait() -> Int64 {
            let due = (machine.deadline?.microseconds ?? 0) / 1000 + 1
            let span = due - now
            now = due
            return run { $0.advance(to: $1, into: &$2) }.contains { $0.hasPrefix("connect ") } ? span : -1
        }

        mutating func emit(_ emission: SocketIO.Emission) -> [String] {
            run { _ = $0.emit(emission, at: $1, into: &$2) }
        }
    }

    @Test func `delays grow, are capped, keep their jitter, and start over after a success`() {
        var client = Transcript()
        #expect(client.run { $0.start(into: &$2) } == ["tell connecting 1", "connect 1 v4"])
        var delays: [Int64] = []
        for _ in 0..<40 {
            #expect(client.fail().count == 1)
            delays.append(client.wait())
        }
        #expect((500...1001).contains(delays[0]))
        #expect((1000...2001).contains(delays[1]))
        #expect(delays[5...].allSatisfy { (2500...5001).contains($0) })
        #expect(Set(delays[5...]).count > 20)
        #expect(client.join() == ["tell joined /"])
        _ = client.close()
        #expect((500...1001).contains(client.wait()))
    }

    @Test func `only the allowed number of attempts is made`() {
        var client = Transcript(.init(revision: .v4, maximumAttempts: 2))
        _ = client.run { $0.start(into: &$2) }
        #expect(client.fail().count == 1)
        #expect(client.wait() > 0)
        #expect(client.fail() == ["tell ended gaveUp 2"])
        #expect(client.machine.deadline == nil)
        #expect(client.emit(.init("late", ack: .unlimited)) == ["tell dropped late"])
    }

    @Test func `a permanent refusal ends the client, and a forgotten session restarts at once, but not twice`() {
        var refused = Transcript()
        _ = refused.run { $0.start(into: &$2) }
        #expect(refused.fail(.never) == ["tell ended refused"])
        var forgotten = Transcript.joined()
        #expect(forgotten.close(.atOnce) == ["tell lost in 0", "tell connecting 1", "connect 1 v4"])
        #expect(forgotten.fail(.atOnce).first != "tell lost in 0")
        #expect(forgotten.wait() > 0)
    }

    @Test func `a server with an unsupported parser is not contacted again`() {
        var client = Transcript()
        _ = client.run { $0.start(into: &$2) }
        _ = client.run { $0.opened(at: $1, into: &$2) }
        _ = client.receive(openPacket)
        let packet: [UInt8] = [0x84, 0xA4] + "type".utf8 + [0x00, 0xA4] + "data".utf8
        #expect(client.run { $0.received([.binary(packet[...])], at: $1, into: &$2) } == ["close"])
        #expect(client.close() == ["tell ended gaveUp 1"])
    }

    @Test func `a server of revision 3 is recognised by its refusal or its answer, and remembered`() {
        var told = Transcript(.init())
        _ = told.run { $0.start(into: &$2) }
        #expect(told.fail(.withRevision(.v3)) == ["tell lost in 0", "tell connecting 1", "connect 1 v3"])
        var seen = Transcript(.init())
        _ = seen.run { $0.start(into: &$2) }
        #expect(seen.join("40") == ["close"])
        #expect(seen.close() == ["tell lost in 0", "tell connecting 1", "connect 1 v3"])
        #expect(seen.join("40") == ["tell joined /"])
        _ = seen.close()
        _ = seen.wait()
        #expect(seen.join("40") == ["tell joined /"])
        var adopted = Transcript(.init())
        _ = adopted.run { $0.start(into: &$2) }
        _ = adopted.run { $0.opened(at: $1, into: &$2) }
        _ = adopted.receive(#"0{"sid":"engine","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        #expect(adopted.receive("40") == ["tell joined /"])
        _ = adopted.close()
        _ = adopted.wait()
        #expect(adopted.join("40") == ["tell joined /"], "it is asked in revision 3 at once")
        var named = Transcript(.init(revision: .v4))
        _ = named.run { $0.start(into: &$2) }
        #expect(named.fail(.withRevision(.v3)).first != "tell lost in 0")
    }

    @Test func `the client reconnects after a disconnect by the server, unless configured otherwise`() {
        var back = Transcript.joined()
        #expect(back.receive("41") == ["tell disconnected /", "close"])
        #expect(back.close().count == 1)
        #expect(back.wait() > 0)
        #expect(back.join() == ["tell joined /"])
        var gone = Transcript.joined(.init(revision: .v4, returnsAfterKick: false))
        _ = gone.receive("41")
        #expect(gone.close() == ["tell ended disconnectedByServer"])
    }

    @Test func `sessions that end early count as attempts, and longer ones do not`() {
        var brief = Transcript.joined(.init(revision: .v4, maximumAttempts: 3))
        for _ in 0..<3 {
            #expect(brief.close().last?.hasPrefix("tell lost in ") == true)
            #expect(brief.wait() > 0)
            #expect(brief.join() == ["tell joined /"])
        }
        #expect(brief.close().last?.hasPrefix("tell ended gaveUp") == true)
        var held = Transcript.joined(.init(revision: .v4, maximumAttempts: 3))
        for _ in 0..<6 {
            held.now += 10_000
            #expect(held.close().last?.hasPrefix("tell lost in ") == true)
            #expect(held.wait() > 0)
            #expect(held.join() == ["tell joined /"])
        }
    }

    @Test func `a disconnect in one of two namespaces is followed by a new CONNECT on the same connection`() {
        var client = Transcript(.init(revision: .v4, namespaces: [.init("/"), .init("/admin")]))
        _ = client.run { $0.start(into: &$2) }
        _ = client.join()
        #expect(client.receive(#"40/admin,{"sid":"b"}"#) == ["tell joined /admin"])
        #expect(client.receive("41/admin,") == ["tell disconnected /admin"])
        client.now += 1_001
        #expect(client.run { $0.advance(to: $1, into: &$2) } == ["send 40/admin,"])
    }

    @Test func `an event emitted while disconnected is sent on the next connection with its id`() {
        var client = Transcript.joined()
        _ = client.close()
        #expect(client.emit(.init("kept", ack: .unlimited)) == [])
        #expect(client.emit(.init("never", delivery: .volatile)) == ["tell dropped never"])
        #expect(client.emit(.init("nowhere", namespace: "/x")) == ["tell dropped nowhere"])
        #expect(client.wait() > 0)
        #expect(client.join() == ["tell joined /", #"send 420["kept"]"#])
        #expect(client.receive("430[1]") == ["tell acknowledged 0"])
    }

    @Test func `auth provided for an attempt overrides the configured one`() {
        var client = Transcript(.init(revision: .v4, namespaces: [.init("/", auth: json("{\"t\":0}"))]))
        _ = client.run { $0.start(into: &$2) }
        _ = client.run { $0.opened(auth: ["/": json("{\"t\":1}")], at: $1, into: &$2) }
        #expect(client.receive(openPacket) == [#"send 40{"t":1}"#])
        _ = client.close()
        _ = client.wait()
        _ = client.run { $0.opened(at: $1, into: &$2) }
        #expect(client.receive(openPacket) == [#"send 40{"t":0}"#])
    }

    @Test func `a refused namespace is not retried, and without any left the client ends`() {
        var client = Transcript(.init(revision: .v4, namespaces: [.init("/"), .init("/no")]))
        _ = client.run { $0.start(into: &$2) }
        _ = client.join()
        #expect(client.receive(#"44/no,{"message":"no"}"#) == ["tell refused /no"])
        _ = client.close()
        _ = client.wait()
        _ = client.run { $0.opened(at: $1, into: &$2) }
        #expect(client.receive(openPacket) == ["send 40"])
        #expect(client.receive(#"44{"message":"no"}"#) == ["tell refused /", "close"])
        #expect(client.close() == ["tell ended namespaceRefused"])
    }

    @Test func `disconnect ends the client in every state and reports the waiting events`() {
        var waiting = Transcript.joined()
        _ = waiting.close()
        _ = waiting.emit(.init("kept"))
        #expect(waiting.run { $0.disconnect(at: $1, into: &$2) } == ["tell dropped kept", "tell ended requested"])
        var open = Transcript.joined()
        #expect(open.run { $0.disconnect(at: $1, into: &$2) } == ["send 41", "close"])
        #expect(open.close() == ["tell ended requested"])
        var connecting = Transcript()
        _ = connecting.run { $0.start(into: &$2) }
        #expect(connecting.run { $0.disconnect(at: $1, into: &$2) } == ["close"])
        #expect(connecting.fail() == ["tell ended requested"])
        #expect(connecting.machine.deadline == nil)
    }

    @Test func `a namespace joined later is rejoined on the next connection, and a left one is not`() {
        var client = Transcript.joined()
        #expect(client.run { $0.join(.init("/b"), at: $1, into: &$2) } == ["send 40/b,"])
        _ = client.close()
        _ = client.wait()
        _ = client.run { $0.opened(at: $1, into: &$2) }
        #expect(client.receive(openPacket) == ["send 40", "send 40/b,"])
        _ = client.receive(#"40/b,{"sid":"b"}"#)
        #expect(client.run { $0.leave("/b", at: $1, into: &$2) } == ["send 41/b,"])
        _ = client.close()
        _ = client.wait()
        _ = client.run { $0.opened(at: $1, into: &$2) }
        #expect(client.receive(openPacket) == ["send 40"])
    }
}

extension SocketIOReconnection.Effect {
    fileprivate var line: String {
        switch self {
        case .connect(let attempt, let revision): "connect \(attempt) \(revision)"
        case .send(let message): "send \(message.line)"
        case .close: "close"
        case .tell(let event): "tell \(event.line)"
        }
    }
}

extension SocketIOReconnection.Event {
    fileprivate var line: String {
        switch self {
        case .connecting(let attempt): "connecting \(attempt)"
        case .joined(let joined): "joined \(joined.namespace)"
        case .refused(let namespace, _): "refused \(namespace)"
        case .event(let event): event.line
        case .acknowledged(let answer): "acknowledged \(answer.id)"
        case .unacknowledged(_, let id, let cause): "unacknowledged \(id) \(cause)"
        case .dropped(let dropped): "dropped \(dropped.emission.name)"
        case .disconnected(let namespace): "disconnected \(namespace)"
        case .malformed(let malformed): "malformed \(malformed.message)"
        case .lost(_, let retryIn): "lost in \(retryIn.microseconds)"
        case .ended(.requested): "ended requested"
        case .ended(.refused): "ended refused"
        case .ended(.namespaceRefused): "ended namespaceRefused"
        case .ended(.disconnectedByServer): "ended disconnectedByServer"
        case .ended(.gaveUp(let attempts, _)): "ended gaveUp \(attempts)"
        }
    }
}
