import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

private func withServer(_ handler: TestHandler, _ body: (EventLoop, HTTPServer) throws -> Void) throws {
    try withLoop { loop in
        let server = try HTTPServer(on: loop, maximumBody: 100, handler: handler)
        try body(loop, server)
        server.close()
    }
}

/// Answers with the method, the path and the body.
private let describing = TestHandler(answer: { request, respond in
    respond(HTTPResponse(status: 200, body: Array("\(request.method) \(request.path) ".utf8) + request.body))
})

private let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
private let last = "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

@Suite struct HTTPServerTests {
    @Test("The handler learns that a client left before its answer or before the end of its body")
    func aborted() throws {
        let silent = TestHandler(answer: { _, _ in })
        try withServer(silent) { _, server in
            var waiting: RawConnection? = try RawConnection(port: server.port)
            waiting?.send(get)
            silent.events.wait { $0.contains { if case .request = $0 { true } else { false } } }
            waiting = nil
            silent.events.wait { $0.contains { if case .aborted("GET /a") = $0 { true } else { false } } }
            _ = waiting
            var half: RawConnection? = try RawConnection(port: server.port)
            half?.send("POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbo")
            silent.events.wait { $0.contains { if case .began("POST /b") = $0 { true } else { false } } }
            half = nil
            silent.events.wait { $0.contains { if case .aborted("POST /b") = $0 { true } else { false } } }
            _ = half
        }
    }

