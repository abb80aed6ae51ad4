import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Tests Engine.IO sessions over a loopback port (Engine.IO EIO-15 to EIO-34, Socket.IO SIO-22).
@Suite struct EngineIOSocketTests {
    @Test func `a polling session opens, sends, receives and closes in order`() throws {
        let script = PollingScript()
        try withStage(script, transport: .polling) { stage in
            #expect(stage.waitForMessages(1) == [.text(script.open)])
            let isOnWebSocket = try stage.isOnWebSocket()
            #expect(!isOnWebSocket)
            stage.send(["40", "42[1]", "42[\"é\"]"])
            script.posts.wait { $0.count == 2 }
            #expect(script.posts.all == ["40", "42[1]\u{1E}42[\"é\"]"])
            script.push("42[\"a\"]\u{1E}42[\"b\"]")
            #expect(stage.waitForMessages(3).suffix(2) == [.text("42[\"a\"]"), .text("42[\"b\"]")])
            stage.send(["41"])
            try stage.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(stage.waitForClose()?.code == 1000)
            // Both are in one POST if the previous one was answered late.
            #expect(script.posts.all.flatMap { $0.split(separator: "\u{1E}") }.suffix(2) == ["41", "1"])
            let targets = script.requests.all.map { "\($0.method) \($0.path)?\($0.query)" }
            #expect(targets.first?.hasPrefix("GET /s/?EIO=4&transport=polling&who=me&t=") == true)
            #expect(targets.dropFirst().allSatisfy { $0.contains("&sid=s&t=") })
            #expect(Set(targets).count == targets.count)
        }
    }

    @Test func `an upgrade switches after the last GET's messages and before queued messages`() throws {
        let script = PollingScript(upgrades: true)
        script.onProbe.change { act in
            act = { socket in
                socket.send(.text("3probe"))
                script.endGets(with: "6\u{1E}42[\"last\"]")
            }
        }
        try withStage(script, transport: .upgrade) { stage in
            #expect(stage.waitForMessages(2).last == .text("42[\"last\"]"))
            // The last GET delivers the message, regardless of the upgrade's progress.
            #expect(!stage.carriers.all.contains(true))
            script.messages.wait { $0.contains(.text("5")) }
            #expect(try stage.isOnWebSocket())
            stage.send(["42[1]", "42[2]"])
            script.messages.wait { $0.count >= 4 }
            let said = script.messages.all
            #expect(said.prefix(2) == [.text("2probe"), .text("5")])
            #expect(said.suffix(2) == [.text("42[1]"), .text("42[2]")])
            try script.sockets.first().sendFromAnywhere([.text("6"), .text("42[3]")], on: stage.loop)
            #expect(stage.waitForMessages(4).last == .text("42[3]"))
            try stage.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(stage.waitForClose()?.code == 1000)
            #expect(script.requests.all.contains { $0.query.contains("transport=websocket&who=me&sid=s") })
        }
    }

    @Test func `a refused probe leaves the session on polling`() throws {
        let script = PollingScript(upgrades: true, refusal: { _ in HTTPResponse(status: 502) })
        try withStage(script, transport: .upgrade) { stage in
            script.requests.wait { $0.contains { $0.query.contains("transport=websocket") } }
            script.push("42[1]")
            #expect(stage.waitForMessages(2).last == .text("42[1]"))
            stage.send(["42[2]"])
            #expect(script.posts.wait { !$0.isEmpty }.first == "42[2]")
            let isOnWebSocket = try stage.isOnWebSocket()
            #expect(!isOnWebSocket)
        }
    }

    @Test func `the handshake's cookies are sent with every later request and with the upgrade`() throws {
        let script = PollingScript(upgrades: true)
        try withStage(script, transport: .upgrade) { stage in
            script.messages.wait { $0.contains(.text("5")) }
            let requests = script.requests.all
            #expect(requests.count >= 3)
            #expect(requests.first?.header("cookie") == nil)
            #expect(requests.dropFirst().allSatisfy { $0.header("cookie") == "io=s; node=7" })
            #expect(requests.contains { $0.query.contains("transport=websocket") })
            _ = stage
        }
    }

    @Test func `a refused WebSocket falls back to polling`() throws {
        let script = PollingScript(refusal: { _ in HTTPResponse(status: 501) })
        try withStage(script, transport: .auto) { stage in
            #expect(stage.waitForMessages(1) == [.text(script.open)])
            #expect(script.requests.all.count >= 2)
        }
    }

    @Test func `a close during the probe waits for the probe's outcome`() throws {
        let script = PollingScript(upgrades: true)
        script.onProbe.change { $0 = { _ in } }
        try withStage(script, transport: .upgrade) { stage in
            script.messages.wait { $0.contains(.text("2probe")) }
            try stage.onLoop { $0.close(WebSocketClose(code: 1000)) }
            try script.sockets.first().sendFromAnywhere([.text("3probe")], on: stage.loop)
            script.endGets(with: "42[1]\u{1E}6")
            #expect(stage.waitForClose()?.code == 1000)
            #expect(script.messages.all.prefix(2) == [.text("2probe"), .text("5")])
            #expect(received(stage.events.all) == [.text(script.open)])
        }
    }

