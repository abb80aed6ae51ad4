import Testing
import TestSupport
import WeirDemoServer
import WeirWire

/// The 32 cases of the official test suite of Socket.IO 5, with their names, rewritten. The first half covers Engine.IO
/// 4 under a Socket.IO server, the second Socket.IO itself over a WebSocket.
@Suite(.timeLimit(.minutes(2))) struct SocketIOSuiteTests {
    private static let suite = EndpointOptions(pingInterval: .milliseconds(300), pingTimeout: .milliseconds(200))
    private static let patient = EndpointOptions(pingInterval: .milliseconds(300), pingTimeout: .seconds(60))
    private static let webSocket = "EIO=4&transport=websocket"

    private func open(_ text: String, _ upgrades: String) throws {
        let sid = try #require(text.split(separator: "\"").dropFirst(3).first)
        #expect(
            text.hasPrefix(
                #"0{"sid":"\#(sid)","upgrades":\#(upgrades),"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
            ))
    }

    // MARK: Engine.IO: handshake

    @Test func `handshake, polling: should successfully open a session`() async throws {
        try await withEcho(.socketIO, Self.suite) { client in
            let answer = try await client.get("EIO=4&transport=polling")
            #expect(answer.status == 200)
            try open(answer.body, #"["websocket"]"#)
        }
    }

    @Test(arguments: [
        ("an invalid 'EIO' query parameter", "GET", "transport=polling"),
        ("an invalid 'EIO' query parameter", "GET", "EIO=abc&transport=polling"),
        ("an invalid 'transport' query parameter", "GET", "EIO=4"),
        ("an invalid 'transport' query parameter", "GET", "EIO=4&transport=abc"),
        ("an invalid request method", "POST", "EIO=4&transport=polling"),
        ("an invalid request method", "PUT", "EIO=4&transport=polling"),
    ])
    func `handshake, polling: should fail with`(what: String, method: String, query: String) async throws {
        try await withEcho { client in
            let answer = try await client.start(query, method: method).first()
            #expect(answer.status == 400, "\(what)")
        }
    }

    @Test func `handshake, WebSocket: should successfully open a session`() async throws {
        try await withEcho(.socketIO, Self.suite) { client in
            try open(try await client.openSocket(Self.webSocket).entry(2), "[]")
        }
    }

    @Test(arguments: [
        ("an invalid 'EIO' query parameter", "transport=websocket"),
        ("an invalid 'EIO' query parameter", "EIO=abc&transport=websocket"),
        ("an invalid 'transport' query parameter", "EIO=4"),
        ("an invalid 'transport' query parameter", "EIO=4&transport=abc"),
    ])
    func `handshake, WebSocket: should fail with`(what: String, query: String) async throws {
        try await withEcho { client in
            let end = try await client.openSocket(query).entry(1)
            #expect(end == "(failed 400)", "\(what)")
        }
    }

    // MARK: Engine.IO: heartbeat, close, upgrade

    @Test func `heartbeat, polling: should send ping and pong packets`() async throws {
        try await withEcho(.socketIO, Self.patient) { client in
            let (query, _) = try await client.openPolling()
            for _ in 0..<3 {
                #expect(try await client.get(query).body == "2")
                #expect(try await client.post(query, "3").status == 200)
            }
        }
    }

    @Test func `heartbeat, polling: should close the session upon ping timeout`() async throws {
        try await withEcho(.socketIO, Self.suite) { client in
            let (query, _) = try await client.openPolling()
            var last = try await client.get(query)
            for _ in 0..<3 where last.status == 200 { last = try await client.get(query) }
            #expect(last.status == 400)
        }
    }

    @Test func `heartbeat, WebSocket: should send ping and pong packets`() async throws {
        try await withEcho(.socketIO, Self.patient) { client in
            let socket = try await client.openSocket(Self.webSocket)
            for count in 3...5 {
                #expect(try await socket.entry(count) == "2")
                await socket.send("3")
            }
        }
    }

    @Test func `heartbeat, WebSocket: should close the session upon ping timeout`() async throws {
        try await withEcho(.socketIO, Self.suite) { client in
            try await client.openSocket(Self.webSocket).expect("(closed 1005)")
        }
    }

    @Test func `close, polling: should forcefully close the session`() async throws {
        try await withEcho { client in
            let (query, _) = try await client.openPolling()
            let poll = try client.start(query)
            #expect(try await client.post(query, "1").status == 200)
            let answer = try await poll.first()
            #expect(answer.body == "6" || answer.status == 400)
            #expect(try await client.get(query).status == 400)
        }
    }

    /// The JavaScript server handles this packet only from polling clients. Here the ping timeout closes the socket.
    @Test func `close, WebSocket: should forcefully close the session`() async throws {
        try await withEcho(.socketIO, Self.suite) { client in
            let socket = try await client.openSocket(Self.webSocket)
            await socket.send("1")
            await socket.expect("(closed 1005)")
        }
    }

    /// Returns a session that was upgraded to a WebSocket.
    private func upgraded(_ client: EndpointClient) async throws -> (query: String, socket: EndpointSocket) {
        let (query, _) = try await client.openPolling()
        let socket = try await client.openSocket(query.replacing("polling", with: "websocket"))
        await socket.send("2probe")
        #expect(try await socket.entry(2) == "3probe")
        await socket.send("5")
        await socket.send("40")
        #expect(try await socket.entry(4) == #"42["auth",{}]"#)
        return (query, socket)
    }

    @Test func `upgrade: should successfully upgrade from HTTP long-polling to WebSocket`() async throws {
        try await withEcho { client in _ = try await upgraded(client) }
    }

    @Test func `upgrade: should ignore HTTP requests with same sid after upgrade`() async throws {
        try await withEcho { client in
            let (query, _) = try await upgraded(client)
            #expect(try await client.get(query).status == 400)
        }
    }

    @Test func `upgrade: should ignore WebSocket connection with same sid after upgrade`() async throws {
        try await withEcho { client in
            let (query, _) = try await upgraded(client)
            try await client.openSocket(query.replacing("polling", with: "websocket")).expect("(closed 1005)")
        }
    }

    // MARK: Socket.IO: connect

    /// Returns the server's answers to the first packet of a client, after the handshake.
    private func answers(
        to packet: String, count: Int, _ options: EndpointOptions? = nil
    ) async throws -> [String] {
        var answers: [String] = []
        try await withEcho(.socketIO, options) { client in
            let socket = try await client.openSocket(Self.webSocket)
            await socket.send(packet)
            _ = try await socket.entry(2 + count)
            answers = Array(socket.log.all.dropFirst(2).prefix(count))
        }
        return answers
    }

    @Test(arguments: [
        ("the main namespace", "40", "40{", #"42["auth",{}]"#),
        ("the main namespace with a payload", #"40{"token":"123"}"#, "40{", #"42["auth",{"token":"123"}]"#),
        ("a custom namespace", "40/custom,", "40/custom,{", #"42/custom,["auth",{}]"#),
        (
            "a custom namespace with a payload", #"40/custom,{"token":"abc"}"#, "40/custom,{",
            #"42/custom,["auth",{"token":"abc"}]"#
        ),
    ])
    func `connect: should allow connection to`(what: String, packet: String, handshake: String, auth: String)
        async throws
    {
        let seen = try await answers(to: packet, count: 2)
        #expect(seen.first?.hasPrefix(handshake + #""sid":""#) == true, "\(what)")
        // The `sid` is its only member.
        #expect(seen.first?.hasSuffix(#""}"#) == true && seen.first?.contains(",\"") == false, "\(what)")
        #expect(seen.last == auth, "\(what)")
    }

    @Test func `connect: should disallow connection to an unknown namespace`() async throws {
        #expect(try await answers(to: "40/random", count: 1) == [#"44/random,{"message":"Invalid namespace"}"#])
    }

    @Test func `connect: should disallow connection with an invalid handshake`() async throws {
        #expect(try await answers(to: "4abc", count: 1) == ["(closed 1005)"])
    }

    @Test func `connect: should close the connection if no handshake is received`() async throws {
        try await withEcho(.socketIO, EndpointOptions(connectTimeout: .milliseconds(100))) { client in
            let end = try await client.openSocket(Self.webSocket).entry(3)
            #expect(end == "(closed 1005)")
        }
    }

    // MARK: Socket.IO: disconnect, message

    /// Runs `send` in a client's session in the main namespace, and returns the next `count` entries of its log.
    private func answers(
        _ count: Int, to send: (EndpointSocket) async throws -> Void
    ) async throws -> [String] {
        var answers: [String] = []
        try await withEcho { client in
            let socket = try await client.openSocket(Self.webSocket)
            await socket.send("40")
            #expect(try await socket.entry(4) == #"42["auth",{}]"#)
            try await send(socket)
            _ = try await socket.entry(4 + count)
            answers = Array(socket.log.all.dropFirst(4).prefix(count))
        }
        return answers
    }

    @Test func `disconnect: should disconnect from the main namespace`() async throws {
        // The connection outlives its last namespace, as with the JavaScript server. The ping timeout closes it.
        try await withEcho(.socketIO, Self.suite) { client in
            let socket = try await client.openSocket(Self.webSocket)
            await socket.send("40")
            await socket.send("41")
            await socket.expect("(closed 1005)")
        }
    }

    @Test func `disconnect: should connect then disconnect from a custom namespace`() async throws {
        let seen = try await answers(3) { socket in
            await socket.send("40/custom")
            _ = try await socket.entry(6)
            await socket.send("41/custom")
            await socket.send(#"42["message","message to main namespace"]"#)
        }
        #expect(seen.last == #"42["message-back","message to main namespace"]"#)
    }

    private static let holders = #"{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}"#

    @Test(arguments: [
        ("a plain-text packet", #"42["message",1,"2",{"3":[true]}]"#, #"42["message-back",1,"2",{"3":[true]}]"#),
        (
            "a plain-text packet with an ack", #"42456["message-with-ack",1,"2",{"3":[false]}]"#,
            #"43456[1,"2",{"3":[false]}]"#
        ),
    ])
    func `message: should send`(what: String, packet: String, answer: String) async throws {
        let seen = try await answers(1) { await $0.send(packet) }
        #expect(seen == [answer], "\(what)")
    }

    @Test(arguments: [
        ("a packet with binary attachments", #"452-["message",\#(holders)]"#, #"452-["message-back",\#(holders)]"#),
        (
            "a packet with binary attachments and an ack", #"452-789["message-with-ack",\#(holders)]"#,
            "462-789[\(holders)]"
        ),
    ])
    func `message: should send with attachments`(what: String, packet: String, answer: String) async throws {
        let seen = try await answers(3) { socket in
            await socket.send(packet)
            await socket.send([1, 2, 3])
            await socket.send([4, 5, 6])
        }
        #expect(seen == [answer, "[1, 2, 3]", "[4, 5, 6]"], "\(what)")
    }

    @Test(arguments: [
        ("unknown packet type", "4abc"), ("invalid payload format", "42{}"),
        ("invalid ack id", #"42abc["message-with-ack",1,"2",{"3":[false]}]"#),
    ])
    func `message: should close the connection upon invalid format`(what: String, packet: String) async throws {
        let seen = try await answers(1) { await $0.send(packet) }
        #expect(seen == ["(closed 1005)"], "\(what)")
    }
}
