import Testing
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for the client's end of a plain WebSocket: hello, identify, heartbeats and
/// resume, as a profile describes them.
@Suite struct MessageClientTests {
    private static let text = """
        name: gateway
        realtime:
          protocol: websocket
          message: {name: t, data: d, sequence: s}
          hello: payload.op = 10
          identify: {op: 2, d: {token: "{token}"}}
          session: d.session
          resume: {send: {op: 6, session: "{session}", seq: "{sequence}"}, refused: payload.op = 9}
          heartbeat: {send: {op: 1, d: "{sequence}"}, interval: d.beat, answer: payload.op = 11}
          restart: payload.op = 7
          close: {refused: [4004], anew: [4007]}
        """

    /// A client, the time, and the client's output in words.
    private struct Run {
        var client: MessageClient
        var now = Moment.zero
        var said: [String] = []

        init(_ memory: MessageClient.Memory = .init()) throws {
            let profile = try Profile(parsing: Array(MessageClientTests.text.utf8))
            client = MessageClient(profile.realtime, token: Secret("t0k"), memory: memory)
            var effects: [MessageClient.Effect] = []
            client.start(at: now, into: &effects)
            note(effects)
        }

        mutating func receive(_ text: String) {
            var effects: [MessageClient.Effect] = []
            client.receive(Array(text.utf8)[...], at: now, into: &effects)
            note(effects)
        }

        mutating func pass(_ span: Duration) {
            now = now + span
            var effects: [MessageClient.Effect] = []
            client.advance(to: now, into: &effects)
            note(effects)
        }

        private mutating func note(_ effects: [MessageClient.Effect]) {
            said = effects.map {
                switch $0 {
                case .send(let message): "send \(message)"
                case .connected(let isRecovered): isRecovered ? "recovered" : "connected"
                case .message(let message): "\(message.name) \(message.payload)"
                case .malformed: "malformed"
                case .close(let cause): "close: \(cause.text)"
                }
            }
        }
    }

    /// A client with session `a` whose last message was number 5.
    private func open() throws -> Run {
        var run = try Run()
        #expect(run.said == [])
        run.receive(#"{"op":10,"d":{"beat":1000}}"#)
        #expect(run.said == [#"send {"op":2,"d":{"token":"t0k"}}"#, "connected"])
        run.receive(#"{"op":0,"t":"READY","s":5,"d":{"session":"a"}}"#)
        #expect(run.said == [#"READY {"session":"a"}"#])
        return run
    }

    @Test func `a heartbeat is sent at the interval of the hello, with the number of the last message`() throws {
        var run = try open()
        #expect(run.client.deadline == .zero + .seconds(1))
        run.pass(.seconds(1))
        #expect(run.said == [#"send {"op":1,"d":5}"#])
        run.receive(#"{"op":11}"#)
        #expect(run.said == [])
        run.pass(.seconds(1))
        #expect(run.said == [#"send {"op":1,"d":5}"#])
    }

    @Test func `an unanswered heartbeat ends the connection, unless reading was paused`() throws {
        var run = try open()
        run.pass(.seconds(1))
        run.client.set(.paused, at: run.now)
        run.pass(.seconds(1))
        #expect(run.said == [#"send {"op":1,"d":5}"#])
        run.client.set(.resumed, at: run.now)
        run.pass(.seconds(1))
        #expect(run.said == [#"send {"op":1,"d":5}"#])
        run.pass(.seconds(1))
        #expect(run.said == ["close: the server did not answer a heartbeat"])
        #expect(run.client.deadline == nil)
    }

    @Test func `a server that sends no hello is disconnected from`() throws {
        var run = try Run()
        run.pass(.seconds(15))
        #expect(run.said == ["close: no hello in time"])
    }

    @Test func `a session is resumed without a gap`() throws {
        let before = try open()
        var run = try Run(before.client.memory)
        run.receive(#"{"op":10,"d":{"beat":1000}}"#)
        #expect(run.said == [#"send {"op":6,"session":"a","seq":5}"#])
        run.receive(#"{"op":0,"t":"MISSED","s":6,"d":1}"#)
        #expect(run.said == ["recovered", "MISSED 1"])
    }

    @Test func `a session unknown to the server starts afresh`() throws {
        let before = try open()
        var run = try Run(before.client.memory)
        run.receive(#"{"op":10,"d":{"beat":1000}}"#)
        run.receive(#"{"op":9,"d":false}"#)
        #expect(run.said == [#"send {"op":2,"d":{"token":"t0k"}}"#, "connected", " false"])
        #expect(run.client.memory.session == nil)
    }

    @Test func `a restart message in answer to a resume request closes the connection`() throws {
        let before = try open()
        var run = try Run(before.client.memory)
        run.receive(#"{"op":10,"d":{"beat":1000}}"#)
        run.receive(#"{"op":7}"#)
        #expect(run.said == ["close: the server requested a new connection"])
        #expect(run.client.memory.session == "a")
    }

    @Test func `a close code that ends the session prevents resuming, and any other does not`() throws {
        var run = try open()
        run.client.closed(code: 1006)
        #expect(run.client.memory.session == "a")
        run = try open()
        run.client.closed(code: 4007)
        #expect(run.client.memory.session == nil)
    }

    @Test func `a server may request a reconnect, and text that is not JSON is reported`() throws {
        var run = try open()
        run.receive("{")
        #expect(run.said == ["malformed"])
        run.receive(#"{"op":7}"#)
        #expect(run.said == ["close: the server requested a new connection"])
    }
}
