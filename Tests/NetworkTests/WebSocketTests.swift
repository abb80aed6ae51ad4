import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

@Suite(.bothFramings) struct WebSocketTests {
    @Test("Messages of every size are echoed unchanged", arguments: [false, true])
    func echo(secure: Bool) throws {
        try withPair(secure: secure, maximumMessage: 2 << 20) { _, client, _ in
            var sent: [WebSocketMessage] = []
            for size in [0, 1, 125, 126, 127, 4096, 65535, 65536, 65537, 200_000, 1 << 20] {
                sent.append(.binary(ArraySlice((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })))
                sent.append(.text(String(repeating: "é", count: size / 2)))
            }
            let messages = sent
            client.onLoop { client in for message in messages { client.send(message) } }
            #expect(client.messages(sent.count) == sent)
        }
    }

    @Test("Ten thousand messages arrive in order, many at a time", arguments: [false, true])
    func order(secure: Bool) throws {
        try withPair(secure: secure) { _, client, handler in
            client.onLoop { client in for number in 0..<10_000 { client.send(.text("message \(number)")) } }
            let messages = client.messages(10_000)
            #expect(messages == (0..<10_000).map { .text("message \($0)") })
            // All messages read in one turn form one batch.
            #expect(client.events.all.count < 1000)
            #expect(handler.events.all.count < 1000)
        }
    }

    @Test("While reading is stopped nothing is received, and nothing is lost afterwards", arguments: [false, true])
    func pause(secure: Bool) throws {
        let sockets = Mailbox<ServerWebSocket>()
        try withPair(secure: secure, onOpen: { sockets.put($0) }) { loop, client, _ in
            let server = try sockets.first()
            var next = 0
            for round in 0..<10 {
                // Stops reading on the loop. Then the server sends several buffers' worth of data. A fence after it on
                // the same loop shows that the loop had its turns. Data in the kernel must stay there.
                client.onLoop { $0.setReading(false) }
                let before = try #require(loop.perform { received(client.events.all).count })
                let first = next
                next += 2000
                let last = next
                loop.run {
                    for number in first..<last { server.send(.text("\(number) " + String(repeating: "x", count: 300))) }
                }
                let turns = Mailbox<Int>()
                waitTurns(loop, 200, turns)
                turns.wait { !$0.isEmpty }
                #expect(received(client.events.all).count == before, "round \(round)")
                client.onLoop { $0.setReading(true) }
                #expect(client.messages(last).count == last)
            }
            let numbers = client.messages(next).map {
                Int(String(decoding: $0.bytes.prefix { $0 != 0x20 }, as: UTF8.self))
            }
            #expect(numbers == (0..<next).map(Int?.some))
        }
    }

