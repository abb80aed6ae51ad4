import Testing
import WeirJSON
import WeirWire

@testable import WeirPipeline

@Suite struct ConnectionTests {
    private func twake(_ attempts: Int? = nil, revision: EngineIO.Revision? = .v4) -> Transcript {
        Transcript(Configuration(backend: .twake, revision: revision, rooms: ["/r"], maximumAttempts: attempts))
    }

    @Test func `a session authenticates before it joins a room`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: Secret("t0ken")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        #expect(transcript.sent == ["40"])
        transcript.receive(#"40{"sid":"t"}"#)
        #expect(transcript.sent == [#"42["authenticate",{"token":"t0ken"}]"#])
        transcript.receive(#"42["authenticated"]"#)
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
        transcript.receive(#"42["realtime:join:success",{"name":"/r"}]"#)
        #expect(transcript.roomChanges == ["joined /r"])
    }

    @Test func `after a lost connection every wanted room is rejoined and one gap is reported`() throws {
        var transcript = twake()
        transcript.authenticate()
        transcript.receive(#"42["realtime:join:success",{"name":"/r"}]"#)
        transcript.idle(5)
        transcript.pass(.seconds(1))
        transcript.cut()
        #expect(transcript.roomChanges == ["lost /r"])
        let delay = try #require(transcript.retryIn)
        transcript.pass(delay)
        transcript.feed(.failed(connection: 2, ConnectFailure(phase: .connect, message: "refused")))
        transcript.pass(try #require(transcript.retryIn))
        #expect(transcript.connection == 3)
        transcript.authenticate()
        #expect(transcript.gaps.count == 1)
        #expect(transcript.gaps.first?.from == Moment(microseconds: 5_000_000))
        #expect(transcript.gaps.first?.to == transcript.now)
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
    }

    @Test func `a failure of the first connection ends the session unless attempts are allowed`() {
        let failure = ConnectFailure(phase: .connect, message: "refused")
        var once = twake()
        once.feed(.failed(connection: 1, failure))
        #expect(once.ending == .cannotConnect(failure))
        var thrice = twake(3)
        for attempt in 1...2 {
            thrice.feed(.failed(connection: attempt, failure))
            #expect(thrice.ending == nil)
            thrice.pass(.seconds(10))
        }
        thrice.feed(.failed(connection: 3, failure))
        #expect(thrice.ending == .cannotConnect(failure))
    }

    @Test func `a refused token ends the session when no other token is available`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: Secret("bad")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40{"sid":"t"}"#)
        transcript.receive(#"42["unauthorized",{"err":"jwt malformed"}]"#)
        #expect(transcript.effects.contains { if case .renewToken = $0 { true } else { false } })
        transcript.feed(.tokenRenewed(changed: false))
        guard case .refused(let words) = transcript.ending else {
            Issue.record("not refused")
            return
        }
        #expect(words.contains("jwt malformed"))
    }

    @Test func `a refusal of the 2021 server is acknowledged, and a fresh token connects again`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: Secret("old")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40{"sid":"t"}"#)
        transcript.receive(
            #"427["unauthorized",{"message":"jwt expired","inner":{"message":"jwt expired"},"data":{"message":"jwt expired","code":"invalid_token","type":"UnauthorizedError"}}]"#
        )
        #expect(transcript.sent.contains("437[]"))
        transcript.feed(.closed(connection: 1, WebSocketClose(code: 1000)))
        transcript.feed(.tokenRenewed(changed: true))
        #expect(transcript.connection == 2)
    }

    @Test func `a server that speaks Engine.IO 3 is retried with it at once, unless the user chose a revision`() {
        let failure = ConnectFailure(
            phase: .handshake, httpStatus: 400, message: "400", retry: .withRevision(.v3))
        var named = twake()
        named.feed(.failed(connection: 1, failure))
        #expect(named.ending == .cannotConnect(failure))
        var transcript = twake(revision: nil)
        transcript.feed(.failed(connection: 1, failure))
        #expect(transcript.connection == 2)
        guard case .connect(let request) = transcript.effects.last else {
            Issue.record("no connect")
            return
        }
        #expect(request.target == "/socket/?EIO=3&transport=websocket")
    }

    @Test func `a permanent refusal ends the session, however many attempts are allowed`() {
        let failure = ConnectFailure(phase: .handshake, httpStatus: 403, message: "Forbidden", retry: .never)
        var first = twake(10)
        first.feed(.failed(connection: 1, failure))
        #expect(first.ending == .cannotConnect(failure))
        var later = twake()
        later.authenticate()
        later.feed(.closed(connection: 1, WebSocketClose(code: 1006, reason: "Forbidden", retry: .never)))
        guard case .gaveUp(_, let why)? = later.ending else {
            Issue.record("\(String(describing: later.ending))")
            return
        }
        #expect(why.message.contains("Forbidden"))
    }

    @Test func `a session forgotten by the server restarts at once, but not twice without becoming ready`() throws {
        let close = WebSocketClose(code: 1006, reason: "Session ID unknown", retry: .atOnce)
        var transcript = twake()
        transcript.authenticate()
        transcript.feed(.closed(connection: 1, close))
        #expect(transcript.connection == 2)
        #expect(transcript.retryIn == .zero)
        transcript.feed(.opened(connection: 2, token: nil))
        transcript.feed(.closed(connection: 2, close))
        #expect(transcript.connection == 2)
        transcript.pass(try #require(transcript.retryIn))
        #expect(transcript.connection == 3)
        transcript.authenticate()
        transcript.idle(10)
        transcript.feed(.closed(connection: 3, close))
        #expect(transcript.connection == 4)
    }

    @Test func `the chosen transport is used for the connection`() {
        for (choice, target) in [
            (EngineIO.TransportChoice.auto, "websocket"), (.websocket, "websocket"), (.polling, "polling"),
            (.upgrade, "polling"),
        ] {
            let transcript = Transcript(Configuration(backend: .twake, transport: choice))
            guard case .connect(let request) = transcript.effects.last else {
                Issue.record("no connect")
                return
            }
            #expect(request.target == "/socket/?EIO=4&transport=\(target)")
            #expect(
                request.opening
                    == .engineIO(path: "/socket/", transport: choice, revision: .v4, detectsRevision: true))
        }
    }

    @Test func `a server of revision 3 is recognised by its unsolicited CONNECT`() {
        var transcript = twake(revision: nil)
        transcript.feed(.opened(connection: 1, token: Secret("t")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        transcript.receive("40")
        // Twake's backend authenticates over any revision.
        #expect(transcript.sent == [#"42["authenticate",{"token":"t"}]"#])
        transcript.receive(#"42["authenticated"]"#)
        #expect(transcript.connection == 1)
        #expect(
            transcript.effects.contains {
                if case .report(.connection(.ready(.socketIO(.v3)))) = $0 { true } else { false }
            })
        transcript.feed(.closed(connection: 1, WebSocketClose(code: 1006)))
        transcript.pass(.seconds(60))
        #expect(transcript.session.revision == .v3)
    }

    @Test func `an auth object that revision 3 cannot carry is reported as not sent`() {
        var transcript = Transcript(Configuration(backend: .socketio))
        transcript.feed(.opened(connection: 1, token: nil, auth: Secret(#"{"key":"x"}"#)))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        transcript.receive("40")
        let told = transcript.effects.compactMap {
            if case .report(.notice(let notice)) = $0 { notice.text } else { nil }
        }
        let begin = "the auth object is not sent: Engine.IO 3 can send it only in the query"
        #expect(told.count == 1 && told[0].hasPrefix(begin), "\(told)")
        #expect(transcript.sent == [])
    }

    @Test(arguments: ["1", "close", "silence"])
    func `a server that does not answer CONNECT is reported once as possibly using another parser`(how: String) {
        var transcript = Transcript(Configuration(backend: .socketio, revision: .v4, maximumAttempts: 9))
        var told: [String] = []
        for _ in 0..<2 {
            transcript.feed(.opened(connection: transcript.connection, token: nil))
            transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1}"#)
            switch how {
            case "close": transcript.feed(.closed(connection: transcript.connection, WebSocketClose(code: 1005)))
            case "silence": transcript.pass(.seconds(20))
            default: transcript.receive(how)
            }
            told += transcript.effects.compactMap {
                if case .report(.notice(let notice)) = $0 { notice.text } else { nil }
            }
            transcript.pass(.seconds(60))
        }
        #expect(
            told == [
                "the server opened a session and did not answer CONNECT: its application may use another parser, such as"
                    + " msgpack, which Weir does not support"
            ])
    }

    @Test func `a server with the msgpack parser is not reconnected to`() {
        var transcript = Transcript(Configuration(backend: .socketio, revision: .v4, maximumAttempts: 9))
        transcript.feed(.opened(connection: 1, token: nil))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1}"#)
        transcript.feed(.message(connection: 1, .binary([0x84, 0xA4] + "type".utf8 + [0x00])))
        #expect(
            transcript.ending
                == .cannotConnect(
                    ConnectFailure(
                        phase: .handshake, message: "the server uses the msgpack parser, which Weir does not support")))
    }

    @Test func `a silent server is reconnected to at once, and the gap starts at the last frame`() throws {
        var transcript = twake()
        transcript.authenticate()
        transcript.idle(7)
        transcript.pass(.seconds(45))
        #expect(transcript.effects.contains { if case .close(connection: 1, _) = $0 { true } else { false } })
        #expect(transcript.retryIn == .zero)
        #expect(transcript.connection == 2)
        // The close of the old socket is no longer relevant.
        transcript.feed(.closed(connection: 1, WebSocketClose(code: 1006, reason: "no answer to the close")))
        #expect(transcript.connection == 2)
        transcript.authenticate()
        #expect(transcript.gaps.map(\.from) == [Moment(microseconds: 7_000_000)])
    }

    @Test func `a frame that violates the protocol is reported with the reason, and a reconnect follows at once`() {
        var transcript = twake()
        transcript.authenticate()
        let close = WebSocketClose(code: 1007, reason: "text is not UTF-8", retry: .atOnce)
        transcript.feed(.closed(connection: 1, close))
        #expect(transcript.losses == ["closed with code 1007: text is not UTF-8"])
        #expect(transcript.connection == 2)
    }

    @Test(arguments: [Reconnection.atOnce, .later])
    func `a gap starts at the last frame after a violation, and at the close when the peer closed`(
        retry: Reconnection
    ) {
        var transcript = twake()
        transcript.authenticate()
        transcript.idle(7)
        transcript.pass(.seconds(2))
        transcript.feed(.closed(connection: 1, WebSocketClose(code: 1007, reason: "no text", retry: retry)))
        transcript.pass(transcript.retryIn ?? .zero)
        #expect(transcript.connection == 2)
        transcript.authenticate()
        #expect(transcript.gaps.map(\.from) == [Moment(microseconds: retry == .atOnce ? 7_000_000 : 9_000_000)])
    }

    @Test(arguments: [#"41"#, #"1"#])
    func `a server that ends each session gets reconnects at growing delays, not for ever`(farewell: String) throws {
        var transcript = twake(4)
        var delays: [Duration] = []
        for _ in 0..<20 where transcript.ending == nil {
            transcript.authenticate()
            transcript.receive(farewell)
            guard transcript.ending == nil else { break }
            let delay = try #require(transcript.retryIn)
            delays.append(delay)
            transcript.pass(delay)
        }
        #expect(delays.count == 4)
        #expect(delays.last! > delays.first! * 2)
        guard case .gaveUp(attempts: 4, _)? = transcript.ending else {
            Issue.record("\(String(describing: transcript.ending))")
            return
        }
    }

    @Test func `a session that lasted ten seconds resets the reconnect delay`() throws {
        var transcript = twake()
        for _ in 0..<6 {
            transcript.authenticate()
            transcript.idle(10)
            transcript.receive("41")
            let delay = try #require(transcript.retryIn)
            #expect(delay <= .milliseconds(500))
            transcript.pass(delay)
        }
    }

    @Test(arguments: Configuration.Reconnecting.allCases)
    func `the user decides which kind of ending is final`(policy: Configuration.Reconnecting) {
        var configuration = Configuration(backend: .twake, revision: .v4)
        configuration.reconnects = policy
        var disconnected = Transcript(configuration)
        disconnected.authenticate()
        disconnected.receive("41")
        #expect((disconnected.ending == nil) == (policy == .always))
        var cut = Transcript(configuration)
        cut.authenticate()
        cut.cut()
        #expect((cut.ending == nil) == (policy != .never))
        #expect(cut.session.configuration.json.description.contains(#""reconnect":"#) == (policy != .always))
    }

    @Test func `an unanswered authenticate ends the connection after fifteen seconds`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: Secret("t")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40{"sid":"t"}"#)
        transcript.pass(.seconds(14))
        #expect(transcript.effects.isEmpty)
        transcript.pass(.seconds(2))
        #expect(transcript.effects.contains { if case .close = $0 { true } else { false } })
    }

    @Test func `an unanswered join is sent three times and then shown as refused`() {
        var transcript = twake()
        transcript.authenticate()
        for _ in 1...2 {
            transcript.pass(.seconds(10))
            #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
        }
        transcript.pass(.seconds(10))
        #expect(transcript.roomChanges == ["refused /r"])
    }

    @Test func `an HTTP server that does not speak Socket.IO is reported as such`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: nil))
        transcript.receive("hello there")
        guard case .cannotConnect(let failure) = transcript.ending else {
            Issue.record("no ending")
            return
        }
        #expect(failure.message.hasPrefix("not a Socket.IO server"))
    }

    @Test func `frames of an older connection are ignored`() {
        var transcript = twake()
        transcript.authenticate()
        transcript.feed(.message(connection: 7, .text("42[\"x\"]")))
        #expect(transcript.effects.isEmpty)
    }

    @Test func `a session stopped while connecting ends without waiting for the result`() {
        var transcript = twake()
        transcript.feed(.stop)
        guard case .close(connection: transcript.connection, _)? = transcript.effects.first else {
            Issue.record("\(transcript.effects)")
            return
        }
        #expect(transcript.ending == .stopped)
    }

    @Test func `nothing happens after the end`() {
        var transcript = twake()
        transcript.authenticate()
        transcript.feed(.stop)
        #expect(transcript.ending == .stopped)
        #expect(transcript.gaps.isEmpty)
        transcript.receive(#"42["authenticated"]"#)
        #expect(transcript.effects.isEmpty)
        #expect(transcript.session.deadline == nil)
    }

    @Test(arguments: [(120, 120), (999_999_999, 300)])
    func `a server that refuses a connection for a while is left alone for that time, and the wait is reported`(
        asked: Int, heeded: Int
    ) throws {
        var refused = twake(3)
        refused.feed(
            .failed(
                connection: 1,
                ConnectFailure(phase: .handshake, httpStatus: 503, message: "busy", retry: .after(seconds: asked))))
        #expect(refused.retryIn == .seconds(heeded))
        #expect(refused.notices.contains { $0.contains("the connection waits \(heeded) s") })
        #expect(refused.waits == [.seconds(heeded)])
        var closed = twake()
        closed.authenticate()
        closed.feed(.closed(connection: 1, WebSocketClose(code: 1006, retry: .after(seconds: asked))))
        #expect(closed.retryIn == .seconds(heeded))
    }

    @Test func `while reading is paused, no token, join or heartbeat times out`() {
        var transcript = twake()
        transcript.feed(.opened(connection: 1, token: Secret("t0ken")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
        transcript.receive(#"40{"sid":"t"}"#)
        transcript.feed(.reading(.paused))
        transcript.pass(.seconds(60))
        transcript.feed(.reading(.resumed))
        transcript.receive(#"42["authenticated"]"#)
        #expect(transcript.sent == [#"42["realtime:join",{"name":"/r","token":"twake"}]"#])
        transcript.feed(.reading(.paused))
        transcript.pass(.seconds(60))
        #expect(transcript.sent.allSatisfy { $0 == "3" })
        transcript.feed(.reading(.resumed))
        transcript.receive(#"42["realtime:join:success",{"name":"/r"}]"#)
        #expect(transcript.roomChanges == ["joined /r"])
        #expect(transcript.connection == 1)
    }
}
