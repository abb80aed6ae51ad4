import Testing
import TestSupport
import WeirWire

@testable import WeirNetwork

@Suite struct AccessHeaderTests {
    @Test(
        "The user's headers are sent with both kinds of request and replace the request's own", arguments: Lane.allCases
    )
    func sent(lane: Lane) throws {
        let seen = Mailbox<[String]>()
        let note: @Sendable (ServerRequest) -> Void = { request in
            let names = ["x-own", "authorization", "accept", "user-agent"]
            seen.put(request.headers.filter { names.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted())
        }
        let handler = TestHandler(
            answer: { request, respond in
                note(request)
                respond(HTTPResponse(status: 200))
            },
            refusal: { request in
                note(request)
                return nil
            }, onOpen: { $0.send(.text("")) })
        let access = Access(headers: [
            Access.Header(name: "X-Own", value: Secret("a, b")), Access.Header(name: "X-Own", value: Secret("c")),
            Access.Header(name: "AUTHORIZATION", value: Secret("Basic eA==")),
            Access.Header(name: "Accept", value: Secret("text/x-own")),
            Access.Header(name: "User-Agent", value: Secret("weir test")),
        ])
        try withLoop { loop in
            let server = try HTTPServer(on: loop, handler: handler)
            defer { server.close() }
            let outcome = try lane.reach(
                secure: false, port: server.port, access: access, own: [("accept", "text/plain")])
            #expect(outcome == .reached(""))
        }
        #expect(
            try seen.first() == [
                "accept: text/x-own", "authorization: Basic eA==", "user-agent: weir test", "x-own: a, b", "x-own: c",
            ])
    }

    @Test(
        "A protocol header or an invalid header name is refused",
        arguments: [
            "Host", "CONNECTION", "upgrade", "Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding",
            "Proxy-Authorization", "", "a b", "a:", "é",
        ])
    func reserved(name: String) {
        #expect(Access.problem(withHeader: name) != nil)
    }

    @Test(
        "An ordinary header is accepted",
        arguments: ["Authorization", "Cookie", "Origin", "User-Agent", "X-Own", "Accept"])
    func allowed(name: String) {
        #expect(Access.problem(withHeader: name) == nil)
    }

    @Test("A value that would begin another header is neither sent nor printed", arguments: Lane.allCases)
    func injection(lane: Lane) throws {
        let access = Access(headers: [Access.Header(name: "X-Own", value: Secret("hidden\r\nX-Other: 1"))])
        let outcome = try lane.reach(secure: false, port: 9, access: access)
        #expect(outcome.message.contains("the header X-Own has characters a header may not have"))
        #expect(!outcome.message.contains("hidden"))
    }
}

@Suite struct ProxyEnvironmentTests {
    @Test(
        "The environment variables are read in order of precedence",
        arguments: [
            (["https_proxy": "http://p:1"], "https", "p:1"), (["HTTPS_PROXY": "http://p:1/"], "wss", "p:1"),
            (["https_proxy": "http://p:1", "HTTPS_PROXY": "http://q:1"], "wss", "p:1"),
            (["https_proxy": "", "HTTPS_PROXY": "http://q:1"], "wss", "q:1"),
            (["https_proxy": "http://p:1"], "ws", nil),
            (["http_proxy": "http://p:1"], "wss", nil), (["http_proxy": "p:3128"], "ws", "p:3128"),
            (["http_proxy": "p"], "http", "p:80"), (["HTTP_PROXY": "http://p:1"], "http", "p:1"),
            (["HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"], "http", nil),
            (["ALL_PROXY": "http://[::1]:8"], "wss", "[::1]:8"),
            (["all_proxy": "http://p:1", "http_proxy": "q:1"], "ws", "q:1"),
            ([:], "https", nil),
        ] as [([String: String], String, String?)])
    func variables(variables: [String: String], scheme: String, proxy: String?) throws {
        let found = try find(variables, scheme, "example.com")
        #expect(found?.authority == proxy)
        #expect(found?.credentials == nil)
    }

    @Test("Credentials of the proxy URL are decoded and used")
    func credentials() throws {
        let proxy = try find(["https_proxy": "http://ann:p%40ss+w:rd@p:1"], "https", "example.com")
        #expect(proxy?.authority == "p:1")
        #expect(proxy?.credentials?.reveal() == "ann:p@ss+w:rd")
    }

    @Test(
        "A value that is not an HTTP proxy is an error that names the variable but not the secret",
        arguments: [
            "socks5://ann:hunter2@p:1", "https://ann:hunter2@p:1", "http://ann:hunter2@p:99999", "http://ann:hunter2@",
            "hunter2 x",
        ])
    func wrong(text: String) throws {
        let error = #expect(throws: URLProblem.self) { try find(["ALL_PROXY": text], "https", "example.com") }
        #expect(error?.message.contains("ALL_PROXY") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test(
        "The local machine is reached directly",
        arguments: ["localhost", "a.localhost", "127.0.0.1", "127.8.9.1", "::1"])
    func loopback(host: String) throws {
        #expect(try find(["ALL_PROXY": "http://p:1"], "https", host) == nil)
    }

    @Test(
        "Hosts that match no_proxy are reached directly",
        arguments: [
            ("*", "example.com", true), ("example.com", "example.com", true), ("example.com", "a.example.com", true),
            (".example.com", "example.com", true), (".example.com", "a.example.com", true),
            ("ample.com", "example.com", false),
            ("example.com", "example.com.evil", false), ("EXAMPLE.com", "example.com", true),
            ("other, example.com ,x", "example.com", true), ("other example.com", "example.com", true),
            ("example.com:443", "example.com", true), ("example.com:8443", "example.com", false),
            ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3:443", "10.1.2.3", true), ("10.1.2.3:80", "10.1.2.3", false),
            ("192.168.0.0/17", "192.168.128.1", false),
            ("192.168.0.0/17", "192.168.127.1", true), ("fe80::/10", "fe80::1", true),
            ("[2001:db8::1]:443", "2001:db8::1", true),
            ("2001:db8:0::1", "2001:db8::1", true), ("2001:db8::2", "2001:db8::1", false), ("", "example.com", false),
            (",", "example.com", false), (".", "example.com", false), ("10.0.0.0/99", "10.0.0.1", false),
            ("/", "example.com", false),
            ("0.0.0.0/0", "8.8.8.8", true), ("*.example.com", "a.example.com", true),
        ] as [(String, String, Bool)])
    func exceptions(list: String, host: String, isDirect: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let proxy = try find(["ALL_PROXY": "http://p:1", name: list], "https", host)
            #expect((proxy == nil) == isDirect)
        }
    }

    private func find(_ variables: [String: String], _ scheme: String, _ host: String) throws -> Proxy? {
        let url = URLParts(scheme: scheme, host: host, port: ["https", "wss"].contains(scheme) ? 443 : 80)
        return try ProxyEnvironment { variables[$0] }.proxy(for: url)
    }
}
