import Testing
import WeirWire

/// Tests for the client's transports as transcripts: inputs and their effects (Engine.IO EIO-10 to EIO-34 and the list
/// of Socket.IO SIO-22).
struct EngineIOClientTransportTests {
    static let open =
        #"0{"sid":"s","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000,"maxPayload":100}"#
    static let openWithoutUpgrade = #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#

    // MARK: 1, 2: handshakes

    @Test func `a WebSocket alone can be the session`() {
        var client = ClientTransportTranscript(.websocket)
        #expect(client.start() == ["openWebSocket /s/?EIO=4&transport=websocket"])
        #expect(client.send("42[]") == [])
        #expect(client.give(.webSocketOpened) == ["opened"])
        #expect(client.machine.isWebSocketStream)
        #expect(client.give(.webSocketReceived([.text("0{}"), .text("6")])) == ["received 0{} 6"])
        #expect(client.send("42[]") == ["ws 42[]"])
        #expect(client.close() == ["closeWebSocket 1000"])
        #expect(client.send("42[]") == [])
        #expect(client.give(.webSocketReceived([.text("42[]")])) == [])
        #expect(client.give(.webSocketClosed(WebSocketClose(code: 1000))) == ["closed 1000 later"])
        #expect(client.send("42[]") == [])
        #expect(client.machine.deadline == nil)
    }

