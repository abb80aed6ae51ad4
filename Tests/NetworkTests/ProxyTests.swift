import Testing
import TestSupport
import WeirWire

@testable import WeirNetwork

/// A proxy of ours that logs its requests.
struct TestProxy {
    let peer: Peer
    let port: UInt16

    init(_ options: String...) throws {
        peer = try Peer(["python3", peersFolder + "/connect_proxy.py"] + options)
        port = try peer.listeningPort()
    }

    func access(_ credentials: String? = nil, host: String = "127.0.0.1") -> Access {
        Access(proxy: Proxy(host: host, port: port, credentials: credentials.map { Secret($0) }))
    }

    /// Returns the words of the next logged request, without the leading `asked`.
    func asked() throws -> [String] {
        try peer.readLine(startingWith: "asked ").split(separator: " ").dropFirst().map(String.init)
    }
}

@Suite struct ProxyTests {
    static let cases = Lane.allCases.flatMap { lane in [false, true].map { (lane, $0) } }

    @Test("All traffic goes through the proxy's tunnel, with TLS and without", arguments: cases)
    func tunnel(lane: Lane, secure: Bool) throws {
        let proxy = try TestProxy()
        defer { proxy.peer.stop() }
        try withGreeter(secure: secure) { server in
            #expect(try reach(server, lane, secure, proxy.access()) == .reached("hello"))
            let asked = try proxy.asked()
            #expect(asked.prefix(3) == ["CONNECT", "127.0.0.1:\(server.port)", "-"])
        }
    }

    @Test("Credentials go only to the proxy, and our headers go only to the server", arguments: cases)
    func credentials(lane: Lane, secure: Bool) throws {
        let proxy = try TestProxy("--auth", "ann:pass:word/%41 é")
        defer { proxy.peer.stop() }
        let requests = Mailbox<[String]>()
        try withGreeter(secure: secure, requests) { server in
            var access = proxy.access("ann:pass:word/%41 é")
            access.headers = [Access.Header(name: "X-Own", value: Secret("1"))]
            #expect(try reach(server, lane, secure, access) == .reached("hello"))
            let asked = try proxy.asked()
            #expect(asked.count == 5)
            #expect(asked.last?.contains("x-own") == false)
            let names = try requests.first()
            #expect(names.contains("x-own"))
            #expect(!names.contains { $0.hasPrefix("proxy") })
        }
    }

    @Test("An answer of the proxy may arrive byte by byte", arguments: Lane.allCases)
    func dribble(lane: Lane) throws {
        let proxy = try TestProxy("--answer", "dribble")
        defer { proxy.peer.stop() }
        try withGreeter(secure: true) { server in
            let outcome = try reach(server, lane, true, proxy.access())
            #expect(outcome == .reached("hello"))
        }
    }

    @Test("Missing or wrong proxy credentials are reported with the status", arguments: Lane.allCases)
    func wants(lane: Lane) throws {
        let proxy = try TestProxy("--auth", "ann:right")
        defer { proxy.peer.stop() }
        let none = try lane.reach(port: 9, access: proxy.access())
        #expect(none.phase == "proxy")
        #expect(none.message.contains("wants credentials, and none are given (HTTP status 407)"), "\(none)")
        let wrong = try lane.reach(port: 9, access: proxy.access("ann:wrong"))
        #expect(wrong.phase == "proxy")
        #expect(wrong.message.contains("refuses the credentials (HTTP status 407)"), "\(wrong)")
        #expect(!wrong.message.contains("wrong") && !wrong.message.contains("ann"))
    }