    @Test("A handler that stops reading gets no further batch until it resumes")
    func pauseInHandler() throws {
        try withLoop { loop in
            let sockets = Mailbox<ServerWebSocket>()
            let server = try HTTPServer(on: loop, handler: TestHandler(onOpen: { sockets.put($0) }))
            let batches = Mailbox<[WebSocketMessage]>()
            let made = Mailbox<WebSocketClient>()
            var asked = WebSocketRequest(url: socketURL(server))
            asked.framing = BothFramings.current
            let request = asked
            loop.run {
                let holder = Holder()
                holder.client = WebSocketClient(on: loop, request) { event in
                    guard case .received(let messages) = event else { return }
                    holder.client?.setReading(false)
                    batches.put(messages)
                    // Resumes after ten turns.
                    goOn(loop, 10) { holder.client?.setReading(true) }
                }
                made.put(holder.client!)
            }
            let socket = try sockets.first()
            loop.run {
                for number in 0..<3000 { socket.send(.text("\(number) " + String(repeating: "y", count: 500))) }
            }
            let all = batches.wait { $0.joined().count == 3000 }.flatMap { $0 }
            #expect(
                all.map { Int(String(decoding: $0.bytes.prefix { $0 != 0x20 }, as: UTF8.self)) }
                    == (0..<3000).map(Int?.some))
            server.close()
        }
    }

    @Test(
        "Bytes that the other side does not read count as pending, and drain once it reads again",
        arguments: [false, true])
    func pending(secure: Bool) throws {
        let sockets = Mailbox<ServerWebSocket>()
        try withPair(secure: secure, onOpen: { sockets.put($0) }) { loop, client, _ in
            let server = try sockets.first()
            client.onLoop { $0.setReading(false) }
            // More data than the kernel's buffers can hold.
            loop.run { for _ in 0..<64 { server.send(.binary(ArraySlice([UInt8](repeating: 1, count: 1 << 19)))) } }
            #expect(try #require(loop.perform { server.pendingBytes }) > 1 << 20)
            client.onLoop { $0.setReading(true) }
            #expect(client.messages(64).count == 64)
            let pending = Mailbox<Int>()
            @Sendable func look() {
                pending.put(server.pendingBytes)
                if server.pendingBytes > 0 { loop.run(look) }
            }
            loop.run(look)
            #expect(pending.wait { $0.last == 0 }.last == 0)
        }
    }

    @Test("A message above the client's limit closes the socket with 1009")
    func tooLargeForClient() throws {
        try withLoop { loop in
            let handler = TestHandler(onOpen: { $0.send(.binary(ArraySlice([UInt8](repeating: 0, count: 1001)))) })
            let server = try HTTPServer(on: loop, handler: handler)
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server), maximumMessage: 1000))
            #expect(client.close()?.code == 1009)
            #expect(serverClose(handler)?.code == 1009)
            server.close()
        }
    }

    @Test("A message above the server's limit closes the socket with 1009, and one at the limit is accepted")
    func tooLargeForServer() throws {
        try withPair(maximumMessage: 1000) { _, client, handler in
            client.onLoop { client in
                client.send(.binary(ArraySlice([UInt8](repeating: 0, count: 1000))))
                client.send(.binary(ArraySlice([UInt8](repeating: 0, count: 1001))))
            }
            #expect(client.close() == WebSocketClose(code: 1009, reason: "message of 1001 bytes; the limit is 1000"))
            #expect(received(client.events.all).map(\.bytes.count) == [1000])
            #expect(serverClose(handler)?.code == 1009)
        }
    }

    @Test("A text that is not UTF-8 closes the socket with 1007, whichever side sent it", arguments: [false, true])
    func notUTF8(fromServer: Bool) throws {
        let bad = WebSocketMessage.text([0xc3, 0x28])
        try withPair(onOpen: { if fromServer { $0.send(bad) } }) { _, client, handler in
            if !fromServer { client.onLoop { $0.send(bad) } }
            #expect(client.close()?.code == 1007)
            #expect(serverClose(handler)?.code == 1007)
            #expect(received(client.events.all).isEmpty)
        }
    }

    @Test(
        "The server's close reaches the client with its code and reason",
        arguments: [1000, 1001, 1008, 1011, 3000, 4001, 4999] as [UInt16])
    func closeByServer(code: UInt16) throws {
        let close = WebSocketClose(code: code, reason: "because é")
        try withPair(onOpen: { $0.close(close) }) { _, client, handler in
            #expect(client.close() == close)
            #expect(serverClose(handler) == WebSocketClose(code: code, reason: "because é"))
        }
    }

    @Test(
        "A server's code above 1011 arrives unchanged, or as 1002 in libwebsockets' framing",
        arguments: [1012, 1013, 1014] as [UInt16])
    func registeredCodes(code: UInt16) throws {
        try withPair(onOpen: { $0.close(WebSocketClose(code: code)) }) { _, client, _ in
            #expect(client.close()?.code == (BothFramings.current == .own ? code : 1002))
        }
    }

    @Test(
        "The client's close reaches the server after all queued messages",
        arguments: [1000, 1001, 3000, 4001] as [UInt16])
    func closeByClient(code: UInt16) throws {
        try withPair { _, client, handler in
            client.waitForOpen()
            let close = WebSocketClose(code: code, reason: "bye")
            client.onLoop { client in
                for number in 0..<100 { client.send(.text("\(number)")) }
                client.close(close)
                client.send(.text("too late"))
            }
            #expect(serverClose(handler) == close)
            #expect(client.close() == close)
            let messages = handler.events.all.flatMap { event -> [WebSocketMessage] in
                if case .received(let messages) = event { messages } else { [] }
            }
            #expect(messages == (0..<100).map { .text("\($0)") })
        }
    }

    @Test("A server that does not answer the close gets five seconds")
    func closeWithoutAnswer() throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "deaf"])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        try withLoop { loop in
            let client = try TestClient(
                loop, WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: port)))
            client.waitForOpen()
            let began = loop.now
            client.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(client.close() != nil)
            #expect((.seconds(4)...(.seconds(8))).contains(loop.now - began))
        }
    }

    @Test("A cut connection is reported as 1006 on both sides", arguments: [false, true])
    func cut(secure: Bool) throws {
        let sockets = Mailbox<ServerWebSocket>()
        try withPair(secure: secure, onOpen: { sockets.put($0) }) { loop, client, handler in
            client.waitForOpen()
            let socket = try sockets.first()
            loop.run { socket.close(WebSocketClose(code: 1000), abrupt: true) }
            #expect(client.close()?.code == 1006)
            #expect(serverClose(handler)?.code == 1006)
        }
        try withLoop { serverLoop in
            let handler = TestHandler()
            let server = try HTTPServer(on: serverLoop, handler: handler)
            try withLoop { loop in
                let client = try TestClient(loop, WebSocketRequest(url: socketURL(server)))
                client.waitForOpen()
            }
            #expect(serverClose(handler)?.code == 1006)
        }
    }

    @Test("Messages before a cut are received before the cut is reported, even after reading was stopped")
    func messagesBeforeCut() throws {
        let sockets = Mailbox<ServerWebSocket>()
        try withPair(onOpen: { sockets.put($0) }) { loop, client, _ in
            let server = try sockets.first()
            loop.run {
                for number in 0..<50 { server.send(.text("\(number)")) }
                server.close(WebSocketClose(code: 4000))
            }
            #expect(client.close()?.code == 4000)
            #expect(received(client.events.all).count == 50)
            let last = client.events.all.last
            if case .closed = last {} else { Issue.record("closed is not the last event") }
        }
    }

    @Test("An unknown library version falls back to its own WebSocket role, unless our framing is required")
    func fallBack() throws {
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: TestHandler())
            var request = WebSocketRequest(
                url: socketURL(server), headers: [("X-Long", String(repeating: "x", count: 9000))])
            request.headerToTakeBack = "connection: unknown\r\n"
            let told = Mailbox<String>()
            request.fellBack = { told.put("fell back") }
            let client = try BothFramings.$current.withValue(.auto) { try TestClient(loop, request) }
            client.onLoop { $0.send(.text("hello")) }
            #expect(client.messages(1) == [.text("hello")])
            #expect(told.all == ["fell back"])
            // No fallback is reported if the caller chose the library or its version is known.
            request.framing = .library
            try TestClient(loop, request).waitForOpen()
            var known = WebSocketRequest(url: socketURL(server))
            known.fellBack = request.fellBack
            try BothFramings.$current.withValue(.auto) { try TestClient(loop, known) }.waitForOpen()
            #expect(told.all.count == 1)
            request.framing = .own
            #expect(
                try TestClient(loop, request).failure()?.message == "our own framing cannot use this libwebsockets")
            server.close()
        }
    }

    @Test("The request's headers, path and query reach the server unchanged")
    func requestHeaders() throws {
        try withLoop { loop in
            let seen = Mailbox<ServerRequest>()
            let handler = TestHandler(refusal: { request in
                seen.put(request)
                return nil
            })
            let server = try HTTPServer(on: loop, handler: handler)
            var url = socketURL(server, path: "/a%20b/c")
            url.query = "EIO=4&transport=websocket&x=%26"
            let long = String(repeating: "t", count: 20_000)
            let client = try TestClient(
                loop, WebSocketRequest(url: url, headers: [("Authorization", "Bearer \(long)"), ("X-Odd", "a: b")]))
            client.waitForOpen()
            let request = try seen.first()
            #expect(request.path == "/a%20b/c")
            #expect(request.query == "EIO=4&transport=websocket&x=%26")
            #expect(request.queryParameter("x") == "&")
            #expect(request.header("authorization") == "Bearer \(long)")
            #expect(request.header("x-odd") == "a: b")
            #expect(request.header("host") == "127.0.0.1:\(server.port)")
            server.close()
        }
    }
}

