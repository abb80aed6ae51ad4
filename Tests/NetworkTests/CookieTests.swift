import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

@Suite struct CookieStoreTests {
    let url = URLParts(scheme: "https", host: "a.example.com", port: 443, path: "/socket.io/", query: "EIO=4")

    private func header(
        _ cookies: [String], from scheme: String = "https", at now: Int64 = 1000, for path: String = "/socket.io/",
        host: String = "a.example.com", to secondScheme: String = "https"
    ) -> String? {
        var store = CookieStore()
        let origin = URLParts(scheme: scheme, host: "a.example.com", port: 443, path: "/socket.io/")
        for cookie in cookies { store.take(cookie, from: origin, at: 1000) }
        return store.header(for: URLParts(scheme: secondScheme, host: host, port: 443, path: path), at: now)
    }

    @Test("A server's cookies are sent back unchanged and in order")
    func simple() {
        #expect(header([]) == nil)
        #expect(header(["io=abc; Path=/; HttpOnly; SameSite=Strict"]) == "io=abc")
        #expect(header(["a=1", " b = 2 ;x", "c=\"3=3\""]) == "a=1; b=2; c=\"3=3\"")
        #expect(header(["a=1", "b=2", "a=3"]) == "a=3; b=2")
        #expect(header(["a="]) == "a=")
    }

    @Test(
        "Malformed cookies and cookies of other hosts are ignored",
        arguments: [
            "", ";", "noequals", "=x", "a=1; Domain=other.com", "a=1; domain=b.a.example.com", "a=1\u{1}",
            "a=" + String(repeating: "x", count: 5000), "a=1; Domain=ample.com",
        ])
    func refused(cookie: String) {
        #expect(header([cookie]) == nil)
    }

    @Test("A cookie for a parent domain is accepted, but is sent only to its own host")
    func domains() {
        #expect(header(["a=1; Domain=.example.com"]) == "a=1")
        #expect(header(["a=1; Domain=A.EXAMPLE.COM"]) == "a=1")
        #expect(header(["a=1; Domain=example.com"], host: "b.example.com") == nil)
        #expect(header(["a=1"], host: "example.com") == nil)
    }

    @Test("A cookie applies to its path or the request's folder, and longer paths are sent first")
    func paths() {
        #expect(header(["a=1"], for: "/socket.io/x") == "a=1")
        #expect(header(["a=1"], for: "/other") == nil)
        #expect(header(["a=1; Path=/"], for: "/other") == "a=1")
        #expect(header(["a=1; Path=/soc"]) == nil)
        #expect(header(["a=1; Path=/socket.io"]) == "a=1")
        #expect(header(["a=1; Path=/", "b=2; Path=/socket.io"]) == "b=2; a=1")
        #expect(header(["a=1; Path=relative"]) == "a=1")
    }

    @Test("Secure cookies are set and sent over TLS only")
    func secure() {
        #expect(header(["a=1; Secure"]) == "a=1")
        #expect(header(["a=1; Secure"], to: "wss") == "a=1")
        #expect(header(["a=1; Secure"], to: "http") == nil)
        #expect(header(["a=1; secure"], from: "http") == nil)
        #expect(header(["a=1"], from: "http", to: "ws") == "a=1")
    }

    @Test("A cookie expires by its age or its date, and the age takes precedence")
    func expiry() {
        #expect(header(["a=1; Max-Age=10"], at: 1009) == "a=1")
        #expect(header(["a=1; Max-Age=10"], at: 1010) == nil)
        #expect(header(["a=1", "a=2; Max-Age=0"]) == nil)
        #expect(header(["a=1; Max-Age=-1"]) == nil)
        #expect(header(["a=1; Max-Age=99999999999999999999"], at: .max - 1) == "a=1")
        #expect(header(["a=1; Max-Age=x"]) == "a=1")
        #expect(header(["a=1; Expires=Thu, 01 Jan 1970 00:33:20 GMT"], at: 1999) == "a=1")
        #expect(header(["a=1; Expires=Thu, 01 Jan 1970 00:33:20 GMT"], at: 2000) == nil)
        #expect(header(["a=1; Expires=Thu, 01 Jan 1970 00:33:20 GMT; Max-Age=5000"], at: 2000) == "a=1")
        #expect(header(["a=1; Expires=nonsense"]) == "a=1")
    }