    @Test("Pipelined requests are answered one after the other on one connection")
    func pipelining() throws {
        try withServer(describing) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send(get + "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody" + last)
            let answer = connection.readAll()
            let expected = ["GET /a ", "POST /b body", "GET /last "].map { body in
                "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n"
                    + (body.hasPrefix("GET /last") ? "Connection: close\r\n" : "") + "\r\n\(body)"
            }
            #expect(answer == expected.joined())
        }
    }

    @Test("A late answer is sent when it is ready, and later requests wait")
    func later() throws {
        let responds = Mailbox<@Sendable (HTTPResponse) -> Void>()
        let handler = TestHandler(answer: { _, respond in responds.put(respond) })
        try withServer(handler) { loop, server in
            let connection = try RawConnection(port: server.port)
            connection.send(get + last)
            let respond = try responds.first()
            #expect(handler.events.all.count == 1)
            loop.run {
                respond(HTTPResponse(status: 204))
                // A second answer to the same request is not sent.
                respond(HTTPResponse(status: 500))
            }
            let second = responds.wait { $0.count == 2 }[1]
            loop.run { second(HTTPResponse(status: 200, body: [0x78])) }
            #expect(
                connection.readAll()
                    == "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
            )
        }
    }

    @Test("A chunked body is assembled, even if it arrives byte by byte")
    func chunked() throws {
        try withServer(describing) { _, server in
            let text =
                "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
                + last
            let whole = try RawConnection(port: server.port)
            whole.send(text)
            let answer = whole.readAll()
            #expect(answer.contains("POST /c abc0123456789"))
            #expect(answer.contains("GET /last"))
            let slow = try RawConnection(port: server.port)
            for byte in text.utf8 { slow.send([byte]) }
            #expect(slow.readAll() == answer)
        }
    }

    @Test("A client that expects 100 Continue before its body gets it")
    func expectContinue() throws {
        try withServer(describing) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send(
                "POST /e HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
            #expect(connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send("hi")
            #expect(connection.readAll().hasSuffix("POST /e hi"))
        }
    }

    @Test("HEAD gets the headers of GET without a body, and HTTP/1.0 ends the connection")
    func headAndOldVersion() throws {
        try withServer(describing) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send("HEAD /h HTTP/1.1\r\nHost: h\r\n\r\nGET /old HTTP/1.0\r\n\r\n")
            let answer = connection.readAll()
            #expect(
                answer
                    == "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nGET /old "
            )
        }
    }

    @Test(
        "An invalid request is answered with the matching status, and the connection ends",
        arguments: [
            ("GET /a HTTP/2.0\r\n\r\n", 505), ("GET /a\r\n\r\n", 400), ("GET  /a HTTP/1.1\r\n\r\n", 400),
            ("\u{16}\u{3}\u{1}", 400),
            ("GET /a HTTP/1.1\r\n\r\n", 400), ("GET a HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET /a HTTP/1.1\r\nHost: h\r\nbad header\r\n\r\n", 400),
            ("GET /a HTTP/1.1\r\nHost: h\r\n folded: x\r\n\r\n", 400),
            ("GET /a HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400), ("GET /a HTTP/1.1\r\nHost: h\u{0}\r\n\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", 413),
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", 413),
            ("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
            ("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
            ("GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n", 400),
            (
                "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Key: x\r\n"
                    + "Sec-WebSocket-Version: 8\r\n\r\n", 426
            ),
        ])
    func refused(text: String, status: Int) throws {
        let handler = TestHandler()
        try withServer(handler) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            let answer = connection.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(!handler.events.all.contains { if case .request = $0 { true } else { false } })
        }
    }

    @Test("A head that grows too large without an end is refused")
    func endlessHead() throws {
        try withServer(TestHandler()) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send("GET /a HTTP/1.1\r\nHost: h\r\n")
            for number in 0..<2000 { connection.send("X-\(number): 0123456789012345678901234567890\r\n") }
            #expect(connection.readAll().hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test("Answer headers that would inject other headers are left out")
    func badAnswerHeaders() throws {
        let handler = TestHandler(answer: { _, respond in
            respond(
                HTTPResponse(
                    status: 200,
                    headers: [("X-Good", "1"), ("X-Bad", "a\r\nb: c"), ("Bad Name", "x"), ("Content-Length", "99")]))
        })
        try withServer(handler) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send(last)
            #expect(
                connection.readAll() == "HTTP/1.1 200 OK\r\nX-Good: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }
    }

    @Test("An address in use or of another machine is reported")
    func cannotListen() throws {
        try withServer(TestHandler()) { loop, server in
            let taken = NetworkError.cannotListen(
                address: "127.0.0.1:\(server.port)", message: "Address already in use")
            #expect(throws: taken) { try HTTPServer(on: loop, port: server.port, handler: TestHandler()) }
            #expect(throws: NetworkError.self) {
                try HTTPServer(on: loop, address: "192.0.2.1", handler: TestHandler())
            }
        }
    }

    @Test("The error for an unusable certificate or key contains its path")
    func badIdentity() throws {
        let certificates = try Certificates.shared.get()
        try withLoop { loop in
            var identity = certificates.good
            identity.certificate = "/nonexistent.pem"
            #expect(throws: NetworkError.badTLSFile(path: "/nonexistent.pem", message: "No such file or directory")) {
                try HTTPServer(on: loop, identity: identity, handler: TestHandler())
            }
            identity = certificates.good
            identity.key = certificates.otherName.key
            #expect(throws: NetworkError.badTLSFile(path: identity.key, message: "key values mismatch")) {
                try HTTPServer(on: loop, identity: identity, handler: TestHandler())
            }
        }
    }

    @Test("A closed server notifies its WebSockets, and a released server keeps running")
    func closing() throws {
        try withLoop { loop in
            let handler = TestHandler()
            var server: HTTPServer? = try HTTPServer(on: loop, handler: handler)
            let port = try #require(server?.port)
            let client = try TestClient(
                loop, WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: port)))
            client.waitForOpen()
            server?.close()
            #expect(serverClose(handler)?.code == 1006)
            #expect(client.close()?.code == 1006)
            server = try HTTPServer(on: loop, handler: TestHandler())
            let forgotten = try #require(server?.port)
            server = nil
            let other = try TestClient(
                loop, WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: forgotten)))
            other.onLoop { $0.send(.text("still there")) }
            #expect(other.messages(1) == [.text("still there")])
        }
    }

    @Test("A large body in the smallest chunks is assembled quickly")
    func smallestChunks() {
        var reader = HTTPRequestReader(maximumBody: 1 << 20)
        let chunk = Array("1\r\nx\r\n".utf8)
        Array("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8).withUnsafeBytes {
            reader.append($0)
        }
        guard case .head? = try? reader.next() else {
            Issue.record("no head")
            return
        }
        let piece = Array(repeating: chunk, count: 10_000).flatMap { $0 }
        for _ in 0..<20 {
            piece.withUnsafeBytes { reader.append($0) }
            if case .needsMore? = try? reader.next() { continue }
            Issue.record("not taken")
        }
        Array("0\r\n\r\n".utf8).withUnsafeBytes { reader.append($0) }
        guard case .request(let request)? = try? reader.next() else {
            Issue.record("not ended")
            return
        }
        #expect(request.request.body.count == 200_000)
    }

    @Test("Bytes sent directly after the upgrade are frames")
    func bytesBehindUpgrade() throws {
        let handler = TestHandler()
        try withServer(handler) { _, server in
            let connection = try RawConnection(port: server.port)
            connection.send(
                "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
                    + "\u{1}\u{1}")
            // The accept hash of the example in RFC 6455, section 1.3.
            #expect(
                connection.read(until: "\r\n\r\n").contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
            // The two bytes are a frame without a mask, which violates the protocol.
            #expect(serverClose(handler)?.code == 1002)
        }
    }
}
