import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirWire

/// Talks to an endpoint request by request and frame by frame, unlike a well-behaved client.
struct EndpointClient: Sendable {
    /// The URL of the endpoint, such as `http://127.0.0.1:4000/socket.io/`.
    let url: String
    let loop: EventLoop
    let http: HTTPClient

    init(_ url: String, on loop: EventLoop) throws {
        self.url = url
        self.loop = loop
        http = try HTTPClient(answeringOn: loop)
    }

    /// The status, content type and body of an answer.
    struct Answer: Hashable, Sendable {
        var status: Int
        var type: String
        var body: String
    }

    /// Sends a request with this query. The answer goes to the returned mailbox.
    func start(
        _ query: String, method: String = "GET", body: [UInt8] = [], headers: [(name: String, value: String)] = []
    ) throws -> Mailbox<Answer> {
        let answers = Mailbox<Answer>()
        let request = HTTPRequest(
            method: method, url: try URLParts(parsing: url + "?" + query), headers: headers, body: body)
        http.send(request) { result in
            switch result {
            case .success(let response):
                let type = response.headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
                answers.put(
                    Answer(
                        status: response.status, type: type, body: String(decoding: response.body, as: UTF8.self)))
            case .failure(let failure): answers.put(Answer(status: 0, type: "", body: "\(failure)"))
            }
        }
        return answers
    }

    /// Returns a GET request with this query.
    func request(_ query: String) throws -> HTTPRequest { HTTPRequest(url: try URLParts(parsing: url + "?" + query)) }

    func get(_ query: String) async throws -> Answer { try await start(query).first() }

    func post(_ query: String, _ body: String, type: String = "text/plain;charset=UTF-8") async throws -> Answer {
        try await start(query, method: "POST", body: Array(body.utf8), headers: [("content-type", type)]).first()
    }

    /// Opens a polling session. Returns the query for its requests, and its first answer.
    func openPolling(_ revision: EngineIO.Revision = .v4, more: String = "") async throws -> (
        query: String, open: Answer
    ) {
        let answer = try await get("EIO=\(revision.rawValue)&transport=polling" + more)
        // `0{"sid":"…"`
        let pieces = answer.body.split(separator: "\"")
        let sid = try #require(pieces.count > 3 ? pieces[3] : nil, "\(answer)")
        return ("EIO=\(revision.rawValue)&transport=polling\(more)&sid=\(sid)", answer)
    }

    /// Opens a WebSocket with this query.
    func openSocket(_ query: String) async throws -> EndpointSocket {
        let parts = try URLParts(parsing: url)
        let target = URLParts(scheme: "ws", host: parts.host, port: parts.port, path: parts.path, query: query)
        let socket = EndpointSocket(loop: loop)
        await socket.open(target)
        return socket
    }
}

/// A WebSocket that logs its events.
actor EndpointSocket {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// Messages, `(opened)`, `(closed CODE)` and `(failed STATUS)`.
    nonisolated let log = Mailbox<String>()
    private var socket: WebSocketClient?

    init(loop: EventLoop) { self.loop = loop }

    func open(_ url: URLParts) {
        let log = log
        socket = WebSocketClient(on: loop, WebSocketRequest(url: url)) { event in
            switch event {
            case .opened: log.put("(opened)")
            case .received(let messages): log.put(messages.map(\.line))
            case .closed(let close): log.put("(closed \(close.code))")
            case .failed(let failure): log.put("(failed \(failure.httpStatus ?? 0))")
            }
        }
    }

    func send(_ text: String) { socket?.send(.text(text)) }

    func send(_ bytes: [UInt8]) { socket?.send(.binary(bytes[...])) }

    func close() { socket?.close(WebSocketClose(code: 1000)) }

    /// Waits until the log has `count` entries, and returns the last of them.
    nonisolated func entry(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let entries = await log.wait(seconds: 20, sourceLocation: sourceLocation) { $0.count >= count }
        return try #require(entries.count >= count ? entries[count - 1] : nil, sourceLocation: sourceLocation)
    }

    /// Waits until the log contains `entry`.
    nonisolated func expect(_ entry: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await log.wait(seconds: 20, sourceLocation: sourceLocation) { $0.contains(entry) }
    }
}

extension WebSocketMessage {
    fileprivate var line: String {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .binary(let bytes): "\(Array(bytes))"
        }
    }
}

/// Runs `body` with a client of an echo server, and shuts everything down at the end.
func withEcho(
    _ service: EchoServer.Service = .socketIO, _ options: EndpointOptions? = nil,
    _ body: (EndpointClient) async throws -> Void
) async throws {
    let loop = try EventLoop(name: "echo-test")
    let server = try EchoServer(on: loop, service: service, options: options)
    let client = try EndpointClient(server.url + (options?.path ?? service.path), on: loop)
    var failure: (any Error)?
    do { try await body(client) } catch { failure = error }
    client.http.shutDown()
    server.close()
    loop.shutDown()
    if let failure { throw failure }
}
