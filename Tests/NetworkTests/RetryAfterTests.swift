import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Checks that the client finds how long a polled server asks it to wait, in every place that may contain the time.
@Suite struct RetryAfterTests {
    private func busy(_ value: String) -> HTTPResponse {
        HTTPResponse(status: 503, headers: [("retry-after", value)], body: Array("busy".utf8))
    }

    @Test func `a refused first poll of Engine.IO reports the wait`() throws {
        try withLoop { loop in
            let http = try HTTPClient(answeringOn: loop)
            defer { http.shutDown() }
            let handler = TestHandler(answer: { _, respond in respond(busy("7")) })
            let server = try HTTPServer(on: loop, handler: handler)
            defer { server.close() }
            let events = Mailbox<WebSocketEvent>()
            let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/s/", query: "")
            loop.run {
                let request = EngineIORequest(url: url, transport: .polling)
                _ = EngineIOSocket(on: loop, http: http, request) { events.put($0) }
            }
            guard case .failed(let failure) = try events.first() else {
                Issue.record("\(events.all)")
                return
            }
            #expect(failure.retry == .after(seconds: 7))
            #expect(failure.message.hasSuffix("HTTP status 503: busy, and requests 7 s"), "\(failure.message)")
        }
    }

    @Test func `a refused poll of an open Engine.IO session reports the wait`() throws {
        let script = PollingScript()
        try withStage(script, transport: .polling) { stage in
            _ = stage.waitForMessages(1)
            script.push(busy("8"))
            let close = stage.waitForClose()
            #expect(close?.retry == .after(seconds: 8))
            #expect(close?.reason == "HTTP status 503: busy, and requests 8 s")
        }
    }

    @Test(arguments: [1000, 1001])
    func `a Bayeux poll's answer at the limit is read, and one byte more closes the socket`(
        size: Int
    ) throws {
        try withLoop { loop in
            let http = try HTTPClient(answeringOn: loop)
            defer { http.shutDown() }
            let body = [UInt8](repeating: UInt8(ascii: " "), count: size)
            let handler = TestHandler(answer: { _, respond in respond(HTTPResponse(status: 200, body: body)) })
            let server = try HTTPServer(on: loop, handler: handler)
            defer { server.close() }
            let events = Mailbox<WebSocketEvent>()
            let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/faye", query: "")
            loop.run {
                let socket = LongPollingSocket(on: loop, http: http, url, access: Access(), maximumMessage: 1000) {
                    events.put($0)
                }
                socket.send(.text("[]"))
            }
            let told = events.wait { $0.count == 2 }
            switch told.last {
            case .received(let messages)?: #expect(size == 1000 && messages == [.text(body[...])])
            case .closed(let close)?:
                #expect(size == 1001)
                let words = "the body of the answer has 1001 bytes; the limit is 1000"
                #expect(close.reason == "127.0.0.1:\(server.port): \(words)")
            default: Issue.record("\(told)")
            }
        }
    }

    @Test func `a proxy that refuses a tunnel for a request or a poll reports the wait`() throws {
        let proxy = try TestProxy("--refuse", "503", "--retry-after", "6")
        defer { proxy.peer.stop() }
        let url = URLParts(scheme: "http", host: "127.0.0.1", port: 9, path: "/s/")
        let refusal = "the proxy 127.0.0.1:\(proxy.port) refuses the tunnel to 127.0.0.1:9 with HTTP status 503"
        let words = "127.0.0.1:9: \(refusal), and requests 6 s"
        try withLoop { loop in
            let http = try HTTPClient(answeringOn: loop)
            defer { http.shutDown() }
            let answers = Mailbox<Result<HTTPResponse, HTTPFailure>>()
            http.send(HTTPRequest(url: url, access: proxy.access())) { answers.put($0) }
            guard case .failure(let failure) = try answers.first() else {
                Issue.record("\(answers.all)")
                return
            }
            #expect(failure.retry == .after(seconds: 6) && failure.message == words)
            let (engine, bayeux) = (Mailbox<WebSocketEvent>(), Mailbox<WebSocketEvent>())
            loop.run {
                let request = EngineIORequest(url: url, transport: .polling, access: proxy.access())
                _ = EngineIOSocket(on: loop, http: http, request) { engine.put($0) }
                let socket = LongPollingSocket(on: loop, http: http, url, access: proxy.access()) { bayeux.put($0) }
                socket.send(.text("[]"))
            }
            guard case .failed(let failure) = try engine.first() else {
                Issue.record("\(engine.all)")
                return
            }
            #expect(failure.retry == .after(seconds: 6) && failure.message == words)
            guard case .closed(let close)? = bayeux.wait(until: { $0.count == 2 }).last else {
                Issue.record("\(bayeux.all)")
                return
            }
            #expect(close.retry == .after(seconds: 6) && close.reason == words)
        }
    }

    @Test func `a refused Bayeux poll reports the wait`() throws {
        try withLoop { loop in
            let http = try HTTPClient(answeringOn: loop)
            defer { http.shutDown() }
            let handler = TestHandler(answer: { _, respond in respond(busy("9")) })
            let server = try HTTPServer(on: loop, handler: handler)
            defer { server.close() }
            let events = Mailbox<WebSocketEvent>()
            let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/faye", query: "")
            loop.run {
                let socket = LongPollingSocket(on: loop, http: http, url, access: Access()) { events.put($0) }
                socket.send(.text("[]"))
            }
            let told = events.wait { $0.count == 2 }
            guard case .closed(let close)? = told.last else {
                Issue.record("\(told)")
                return
            }
            #expect(close.retry == .after(seconds: 9))
            #expect(close.reason == "HTTP status 503, and requests 9 s")
        }
    }
}
