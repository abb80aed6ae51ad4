import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirWire

/// The cases of the official test suites of Engine.IO 3 (23) and 4 (25), with their names, rewritten. A case of both
/// suites is one test with the revision as its argument.
///
/// The suites' server pings every 300 ms and waits 200 ms for an answer, which a busy machine may miss. Only the cases
/// about heartbeats use these times.
@Suite(.timeLimit(.minutes(2))) struct EngineIOSuiteTests {
    private static let revisions: [EngineIO.Revision] = [.v3, .v4]
    private static let suite = EndpointOptions(
        path: "/engine.io/", pingInterval: .milliseconds(300), pingTimeout: .milliseconds(200))
    private static let patient = EndpointOptions(
        path: "/engine.io/", pingInterval: .milliseconds(300), pingTimeout: .seconds(60))

    /// Encodes packets as a request body of `revision`.
    private func payload(_ packets: String..., in revision: EngineIO.Revision) -> String {
        payload(packets, in: revision)
    }

    private func payload(_ packets: [String], in revision: EngineIO.Revision) -> String {
        switch revision {
        case .v3: packets.map { "\($0.utf16.count):\($0)" }.joined()
        case .v4: packets.joined(separator: "\u{1E}")
        }
    }

    private func query(_ revision: EngineIO.Revision, _ transport: String) -> String {
        "EIO=\(revision.rawValue)&transport=\(transport)"
    }

    /// Expects `text` to end with an open packet.
    private func open(_ text: String, _ upgrades: String) throws {
        let sid = try #require(text.split(separator: "\"").dropFirst(3).first)
        #expect(
            text.hasSuffix(
                #"0{"sid":"\#(sid)","upgrades":\#(upgrades),"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
            ))
    }

    // MARK: handshake, HTTP long-polling

    @Test(arguments: revisions)
    func `handshake, polling: successfully opens a session`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.suite) { client in
            let answer = try await client.get(query(revision, "polling"))
            #expect(answer.status == 200)
            try open(answer.body, #"["websocket"]"#)
            if revision == .v3 {
                let parts = answer.body.split(separator: ":", maxSplits: 1)
                #expect(Int(parts[0]) == parts[1].utf16.count)
            }
        }
    }

    @Test(arguments: ["transport=polling", "EIO=abc&transport=polling"])
    func `handshake, polling: fails with an invalid 'EIO' query parameter (4)`(query: String) async throws {
        try await withEcho(.engineIO) { client in
            let answer = try await client.get(query)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: ["EIO=3", "EIO=3&transport=abc", "EIO=4", "EIO=4&transport=abc"])
    func `handshake, polling: fails with an invalid 'transport' query parameter`(query: String) async throws {
        try await withEcho(.engineIO) { client in
            let answer = try await client.get(query)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: revisions, ["POST", "PUT"])
    func `handshake, polling: fails with an invalid request method`(
        revision: EngineIO.Revision, method: String
    ) async throws {
        try await withEcho(.engineIO) { client in
            let answer = try await client.start(query(revision, "polling"), method: method).first()
            #expect(answer.status == 400)
        }
    }

    // MARK: handshake, WebSocket

    @Test(arguments: revisions)
    func `handshake, WebSocket: successfully opens a session`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.suite) { client in
            try open(try await client.openSocket(query(revision, "websocket")).entry(2), "[]")
        }
    }

    @Test(arguments: ["transport=websocket", "EIO=abc&transport=websocket"])
    func `handshake, WebSocket: fails with an invalid 'EIO' query parameter`(query: String) async throws {
        try await withEcho(.engineIO) { client in
            let end = try await client.openSocket(query).entry(1)
            #expect(end == "(failed 400)")
        }
    }

    @Test(arguments: ["EIO=3", "EIO=3&transport=abc", "EIO=4", "EIO=4&transport=abc"])
    func `handshake, WebSocket: fails with an invalid 'transport' query parameter`(query: String) async throws {
        try await withEcho(.engineIO) { client in
            let end = try await client.openSocket(query).entry(1)
            #expect(end == "(failed 400)")
        }
    }

    // MARK: message, HTTP long-polling

    private func echo(_ packets: String..., in revision: EngineIO.Revision, more: String = "") async throws {
        let body = payload(packets, in: revision)
        try await withEcho(.engineIO, Self.patient) { client in
            let (query, _) = try await client.openPolling(revision, more: more)
            let pushed = try await client.post(query, body)
            #expect(pushed.status == 200 && pushed.body == "ok")
            let polled = try await client.get(query)
            #expect(polled.status == 200 && polled.body == body)
        }
    }

    @Test(arguments: revisions)
    func `message, polling: sends and receives a payload containing one plain text packet`(
        revision: EngineIO.Revision
    ) async throws {
        try await echo("4hello", in: revision)
    }

    @Test(arguments: revisions)
    func `message, polling: sends and receives a payload containing several plain text packets`(
        revision: EngineIO.Revision
    ) async throws {
        try await echo("4test1", "4test2", "4test3", in: revision)
    }

    @Test func `message, polling: sends and receives a payload containing plain text and binary packets (4)`()
        async throws
    {
        try await echo("4hello", "bAQIDBA==", in: .v4)
    }

    @Test
    func `message, polling: sends and receives a payload containing plain text and binary packets (3, base64 encoded)`()
        async throws
    {
        try await echo("4hello", "b4AQIDBA==", in: .v3, more: "&b64=1")
    }

    @Test func `message, polling: sends and receives a payload containing plain text and binary packets (3, binary)`()
        async throws
    {
        try await withEcho(.engineIO, Self.patient) { client in
            let (query, _) = try await client.openPolling(.v3)
            #expect(try await client.post(query, "6:4hello10:b4AQIDBA==").body == "ok")
            let framed: [UInt8] = [0, 6, 255, 52, 104, 101, 108, 108, 111, 1, 5, 255, 4, 1, 2, 3, 4]
            #expect(try await client.get(query).body == String(decoding: framed, as: UTF8.self))
        }
    }

    @Test(arguments: revisions)
    func `message, polling: closes the session upon invalid packet format`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling(revision)
            #expect(try await client.post(query, "abc").status == 400)
            #expect(try await client.get(query).status == 400)
        }
    }

    /// The suite of revision 3 skips this case. Our server does the same for both revisions.
    @Test(arguments: revisions)
    func `message, polling: closes the session upon duplicate poll requests`(
        revision: EngineIO.Revision
    ) async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling(revision)
            let polls = [try client.start(query), try client.start(query + "&t=burst")]
            var answers: [String] = []
            for poll in polls {
                let answer = try await poll.first()
                answers.append("\(answer.status) \(answer.body)")
            }
            #expect(answers.sorted() == ["200 \(payload("1", in: revision))", "400 "])
            #expect(try await client.get(query).status == 400)
        }
    }

    @Test func `message, polling: closes the session upon cancelled polling request (4)`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            let given = client.http.send(try client.request(query)) { _ in }
            // The server has the poll by the time it answers a later request.
            #expect(try await client.post(query, "3").status == 200)
            client.http.cancel(given)
            while try await client.post(query, "3").status == 200 {}
            #expect(try await client.get(query).status == 400)
        }
    }

    // MARK: message, WebSocket

    @Test(arguments: revisions)
    func `message, WebSocket: sends and receives a plain text packet`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO) { client in
            let socket = try await client.openSocket(query(revision, "websocket"))
            await socket.send("4hello")
            #expect(try await socket.entry(3) == "4hello")
        }
    }

    @Test(arguments: zip(revisions, [[4, 1, 2, 3, 4], [1, 2, 3, 4]] as [[UInt8]]))
    func `message, WebSocket: sends and receives a binary packet`(
        revision: EngineIO.Revision, packet: [UInt8]
    ) async throws {
        try await withEcho(.engineIO) { client in
            let socket = try await client.openSocket(query(revision, "websocket"))
            await socket.send(packet)
            #expect(try await socket.entry(3) == "\(packet)")
        }
    }

    @Test(arguments: revisions)
    func `message, WebSocket: closes the session upon invalid packet format`(
        revision: EngineIO.Revision
    ) async throws {
        try await withEcho(.engineIO) { client in
            let socket = try await client.openSocket(query(revision, "websocket"))
            await socket.send("abc")
            #expect(try await socket.entry(3) == "(closed 1005)")
        }
    }

    // MARK: heartbeat

    /// In revision 3 the client pings, in 4 the server.
    @Test(arguments: revisions)
    func `heartbeat, polling: sends ping and pong packets`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.patient) { client in
            let (query, _) = try await client.openPolling(revision)
            for _ in 0..<3 {
                switch revision {
                case .v3:
                    #expect(try await client.post(query, "1:2").status == 200)
                    #expect(try await client.get(query).body == "1:3")
                case .v4:
                    #expect(try await client.get(query).body == "2")
                    #expect(try await client.post(query, "3").status == 200)
                }
            }
        }
    }

    @Test(arguments: revisions)
    func `heartbeat, polling: closes the session upon ping timeout`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.suite) { client in
            let (query, _) = try await client.openPolling(revision)
            var last = try await client.get(query)
            // Perhaps a ping first, then the end.
            for _ in 0..<3 where last.status == 200 { last = try await client.get(query) }
            #expect(last.status == 400)
        }
    }

    @Test(arguments: revisions)
    func `heartbeat, WebSocket: sends ping and pong packets`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.patient) { client in
            let socket = try await client.openSocket(query(revision, "websocket"))
            for count in 3...5 {
                if revision == .v3 { await socket.send("2") }
                #expect(try await socket.entry(count) == (revision == .v3 ? "3" : "2"))
                if revision == .v4 { await socket.send("3") }
            }
        }
    }

    @Test(arguments: revisions)
    func `heartbeat, WebSocket: closes the session upon ping timeout`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.suite) { client in
            try await client.openSocket(query(revision, "websocket")).expect("(closed 1005)")
        }
    }

    // MARK: close

    @Test(arguments: revisions)
    func `close, polling: forcefully closes the session`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling(revision)
            let poll = try client.start(query)
            // The poll arrives before the packet: the server answers it with the packet of the first POST.
            #expect(try await client.post(query, payload("4a", in: revision)).body == "ok")
            #expect(try await poll.first().body == payload("4a", in: revision))
            let last = try client.start(query)
            #expect(try await client.post(query, payload("1", in: revision)).status == 200)
            let answer = try await last.first()
            #expect(answer.body == payload("6", in: revision) || answer.status == 400)
            #expect(try await client.get(query).status == 400)
        }
    }

    /// The JavaScript server handles this packet only from polling clients. Here the ping timeout closes the socket.
    @Test(arguments: revisions)
    func `close, WebSocket: forcefully closes the session`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO, Self.suite) { client in
            let socket = try await client.openSocket(query(revision, "websocket"))
            await socket.send("1")
            await socket.expect("(closed 1005)")
        }
    }

    // MARK: upgrade

    /// Returns a polling session and a probed WebSocket for its upgrade.
    private func probed(_ client: EndpointClient, _ revision: EngineIO.Revision) async throws -> (
        query: String, socket: EndpointSocket
    ) {
        let (query, _) = try await client.openPolling(revision)
        let socket = try await client.openSocket(query.replacing("polling", with: "websocket"))
        await socket.send("2probe")
        #expect(try await socket.entry(2) == "3probe")
        return (query, socket)
    }

    @Test(arguments: revisions)
    func `upgrade: successfully upgrades from HTTP long-polling to WebSocket`(
        revision: EngineIO.Revision
    ) async throws {
        try await withEcho(.engineIO) { client in
            let (query, socket) = try await probed(client, revision)
            let poll = try await client.get(query)
            #expect(poll.status == 200 && poll.body == payload("6", in: revision))
            await socket.send("5")
            await socket.send("4hello")
            #expect(try await socket.entry(3) == "4hello")
        }
    }

    /// `SessionOrderTests` covers a request directly after the packet.
    @Test(arguments: revisions)
    func `upgrade: ignores HTTP requests with same sid after upgrade`(revision: EngineIO.Revision) async throws {
        try await withEcho(.engineIO) { client in
            let (query, socket) = try await probed(client, revision)
            await socket.send("5")
            await socket.send("4up")
            #expect(try await socket.entry(3) == "4up")
            #expect(try await client.get(query).status == 400)
            await socket.send("4hello")
            #expect(try await socket.entry(4) == "4hello")
        }
    }

    @Test(arguments: revisions)
    func `upgrade: ignores WebSocket connection with same sid after upgrade`(
        revision: EngineIO.Revision
    ) async throws {
        try await withEcho(.engineIO) { client in
            let (query, socket) = try await probed(client, revision)
            await socket.send("5")
            await socket.send("4up")
            #expect(try await socket.entry(3) == "4up")
            let second = try await client.openSocket(query.replacing("polling", with: "websocket"))
            await second.expect("(closed 1005)")
            await socket.send("4hello")
            #expect(try await socket.entry(4) == "4hello")
        }
    }
}