    @Test(
        "Dates are parsed in all forms",
        arguments: [
            ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480), ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
            ("Wed Oct 21 07:28:00 2015", 1_445_412_480), ("21 oct 2015 7:28:0", 1_445_412_480),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Fri, 31-Dec-99 23:59:59 GMT", 946_684_799),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("Tue, 01 Mar 2033 12:00:00", 1_993_291_200),
        ] as [(String, Int64)])
    func dates(text: String, seconds: Int64) {
        #expect(CookieDate.parse(text) == seconds)
    }

    @Test(
        "An invalid date is rejected",
        arguments: [
            "", "21 Oct 2015", "Oct 2015 07:28:00", "32 Oct 2015 07:28:00", "21 Oct 2015 24:00:00",
            "21 Oct 1600 00:00:00",
            "21 Xyz 2015 07:28:00", "21 Oct 2015 07:28", "99999999999999999999 Oct 2015 07:28:00", ":::::::: :: ::",
        ])
    func noDates(text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test("Only the newest fifty cookies are kept")
    func bounded() throws {
        var store = CookieStore()
        for number in 0..<10_000 { store.take("c\(number)=1", from: url, at: 0) }
        #expect(store.cookies.count == 50)
        #expect(store.cookies.first?.name == "c9950")
    }

    @Test("Random bytes do no harm")
    func random() {
        var generator = RandomSource(seed: 7)
        let alphabet = Array("a=1;, :-ExpiresMaxAgeDomainPathSecure09/\\.\u{0}\u{7f}é\t\"".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<60, using: &generator)
            let text = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            var store = CookieStore()
            store.take("x=1;" + String(decoding: text, as: UTF8.self), from: url, at: 1000)
            #expect(store.cookies.count <= 1)
            _ = CookieDate.parse(String(decoding: text, as: UTF8.self))
        }
    }
}

@Suite struct CookieExchangeTests {
    @Test("Cookies of answers and of the upgrade are sent with later requests of this session only")
    func shared() throws {
        let seen = Mailbox<String>()
        let note: @Sendable (ServerRequest) -> Void = { request in
            let cookies = request.headers.filter { $0.name == "cookie" }.map(\.value)
            seen.put("\(request.path) \(cookies)")
        }
        let handler = TestHandler(
            answer: { request, respond in
                note(request)
                let headers = [("Set-Cookie", "lb=node7; Path=/; HttpOnly"), ("Set-Cookie", "io=sid; Path=/ws")]
                respond(HTTPResponse(status: 200, headers: request.path == "/first" ? headers : []))
            },
            refusal: { request in
                note(request)
                return nil
            })
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: handler)
            let client = try HTTPClient(answeringOn: loop)
            defer { client.shutDown() }
            let access = Access(
                headers: [Access.Header(name: "cookie", value: Secret("own=1"))], cookies: CookieJar())
            let answers = Mailbox<Int>()
            for (index, path) in ["/first", "/second"].enumerated() {
                let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: path)
                client.send(HTTPRequest(url: url, access: access)) { _ in answers.put(1) }
                answers.wait { $0.count > index }
            }
            try TestClient(loop, WebSocketRequest(url: socketURL(server), access: access)).waitForOpen()
            try TestClient(loop, WebSocketRequest(url: socketURL(server), access: Access())).waitForOpen()
            server.close()
        }
        #expect(
            seen.all == [
                #"/first ["own=1"]"#, #"/second ["own=1; lb=node7"]"#, #"/ws ["own=1; io=sid; lb=node7"]"#, "/ws []",
            ])
    }

    @Test("Cookies in the answer to an upgrade are kept", arguments: [WebSocketFraming.own, .library])
    func upgrade(framing: WebSocketFraming) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "cookies"])
        defer { peer.stop() }
        let url = URLParts(scheme: "ws", host: "127.0.0.1", port: try peer.listeningPort(), path: "/x")
        let access = Access(cookies: CookieJar())
        var request = WebSocketRequest(url: url, access: access)
        request.framing = framing
        try withLoop { loop in
            try TestClient(loop, request).waitForOpen()
        }
        #expect(access.cookies?.header(for: url) == "one=1; two=2")
    }
}