    @Test func `more than sixteen packets or maxPayload bytes are sent in several POSTs`() throws {
        let script = PollingScript(maxPayload: 100)
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            stage.send((0..<40).map { "4\($0)" } + ["4" + String(repeating: "a", count: 300), "4z"])
            let posts = script.posts.wait { $0.last == "4z" }
            #expect(posts.map { $0.split(separator: "\u{1E}").count } == [1, 16, 16, 7, 1, 1])
            #expect(
                posts.flatMap { $0.split(separator: "\u{1E}") }.prefix(40).map(String.init)
                    == (0..<40).map { "4\($0)" })
        }
    }

    @Test(arguments: ["gzip", "deflate"])
    func `a compressed body is read`(coding: String) throws {
        let script = PollingScript()
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            script.push(
                HTTPResponse(
                    status: 200, headers: [("content-encoding", coding)], body: coding == "gzip" ? gzipped : deflated))
            #expect(stage.waitForMessages(2).last == .text("42[\"" + String(repeating: "a", count: 5000) + "\"]"))
            #expect(script.requests.all.last?.header("accept-encoding") == "gzip, deflate")
        }
    }

    @Test func `a body of forty megabytes is read at the reader's pace, with bounded memory`() throws {
        let script = PollingScript()
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            try stage.onLoop { $0.setReading(false) }
            let count = 100_000
            let event = "42[\"resource\",{\"text\":\"" + String(repeating: "é", count: 180) + "\",\"n\":"
            script.push((0..<count).map { event + "\($0)}]" }.joined(separator: "\u{1E}"))
            // The exchange pauses by itself, with at most 256 KiB and one read of libcurl.
            let backlog = try stage.waitUntilPaused()
            #expect(backlog > 0 && backlog <= (256 + 64) << 10)
            #expect(received(stage.events.all).count == 1)
            try stage.onLoop { $0.setReading(true) }
            let messages = stage.waitForMessages(count + 1)
            #expect(messages.count == count + 1)
            for (number, message) in messages.dropFirst().enumerated() {
                let isNext = message.bytes.reversed().starts(with: "\(number)}]".utf8.reversed())
                guard isNext else {
                    Issue.record("message \(number) is \(String(decoding: message.bytes, as: UTF8.self))")
                    break
                }
            }
        }
    }

    @Test(arguments: [
        (400, #"{"code":1,"message":"Session ID unknown"}"#, Reconnection.atOnce),
        (400, #""Invalid session s""#, .atOnce), (403, #"{"code":4,"message":"Forbidden"}"#, .never),
        (502, "<html>", .later),
    ])
    func `a refused GET ends the session and says whether a reconnect can help`(
        status: Int, body: String, retry: Reconnection
    ) throws {
        let script = PollingScript()
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            script.push(HTTPResponse(status: status, body: Array(body.utf8)))
            let close = stage.waitForClose()
            #expect(close?.retry == retry)
            #expect(close?.reason.hasPrefix("HTTP status \(status)") == true)
        }
    }

    @Test func `the error for an oversized POST names the limit`() throws {
        let script = PollingScript(maxPayload: 100, answer: { _ in HTTPResponse(status: 413) })
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            stage.send(["4" + String(repeating: "a", count: 300)])
            let close = stage.waitForClose()
            #expect(close?.code == 1009)
            #expect(close?.reason.contains("maxPayload, 100 bytes") == true)
        }
    }

    @Test func `a refused handshake is reported with status, code and text`() throws {
        try withLoop { loop in
            let http = try HTTPClient(answeringOn: loop)
            defer { http.shutDown() }
            let handler = TestHandler(answer: { _, respond in
                let body = #"{"code":5,"message":"Unsupported protocol version"}"#
                respond(HTTPResponse(status: 400, body: Array(body.utf8)))
            })
            let server = try HTTPServer(on: loop, handler: handler)
            defer { server.close() }
            let events = Mailbox<WebSocketEvent>()
            let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/s/", query: "")
            loop.run {
                let request = EngineIORequest(url: url, transport: .polling, detectsRevision: true)
                _ = EngineIOSocket(on: loop, http: http, request) { events.put($0) }
            }
            guard case .failed(let failure) = try events.first() else {
                Issue.record("\(events.all)")
                return
            }
            #expect(
                failure
                    == ConnectFailure(
                        phase: .handshake, httpStatus: 400, code: 5, text: "Unsupported protocol version",
                        message: "127.0.0.1:\(server.port): HTTP status 400: Unsupported protocol version (code 5)",
                        retry: .withRevision(.v3)))
        }
    }
}

extension ServerWebSocket {
    func sendFromAnywhere(_ messages: [WebSocketMessage], on loop: EventLoop) {
        loop.run { for message in messages { self.send(message) } }
    }
}

extension PollingStage {
    /// Waits until the pending GET holds back the server's data. Returns the number of buffered bytes.
    fileprivate func waitUntilPaused() throws -> Int {
        let backlogs = Mailbox<Int>()
        let (loop, socket) = (self.loop, self.socket)
        @Sendable func look() {
            if let backlog = socket.connection.get?.stream.backlog, backlog.isPaused {
                backlogs.put(backlog.bytes)
            } else {
                _ = loop.schedule(at: loop.now + .milliseconds(1), look)
            }
        }
        loop.run(look)
        return try backlogs.first()
    }
}

/// `42["aaa…"]` with five thousand characters and a noop, compressed by Python's gzip and zlib.
private let gzipped: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 13, 0, 48, 8, 0, 48, 39, 28, 72, 32, 100, 102, 150, 29, 248, 55, 49,
    21,
    124, 109, 187, 110, 14, 0, 0, 0, 0, 176, 46, 95, 156, 15, 127, 22, 45, 134, 144, 19, 0, 0,
]
private let deflated: [UInt8] = [
    120, 218, 237, 193, 49, 13, 0, 48, 8, 0, 48, 39, 28, 72, 32, 100, 102, 150, 29, 248, 55, 49, 21, 124, 109, 187, 110,
    14, 0, 0, 0, 0, 176, 46, 95, 156, 15, 65, 203, 104, 168,
]
