import Testing
import TestSupport
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirNetwork
import WeirWire

/// Drives a `BayeuxClient` on a real WebSocket to a GroupMe server.
private actor PushClient {
    nonisolated let told = Mailbox<BayeuxClient.Effect>()
    nonisolated let unownedExecutor: UnownedSerialExecutor
    private let loop: EventLoop
    private let url: URLParts
    private var machine: BayeuxClient
    private var socket: WebSocketClient?
    private var timer: LoopTimer?

    init(on loop: EventLoop, to server: GroupMeServer) throws {
        self.loop = loop
        var url = try URLParts(parsing: server.url)
        url.scheme = "ws"
        url.path = "/faye"
        self.url = url
        machine = BayeuxClient(.init(connectionType: .websocket, probeAfter: nil), seed: 1)
        unownedExecutor = loop.asUnownedSerialExecutor()
    }

    func connect() {
        socket = WebSocketClient(on: loop, WebSocketRequest(url: url)) { [self] event in
            assumeIsolated { $0.take(event) }
        }
    }

    func subscribe(_ name: String, _ token: Secret?) {
        guard let channel = Bayeux.Channel(name) else { return }
        run { machine, now, effects in
            machine.subscribe(channel, ext: Self.ext(token), at: now, into: &effects)
        }
    }

    func publish(_ name: String, _ data: String, _ token: Secret?) {
        guard let channel = Bayeux.Channel(name) else { return }
        run { machine, now, effects in
            _ = machine.publish(
                channel, RawJSON(unchecked: ArraySlice(data.utf8)), ext: Self.ext(token), at: now, into: &effects)
        }
    }

    /// Waits for an effect that satisfies `isWanted`, and returns it.
    nonisolated func heard(
        _ isWanted: @escaping @Sendable (BayeuxClient.Effect) -> Bool
    ) async throws -> BayeuxClient.Effect {
        try #require(await told.wait { $0.contains(where: isWanted) }.first(where: isWanted))
    }

    func close() {
        timer?.cancel()
        socket?.close(WebSocketClose(code: 1000))
    }

    private static func ext(_ token: Secret?) -> RawJSON? {
        token.map { RawJSON(unchecked: ArraySlice(#"{"access_token":"\#($0.reveal())"}"#.utf8)) }
    }

    private func take(_ event: WebSocketEvent) {
        switch event {
        case .opened: run { machine, now, effects in machine.start(at: now, into: &effects) }
        case .received(let messages):
            for message in messages {
                run { machine, now, effects in machine.receive(message.bytes, at: now, into: &effects) }
            }
        case .closed, .failed: break
        }
    }

    private func run(_ body: (inout BayeuxClient, Moment, inout [BayeuxClient.Effect]) -> Void) {
        var effects: [BayeuxClient.Effect] = []
        body(&machine, loop.now, &effects)
        for effect in effects {
            if case .send(let frame) = effect { socket?.send(.text(frame.bytes[...])) } else { told.put(effect) }
        }
        timer?.cancel()
        timer = machine.deadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { $0.run { machine, now, effects in machine.advance(to: now, into: &effects) } }
            }
        }
    }
}

@Suite struct `The GroupMe backend over real sockets` {
    private func withServer(
        _ options: GroupMeServer.Options = .init(), _ body: (EventLoop, GroupMeServer, HTTPClient) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "groupme-test")
        let server = try GroupMeServer(on: loop, seed: 1, options: options)
        let http = try HTTPClient(answeringOn: loop)
        var failure: (any Error)?
        do { try await body(loop, server, http) } catch { failure = error }
        http.shutDown()
        server.close()
        loop.shutDown()
        if let failure { throw failure }
    }

    private func channel(_ name: String) throws -> Bayeux.Channel { try #require(Bayeux.Channel(name)) }

    /// Waits for a push that satisfies `isWanted`, and returns it.
    private func push(
        from client: PushClient, _ isWanted: @escaping @Sendable (GroupMe.Push) -> Bool
    ) async throws -> GroupMe.Push {
        let effect = try await client.heard { effect in
            guard case .delivery(let delivery) = effect,
                case .push(let push)? = try? GroupMe.Event(channel: delivery.channel, data: delivery.data)
            else { return false }
            return isWanted(push)
        }
        guard case .delivery(let delivery) = effect,
            case .push(let push) = try GroupMe.Event(channel: delivery.channel, data: delivery.data)
        else { throw NoPush() }
        return push
    }

    private struct NoPush: Error {}

    @Test func `the user's channel gets events from the first client on, and the group's channel gets transient ones`()
        async throws
    {
        try await withServer(.init(isEndless: false, pace: 20)) { loop, server, _ in
            let client = try PushClient(on: loop, to: server)
            // Subscribes before connecting: the script begins soon after the first subscription, however slow this test
            // is.
            await client.subscribe("/user/20000001", server.token)
            await client.subscribe("/group/10000001", nil)
            await client.connect()
            for name in ["/user/20000001", "/group/10000001"] {
                let channel = try channel(name)
                _ = try await client.heard { $0 == .subscribed(channel) }
            }
            let said = try await push(from: client) { if case .line = $0.content { true } else { false } }
            #expect(said.alert == "Ann: Good morning, all! ☀️" && said.channel == .user("20000001"))
            _ = try await push(from: client) { if case .typing = $0.content { true } else { false } }
            let deleted = try await push(from: client) { if case .deleted = $0.content { true } else { false } }
            #expect(deleted.channel == .conversation(.group("10000001")))
            await client.close()
        }
    }

    @Test func `a subscription without a valid token or to another user's channel is refused`() async throws {
        try await withServer { loop, server, _ in
            let client = try PushClient(on: loop, to: server)
            await client.connect()
            let refusal = "access token authentication failed"
            for (name, token) in [
                ("/user/20000001", Secret("wrong")), ("/user/20000002", server.token), ("/user/20000003", nil),
            ] {
                await client.subscribe(name, token)
                let channel = try channel(name)
                _ = try await client.heard { $0 == .refused(channel, refusal) }
            }
            await client.subscribe("/user/*", server.token)
            let pattern = try channel("/user/*")
            _ = try await client.heard { if case .refused(let refused, _) = $0 { refused == pattern } else { false } }
            await client.close()
        }
    }

    @Test func `a typing event is echoed without its token, and every other publication is refused`() async throws {
        try await withServer(.init(pingInterval: nil)) { loop, server, _ in
            let client = try PushClient(on: loop, to: server)
            await client.connect()
            await client.subscribe("/group/10000099", server.token)
            let group = try channel("/group/10000099")
            _ = try await client.heard { $0 == .subscribed(group) }
            let typing = #"{"type":"typing","user_id":"20000001","started":1785346072997}"#
            await client.publish("/group/10000099", typing, server.token)
            let effect = try await client.heard {
                if case .delivery = $0 { true } else { false }
            }
            guard case .delivery(let delivery) = effect else { throw NoPush() }
            #expect(delivery.data.description == typing)
            let refused: [(String, String, Secret)] = [
                ("/group/10000099", typing, Secret("wrong")),
                ("/group/10000099", #"{"type":"line.create"}"#, server.token),
                ("/group/10000099", #"{"type":"typing","user_id":"20000002"}"#, server.token),
                ("/user/20000001", #"{"type":"ping"}"#, server.token),
            ]
            for (name, data, token) in refused { await client.publish(name, data, token) }
            await client.told.wait { effects in
                effects.count { if case .unpublished(_, .refused) = $0 { true } else { false } } == refused.count
            }
            let deliveries = client.told.all.count { if case .delivery = $0 { true } else { false } }
            #expect(deliveries == 1)
            await client.close()
        }
    }

    @Test func `every subscribed channel is pinged, and a user's clients learn of each other`() async throws {
        try await withServer(.init(pingInterval: .milliseconds(20))) { loop, server, _ in
            let client = try PushClient(on: loop, to: server)
            await client.connect()
            await client.subscribe("/user/20000001", server.token)
            _ = try await push(from: client) { if case .subscribed = $0.content { true } else { false } }
            let ping = try await push(from: client) { $0.content == .ping }
            #expect(ping.channel == .user("20000001"))
            await client.close()
        }
    }

    @Test func `HTTP answers match the truth`() async throws {
        try await withServer { _, server, http in
            func get(_ path: String) async throws -> [UInt8] {
                let url = try URLParts(parsing: "\(server.url)/v3/\(path)")
                let request = HTTPRequest(
                    method: "GET", url: url, headers: [("X-Access-Token", server.token.reveal())])
                let answer = await withCheckedContinuation { continuation in
                    http.send(request) { continuation.resume(returning: $0) }
                }
                return try answer.get().body
            }
            let truth = await server.truth()
            #expect(try GroupMe.groups(from: try await get("groups?per_page=100")[...]) == truth.groups)
            #expect(try GroupMe.groups(from: try await get("groups/former")[...]).map(\.group) == truth.former)
            #expect(try GroupMe.chats(from: try await get("chats")[...], user: server.user) == truth.chats)
            let messages = try GroupMe.messages(
                from: try await get("groups/10000001/messages?limit=200")[...], of: .group("10000001")
            ).messages
            #expect(messages.reversed() == truth.messages[.group("10000001")] && messages.count > 20)
        }
    }
}