    @Test("A proxy's refusal is reported with its status", arguments: Lane.allCases, [403, 502])
    func refuses(lane: Lane, status: Int) throws {
        let proxy = try TestProxy("--refuse", "\(status)")
        defer { proxy.peer.stop() }
        let outcome = try lane.reach(port: 9, access: proxy.access())
        #expect(outcome.phase == "proxy")
        #expect(
            outcome.message
                == "127.0.0.1:9: the proxy 127.0.0.1:\(proxy.port) refuses the tunnel to 127.0.0.1:9 with HTTP status \(status)"
        )
    }

    @Test(
        "A proxy's refusal reports how long the proxy asks to wait", arguments: [429, 503],
        ["120", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func asksToWait(status: Int, value: String) throws {
        let proxy = try TestProxy("--refuse", "\(status)", "--retry-after", value)
        defer { proxy.peer.stop() }
        for isOwn in [true, false] {
            try withLoop { loop in
                let url = URLParts(scheme: "ws", host: "127.0.0.1", port: 9)
                var request = WebSocketRequest(url: url, access: proxy.access())
                request.framing = isOwn ? .own : .library
                let failure = try TestClient(loop, request).failure()
                guard case .after(let seconds)? = failure?.retry else {
                    Issue.record("it does not say: \(String(describing: failure))")
                    return
                }
                #expect(value == "120" ? seconds == 120 : seconds > 1_000_000_000)
                #expect(failure?.message.hasSuffix("with HTTP status \(status), and requests \(seconds) s") == true)
            }
        }
    }

    @Test func `headers and cookies in the proxy's answer to CONNECT are not treated as the server's`()
        throws
    {
        let proxy = try TestProxy()
        defer { proxy.peer.stop() }
        try withGreeter(secure: false) { server in
            try withLoop { loop in
                let client = try HTTPClient(answeringOn: loop)
                defer { client.shutDown() }
                let (answers, jar) = (Mailbox<Result<HTTPResponse, HTTPFailure>>(), CookieJar())
                let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/")
                var access = proxy.access()
                access.cookies = jar
                client.send(HTTPRequest(url: url, access: access)) { answers.put($0) }
                let answer = try answers.first().get()
                #expect(answer.status == 200 && answer.body == Array("hello".utf8))
                #expect(!answer.headers.contains { $0.name == "via" || $0.name == "set-cookie" })
                #expect(jar.header(for: url) == nil)
            }
        }
    }

    @Test("A server that is not a proxy is reported", arguments: Lane.allCases, ["noise", "nothing", "flood"])
    func nonsense(lane: Lane, kind: String) throws {
        let proxy = try TestProxy("--answer", kind)
        defer { proxy.peer.stop() }
        let outcome = try lane.reach(port: 9, access: proxy.access(), timeout: .seconds(2))
        #expect(outcome.phase == "proxy", "\(outcome)")
        #expect(outcome.message.contains("127.0.0.1:\(proxy.port)"), "\(outcome)")
    }

    @Test("An unreachable proxy is reported with the system's message", arguments: Lane.allCases)
    func absent(lane: Lane) throws {
        let port = try freePort()
        let outcome = try lane.reach(port: 9, access: Access(proxy: Proxy(host: "127.0.0.1", port: port)))
        #expect(outcome.phase == "proxy")
        #expect(outcome.message == "127.0.0.1:9: the proxy 127.0.0.1:\(port): Connection refused")
        let nowhere = try lane.reach(port: 9, access: Access(proxy: Proxy(host: "proxy.invalid", port: 1)))
        #expect(nowhere.phase == "proxy")
        #expect(nowhere.message == "127.0.0.1:9: the proxy proxy.invalid:1: its address is not known")
    }

    @Test("The certificate and the pin are checked against the server, not the proxy", arguments: Lane.allCases)
    func verifies(lane: Lane) throws {
        let proxy = try TestProxy()
        defer { proxy.peer.stop() }
        let certificates = try Certificates.shared.get()
        try withGreeter(secure: true) { server in
            var access = proxy.access()
            access.trust = .file(certificates.stranger)
            #expect(try lane.reach(port: server.port, access: access).phase == "tls")
            access.trust = .file(certificates.authority)
            access.pins = [try certificates.pin(certificates.good)]
            #expect(try lane.reach(port: server.port, access: access) == .reached("hello"))
            access.pins = [try certificates.pin(certificates.otherName)]
            #expect(try lane.reach(port: server.port, access: access).phase == "tls")
        }
    }

    @Test("A proxy and a server are reached at IPv6 addresses", arguments: cases)
    func addresses(lane: Lane, secure: Bool) throws {
        let proxy = try TestProxy("--address", "::1")
        defer { proxy.peer.stop() }
        try withGreeter(secure: secure, address: "::1") { server in
            let access = proxy.access(host: "::1")
            #expect(try reach(server, lane, secure, access, host: "::1") == .reached("hello"))
            let asked = try proxy.asked()
            #expect(asked[1] == "[::1]:\(server.port)")
        }
    }

    @Test("Two sockets of one loop use two proxies")
    func twoProxies() throws {
        let (first, second) = (try TestProxy("--auth", "a:1"), try TestProxy("--auth", "b:2"))
        defer {
            first.peer.stop()
            second.peer.stop()
        }
        try withGreeter(secure: false) { server in
            try withLoop { loop in
                let clients = try [first.access("a:1"), second.access("b:2"), Access()].map {
                    try TestClient(loop, WebSocketRequest(url: socketURL(server), access: $0))
                }
                for client in clients { #expect(client.messages(1) == [.text("hello")]) }
                let asked = (try first.asked(), try second.asked())
                #expect(asked.0[2] == "a:1")
                #expect(asked.1[2] == "b:2")
            }
        }
    }

    @Test("A message of a megabyte passes the tunnel in both directions")
    func large() throws {
        let proxy = try TestProxy()
        defer { proxy.peer.stop() }
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: TestHandler())
            let client = try TestClient(loop, WebSocketRequest(url: socketURL(server), access: proxy.access()))
            let message = WebSocketMessage.binary([UInt8](repeating: 7, count: 1 << 20)[...])
            client.onLoop { $0.send(message) }
            #expect(client.messages(1) == [message])
            client.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(client.close()?.code == 1000)
            server.close()
        }
    }

    @Test("The fallback to the library's framing also uses the proxy")
    func fallBack() throws {
        let proxy = try TestProxy()
        defer { proxy.peer.stop() }
        try withGreeter(secure: false) { server in
            try withLoop { loop in
                var request = WebSocketRequest(url: socketURL(server), access: proxy.access())
                request.headerToTakeBack = "what no library says\r\n"
                let client = try TestClient(loop, request)
                #expect(client.messages(1) == [.text("hello")])
            }
            let asked = [try proxy.asked()[1], try proxy.asked()[1]]
            #expect(asked == ["127.0.0.1:\(server.port)", "127.0.0.1:\(server.port)"])
        }
    }

    @Test("A socket closed during the proxy request ends at once and leaks nothing")
    func givenUp() throws {
        let proxy = try TestProxy("--answer", "flood")
        defer { proxy.peer.stop() }
        try withLoop { loop in
            let url = URLParts(scheme: "ws", host: "127.0.0.1", port: 9)
            let client = try TestClient(loop, WebSocketRequest(url: url, access: proxy.access(), timeout: .seconds(1)))
            _ = try proxy.asked()
            client.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(client.failure()?.message == "closed before it opened")
        }
    }

    private func withGreeter(
        secure: Bool, address: String = "127.0.0.1", _ requests: Mailbox<[String]> = Mailbox(),
        _ body: (HTTPServer) throws -> Void
    ) throws {
        let certificates = try Certificates.shared.get()
        let handler = TestHandler(
            answer: { request, respond in
                requests.put(request.headers.map(\.name))
                respond(HTTPResponse(status: 200, body: Array("hello".utf8)))
            },
            refusal: { request in
                requests.put(request.headers.map(\.name))
                return nil
            }, onOpen: { $0.send(.text("hello")) })
        try withLoop { loop in
            let server = try HTTPServer(
                on: loop, address: address, identity: secure ? certificates.good : nil, handler: handler)
            defer { server.close() }
            try body(server)
        }
    }

    private func reach(
        _ server: HTTPServer, _ lane: Lane, _ secure: Bool, _ access: Access, host: String = "127.0.0.1"
    ) throws -> Outcome {
        var access = access
        access.trust = .file(try Certificates.shared.get().authority)
        return try lane.reach(secure: secure, host: host, port: server.port, access: access)
    }
}
