import Testing
import WeirDemoServer
import WeirJSON
import WeirNetwork
import WeirWire

/// A real Socket.IO client on the loop that logs its events and can be waited for.
actor Peer {
    /// Thrown if the expected entry did not arrive in time.
    struct Timeout: Error, CustomStringConvertible {
        var description: String
    }

    private struct Waiter {
        var prefix: String
        var times: Int
        var continuation: CheckedContinuation<Bool, Never>
        var timer: LoopTimer
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let revision: EngineIO.Revision
    /// Sent by the loop as soon as the namespace is joined, so that a busy test cannot run into the server's timeout.
    private let token: Secret?
    private var socket: WebSocketClient?
    private var machine: SocketIOClientMachine?
    private var timer: LoopTimer?
    private(set) var log: [String] = []
    private(set) var failure: ConnectFailure?
    private var waiter: Waiter?

    private init(on loop: EventLoop, _ revision: EngineIO.Revision, token: Secret? = nil) {
        self.loop = loop
        self.token = token
        self.revision = revision
    }

    /// Returns a peer in the namespace. With a token it also sends `authenticate`.
    static func connect(
        on loop: EventLoop, to server: EmbeddedServer, _ revision: EngineIO.Revision, token: Secret? = nil
    ) async throws -> Peer {
        let peer = Peer(on: loop, revision, token: token)
        await peer.open(try URLParts(parsing: server.url), "/socket/?EIO=\(revision.rawValue)&transport=websocket")
        try await peer.expect("(connected)")
        return peer
    }

    /// Returns a peer that the server has authenticated.
    static func authenticated(
        on loop: EventLoop, to server: EmbeddedServer, _ revision: EngineIO.Revision = .v4
    ) async throws -> Peer {
        let peer = try await connect(on: loop, to: server, revision, token: server.makeToken())
        try await peer.expect("authenticated")
        return peer
    }

    /// Returns the failure of a connection that must not succeed.
    static func failure(on loop: EventLoop, to server: EmbeddedServer, _ path: String) async -> ConnectFailure? {
        let peer = Peer(on: loop, .v4)
        guard let url = try? URLParts(parsing: server.url) else { return nil }
        await peer.open(url, path)
        try? await peer.expect("(failed)")
        return await peer.failure
    }

    func open(_ url: URLParts, _ path: String) {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let target = URLParts(scheme: "ws", host: url.host, port: url.port, path: parts[0], query: parts[1])
        socket = WebSocketClient(on: loop, WebSocketRequest(url: target)) { event in
            self.assumeIsolated { $0.happened(event) }
        }
    }

    func emit(_ name: String, _ arguments: String) {
        run { $0.emit(name, arguments: RawJSON(unchecked: ArraySlice(arguments.utf8)), into: &$1) }
    }

    func setReading(_ reading: Bool) { socket?.setReading(reading) }

    func close() { socket?.close(WebSocketClose(code: 1000)) }

    func events(named name: String) -> [String] { log.filter { $0.hasPrefix(name) } }

    /// Waits up to twenty seconds until `times` entries of the log begin with `prefix`.
    func expect(_ prefix: String, times: Int = 1) async throws {
        if log.count(where: { $0.hasPrefix(prefix) }) >= times { return }
        let came = await withCheckedContinuation { continuation in
            let timer = loop.schedule(at: loop.now + .seconds(20)) { self.assumeIsolated { $0.settle(false) } }
            waiter = Waiter(prefix: prefix, times: times, continuation: continuation, timer: timer)
        }
        if !came { throw Timeout(description: "no “\(prefix)” among \(log.suffix(10))") }
    }

    // MARK: -

    private func note(_ entry: String) {
        log.append(entry)
        guard let waiter, log.count(where: { $0.hasPrefix(waiter.prefix) }) >= waiter.times else { return }
        settle(true)
    }

    private func settle(_ came: Bool) {
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: came)
        waiter = nil
    }

    private func happened(_ event: WebSocketEvent) {
        switch event {
        case .opened:
            machine = SocketIOClientMachine(SocketIOClientMachine.Configuration(revision: revision), openedAt: loop.now)
        case .received(let messages):
            for message in messages { run { $0.receive(message, at: self.loop.now, into: &$1) } }
        case .closed(let close):
            timer?.cancel()
            note("(closed \(close.code))")
        case .failed(let failure):
            self.failure = failure
            note("(failed)")
        }
    }

    private func run(_ body: (inout SocketIOClientMachine, inout [SocketIOClientMachine.Effect]) -> Void) {
        guard var machine else { return }
        var effects: [SocketIOClientMachine.Effect] = []
        body(&machine, &effects)
        self.machine = machine
        for effect in effects { perform(effect) }
        timer?.cancel()
        timer = machine.deadline.map { due in
            loop.schedule(at: due) { self.assumeIsolated { $0.run { $0.advance(to: due, into: &$1) } } }
        }
    }

    private func perform(_ effect: SocketIOClientMachine.Effect) {
        switch effect {
        case .send(let message): socket?.send(message)
        case .connected:
            if let token { emit("authenticate", #"{"token":"\#(token.reveal())"}"#) }
            note("(connected)")
        case .event(let event):
            note(([event.name] + (event.argument(0).map { [$0.description] } ?? [])).joined(separator: " "))
        case .disconnected: note("(disconnected)")
        case .close: socket?.close(WebSocketClose(code: 1000))
        case .refused, .acknowledged, .unacknowledged, .dropped, .malformed: note("(\(effect))")
        }
    }
}

/// Sends HTTP requests to the server.
struct Asker: Sendable {
    let client: HTTPClient
    let server: EmbeddedServer

    func get(_ path: String, _ token: Secret?) async throws -> HTTPResponse { try await ask("GET", path, "", token) }

    func post(_ path: String, _ body: String, _ token: Secret?) async throws -> HTTPResponse {
        try await ask("POST", path, body, token)
    }

    /// Expects an answer with this status.
    func check(_ status: Int, _ path: String, _ token: Secret?, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let answer = try await get(path, token)
        #expect(answer.status == status, sourceLocation: sourceLocation)
    }

    private func ask(_ method: String, _ path: String, _ body: String, _ token: Secret?) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: method, url: try URLParts(parsing: server.url + path),
            headers: [("content-type", "application/json")], bearer: token,
            body: Array(body.utf8))
        return try await withCheckedContinuation { continuation in
            client.send(request) { continuation.resume(returning: $0) }
        }.get()
    }
}
