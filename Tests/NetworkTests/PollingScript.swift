import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// A server with one Engine.IO session, whose answers the test determines. It checks the rules for every client: at most one pending GET
/// and one pending POST.
final class PollingScript: HTTPServerHandler {
    typealias Respond = @Sendable (HTTPResponse) -> Void

    private struct State {
        var waiting: Respond?
        var bodies: [HTTPResponse] = []
        var isPostOut = false
        var handshakes = 0
    }

    let open: String
    /// The cookies of the handshake.
    let cookies = [("Set-Cookie", "io=s; Path=/; HttpOnly; SameSite=Strict"), ("Set-Cookie", "node=7; Path=/")]
    /// Maps a POST's body to its answer, or to `nil` for no answer.
    let answer: @Sendable (String) -> HTTPResponse?
    let refusal: @Sendable (ServerRequest) -> HTTPResponse?
    let posts = Mailbox<String>()
    let requests = Mailbox<ServerRequest>()
    let sockets = Mailbox<ServerWebSocket>()
    let messages = Mailbox<WebSocketMessage>()
    /// The server's loop. All answers are sent on it.
    let loop = Monitor<EventLoop?>(nil)
    private let state = Monitor(State())

    init(
        upgrades: Bool = false, maxPayload: Int = 1_000_000,
        answer: @escaping @Sendable (String) -> HTTPResponse? = { _ in PollingScript.text("ok") },
        refusal: @escaping @Sendable (ServerRequest) -> HTTPResponse? = { _ in nil }
    ) {
        let names = upgrades ? "\"websocket\"" : ""
        open =
            "0{\"sid\":\"s\",\"upgrades\":[\(names)],\"pingInterval\":25000,\"pingTimeout\":20000,"
            + "\"maxPayload\":\(maxPayload)}"
        self.answer = answer
        self.refusal = refusal
    }

    static func text(_ body: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(body.utf8)) }

    /// Answers the pending GET, or the next one.
    func push(_ body: String) { push(Self.text(body)) }

    func push(_ response: HTTPResponse) {
        let respond = state.change { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.bodies.append(response) }
            return state.waiting
        }
        guard let respond else { return }
        loop.change { $0 }?.run { respond(response) }
    }

    /// Answers the pending GET, and a following GET that the client may send before it reads the answer to its probe.
    func endGets(with body: String) {
        push(body)
        push("6")
    }

    /// The number of handshakes so far.
    var handshakes: Int { state.change { $0.handshakes } }

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        requests.put(request)
        switch request.method {
        case "GET": get(request, respond)
        case "POST": post(request, respond)
        default: respond(HTTPResponse(status: 405))
        }
    }

    private func get(_ request: ServerRequest, _ respond: @escaping Respond) {
        if request.queryParameter("sid") == nil {
            state.change { $0.handshakes += 1 }
            return respond(HTTPResponse(status: 200, headers: cookies, body: Array(open.utf8)))
        }
        let body: HTTPResponse? = state.change { state in
            #expect(state.waiting == nil, "two GETs are out")
            if !state.bodies.isEmpty { return state.bodies.removeFirst() }
            state.waiting = respond
            return nil
        }
        if let body { respond(body) }
    }

    private func post(_ request: ServerRequest, _ respond: @escaping Respond) {
        let text = String(decoding: request.body, as: UTF8.self)
        posts.put(text)
        if let response = answer(text) { respond(response) }
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        requests.put(upgrade)
        return refusal(upgrade)
    }
    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) { sockets.put(socket) }
    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        for message in messages {
            self.messages.put(message)
            if message == .text("2probe") { probed(socket) }
        }
    }
    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) { messages.put(.text("closed \(close.code)")) }

    /// Handles the probe. By default the server answers it and ends the GET with a noop.
    let onProbe = Monitor<(@Sendable (ServerWebSocket) -> Void)?>(nil)

    private func probed(_ socket: ServerWebSocket) {
        if let act = onProbe.change({ $0 }) { return act(socket) }
        socket.send(.text("3probe"))
        endGets(with: "6")
    }
}

/// A session and its scripted server on one loop.
struct PollingStage {
    let loop: EventLoop
    let http: HTTPClient
    let script: PollingScript
    let server: HTTPServer
    let events = Mailbox<WebSocketEvent>()
    /// For each event, whether a WebSocket carried the session at that time.
    let carriers = Mailbox<Bool>()
    let socket: EngineIOSocket

    init(
        _ loop: EventLoop, _ script: PollingScript, transport: EngineIO.TransportChoice,
        revision: EngineIO.Revision = .v4
    ) throws {
        self.loop = loop
        self.script = script
        script.loop.change { $0 = loop }
        http = try HTTPClient(answeringOn: loop)
        server = try HTTPServer(on: loop, handler: script)
        let url = URLParts(scheme: "http", host: "127.0.0.1", port: server.port, path: "/s/", query: "who=me")
        let request = EngineIORequest(url: url, transport: transport, revision: revision)
        let (events, carriers, http) = (self.events, self.carriers, self.http)
        let told = Monitor<EngineIOSocket?>(nil)
        socket = try #require(
            loop.perform {
                let socket = EngineIOSocket(on: loop, http: http, request) {
                    carriers.put(told.change { $0?.isOnWebSocket } ?? false)
                    events.put($0)
                }
                told.change { $0 = socket }
                return socket
            })
    }

    func close() {
        http.shutDown()
        server.close()
    }

    func send(_ texts: [String]) {
        let socket = self.socket
        loop.run { for text in texts { socket.send(.text(text)) } }
    }

    func onLoop<Result: Sendable>(_ body: @escaping @Sendable (EngineIOSocket) -> Result) throws -> Result {
        let socket = self.socket
        return try #require(loop.perform { body(socket) })
    }

    func isOnWebSocket() throws -> Bool { try onLoop { $0.isOnWebSocket } }

    func waitForMessages(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) -> [WebSocketMessage] {
        received(events.wait(sourceLocation: sourceLocation) { received($0).count >= count })
    }

    func waitForClose(sourceLocation: SourceLocation = #_sourceLocation) -> WebSocketClose? {
        for case .closed(let close) in events.wait(
            sourceLocation: sourceLocation, until: { $0.contains { if case .closed = $0 { true } else { false } } })
        {
            return close
        }
        return nil
    }
}

/// Runs `body` with a stage and closes the stage at the end.
func withStage(
    _ script: PollingScript, transport: EngineIO.TransportChoice, _ body: (PollingStage) throws -> Void
) throws {
    try withLoop { loop in
        let stage = try PollingStage(loop, script, transport: transport)
        defer { stage.close() }
        try body(stage)
    }
}
