import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirPipeline
import WeirThreads
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// A Twake server with a working realtime side and a REST service that a test controls.
private final class HostileService: HTTPServerHandler {
    /// The targets of the requests, and whether each had a token.
    let asked = Mailbox<(target: String, hasToken: Bool)>()
    private let answer: @Sendable (ServerRequest) -> HTTPResponse?
    private let loop: EventLoop
    private let server = Monitor<HTTPServer?>(nil)

    /// `answer` returns `nil` to leave a request unanswered forever.
    init(_ answer: @escaping @Sendable (ServerRequest) -> HTTPResponse?) throws {
        self.answer = answer
        loop = try EventLoop(name: "weir-hostile")
        let made = try HTTPServer(on: loop, handler: self)
        server.change { $0 = made }
    }

    var port: UInt16 { server.look { $0?.port ?? 0 } }

    func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        asked.put((request.path, request.headers.contains { $0.name.lowercased() == "authorization" }))
        if let response = answer(request) { respond(response) }
    }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { nil }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        socket.send(.text(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#))
    }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        for message in messages {
            let text = String(decoding: message.bytes, as: UTF8.self)
            if text.hasPrefix("40") { socket.send(.text(#"40{"sid":"t"}"#)) }
            if text.contains("authenticate") { socket.send(.text(#"42["authenticated"]"#)) }
            if let room = text.firstMatch(of: /"realtime:join",\{"name":"([^"]+)"/)?.1 {
                socket.send(.text(#"42["realtime:join:success",{"name":"\#(room)"}]"#))
            }
        }
    }
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {}
}

@Suite struct HostileServiceTests {
    /// Tails a service until a problem with its requests is reported. Returns the warnings, and the summary's line
    /// about requests.
    private func warnings(
        of port: UInt16, timeout: Duration = .seconds(30)
    ) async throws -> (warnings: [String], requests: String) {
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: port),
            session: Configuration(backend: .twake), token: .provider { () throws(TokenError) in Secret("t") }, seed: 1)
        configuration.requestTimeout = timeout
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { $0.notices.contains { $0.text.contains("could not be fetched") } }
        tail.stop()
        let requests = Summary().lines(requests: try await summary.requests).last ?? ""
        return (watcher.reports.all.notices.filter { $0.level == .warning }.map(\.text), requests)
    }

    @Test(.timeLimit(.minutes(1)))
    func
        `a service that never answers is reported with its address and the timeout, and is in the summary`()
        async throws
    {
        let service = try HostileService { _ in nil }
        defer { service.close() }
        let (warnings, requests) = try await warnings(of: service.port, timeout: .milliseconds(200))
        #expect(
            warnings.contains {
                $0.contains("could not be fetched: 127.0.0.1:\(service.port): no answer within 200 ms")
            },
            "\(warnings)")
        #expect(requests.contains("timeout)"), "\(requests)")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a service that answers very slowly is reported with the bytes received, and is in the summary`()
        async throws
    {
        let service = try Peer(["python3", peersFolder + "/hostile_server.py", "drip", "1"], errorsToo: true)
        defer { service.stop() }
        let port = try service.listeningPort()
        service.drain()
        let (warnings, requests) = try await warnings(of: port, timeout: .seconds(1))
        #expect(
            warnings.contains {
                $0.contains("could not be fetched: 127.0.0.1:\(port): ")
                    && $0.contains(" of the answer's 100000 bytes came within 1 s")
            },
            "\(warnings)")
        #expect(requests.contains("timeout)"), "\(requests)")
    }

    @Test(.timeLimit(.minutes(1)))
    func `an undecodable row is left out of the model, reported, and kept in the recording`() async throws {
        let rows = #"null,{"id":"BAD-ROW","name":{}}"#
        let service = try HostileService { _ in
            HTTPResponse(status: 200, body: Array(#"{"resource":{"id":"U1"},"resources":[\#(rows)]}"#.utf8))
        }
        defer { service.close() }
        let watcher = Watcher()
        var configuration = TailConfiguration(
            server: URLParts(scheme: "http", host: "127.0.0.1", port: service.port),
            session: Configuration(backend: .twake, company: "C", workspace: "W"),
            token: .provider { () throws(TokenError) in Secret("t") }, seed: 1)
        let path = try temporaryFolder() + "/a.weir.jsonl"
        configuration.recordPath = path
        let tail = Tail(configuration, outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { reports in
            reports.contains { stamped in
                guard case .undecodable(let report) = stamped.report else { return false }
                return report.message.hasSuffix("row BAD-ROW is left out")
            }
        }
        tail.stop()
        #expect(try await summary.undecodable > 0)
        let recorded = String(decoding: try readFile(path), as: UTF8.self)
        #expect(recorded.contains(rows.replacing("\"", with: "\\\"")))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a fallback to libwebsockets' framing is reported once, however often a tail connects`()
        async throws
    {
        let service = try HostileService { _ in HTTPResponse(status: 302) }
        defer { service.close() }
        let watcher = Watcher()
        let tail = Tail(
            TailConfiguration(
                server: URLParts(scheme: "http", host: "127.0.0.1", port: service.port),
                session: Configuration(backend: .twake), token: .provider { () throws(TokenError) in Secret("t") },
                seed: 1),
            outlets: [watcher])
        async let summary = tail.run()
        await watcher.reports.wait { !$0.notices.isEmpty }
        // Each connection that falls back notifies the tail.
        for _ in 0..<3 { await tail.engine?.framingFellBack() }
        tail.stop()
        _ = try await summary
        let told = watcher.reports.all.notices.filter { $0.text.hasPrefix("libwebsockets parses the frames") }
        #expect(told.map(\.level) == [.warning])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a redirect is reported and not followed, and the token does not leave for another host`()
        async throws
    {
        let other = try HostileService { _ in HTTPResponse(status: 200) }
        defer { other.close() }
        let port = other.port
        for location in ["/loop", "http://localhost:\(port)/elsewhere"] {
            let service = try HostileService { _ in HTTPResponse(status: 302, headers: [("Location", location)]) }
            defer { service.close() }
            let (warnings, requests) = try await warnings(of: service.port)
            #expect(warnings.contains { $0.contains("HTTP 302, and redirects are not followed") }, "\(warnings)")
            #expect(requests.contains("HTTP 302)"), "\(requests)")
            #expect(!service.asked.all.contains { $0.target == "/loop" })
        }
        #expect(other.asked.all.isEmpty)
    }
}
