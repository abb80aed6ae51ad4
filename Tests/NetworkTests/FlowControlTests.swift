import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Checks how much a client buffers after its owner stops reading.
@Suite(.bothFramings) struct FlowControlTests {
    /// With and without TLS, with and without compression. libwebsockets' framing offers no compression.
    static let ways = [false, true].flatMap { secure in [false, true].map { (secure, $0) } }

    @Test(
        "Reading stops after k messages: k are delivered, little is buffered, and none is lost after a resume",
        arguments: ways)
    func stop(secure: Bool, compressed: Bool) throws {
        let (first, all) = (500, 4000)
        try withFlow(secure: secure, compressed: compressed) { loop, server, client in
            var random = RandomSource(seed: 5)
            let messages = (0..<all).map { number in
                WebSocketMessage.text(
                    "\(number) \(random.next()) \(random.next())" + String(repeating: "x", count: 3000))
            }
            loop.run { for message in messages[..<first] { server.send(message) } }
            #expect(client.messages(first).count == first)
            client.onLoop { $0.setReading(false) }
            loop.run { for message in messages[first...] { server.send(message) } }
            try letTurn(loop, 300)
            let held = try #require(loop.perform { client.client.undeliveredBytes })
            #expect(received(client.events.all).count == first)
            #expect(held <= 3 << 16, "\(held)")
            if !compressed { #expect(try #require(loop.perform { server.pendingBytes }) > 1 << 20) }
            client.onLoop { $0.setReading(true) }
            #expect(client.messages(all) == messages)
        }
    }

    @Test("Reading stops at once while data waits to be written, and that data is still written", arguments: ways)
    func stopWhileWriting(secure: Bool, compressed: Bool) throws {
        let all = 4000
        try withFlow(secure: secure, compressed: compressed) { loop, server, client in
            var random = RandomSource(seed: 5)
            let messages = (0..<all).map { number in
                WebSocketMessage.text("\(number) \(random.next())" + String(repeating: "x", count: 3000))
            }
            client.onLoop { $0.setReading(false) }
            loop.run { for message in messages { server.send(message) } }
            try letTurn(loop, 300)
            // The kernel has megabytes buffered now, so each of the next polls finds more to read.
            client.onLoop {
                $0.setReading(true)
                $0.send(.text("here"))
                $0.setReading(false)
            }
            try letTurn(loop, 300)
            let held = try #require(loop.perform { client.client.undeliveredBytes })
            #expect(held <= 3 << 16, "\(held)")
            #expect(try #require(loop.perform { client.client.pendingBytes }) == 0)
            client.onLoop { $0.setReading(true) }
            #expect(client.messages(all) == messages)
        }
    }

    @Test("A handler that stops at every batch gets one batch at a time, and all of them", arguments: ways)
    func stopAtEveryBatch(secure: Bool, compressed: Bool) throws {
        let all = 5000
        let held = Mailbox<Int>()
        let batches = Mailbox<[WebSocketMessage]>()
        try withFlow(
            secure: secure, compressed: compressed,
            { client, event in
                guard case .received(let messages) = event else { return }
                client.setReading(false)
                batches.put(messages)
                held.put(client.undeliveredBytes)
            }
        ) { loop, server, client in
            loop.run {
                for number in 0..<all { server.send(.text("\(number) " + String(repeating: "y", count: 500))) }
            }
            var count = 0
            while count < all {
                let seen = batches.wait { $0.joined().count > count }
                count = seen.joined().count
                try letTurn(loop, 3)
                #expect(batches.all.count == seen.count, "a batch came while reading was stopped")
                client.onLoop { $0.setReading(true) }
            }
            let numbers = batches.all.joined().map {
                Int(String(decoding: $0.bytes.prefix { $0 != 0x20 }, as: UTF8.self))
            }
            #expect(numbers == (0..<all).map(Int?.some))
            #expect(held.all.allSatisfy { $0 <= 2 << 20 })
        }
    }

    @Test("Messages that inflate enormously are decompressed one by one, as they are consumed")
    func inflation() throws {
        let size = 1 << 20
        let held = Mailbox<Int>()
        let batches = Mailbox<[Int]>()
        try withFlow(
            secure: false, compressed: true,
            { client, event in
                guard case .received(let messages) = event else { return }
                client.setReading(false)
                batches.put(messages.map(\.bytes.count))
                held.put(client.undeliveredBytes)
            }
        ) { loop, server, client in
            let zeros = WebSocketMessage.binary(ArraySlice([UInt8](repeating: 0, count: size)))
            loop.run { for _ in 0..<50 { server.send(zeros) } }
            var count = 0
            while count < 50 {
                count = batches.wait { $0.joined().count > count }.joined().count
                client.onLoop { $0.setReading(true) }
            }
            #expect(batches.all.flatMap { $0 } == [Int](repeating: size, count: 50))
            if BothFramings.current == .own {
                #expect(batches.all.allSatisfy { $0.count <= 2 })
                #expect(held.all.allSatisfy { $0 <= 3 * size }, "\(held.all)")
            }
        }
    }

    @Test(
        "A message that inflates beyond the limit closes the socket with 1009",
        arguments: [false, true])
    func bomb(fromServer: Bool) throws {
        let zeros = WebSocketMessage.binary(ArraySlice([UInt8](repeating: 0, count: 5 << 20)))
        try withFlow(secure: false, compressed: true, maximumMessage: 1 << 20) { loop, server, client in
            loop.run { if fromServer { server.send(zeros) } else { client.client.send(zeros) } }
            #expect(client.close()?.code == 1009)
            #expect(received(client.events.all).isEmpty)
        }
    }
}

/// Lets the loop run `turns` times.
private func letTurn(_ loop: EventLoop, _ turns: Int) throws {
    let done = Mailbox<Int>()
    @Sendable func turn(_ left: Int) { loop.run { if left == 0 { done.put(0) } else { turn(left - 1) } } }
    turn(turns)
    _ = try done.first()
}

/// Runs `body` with both ends of a socket. `handler` is called with the client in addition to the mailbox.
private func withFlow(
    secure: Bool, compressed: Bool, maximumMessage: Int = 16 << 20,
    _ handler: @escaping @Sendable (WebSocketClient, WebSocketEvent) -> Void = { _, _ in },
    _ body: (EventLoop, ServerWebSocket, TestClient) throws -> Void
) throws {
    let certificates = try Certificates.shared.get()
    try withLoop { loop in
        let serverHandler = TestHandler(onMessages: { _, _ in })
        let server = try HTTPServer(
            on: loop, identity: secure ? certificates.good : nil, maximumMessage: maximumMessage,
            compresses: compressed, handler: serverHandler)
        var request = WebSocketRequest(
            url: socketURL(server, secure: secure),
            access: Access(trust: secure ? .file(certificates.authority) : .system), maximumMessage: maximumMessage)
        request.offersCompression = compressed
        let client = try TestClient(loop, request, handler)
        client.waitForOpen()
        try body(loop, try serverHandler.sockets.first(), client)
        server.close()
    }
}