/// Holds a client to which a closure in the client's own initialiser refers.
private final class Holder: @unchecked Sendable {
    // Unchecked: used only on the loop's thread.
    var client: WebSocketClient?
}

/// Runs `body` after `turns` turns of the loop.
private func goOn(_ loop: EventLoop, _ turns: Int, _ body: @escaping @Sendable () -> Void) {
    loop.run {
        if turns == 0 { body() } else { goOn(loop, turns - 1, body) }
    }
}

/// Lets the loop run `turns` times, then puts a value into `done`.
private func waitTurns(_ loop: EventLoop, _ turns: Int, _ done: Mailbox<Int>) {
    goOn(loop, turns) { done.put(0) }
}

/// Returns the close that the server's end of the first socket reported.
func serverClose(_ handler: TestHandler, sourceLocation: SourceLocation = #_sourceLocation) -> WebSocketClose? {
    let isClosed = { (event: ServerEvent) in if case .closed = event { true } else { false } }
    for case .closed(let close) in handler.events.wait(
        sourceLocation: sourceLocation, until: { $0.contains(where: isClosed) })
    {
        return close
    }
    return nil
}

/// Runs `body` with an echo server and its client on one loop.
func withPair(
    secure: Bool = false, maximumMessage: Int = 1 << 20,
    onOpen: @escaping @Sendable (ServerWebSocket) -> Void = { _ in },
    _ body: (EventLoop, TestClient, TestHandler) throws -> Void
) throws {
    let certificates = try Certificates.shared.get()
    try withLoop { loop in
        let handler = TestHandler(onOpen: onOpen)
        let server = try HTTPServer(
            on: loop, identity: secure ? certificates.good : nil, maximumMessage: maximumMessage, handler: handler)
        let client = try TestClient(
            loop,
            WebSocketRequest(
                url: socketURL(server, secure: secure),
                access: Access(trust: secure ? .file(certificates.authority) : .system)))
        try body(loop, client, handler)
        server.close()
    }
}
