import Testing
import TestSupport
import WeirJSON

@testable import WeirSocketIO

/// Calls in every state and order: each is an error or well defined.
@Suite(.timeLimit(.minutes(2))) struct LifeTests {
    @Test func `a client can connect twice, and again after the end`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            await #expect(throws: SocketIOError.notConnected) { try await client.emit("early") }
            await #expect(throws: SocketIOError.notConnected) { _ = try await client.join("/admin") }
            await client.disconnect()
            async let first: Void = client.connect()
            async let second: Void = client.connect()
            _ = try await (first, second)
            try await client.connect()
            await client.disconnect()
            await client.disconnect()
            await #expect(throws: SocketIOError.notConnected) { let _: Int = try await client.request("echo", 1) }
            try await client.connect()
            let answer: Int = try await client.request("echo", 1)
            #expect(answer == 1)
            await client.disconnect()
            #expect(server.log.all.filter { $0 == "joined /" }.count == 2)
        }
    }

    @Test func `a client without a reference disconnects`() async throws {
        try await withServer { server in
            weak var gone: SocketIOClient?
            do {
                let client = SocketIOClient(server.url)
                gone = client
                try await client.connect()
            }
            await server.log.wait { $0.contains("closed") }
            #expect(gone == nil)
        }
    }

    @Test func `a sequence keeps its client`() async throws {
        try await withServer { server in
            func sequence() async throws -> SocketIOEvents {
                let client = SocketIOClient(server.url)
                let said = client.events(named: "said")
                try await client.connect()
                try await client.emit("say", 1)
                return said
            }
            for await event in try await sequence() {
                #expect(event[0] == 1)
                break
            }
        }
    }

    @Test func `waiting calls end when they are cancelled`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            let said = client.events(named: "said")
            try await client.connect()
            let request = Task { let _: Int = try await client.request("silent", timeout: .seconds(1_000_000)) }
            await server.log.wait { $0.contains("silent") }
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            let reader = Task { for await _ in said {} }
            reader.cancel()
            await reader.value

            server.ignoreJoins()
            let join = Task { _ = try await client.join("/admin", auth: "secret") }
            join.cancel()
            await #expect(throws: CancellationError.self) { try await join.value }
            server.cut()
            await server.log.wait { $0.contains("closed") }
            let states = client.states
            for await state in states { if case .waiting = state { break } }
            let emit = Task { try await client.emit("never") }
            emit.cancel()
            await #expect(throws: CancellationError.self) { try await emit.value }
            await client.disconnect()
            #expect(!server.log.all.contains("never"))
        }
    }

    @Test func `a cancelled connect ends the connection, and another can follow`() async throws {
        try await withServer { server in
            server.ignoreJoins()
            let client = SocketIOClient(server.url)
            let states = client.states
            let connect = Task { try await client.connect() }
            for await state in states { if case .connecting = state { break } }
            connect.cancel()
            await #expect(throws: CancellationError.self) { try await connect.value }
            server.answerJoins()
            // The first connection may still be closing.
            try await client.connect()
            let answer: Int = try await client.request("echo", 1)
            #expect(answer == 1)
            await client.disconnect()
        }
    }

    @Test func `disconnect ends the calls that wait`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            try await client.connect()
            let request = Task { let _: Int = try await client.request("silent") }
            await server.log.wait { $0.contains("silent") }
            await client.disconnect()
            await #expect(throws: SocketIOError.disconnected) { try await request.value }
        }
    }

    @Test func `a request without an answer ends in time`() async throws {
        try await withServer { server in
            let client = SocketIOClient(server.url)
            try await client.connect()
            for timeout in [Duration.milliseconds(20), .zero, .seconds(-1)] {
                await #expect(throws: SocketIOError.timeout) {
                    let _: Int = try await client.request("silent", timeout: timeout)
                }
            }
            let answer: Int = try await client.request("echo", 1, timeout: .seconds(Int64.max))
            #expect(answer == 1)
            await client.disconnect()
        }
    }

    @Test func `what cannot be used is an error`() async throws {
        for url in ["", "chat", "ftp://x", "http://user:password@x", "http://x:99999"] {
            await #expect(throws: SocketIOError.self, "\(url)") { try await SocketIOClient(url).connect() }
        }
        var options = SocketIOOptions()
        options.namespace = "a,b"
        await #expect(throws: SocketIOError.self) { try await SocketIOClient("http://x", options: options).connect() }
        options = SocketIOOptions()
        options.headers = ["Host": "x"]
        await #expect(throws: SocketIOError.self) { try await SocketIOClient("http://x", options: options).connect() }
        options = SocketIOOptions()
        options.trustFile = "/nowhere"
        await #expect(throws: SocketIOError.self) { try await SocketIOClient("http://x", options: options).connect() }
        try await withServer { server in
            let client = SocketIOClient(server.url)
            try await client.connect()
            await #expect(throws: SocketIOError.invalid("the event name connect is reserved by Socket.IO")) {
                try await client.emit("connect")
            }
            await #expect(throws: SocketIOError.self) { _ = try await client.join("a,b") }
            await #expect(throws: EncodingError.self) { try await client.emit("x", Double.nan) }
            await #expect(throws: DecodingError.self) { let _: Int = try await client.request("echo", "text") }
            await client.disconnect()
        }
    }

    @Test func `extreme settings work`() async throws {
        try await withServer { server in
            var options = SocketIOOptions()
            options.connectAttempts = -1
            options.reconnectAttempts = -1
            options.maximumMessage = -1
            options.maximumPending = -1
            options.handshakeTimeout = .seconds(Int64.max)
            options.reconnectDelay = .seconds(Int64.max)
            options.longestReconnectDelay = .seconds(Int64.min)
            let client = SocketIOClient(server.url, options: options)
            let events = client.events(bound: .max)
            let few = client.events(bound: .min)
            try await client.connect()
            // With this bound, one event that is not taken pauses the client.
            for await event in few {
                #expect(event.name == "welcome")
                break
            }
            let states = client.states
            server.cut()
            for await _ in states {}
            var names: [String] = []
            for await event in events { names.append(event.name) }
            #expect(names == ["welcome"])
        }
    }

    @Test func `a server that is not there is an error at once`() async throws {
        let server = try ChatServer()
        let url = server.url
        server.close()
        let client = SocketIOClient(url)
        let states = client.states
        let error = await #expect(throws: SocketIOError.self) { try await client.connect() }
        guard case .cannotConnect = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        var last: SocketIOState?
        for await state in states { last = state }
        #expect(last == .ended(error))
    }
}
