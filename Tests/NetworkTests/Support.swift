import Glibc
import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Runs `body` with a loop and shuts the loop down at the end.
@discardableResult
func withLoop<Result>(_ body: (EventLoop) throws -> Result) throws -> Result {
    let loop = try EventLoop(name: "weir-test")
    defer { loop.shutDown() }
    return try body(loop)
}

/// An event of a server under test.
enum ServerEvent: Sendable {
    case request(String)
    case began(String)
    case aborted(String)
    case opened(String)
    case received([WebSocketMessage])
    case closed(WebSocketClose)
}

/// A handler that answers with closures and puts events into a mailbox.
final class TestHandler: HTTPServerHandler {
    let events = Mailbox<ServerEvent>()
    let sockets = Mailbox<ServerWebSocket>()
    let answer: @Sendable (ServerRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void
    let refusal: @Sendable (ServerRequest) -> HTTPResponse?
    let onMessages: @Sendable ([WebSocketMessage], ServerWebSocket) -> Void
    let onOpen: @Sendable (ServerWebSocket) -> Void

    init(
        answer: @escaping @Sendable (ServerRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void = {
            _, respond in
            respond(HTTPResponse(status: 404))
        },
        refusal: @escaping @Sendable (ServerRequest) -> HTTPResponse? = { _ in nil },
        onOpen: @escaping @Sendable (ServerWebSocket) -> Void = { _ in },
        onMessages: @escaping @Sendable ([WebSocketMessage], ServerWebSocket) -> Void = { messages, socket in
            for message in messages { socket.send(message) }
        }
    ) {
        self.answer = answer
        self.refusal = refusal
        self.onMessages = onMessages
        self.onOpen = onOpen
    }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        events.put(.request("\(request.method) \(request.path)"))
        answer(request, respond)
    }
    func began(_ request: ServerRequest) { events.put(.began("\(request.method) \(request.path)")) }
    func aborted(_ request: ServerRequest) { events.put(.aborted("\(request.method) \(request.path)")) }
    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { refusal(upgrade) }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        events.put(.opened(upgrade.path))
        sockets.put(socket)
        onOpen(socket)
    }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        events.put(.received(messages))
        onMessages(messages, socket)
    }
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) { events.put(.closed(close)) }
}

/// A client that puts its events into a mailbox.
struct TestClient {
    let loop: EventLoop
    let events = Mailbox<WebSocketEvent>()
    let client: WebSocketClient

    /// Creates a client. `handler` is called on the loop in addition to the mailbox.
    init(
        _ loop: EventLoop, _ request: WebSocketRequest,
        _ handler: @escaping @Sendable (WebSocketClient, WebSocketEvent) -> Void = { _, _ in }
    ) throws {
        self.loop = loop
        let events = self.events
        var request = request
        if request.framing == .auto { request.framing = BothFramings.current }
        let asked = request
        client = try #require(
            loop.perform {
                let holder = ClientHolder()
                let client = WebSocketClient(on: loop, asked) { event in
                    if let client = holder.client { handler(client, event) }
                    events.put(event)
                }
                holder.client = client
                return client
            })
    }

    /// Runs `body` with the client on the loop.
    func onLoop(_ body: @escaping @Sendable (WebSocketClient) -> Void) {
        let client = self.client
        loop.run { body(client) }
    }

    func waitForOpen(sourceLocation: SourceLocation = #_sourceLocation) {
        events.wait(sourceLocation: sourceLocation) { events in
            events.contains { if case .opened = $0 { true } else { false } }
        }
    }

    /// Waits until at least `count` messages have arrived, and returns all of them.
    func messages(_ count: Int, seconds: Int = 20, sourceLocation: SourceLocation = #_sourceLocation)
        -> [WebSocketMessage]
    {
        let events = events.wait(seconds: seconds, sourceLocation: sourceLocation) { received($0).count >= count }
        return received(events)
    }

    func failure(seconds: Int = 20, sourceLocation: SourceLocation = #_sourceLocation) -> ConnectFailure? {
        for case .failed(let failure) in events.wait(
            seconds: seconds, sourceLocation: sourceLocation, until: { !$0.isEmpty })
        {
            return failure
        }
        return nil
    }

    func close(seconds: Int = 20, sourceLocation: SourceLocation = #_sourceLocation) -> WebSocketClose? {
        let isClosed = { (event: WebSocketEvent) in if case .closed = event { true } else { false } }
        for case .closed(let close) in events.wait(
            seconds: seconds, sourceLocation: sourceLocation, until: { $0.contains(where: isClosed) })
        {
            return close
        }
        return nil
    }
}

/// Holds a client to which its own handler refers.
private final class ClientHolder: @unchecked Sendable {
    // Unchecked: used only on the loop's thread. Weak: the test owns the client.
    weak var client: WebSocketClient?
}

/// Runs each test twice: with our own framing, then with libwebsockets'.
struct BothFramings: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var current = WebSocketFraming.auto

    let isRecursive = true

    func scopeProvider(for test: Test, testCase: Test.Case?) -> BothFramings? { testCase == nil ? nil : self }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for framing in [WebSocketFraming.own, .library] {
            try await BothFramings.$current.withValue(framing) { try await function() }
        }
    }
}

extension Trait where Self == BothFramings {
    static var bothFramings: BothFramings { BothFramings() }
}

func received(_ events: [WebSocketEvent]) -> [WebSocketMessage] {
    events.flatMap { event -> [WebSocketMessage] in
        if case .received(let messages) = event { messages } else { [] }
    }
}

/// Returns the WebSocket URL of a local server.
func socketURL(_ server: HTTPServer, secure: Bool = false, host: String = "127.0.0.1", path: String = "/ws") -> URLParts
{
    URLParts(scheme: secure ? "wss" : "ws", host: host, port: server.port, path: path)
}
