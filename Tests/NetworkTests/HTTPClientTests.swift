import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// A server and its client on one loop.
private struct Exchanges {
    let loop: EventLoop
    let client: HTTPClient
    let access: Access

    typealias Answer = Result<HTTPResponse, HTTPFailure>

    /// Sends a request and waits for the answer.
    func answer(_ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation) throws -> Answer {
        let answers = Mailbox<Answer>()
        var request = request
        request.access = access
        client.send(request) { answers.put($0) }
        return try answers.first(sourceLocation: sourceLocation)
    }
}

private func withExchanges(
    trust: TLSTrust = .system, connectionsPerHost: Int = 8, _ body: (Exchanges) throws -> Void
) throws {
    try withLoop { loop in
        let client = try HTTPClient(answeringOn: loop, connectionsPerHost: connectionsPerHost)
        defer { client.shutDown() }
        try body(Exchanges(loop: loop, client: client, access: Access(trust: trust)))
    }
}

private func url(
    _ server: HTTPServer, secure: Bool = false, host: String = "127.0.0.1", _ path: String = "/", query: String = ""
) -> URLParts {
    URLParts(scheme: secure ? "https" : "http", host: host, port: server.port, path: path, query: query)
}

/// Answers with a description of the request.
private let echo: @Sendable (ServerRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void = { request, respond in
    let headers = request.headers.filter { $0.name.hasPrefix("x-") || $0.name == "authorization" }
    let text = "\(request.method) \(request.path)?\(request.query) \(headers.map { "\($0.name)=\($0.value)" }) "
    respond(HTTPResponse(status: 200, headers: [("X-Server", " echo ")], body: Array(text.utf8) + request.body))
}

@Suite struct HTTPClientTests {
    @Test("The server gets the request as sent, and the client gets the answer", arguments: [false, true])
    func roundTrip(secure: Bool) throws {
        let certificates = try Certificates.shared.get()
        try withExchanges(trust: secure ? .file(certificates.authority) : .system) { exchanges in
            let server = try HTTPServer(
                on: exchanges.loop, identity: secure ? certificates.good : nil, handler: TestHandler(answer: echo))
            var request = HTTPRequest(
                method: "PUT", url: url(server, secure: secure, "/a%2Fb", query: "q=1&q=%26"),
                headers: [("X-One", "1")],
                bearer: Secret("top-secret"), body: Array("body".utf8))
            let answer = try exchanges.answer(request).get()
            #expect(answer.status == 200)
            #expect(answer.headers.first { $0.name == "x-server" }?.value == "echo")
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == "PUT /a%2Fb?q=1&q=%26 [\"x-one=1\", \"authorization=Bearer top-secret\"] body")
            request = HTTPRequest(
                method: "POST", url: url(server, secure: secure), body: [UInt8](repeating: 7, count: 1 << 20))
            #expect(try exchanges.answer(request).get().body.suffix(1 << 20) == request.body[...])
            request = HTTPRequest(method: "POST", url: url(server, secure: secure))
            #expect(try exchanges.answer(request).get().status == 200)
            server.close()
        }
    }

    @Test(
        "A thousand refetches, eight at a time, over TLS, survive closed connections and 204 answers",
        arguments: [1, 2, 3])
    func thousandRefetches(seed: Int) throws {
        let certificates = try Certificates.shared.get()
        let peer = try Peer([
            "python3", peersFolder + "/flaky_https.py", certificates.good.certificate, certificates.good.key, "\(seed)",
        ])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        try withExchanges(trust: .file(certificates.authority)) { exchanges in
            let answers = Mailbox<(Int, Exchanges.Answer)>()
            let (client, access) = (exchanges.client, exchanges.access)
            let base = URLParts(scheme: "https", host: "127.0.0.1", port: port)
            // Eight chains of requests. Each sends its next request after the answer to the previous one.
            @Sendable func fetch(_ number: Int) {
                guard number < 1000 else { return }
                var url = base
                url.path = "/item/\(number)"
                client.send(HTTPRequest(url: url, access: access)) { answer in
                    answers.put((number, answer))
                    fetch(number + 8)
                }
            }
            for first in 0..<8 { fetch(first) }
            for (number, answer) in answers.wait(seconds: 60, until: { $0.count == 1000 }) {
                let response = try answer.get()
                #expect(response.status == [204, 404, 200, 200][number % 4])
                #expect(
                    String(decoding: response.body, as: UTF8.self) == (number % 4 == 0 ? "" : "{\"item\":\(number)}"))
            }
            var url = base
            url.path = "/stats"
            let stats = try exchanges.answer(HTTPRequest(url: url)).get()
            let connections = try #require(
                String(decoding: stats.body, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) })
            // A quarter of the answers end their connection. Without reuse there would be a thousand connections.
            #expect((100...400).contains(connections))
        }
    }

    @Test("If all kept connections are dead, a new one is tried before the request fails")
    func allKeptAreDead() throws {
        let peer = try Peer(["python3", peersFolder + "/one_answer_http.py", "8"])
        defer { peer.stop() }
        let url = URLParts(scheme: "http", host: "127.0.0.1", port: try peer.listeningPort())
        try withExchanges { exchanges in
            let answers = Mailbox<Exchanges.Answer>()
            for _ in 0..<8 { exchanges.client.send(HTTPRequest(url: url)) { answers.put($0) } }
            for answer in answers.wait(until: { $0.count == 8 }) { #expect(try answer.get().status == 200) }
            // libcurl itself gives up after five dead connections.
            let ninth = try exchanges.answer(HTTPRequest(url: url)).get()
            #expect(ninth.status == 200)
        }
    }

    @Test("Connections are reused, and their number stays within the limit")
    func reuse() throws {
        try withExchanges(connectionsPerHost: 4) { exchanges in
            let handler = TestHandler(answer: { _, respond in respond(HTTPResponse(status: 204)) })
            let server = try HTTPServer(on: exchanges.loop, handler: handler)
            let answers = Mailbox<Exchanges.Answer>()
            for _ in 0..<200 { exchanges.client.send(HTTPRequest(url: url(server))) { answers.put($0) } }
            for answer in answers.wait(until: { $0.count == 200 }) { #expect(try answer.get().status == 204) }
            #expect(server.acceptedConnections <= 4)
            server.close()
        }
    }

    @Test("A request waiting for a connection can time out or be cancelled, and later requests are sent")
    func waiting() throws {
        try withExchanges(connectionsPerHost: 1) { exchanges in
            let held = Mailbox<@Sendable (HTTPResponse) -> Void>()
            let handler = TestHandler(answer: { request, respond in
                if request.path == "/held" { held.put(respond) } else { respond(HTTPResponse(status: 204)) }
            })
            let server = try HTTPServer(on: exchanges.loop, handler: handler)
            defer { server.close() }
            let answers = Mailbox<(String, Exchanges.Answer)>()
            let ask = { (path: String, timeout: Duration) in
                exchanges.client.send(HTTPRequest(url: url(server, path), timeout: timeout)) { answers.put((path, $0)) }
            }
            _ = ask("/held", .seconds(60))
            let respond = try held.first()
            _ = ask("/late", .milliseconds(100))
            let cancelled = ask("/cancelled", .seconds(60))
            _ = ask("/last", .seconds(60))
            let first = answers.wait { $0.count == 1 }
            #expect(first[0].0 == "/late")
            #expect(
                failure(first[0].1)
                    == HTTPFailure(kind: .timeout, message: "127.0.0.1:\(server.port): no answer within 100 ms"))
            exchanges.client.cancel(cancelled)
            #expect(failure(answers.wait { $0.count == 2 }[1].1)?.kind == .cancelled)
            exchanges.loop.run { respond(HTTPResponse(status: 200)) }
            let all = answers.wait { $0.count == 4 }
            #expect(all[2...].map(\.0) == ["/held", "/last"])
            #expect(try all[3].1.get().status == 204)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("The error of a timed-out request contains its timeout")
    func timeout() throws {
        try withExchanges { exchanges in
            let server = try HTTPServer(on: exchanges.loop, handler: TestHandler(answer: { _, _ in }))
            let began = exchanges.loop.now
            let answer = try exchanges.answer(HTTPRequest(url: url(server), timeout: .milliseconds(200)))
            #expect(
                failure(answer)
                    == HTTPFailure(kind: .timeout, message: "127.0.0.1:\(server.port): no answer within 200 ms"))
            #expect(exchanges.loop.now - began >= .milliseconds(200))
            server.close()
        }
    }

    @Test func `after a standstill, pending socket data is read before requests time out shortly after`() {
        let ms: Int64 = 1_000_000
        var judge = DeadlineJudge()
        judge.look(at: nil, now: 900 * ms)
        // A late look because of other work: the deadline is applied at once.
        judge.look(at: 1000 * ms, now: 1400 * ms)
        #expect(judge.end(of: 1000 * ms) == 1000 * ms)
        // The process was stopped for four seconds. The request had one second left.
        judge.look(at: 1000 * ms, now: 4000 * ms)
        #expect(judge.end(of: 1000 * ms) == 4200 * ms && judge.end(of: 3900 * ms) == 4200 * ms)
        #expect(judge.end(of: 5000 * ms) == 5000 * ms, "this one has time left")
        // A request that is still unanswered then gets no further extension, however late it is now.
        judge.look(at: 1000 * ms, now: 4900 * ms)
        #expect(judge.end(of: 1000 * ms) == 4200 * ms)
        // It does not prevent the detection of the next standstill either.
        judge.look(at: 5000 * ms, now: 9000 * ms)
        #expect(judge.end(of: 5000 * ms) == 9200 * ms)
    }

    @Test(
        "An unfinished answer times out, and the error describes how far it got",
        arguments: [
            ("silent", "no answer within 1 s"), ("half-head", "the head of the answer did not end within 1 s"),
            ("stalled", "12 of the answer's 5000 bytes came within 1 s"),
            ("trickle", " bytes of the answer came within 1 s, and no end"),
        ])
    func unended(kind: String, words: String) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", kind])
        defer { peer.stop() }
        let url = URLParts(scheme: "http", host: "127.0.0.1", port: try peer.listeningPort())
        try withExchanges { exchanges in
            let failed = failure(try exchanges.answer(HTTPRequest(url: url, timeout: .seconds(1))))
            #expect(failed?.kind == .timeout)
            #expect(failed?.message.hasSuffix(words) == true, "\(failed?.message ?? "no failure")")
        }
    }

    @Test(
        "A body above the limit is refused and one at the limit is accepted, compressed or not",
        arguments: [1000, 1001, 5000], [false, true])
    func bodyLimit(size: Int, isCompressed: Bool) throws {
        let body = [UInt8](repeating: 1, count: size)
        let sent = isCompressed ? try #require(Gzip.compress(body[...])) : body
        try withExchanges { exchanges in
            let handler = TestHandler(answer: { _, respond in
                let headers = isCompressed ? [(name: "content-encoding", value: "gzip")] : []
                respond(HTTPResponse(status: 200, headers: headers, body: sent))
            })
            let server = try HTTPServer(on: exchanges.loop, handler: handler)
            let answer = try exchanges.answer(HTTPRequest(url: url(server), maximumBody: 1000))
            let isAllowed = size == 1000
            #expect((try? answer.get().body.count) == (isAllowed ? size : nil))
            #expect(failure(answer)?.kind == (isAllowed ? nil : .tooLarge))
            let words = "has \(isCompressed ? "1001 bytes or more" : "\(size) bytes"); the limit is 1000"
            #expect(failure(answer)?.message.hasSuffix(words) == (isAllowed ? nil : true))
            server.close()
        }
    }

    @Test(
        "A head above the limit is refused and one at the limit is accepted",
        arguments: [
            (size: Limits.head, line: 10_000, problem: nil),
            (size: Limits.head + 1, line: 10_000, problem: "the head of the answer is larger than 262144 bytes"),
            // libcurl's own limit, which cannot be changed.
            (size: 150_000, line: 102_000, problem: nil),
            (size: 150_000, line: 102_500, problem: "a header of the answer is larger than 100 KiB"),
        ] as [(size: Int, line: Int, problem: String?)])
    func headLimit(head: (size: Int, line: Int, problem: String?)) throws {
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "head", "\(head.size)", "\(head.line)"])
        defer { peer.stop() }
        let url = URLParts(scheme: "http", host: "127.0.0.1", port: try peer.listeningPort())
        try withExchanges { exchanges in
            let answer = try exchanges.answer(HTTPRequest(url: url))
            #expect((try? answer.get().body) == (head.problem == nil ? Array("ok".utf8) : nil))
            let failure = head.problem.map { HTTPFailure(kind: .tooLarge, message: "127.0.0.1:\(url.port): \($0)") }
            #expect(NetworkTests.failure(answer) == failure)
        }
    }

    @Test("A cancelled exchange ends exactly once as cancelled, and the others continue")
    func cancel() throws {
        try withExchanges { exchanges in
            let handler = TestHandler(answer: { request, respond in
                if request.path == "/answered" { respond(HTTPResponse(status: 200)) }
            })
            let server = try HTTPServer(on: exchanges.loop, handler: handler)
            let answers = Mailbox<Exchanges.Answer>()
            let silent = exchanges.client.send(HTTPRequest(url: url(server, "/silent"))) { answers.put($0) }
            handler.events.wait { !$0.isEmpty }
            exchanges.client.cancel(silent)
            exchanges.client.cancel(silent)
            #expect(failure(try answers.first())?.kind == .cancelled)
            #expect(try exchanges.answer(HTTPRequest(url: url(server, "/answered"))).get().status == 200)
            exchanges.client.cancel(silent)
            #expect(answers.all.count == 1)
            server.close()
        }
    }

    @Test("After the shutdown no completion is called")
    func shutDown() throws {
        try withLoop { loop in
            let client = try HTTPClient(answeringOn: loop)
            let handler = TestHandler(answer: { _, _ in })
            let server = try HTTPServer(on: loop, handler: handler)
            let answers = Mailbox<Exchanges.Answer>()
            for _ in 0..<10 { client.send(HTTPRequest(url: url(server))) { answers.put($0) } }
            handler.events.wait { !$0.isEmpty }
            client.shutDown()
            client.send(HTTPRequest(url: url(server))) { answers.put($0) }
            client.shutDown()
            #expect(answers.all.isEmpty)
            server.close()
        }
    }

    @Test("A redirect is returned and not followed")
    func redirect() throws {
        try withExchanges { exchanges in
            let handler = TestHandler(answer: { _, respond in
                respond(HTTPResponse(status: 302, headers: [("Location", "http://127.0.0.1:1/")]))
            })
            let server = try HTTPServer(on: exchanges.loop, handler: handler)
            let answer = try exchanges.answer(HTTPRequest(url: url(server))).get()
            #expect(answer.status == 302)
            #expect(answer.headers.first { $0.name == "location" }?.value == "http://127.0.0.1:1/")
            server.close()
        }
    }

    @Test(
        "A certificate that fails verification is reported with the reason",
        arguments: ["authority", "name", "time", "system"])
    func badCertificate(kind: String) throws {
        let certificates = try Certificates.shared.get()
        let identity =
            kind == "name" ? certificates.otherName : kind == "time" ? certificates.expired : certificates.good
        let trust: TLSTrust =
            kind == "system" ? .system : .file(kind == "authority" ? certificates.stranger : certificates.authority)
        try withExchanges(trust: trust) { exchanges in
            let server = try HTTPServer(on: exchanges.loop, identity: identity, handler: TestHandler())
            let failed = failure(try exchanges.answer(HTTPRequest(url: url(server, secure: true))))
            #expect(failed?.kind == .tls)
            let reason =
                ["name": "no alternative certificate subject name matches", "time": "certificate has expired"][kind]
                ?? "unable to get local issuer certificate"
            #expect(failed?.message.contains(reason) == true, "\(failed?.message ?? "")")
            server.close()
        }
    }

    @Test("An unusable CA file is reported by the check")
    func badAuthorityFile() throws {
        try withLoop { loop in
            #expect(throws: NetworkError.self) { try Access(trust: .file("/nonexistent.pem")).check() }
        }
    }

    @Test("A closed port, an unknown name and a non-HTTP server are distinguished")
    func failures() throws {
        let free = try listen(address: "127.0.0.1", port: 0)
        close(free.descriptor)
        let peer = try Peer(["python3", peersFolder + "/bad_peers.py", "noise"])
        defer { peer.stop() }
        let noise = try peer.listeningPort()
        try withExchanges { exchanges in
            let kinds = try [("127.0.0.1", free.port), ("no-such-host.invalid", 80), ("127.0.0.1", noise)].map {
                host, port in
                failure(try exchanges.answer(HTTPRequest(url: URLParts(scheme: "http", host: host, port: port))))?.kind
            }
            #expect(kinds == [.connect, .resolve, .protocolError])
        }
    }

    @Test("The refusal of an invalid request does not contain its secret")
    func badRequests() throws {
        try withExchanges { exchanges in
            let target = URLParts(scheme: "http", host: "127.0.0.1", port: 1)
            let bad = [
                HTTPRequest(url: URLParts(scheme: "ws", host: "h", port: 1)),
                HTTPRequest(method: "GET /", url: target),
                HTTPRequest(url: target, headers: [("X", "a\r\nY: b")]),
                HTTPRequest(url: target, bearer: Secret("line\nbreak")),
            ]
            for request in bad {
                let failed = failure(try exchanges.answer(request))
                #expect(failed?.kind == .protocolError)
                #expect(failed?.message.contains("break") == false)
            }
        }
    }
}

private func failure(_ answer: Result<HTTPResponse, HTTPFailure>) -> HTTPFailure? {
    if case .failure(let failure) = answer { failure } else { nil }
}