    @Test func `polling keeps one GET and one POST open, and posts waiting packets together`() {
        var client = ClientTransportTranscript(.polling)
        #expect(client.start() == ["get 1 /s/?EIO=4&transport=polling&t=x.1"])
        #expect(client.answer(1, [Self.open]) == ["opened", "received \(Self.open)", "get 2 \(client.polling(2))"])
        #expect(client.polling(2) == "/s/?EIO=4&transport=polling&sid=s&t=x.2")
        #expect(client.send("40") == ["post 3 \(client.polling(3)) text/plain;charset=UTF-8 40"])
        #expect(client.send("42[1]") == [])
        #expect(client.send(.binary([1, 2])) == [])
        #expect(client.machine.pendingBytes == 2 + 5 + 2)
        #expect(
            client.answer(2, ["42[\"a\"]\u{1E}", "2"]) == [
                "received 42[\"a\"]", "received 2", "get 4 \(client.polling(4))",
            ])
        #expect(client.answer(3, ["ok"]) == ["post 5 \(client.polling(5)) text/plain;charset=UTF-8 42[1]␞bAQI="])
        #expect(client.answer(5, ["OK"]) == [])
        #expect(client.machine.pendingBytes == 0)
    }

    @Test func `revision 3 requests base64, escapes text, and reads both framings`() {
        var client = ClientTransportTranscript(.polling, .v3)
        #expect(client.start() == ["get 1 /s/?EIO=3&transport=polling&b64=1&t=x.1"])
        let open = Self.openWithoutUpgrade
        #expect(
            client.answer(1, ["\(open.utf16.count):\(open)2:40"])
                == ["opened", "received \(open) 40", "get 2 \(client.polling(2))"])
        #expect(client.polling(2) == "/s/?EIO=3&transport=polling&sid=s&b64=1&t=x.2")
        #expect(client.send("42[\"é\"]").last?.hasSuffix(#" 12:42["\u00e9"]"#) == true)
        #expect(client.answer(3, ["OK"]) == [])
        #expect(client.send(.binary([4, 1, 2])).last?.hasSuffix(" 6:b4AQI=") == true)
        let binary: [UInt8] = [0, 3, 0xFF, 0x34, 0x32, 0x5B, 1, 2, 0xFF, 4, 9]
        #expect(client.answer(2, bytes: binary) == ["received 42[ binary [4, 9]", "get 5 \(client.polling(5))"])
    }

    @Test func `auto opens a WebSocket first, then polls when it is refused`() {
        var client = ClientTransportTranscript(.auto)
        #expect(client.start() == ["openWebSocket /s/?EIO=4&transport=websocket"])
        #expect(client.fail(.handshake, 400) == ["get 1 /s/?EIO=4&transport=polling&t=x.1"])
        #expect(client.answer(1, [Self.openWithoutUpgrade]).first == "opened")
    }

    @Test func `auto reports both refusals, unless they are the same`() {
        var client = ClientTransportTranscript(.auto)
        _ = client.start()
        let refusal = ConnectFailure(
            phase: .handshake, httpStatus: 403, text: "no", message: "the server: no WebSocket (no)")
        #expect(client.give(.webSocketFailed(refusal)).count == 1)
        let words = "failed handshake later: the server: HTTP status 502: busy"
        #expect(client.answer(1, ["busy"], status: 502) == [words + "; no WebSocket (no)"])
        client = ClientTransportTranscript(.auto)
        _ = client.start()
        _ = client.fail(.handshake, 502, "busy")
        #expect(client.answer(1, ["busy"], status: 502) == [words])
    }

    @Test func `auto does not poll a server that cannot be reached`() {
        var client = ClientTransportTranscript(.auto)
        _ = client.start()
        #expect(client.fail(.connect, nil) == ["failed connect later: words"])
    }

    // MARK: 3, 13: characters, many packets, limits

    @Test func `a body has at most sixteen packets and maxPayload bytes, and a larger packet is sent alone`() {
        var client = ClientTransportTranscript.polling(Self.open)
        _ = client.send("40")
        for number in 0..<20 { _ = client.send("4\(number)") }
        let large = "4" + String(repeating: "é", count: 60)
        _ = client.send(large)
        _ = client.send("4z")
        let bodies = [3, 4, 5, 6].map { client.answer($0, ["ok"]).joined() }
        #expect(bodies[0].split(separator: "␞").count == 16)
        #expect(bodies[1].hasSuffix(" 416␞417␞418␞419"))
        #expect(bodies[2].hasSuffix(" \(large)"))
        #expect(bodies[3].hasSuffix(" 4z"))
    }

    @Test func `packets of a long body are delivered as they arrive`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(client.give(.responseHead(.init(number: 2), status: 200)) == [])
        #expect(client.chunk(2, "42[\"€\"]\u{1E}42[") == ["received 42[\"€\"]"])
        #expect(client.chunk(2, "\"") == [])
        #expect(client.chunk(2, "😀\"]\u{1E}") == ["received 42[\"😀\"]"])
        #expect(client.chunk(2, "6") == [])
        #expect(client.give(.responseEnd(.init(number: 2))) == ["get 3 \(client.polling(3))"])
    }

    @Test func `a trickling poll delivers only whole packets, so it does not count as a heartbeat`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(client.give(.responseHead(.init(number: 2), status: 200)) == [])
        for byte in "42[1]" { #expect(client.chunk(2, String(byte)) == []) }
        #expect(client.chunk(2, "\u{1E}") == ["received 42[1]"])
    }

    @Test func `a server that answers without a packet is polled again after a second, not at once`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(client.answer(2, []) == [])
        #expect(client.machine.deadline == ms(1000))
        #expect(client.advance(to: 999) == [])
        #expect(client.send("42[]").map { $0.prefix(6) } == ["post 3"])
        #expect(client.advance(to: 1000) == ["get 4 \(client.polling(4))"])
        #expect(client.answer(4, ["6"]) == ["get 5 \(client.polling(5))"])
    }

    @Test func `an unreadable body ends the session`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(
            client.answer(2, ["42[1]\u{1E}b*"]) == [
                "received 42[1]", "cancel 2",
                "closed 1002 at-once: the polling answer cannot be read (badBase64, byte 8)",
            ])
    }

    // MARK: 8: ends and errors

    @Test(arguments: [
        (
            #"{"code":1,"message":"Session ID unknown"}"#, 400,
            "1006 at-once: HTTP status 400: Session ID unknown (code 1)"
        ),
        (#""Invalid session s""#, 400, "1006 at-once: HTTP status 400: Invalid session s"),
        (#""'Session is disconnected' s""#, 400, "1006 at-once: HTTP status 400: 'Session is disconnected' s"),
        (#"{"code":3,"message":"Bad request"}"#, 400, "1006 later: HTTP status 400: Bad request (code 3)"),
        ("", 400, "1006 later: HTTP status 400"),
        (#"{"code":4,"message":"Forbidden"}"#, 403, "1006 never: HTTP status 403: Forbidden (code 4)"),
        ("busy \u{1B}[2J\n", 502, "1006 later: HTTP status 502: busy  [2J"),
        ("<html>\u{1B}[2J\n</html>", 502, "1006 later: HTTP status 502"),
    ])
    func `a refused GET of an open session reports how to retry`(body: String, status: Int, end: String) {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(client.answer(2, [body], status: status) == ["closed \(end)"])
        #expect(client.send("42[]") == [])
    }

    @Test(arguments: [
        (#"{"code":5,"message":"Unsupported protocol version"}"#, 400, "eio3", "never"),
        (
            #""The client is using an unsupported version of the Socket.IO or Engine.IO protocols""#, 400,
            "eio3", "never"
        ),
        (#"{"code":4,"message":"no"}"#, 403, "never", "never"),
        (#"{"code":0,"message":"Transport unknown"}"#, 400, "later", "later"),
        ("Not found", 404, "later", "later"),
    ])
    func `a refused handshake is reported with status, code, text and how to retry`(
        body: String, status: Int, detecting: String, fixed: String
    ) {
        for (detects, retry) in [(true, detecting), (false, fixed)] {
            var client = ClientTransportTranscript(.polling, detectsRevision: detects)
            _ = client.start()
            let effects = client.effects { machine, effects in
                machine.handle(.responseHead(.init(number: 1), status: status), at: .zero, into: &effects)
                machine.handle(.responseChunk(.init(number: 1), ArraySlice(body.utf8)), at: .zero, into: &effects)
                machine.handle(.responseEnd(.init(number: 1)), at: .zero, into: &effects)
            }
            guard case .failed(let failure)? = effects.last else {
                Issue.record("\(effects)")
                return
            }
            #expect(failure.phase == .handshake)
            #expect(failure.httpStatus == status)
            #expect(failure.text.map { body.contains($0) } == true)
            #expect((failure.code != nil) == body.hasPrefix("{"))
            #expect(failure.retry.rawValue == retry)
            #expect(failure.message.hasPrefix("the server: HTTP status \(status): "))
        }
    }

    @Test func `a failed POST ends the session, and a 413 is reported with the name of the limit`() {
        var client = ClientTransportTranscript.polling(Self.open)
        _ = client.send("4" + String(repeating: "a", count: 200))
        #expect(
            client.answer(3, [], status: 413) == [
                "cancel 2",
                "closed 1009 later: HTTP status 413: a POST of 201 bytes is above the server's maxPayload, 100 bytes",
            ])
    }

    @Test func `a POST has its own timeout`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        _ = client.send("4a", at: 1000)
        #expect(client.machine.deadline == ms(21_000))
        #expect(client.advance(to: 20_999) == [])
        #expect(
            client.advance(to: 21_000) == [
                "cancel 2", "cancel 3", "closed 1006 later: no answer to a POST of 2 bytes within 20 s",
            ])
    }

    @Test func `a lost connection ends the session`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        let failure = ConnectFailure(phase: .connect, message: "reset")
        #expect(client.give(.requestFailed(.init(number: 2), failure)) == ["closed 1006 later: reset"])
    }

    @Test func `the server's close packet is delivered, and ends the session`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(
            client.answer(2, ["42[1]\u{1E}6\u{1E}1\u{1E}42[2]"]) == [
                "received 42[1] 1", "cancel 2", "closed 1005 later",
            ])
    }

    @Test func `a close posts the waiting packets and the close packet`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        _ = client.send("4a")
        _ = client.send("41")
        #expect(client.close() == [])
        #expect(client.send("4b") == [])
        #expect(client.answer(3, ["ok"]) == ["post 4 \(client.polling(4)) text/plain;charset=UTF-8 41␞1"])
        #expect(client.answer(2, ["42[1]"]) == [])
        #expect(client.answer(4, ["ok"]) == ["closed 1000 later"])
    }

    @Test func `a close waits five seconds for its POST, whatever happens to the GET`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        #expect(client.close().count == 1)
        #expect(client.answer(2, ["x"], status: 400) == [])
        #expect(client.advance(to: 4_999) == [])
        #expect(client.advance(to: 5_000) == ["cancel 3", "closed 1000 later"])
    }

    @Test func `a close before the session opened is a failure`() {
        var client = ClientTransportTranscript(.polling)
        _ = client.start()
        #expect(client.close() == ["cancel 1", "failed handshake later: the server: closed before it opened"])
        client = ClientTransportTranscript(.auto)
        _ = client.start()
        #expect(
            client.close() == ["closeWebSocket 1000", "failed handshake later: the server: closed before it opened"])
    }

    @Test func `an unanswered handshake fails in time`() {
        var client = ClientTransportTranscript(.polling)
        _ = client.start()
        #expect(client.machine.deadline == ms(20_000))
        #expect(
            client.advance(to: 20_000) == [
                "cancel 1", "failed handshake later: the server: no answer to the handshake within 20 s",
            ])
    }

    @Test(arguments: [
        ("", "the answer is empty"),
        ("<html>", "the answer is not Engine.IO's: a frame that begins with no Engine.IO packet type"),
        ("4hello", "the answer is not Engine.IO's: it begins with another packet"),
        ("bAQI=", "the answer is not Engine.IO's: it begins with a binary packet"),
        ("0{}", "the answer is not Engine.IO's: an open packet without sid, pingInterval or pingTimeout"),
        ("b*", "the polling answer cannot be read (badBase64, byte 2)"),
    ])
    func `an invalid handshake fails`(body: String, words: String) {
        var client = ClientTransportTranscript(.polling)
        _ = client.start()
        #expect(client.answer(1, [body]).last == "failed handshake later: the server: \(words)")
    }

    @Test func `a server that answers every poll with a noop gets ten polls a second`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        for request in 2...4 {
            #expect(client.answer(request, ["6"]) == ["get \(request + 1) \(client.polling(request + 1))"])
        }
        #expect(client.answer(5, ["6"]) == [])
        #expect(client.advance(to: 99) == [])
        #expect(client.advance(to: 100) == ["get 6 \(client.polling(6))"])
        #expect(client.answer(6, ["42[1]"]) == ["received 42[1]", "get 7 \(client.polling(7))"])
    }

    @Test func `a server that answers every poll with a ping gets ten polls a second`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        for request in 2...4 {
            #expect(
                client.answer(request, ["2"]) == ["received 2", "get \(request + 1) \(client.polling(request + 1))"])
        }
        #expect(client.answer(5, ["2"]) == ["received 2"])
        #expect(client.advance(to: 99) == [])
        #expect(client.advance(to: 100) == ["get 6 \(client.polling(6))"])
    }

    @Test func `pings at their interval are followed by the next poll at once`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade)
        for request in 2...10 {
            let answered = client.answer(request, ["2"], at: Int64(request - 1) * 25_000)
            #expect(answered == ["received 2", "get \(request + 1) \(client.polling(request + 1))"])
        }
    }

    @Test func `a session id is percent-encoded in URLs`() {
        var client = ClientTransportTranscript.polling(Self.openWithoutUpgrade.replacing("\"s\"", with: "\"a&b é/\""))
        #expect(client.answer(2, ["6"]) == ["get 3 /s/?EIO=4&transport=polling&sid=a%26b%20%C3%A9%2F&t=x.3"])
    }

    // MARK: 16: a server of revision 2 reached with EIO=4

    /// The first answer in both framings of revision 3.
    private static let answersOfThree: [[UInt8]] = {
        let open = Array(openWithoutUpgrade.utf8)
        let length = Array("\(open.count)".utf8)
        return [
            length + Array(":".utf8) + open + Array("2:40".utf8),
            [0] + length.map { $0 - 0x30 } + [0xFF] + open + [0, 2, 0xFF] + Array("40".utf8),
        ]
    }()

    @Test(arguments: answersOfThree)
    func `an answer in the framing of revision 3 is reported when revision 4 was requested`(body: [UInt8]) {
        var client = ClientTransportTranscript(.polling)
        _ = client.start()
        #expect(
            client.answer(1, bytes: body).last == "failed handshake never: the server: the server uses Engine.IO 3")
    }

    @Test(arguments: answersOfThree)
    func `a session answered in the framing of revision 3 continues in it`(body: [UInt8]) {
        var client = ClientTransportTranscript(.polling, detectsRevision: true)
        _ = client.start()
        let asked = "get 2 /s/?EIO=3&transport=polling&sid=s&b64=1&t=x.2"
        #expect(client.answer(1, bytes: body) == ["opened", "received \(Self.openWithoutUpgrade) 40", asked])
        let posted = client.send("2")
        #expect(posted.count == 1 && posted[0].hasSuffix("1:2"), "\(posted)")
    }

    @Test func `a WebSocket refused with 400 may mean the wrong revision`() {
        var client = ClientTransportTranscript(.websocket, detectsRevision: true)
        _ = client.start()
        #expect(client.fail(.handshake, 400) == ["failed handshake eio3: words"])
        client = ClientTransportTranscript(.websocket)
        _ = client.start()
        #expect(client.fail(.handshake, 400) == ["failed handshake later: words"])
        client = ClientTransportTranscript(.websocket, detectsRevision: true)
        _ = client.start()
        #expect(client.fail(.handshake, 400, "Transport unknown") == ["failed handshake later: words"])
        client = ClientTransportTranscript(.websocket)
        _ = client.start()
        #expect(client.fail(.handshake, 403) == ["failed handshake never: words"])
    }

    // MARK: Anything in any order

    @Test(arguments: EngineIO.TransportChoice.allCases)
    func `random inputs trap nothing, and the machine keeps its invariants`(choice: EngineIO.TransportChoice) {
        var generator = RandomSource(seed: 11)
        var ends = 0
        for _ in 0..<1000 {
            var client = ClientTransportTranscript(choice, [.v3, .v4].randomElement(using: &generator) ?? .v4)
            var watch = TransportWatch()
            watch.note(client.effects { $0.handle(.start, at: .zero, into: &$1) })
            var now: Int64 = 0
            for _ in 0..<40 {
                now += Int64.random(in: 0...3000, using: &generator)
                let input = watch.input(using: &generator, revision: client.revision)
                watch.note(
                    client.effects {
                        $0.advance(to: ms(now), into: &$1)
                        $0.handle(input, at: ms(now), into: &$1)
                    })
            }
            ends += watch.isOver ? 1 : 0
        }
        #expect(ends > 33)
    }
}
