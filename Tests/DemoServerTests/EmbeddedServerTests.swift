import Testing
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirNetwork
import WeirWire

/// Tests the server over real sockets with the project's own clients.
@Suite struct EmbeddedServerTests {
    /// Runs `body` with a loop, a server and an HTTP client.
    private func withServer(
        _ options: EmbeddedServer.Options = .init(), seed: UInt64 = 1,
        _ body: (EventLoop, EmbeddedServer, Asker) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "demo-test")
        let scenario = try #require(Scenario(named: "workspace", seed: seed))
        let server = try EmbeddedServer(on: loop, scenario: scenario, seed: seed, options: options)
        let client = try HTTPClient(answeringOn: loop)
        var failure: (any Error)?
        do { try await body(loop, server, Asker(client: client, server: server)) } catch { failure = error }
        client.shutDown()
        server.close()
        loop.shutDown()
        if let failure { throw failure }
    }

    private func rooms(_ server: EmbeddedServer) -> [String] {
        let place = "/companies/\(server.company)/workspaces"
        return [
            "\(place)/\(server.workspace)/channels?type=public",
            "\(place)/\(server.workspace)/channels?type=private&user=\(server.user)",
            "\(place)/direct/channels?type=direct&user=\(server.user)",
            "/notifications?type=private&user=\(server.user)",
        ]
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `a client of either revision authenticates, joins and receives events`(revision: EngineIO.Revision)
        async throws
    {
        try await withServer { loop, server, _ in
            let peer = try await Peer.authenticated(on: loop, to: server, revision)
            for room in rooms(server) {
                await peer.emit("realtime:join", #"{"name":"\#(room)","token":"twake"}"#)
                try await peer.expect(#"realtime:join:success {"name":"\#(room)"}"#)
            }
            try await peer.expect(
                #"realtime:resource {"action":"updated","room":"\#(rooms(server)[0])","type":"channel_activity""#)
            try await peer.expect(
                #"realtime:resource {"action":"saved","room":"\#(rooms(server)[3])","type":"user_notification_badges""#)
            await peer.close()
        }
    }

    @Test func `two clients, one after the other, of servers with one seed see the same history`() async throws {
        var histories: [[String]] = []
        for _ in 0..<2 {
            try await withServer(.init(pace: 20), seed: 5) { loop, server, _ in
                let peer = try await Peer.authenticated(on: loop, to: server)
                await peer.emit("realtime:join", #"{"name":"\#(rooms(server)[0])","token":"twake"}"#)
                try await peer.expect("realtime:resource", times: 20)
                histories.append(await peer.events(named: "realtime:resource").prefix(20).map { $0 })
                await peer.close()
            }
        }
        #expect(histories[0].count == 20)
        #expect(histories[0] == histories[1])
    }

    @Test func `a refused token is reported and the connection ends`() async throws {
        try await withServer { loop, server, _ in
            let token = server.makeToken()
            await server.refuseTokens(true)
            let peer = try await Peer.connect(on: loop, to: server, .v4, token: token)
            try await peer.expect(#"unauthorized {"err":{"name":"JsonWebTokenError","message":"invalid signature"}}"#)
            try await peer.expect("(disconnected)")
            try await peer.expect("(closed")
            await server.refuseTokens(false)
            let again = try await Peer.authenticated(on: loop, to: server)
            await again.close()
        }
    }

    @Test func `a token expires for REST and for sockets`() async throws {
        try await withServer(.init(tokenLifetime: .microseconds(1))) { loop, server, asker in
            let token = server.makeToken()
            let peer = try await Peer.connect(on: loop, to: server, .v4, token: token)
            try await peer.expect(#"unauthorized {"err":{"name":"TokenExpiredError","message":"jwt expired""#)
            let answer = try await asker.get("/internal/services/users/v1/users/me", token)
            #expect(answer.status == 401)
        }
        try await withServer { _, server, asker in
            let token = server.makeToken()
            try await asker.check(200, "/internal/services/users/v1/users/me", token)
            await server.expireTokens()
            try await asker.check(401, "/internal/services/users/v1/users/me", token)
            try await asker.check(403, "/internal/mobile/user", token)
            try await asker.check(200, "/internal/mobile/user", server.makeToken())
        }
    }

    @Test func `REST answers match the truth`() async throws {
        try await withServer { _, server, asker in
            let truth = await server.truth()
            let base = "/internal/services/channels/v1/companies/\(server.company)/workspaces"
            var channels = try Twake.channels(
                from: try await asker.get("\(base)/\(server.workspace)/channels?mine=1", server.makeToken()).body[...])
            channels += try Twake.channels(
                from: try await asker.get("\(base)/direct/channels?mine=1", server.makeToken()).body[...])
            #expect(Set(channels.map(\.id)) == Set(truth.channels.map(\.id)))
            for channel in channels {
                let expected = try #require(truth.channels.first { $0.id == channel.id })
                #expect(channel.lastActivity == expected.lastActivity)
                #expect(channel.lastMessage?.text == expected.lastMessage)
                #expect(channel.lastAccess == expected.lastAccess)
                let feed =
                    "/internal/services/messages/v1/companies/\(server.company)/workspaces/\(channel.workspace)/channels/\(channel.id)/feed"
                let messages = try Twake.messages(
                    from: try await asker.get("\(feed)?replies_per_thread=100", server.makeToken()).body[...])
                #expect(messages.filter(\.isHead).map(\.id) == expected.threads.map(\.id))
                #expect(Set(messages.map(\.text)) == Set(expected.threads.flatMap(\.messages).map(\.text)))
            }
        }
    }

    @Test func `a message posted over REST is answered and reaches the clients in its room`() async throws {
        try await withServer { loop, server, asker in
            let truth = await server.truth()
            let channel = try #require(truth.channels.first { $0.name == "Engineering" })
            let feed = "/companies/\(server.company)/workspaces/\(server.workspace)/channels/\(channel.id)/feed"
            let peer = try await Peer.authenticated(on: loop, to: server)
            await peer.emit("realtime:join", #"{"name":"\#(feed)","token":"twake"}"#)
            try await peer.expect("realtime:join:success")
            let body =
                #"{"resource":{"participants":[{"type":"channel","id":"\#(channel.id)"}]},"options":{"message":{"text":"from REST"}}}"#
            let answer = try await asker.post(
                "/internal/services/messages/v1/companies/\(server.company)/threads", body, server.makeToken())
            #expect(answer.status == 200)
            try await peer.expect(#"realtime:resource {"action":"created","room":"\#(feed)","type":"message""#)
            #expect(await peer.events(named: "realtime:resource").contains { $0.contains(#""text":"from REST""#) })
            #expect(await server.truth().channels.contains { $0.lastMessage == "from REST" })
            await peer.close()
        }
    }

    @Test func `a published event reaches its sender and the others in the room`() async throws {
        try await withServer { loop, server, _ in
            let peers = [
                try await Peer.authenticated(on: loop, to: server, .v3),
                try await Peer.authenticated(on: loop, to: server, .v4),
            ]
            for peer in peers {
                await peer.emit("realtime:join", #"{"name":"lobby","token":"twake"}"#)
                try await peer.expect("realtime:join:success")
            }
            await peers[0].emit("realtime:event", #"{"name":"lobby","data":{"hello":"👋"},"token":"twake"}"#)
            for peer in peers {
                try await peer.expect(#"realtime:event {"name":"lobby","data":{"hello":"👋"}}"#)
                await peer.close()
            }
        }
    }

    @Test func `kicked and cut clients can come back`() async throws {
        try await withServer { loop, server, _ in
            let kicked = try await Peer.authenticated(on: loop, to: server)
            await server.kickClients()
            try await kicked.expect("(disconnected)")
            await kicked.close()
            let cut = try await Peer.authenticated(on: loop, to: server)
            await server.dropConnections()
            try await cut.expect("(closed 1006")
            let again = try await Peer.authenticated(on: loop, to: server)
            await again.close()
        }
    }

    @Test func `a closed server resumes at the same port, and its world has moved on meanwhile`() async throws {
        let loop = try EventLoop(name: "demo-test")
        let scenario = try #require(Scenario(named: "workspace", seed: 1))
        let server = try EmbeddedServer(
            on: loop, scenario: scenario, seed: 1, options: .init(startsAtOnce: true, pace: 20))
        let peer = try await Peer.authenticated(on: loop, to: server)
        server.close()
        try await peer.expect("(closed")
        let before = await server.truth()
        let port = try URLParts(parsing: server.url).port
        let again = try EmbeddedServer(resuming: server, port: port)
        #expect(again.url == server.url)
        let back = try await Peer.connect(on: loop, to: again, .v4, token: server.makeToken())
        try await back.expect("authenticated")
        await back.emit("realtime:join", #"{"name":"\#(rooms(again)[0])","token":"twake"}"#)
        try await back.expect("realtime:resource")
        #expect(await again.truth() != before)
        await back.close()
        again.close()
        loop.shutDown()
    }

    @Test func `a REST path fails as often as a test demands`() async throws {
        try await withServer { _, server, asker in
            await server.failREST("/internal/services/channels", status: 503, times: 2)
            let path =
                "/internal/services/channels/v1/companies/\(server.company)/workspaces/\(server.workspace)/channels?mine=1"
            try await asker.check(503, path, server.makeToken())
            try await asker.check(200, "/internal/mobile/user", server.makeToken())
            try await asker.check(503, path, server.makeToken())
            try await asker.check(200, path, server.makeToken())
        }
    }

    @Test
    func `an unknown transport, revision or path is refused with the JavaScript server's words`()
        async throws
    {
        try await withServer { loop, server, asker in
            let unknown = try await asker.get("/socket/?EIO=4&transport=carrier", nil)
            #expect(unknown.status == 400)
            #expect(String(decoding: unknown.body, as: UTF8.self) == #"{"code":0,"message":"Transport unknown"}"#)
            try await asker.check(404, "/", nil)
            for (query, status) in [
                ("/socket/?EIO=5&transport=websocket", 400), ("/elsewhere?EIO=4&transport=websocket", 404),
            ] {
                let failure = await Peer.failure(on: loop, to: server, query)
                #expect(failure?.phase == .handshake)
                #expect(failure?.httpStatus == status)
            }
        }
    }

    @Test func `a client that does not read is cut, and the others continue`() async throws {
        try await withServer(.init(endpoint: EndpointOptions(path: "/socket/", maximumPending: 64 << 10))) {
            loop, server, _ in
            let slow = try await Peer.authenticated(on: loop, to: server)
            await slow.emit("realtime:join", #"{"name":"flood","token":"twake"}"#)
            try await slow.expect("realtime:join:success")
            await slow.setReading(false)
            let fast = try await Peer.authenticated(on: loop, to: server)
            let text = String(repeating: "x", count: 500_000)
            for _ in 0..<40 {
                await fast.emit("realtime:event", #"{"name":"flood","data":"\#(text)","token":"twake"}"#)
            }
            await fast.emit("realtime:join", #"{"name":"still here","token":"twake"}"#)
            try await fast.expect(#"realtime:join:success {"name":"still here"}"#)
            await slow.setReading(true)
            try await slow.expect("(closed 1006")
            await fast.close()
        }
    }
}
