import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirWire

/// Covers the official test suite of the Engine.IO protocol, and further behaviour of the JavaScript server, over real
/// sockets.
@Suite struct EngineIOEchoTests {
    private static let fast = EndpointOptions(
        path: "/engine.io/", pingInterval: .milliseconds(300), pingTimeout: .milliseconds(200))

    private let unknown = EndpointClient.Answer(
        status: 400, type: "application/json", body: #"{"code":1,"message":"Session ID unknown"}"#)
    private let mismatch = EndpointClient.Answer(
        status: 400, type: "application/json", body: #"{"code":3,"message":"Bad request"}"#)

    private func text(_ body: String) -> EndpointClient.Answer {
        EndpointClient.Answer(status: 200, type: "text/plain; charset=UTF-8", body: body)
    }

    private let ok = EndpointClient.Answer(status: 200, type: "text/html", body: "ok")

    @Test func `a handshake describes the session on both transports`() async throws {
        try await withEcho(.engineIO, Self.fast) { client in
            let (query, open) = try await client.openPolling()
            let sid = query.split(separator: "=").last ?? ""
            #expect(
                open
                    == text(
                        #"0{"sid":"\#(sid)","upgrades":["websocket"],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
                    ))
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            let packet = try await socket.entry(2)
            #expect(packet.hasPrefix(#"0{"sid":""#))
            #expect(
                packet.hasSuffix(#","upgrades":[],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#))
        }
    }

    /// Matches the JavaScript server. In revision 3 the next packet follows at once, and so it does in revision 4 if
    /// the client does not wait.
    @Test(arguments: [EngineIO.Revision.v3, .v4])
    func `the handshake packet is written separately, whatever follows it`(revision: EngineIO.Revision)
        async throws
    {
        try await withEcho(.socketIO) { client in
            let connection = try RawConnection(port: UInt16(try URLParts(parsing: client.url).port))
            let said = connection.upgrade(
                "/socket.io/?EIO=\(revision.rawValue)&transport=websocket",
                and: revision == .v4 ? clientFrame("40") : [], until: #"42["auth""#)
            #expect(said.contains(#"0{"sid":"#))
            // Three segments: the answer to the upgrade, the handshake packet, and the rest.
            #expect(connection.segmentsReceived == 3, "\(said)")
        }
    }

    @Test(arguments: [
        ("GET", "transport=polling", 5, "Unsupported protocol version"),
        ("GET", "EIO=abc&transport=polling", 5, "Unsupported protocol version"),
        ("GET", "EIO=4", 0, "Transport unknown"), ("GET", "EIO=4&transport=abc", 0, "Transport unknown"),
        ("POST", "EIO=4&transport=polling", 2, "Bad handshake method"),
        ("PUT", "EIO=4&transport=polling", 2, "Bad handshake method"),
        ("GET", "EIO=4&transport=websocket", 3, "Bad request"),
        ("GET", "EIO=4&transport=polling&sid=nope", 1, "Session ID unknown"),
    ])
    func `an invalid request is refused with a code`(method: String, query: String, code: Int, message: String)
        async throws
    {
        try await withEcho(.engineIO) { client in
            let answer = try await client.start(query, method: method).first()
            #expect(answer.status == 400)
            #expect(answer.type == "application/json")
            #expect(answer.body == #"{"code":\#(code),"message":"\#(message)"}"#)
        }
    }

    @Test(arguments: [
        "transport=websocket", "EIO=abc&transport=websocket", "EIO=4&transport=abc", "EIO=4&transport=polling",
    ])
    func `an invalid WebSocket handshake is refused`(query: String) async throws {
        try await withEcho(.engineIO) { client in
            let socket = try await client.openSocket(query)
            #expect(try await socket.entry(1) == "(failed 400)")
        }
    }

    @Test func `payloads are echoed packet by packet, text and binary`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            #expect(try await client.post(query, "4hello") == ok)
            #expect(try await client.get(query) == text("4hello"))
            #expect(try await client.post(query, "4test1\u{1E}4test2\u{1E}4test3") == ok)
            #expect(try await client.get(query) == text("4test1\u{1E}4test2\u{1E}4test3"))
            #expect(try await client.post(query, "4hello\u{1E}bAQIDBA==") == ok)
            #expect(try await client.get(query) == text("4hello\u{1E}bAQIDBA=="))
        }
    }

    @Test func `revision 3 prefixes packets with their length, and reads and writes binary framing`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, open) = try await client.openPolling(.v3)
            #expect(open.body.hasPrefix("97:0{") || open.body.hasPrefix("118:0{"))
            #expect(try await client.post(query, "6:4hello3:4é€4:4€😀") == ok)
            #expect(try await client.get(query) == text("6:4hello3:4é€4:4€😀"))
            let framed: [UInt8] = [0, 2, 0xFF, 0x34, 0x61, 1, 5, 0xFF, 4, 1, 2, 3, 4]
            let answer = try await client.start(
                query, method: "POST", body: framed, headers: [("content-type", "application/octet-stream")]
            ).first()
            #expect(answer == ok)
            let back = try await client.get(query)
            #expect(back.type == "application/octet-stream")
            #expect(back.body == String(decoding: framed, as: UTF8.self))
            let (base64, _) = try await client.openPolling(.v3, more: "&b64=1")
            #expect(try await client.post(base64, "10:b4AQIDBA==") == ok)
            #expect(try await client.get(base64) == text("10:b4AQIDBA=="))
        }
    }

    @Test func `WebSocket messages are echoed`() async throws {
        try await withEcho(.engineIO) { client in
            let four = try await client.openSocket("EIO=4&transport=websocket")
            await four.send("4hello")
            await four.send([1, 2, 3, 4])
            #expect(try await four.entry(4) == "[1, 2, 3, 4]")
            await four.expect("4hello")
            let three = try await client.openSocket("EIO=3&transport=websocket")
            await three.send([4, 1, 2])
            #expect(try await three.entry(3) == "[4, 1, 2]")
            await three.send("2probe")
            #expect(try await three.entry(4) == "3probe")
        }
    }

    @Test func `an invalid packet ends the session`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            #expect(try await client.post(query, "abc").status == 400)
            #expect(try await client.get(query) == unknown)
            let (binary, _) = try await client.openPolling()
            #expect(try await client.post(binary, "4a", type: "application/octet-stream").status == 400)
            #expect(try await client.get(binary) == unknown)
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            await socket.send("abc")
            await socket.expect("(closed 1005)")
        }
    }

    @Test func `two pending polls end the session, and both are answered`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            let answers = [try client.start(query), try client.start(query)]
            var seen: [String] = []
            for answer in answers {
                let answer = try await answer.first()
                seen.append("\(answer.status) \(answer.body)")
            }
            #expect(seen.sorted() == ["200 1", "400 "])
            #expect(try await client.get(query) == unknown)
        }
    }

    /// Returns the options of a server that pings often. A patient one waits long for pongs, since a busy machine may
    /// answer late.
    private func pinging(patient: Bool) -> EndpointOptions {
        EndpointOptions(
            path: "/engine.io/", pingInterval: .milliseconds(100),
            pingTimeout: patient ? .seconds(60) : .milliseconds(50))
    }

    @Test func `a polling client is pinged, and its session ends if it does not answer`() async throws {
        try await withEcho(.engineIO, pinging(patient: true)) { client in
            let (query, _) = try await client.openPolling()
            for _ in 0..<3 {
                #expect(try await client.get(query) == text("2"))
                #expect(try await client.post(query, "3") == ok)
            }
        }
        try await withEcho(.engineIO, pinging(patient: false)) { client in
            let (query, _) = try await client.openPolling()
            var answers: [EndpointClient.Answer] = []
            repeat { answers.append(try await client.get(query)) } while answers.last != unknown && answers.count < 5
            // A ping and the end, if the client asked in time.
            #expect(
                [text("2"), text("1"), unknown].suffix(answers.count) == answers[...]
                    || answers == [text("2"), unknown])
        }
    }

    @Test func `a WebSocket is pinged, and closed if it does not answer`() async throws {
        try await withEcho(.engineIO, pinging(patient: true)) { client in
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            for count in 3...5 {
                #expect(try await socket.entry(count) == "2")
                await socket.send("3")
            }
            let three = try await client.openSocket("EIO=3&transport=websocket")
            await three.send("2")
            #expect(try await three.entry(3) == "3")
        }
        try await withEcho(.engineIO, pinging(patient: false)) { client in
            let four = try await client.openSocket("EIO=4&transport=websocket")
            #expect(try await four.entry(3) == "2")
            #expect(try await four.entry(4) == "(closed 1005)")
            let three = try await client.openSocket("EIO=3&transport=websocket")
            #expect(try await three.entry(3) == "(closed 1005)")
        }
    }

    @Test func `a client ends its session with a close packet`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            let waiting = try client.start(query)
            #expect(try await client.post(query, "4a") == ok)
            #expect(try await waiting.first() == text("4a"))
            let last = try client.start(query)
            #expect(try await client.post(query, "1") == ok)
            let answer = try await last.first()
            #expect(answer == text("6") || answer == unknown)
            #expect(try await client.get(query) == unknown)
        }
    }

    @Test func `a cancelled poll ends the session`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            let parts = try URLParts(parsing: client.url + "?" + query)
            let given = client.http.send(HTTPRequest(url: parts)) { _ in }
            #expect(try await client.post(query, "3") == ok)
            client.http.cancel(given)
            // The server notices the cancellation later. Until then the session accepts messages.
            var answer = try await client.post(query, "3")
            while answer == ok { answer = try await client.post(query, "3") }
            #expect(answer == unknown)
        }
    }

    @Test func `an upgrade sends a probe and a noop, then everything over the WebSocket`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            let waiting = try client.start(query)
            let socket = try await client.openSocket(query.replacing("polling", with: "websocket"))
            await socket.send("2probe")
            #expect(try await socket.entry(2) == "3probe")
            #expect(try await waiting.first() == text("6"))
            #expect(try await client.post(query, "4before") == ok)
            await socket.send("5")
            #expect(try await socket.entry(3) == "4before")
            await socket.send("4hello")
            #expect(try await socket.entry(4) == "4hello")
            #expect(try await client.get(query) == mismatch)
            #expect(try await client.post(query, "4a") == mismatch)
            let second = try await client.openSocket(query.replacing("polling", with: "websocket"))
            #expect(try await second.entry(2) == "(closed 1005)")
            await socket.send("4still")
            #expect(try await socket.entry(5) == "4still")
        }
    }

    @Test func `a payload above the limit is refused, and a message above it closes the socket`() async throws {
        try await withEcho(.engineIO, EndpointOptions(path: "/engine.io/", maxPayload: 100)) { client in
            let (query, _) = try await client.openPolling()
            let large = "4" + String(repeating: "x", count: 100)
            #expect(try await client.post(query, large).status == 413)
            #expect(try await client.post(query, String(large.dropLast())) == ok)
            #expect(try await client.get(query).body.utf8.count == 100)
            let socket = try await client.openSocket("EIO=4&transport=websocket")
            await socket.send(String(large.dropLast()))
            #expect(try await socket.entry(3).utf8.count == 100)
            await socket.send(large)
            await socket.expect("(closed 1009)")
        }
    }

    @Test func `the number of sessions and the data waiting for a session are limited`() async throws {
        let options = EndpointOptions(path: "/engine.io/", maximumPending: 1_000, maximumSessions: 2)
        try await withEcho(.engineIO, options) { client in
            let (first, _) = try await client.openPolling()
            let (second, _) = try await client.openPolling()
            #expect(try await client.get("EIO=4&transport=polling").status == 503)
            #expect(try await client.openSocket("EIO=4&transport=websocket").entry(1) == "(failed 503)")
            let packet = "4" + String(repeating: "x", count: 600)
            #expect(try await client.post(first, packet) == ok)
            // The second packet exceeds the limit of waiting data.
            _ = try await client.post(first, packet)
            #expect(try await client.get(first) == unknown)
            #expect(try await client.post(second, "4a") == ok)
            #expect(try await client.get("EIO=4&transport=polling").status == 200)
        }
    }
}
