import Events
import Network
import Wire

/// The server's hand: lives on the loop, gives the backend and the connections what the sockets say and the time, and sends what
/// they answer. It decides nothing.
actor Hub: HTTPServerHandler {
    /// What never changes and may be read by any thread.
    struct Facts: Sendable {
        var tokens: Tokens
        var tokenLifetime: Duration
        var me: EntityID
        var company: EntityID
        var workspace: EntityID
        var usernames: [String: EntityID]
    }

    private struct Client {
        var socket: ServerWebSocket
        var connection: RealtimeConnection
    }

    private struct Failure {
        var path: String
        var status: Int
        var times: Int
    }

    nonisolated let loop: EventLoop
    nonisolated let facts: Facts
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let options: EmbeddedServer.Options
    private let sessions: IDSource
    private var sessionCount = 0
    private var backend: Backend
    /// In the order they came; frames are sent in this order.
    private var clients: [Client] = []
    private var failures: [Failure] = []
    private var isOpen = false
    private var timer: (due: Moment, timer: LoopTimer)?

    init(on loop: EventLoop, _ scenario: Scenario, seed: UInt64, options: EmbeddedServer.Options) {
        self.loop = loop
        self.options = options
        var random = SystemRandomNumberGenerator()
        var tokens = Tokens(key: (random.next(), random.next()))
        tokens.calendarOffset = options.epoch
        let backend = Backend(
            scenario, seed: seed, epoch: options.epoch, tokens: tokens, tokenLifetime: options.tokenLifetime,
            start: options.startsAtOnce
                ? .atOnce : .afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)),
            pace: options.pace, at: loop.now)
        let world = backend.world
        facts = Facts(
            tokens: tokens, tokenLifetime: options.tokenLifetime, me: backend.me, company: world.company.id,
            workspace: world.workspaces.first?.id ?? World.directWorkspace,
            usernames: Dictionary(world.users.map { ($0.username, $0.id) }) { first, _ in first })
        self.backend = backend
        sessions = IDSource(seed: seed, stream: .sessions)
    }

    // MARK: - The script

    /// Begins, or goes on after `stop`.
    func open() {
        isOpen = true
        turn()
    }

    /// Nothing happens any more; clients are gone with the listener.
    func stop() {
        isOpen = false
        clients = []
        timer?.timer.cancel()
        timer = nil
    }

    /// Does what is due, and asks to be called again.
    private func turn() {
        guard isOpen else { return }
        let now = loop.now
        send(backend.advance(to: now))
        for id in clients.map(\.socket.id) {
            change(id) { $0.advance(to: now, $1, into: &$2) }
        }
        setTimer()
    }

    private func setTimer() {
        guard isOpen else { return }
        let due = clients.compactMap(\.connection.deadline).reduce(backend.deadline) { earliest, next in
            earliest.map { min($0, next) } ?? next
        }
        if let timer, timer.due == due { return }
        timer?.timer.cancel()
        timer = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } })
        }
    }

    private func timerFired() {
        timer = nil
        turn()
    }

    // MARK: - Sending

    /// Sends frames to whoever is in their rooms; each is written once.
    private func send(_ frames: [Frame]) {
        for frame in frames {
            let listeners = clients.filter { $0.connection.rooms.contains(frame.room) }.map(\.socket.id)
            if listeners.isEmpty { continue }
            let payload = frame.payload.raw
            for id in listeners {
                change(id) { connection, _, effects in
                    connection.deliver(frame.name, to: frame.room, payload, into: &effects)
                }
            }
        }
    }

    /// Gives a client's machine something to do, and does what it answers.
    private func change(
        _ id: ServerWebSocket.ID, _ body: (inout RealtimeConnection, Tokens, inout [RealtimeConnection.Effect]) -> Void
    ) {
        guard let index = clients.firstIndex(where: { $0.socket.id == id }) else { return }
        var effects: [RealtimeConnection.Effect] = []
        body(&clients[index].connection, backend.tokens, &effects)
        let socket = clients[index].socket
        for effect in effects { perform(effect, of: socket) }
        if socket.pendingBytes > options.maximumPending {
            forget(id)
            socket.close(WebSocketClose(code: 1006), abrupt: true)
        }
    }

    private func perform(_ effect: RealtimeConnection.Effect, of socket: ServerWebSocket) {
        switch effect {
        case .send(let message): socket.send(message)
        case .joined: backend.joinedRoom(at: loop.now)
        case .publish(let frame): send([frame])
        case .repeatToAll(let arguments):
            for id in clients.map(\.socket.id) {
                change(id) { connection, _, effects in connection.emit("message", arguments, into: &effects) }
            }
        case .close:
            forget(socket.id)
            socket.close(WebSocketClose(code: 1005))
        }
    }

    private func forget(_ id: ServerWebSocket.ID) { clients.removeAll { $0.socket.id == id } }
}

// MARK: - What the sockets say

extension Hub {
    nonisolated func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(assumeIsolated { $0.answer(request) })
    }

    nonisolated func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        let verdict = HandshakeVerdict(
            method: upgrade.method, path: upgrade.path, query: upgrade.query, isUpgrade: true)
        switch verdict {
        case .accepted: return nil
        case .elsewhere: return HTTPResponse(status: 404)
        case .refused(_, let message):
            return HTTPResponse(status: 400, headers: [("content-type", "text/html")], body: Array(message.utf8))
        }
    }

    nonisolated func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        assumeIsolated { $0.welcome(socket, upgrade) }
    }

    nonisolated func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        assumeIsolated { hub in
            for message in messages { hub.receive(message, from: socket) }
            hub.setTimer()
        }
    }

    nonisolated func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        assumeIsolated { hub in
            hub.forget(socket.id)
            hub.setTimer()
        }
    }

    private func welcome(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        let verdict = HandshakeVerdict(
            method: upgrade.method, path: upgrade.path, query: upgrade.query, isUpgrade: true)
        guard case .accepted(let revision) = verdict else { return socket.close(WebSocketClose(code: 1008)) }
        sessionCount += 1
        let now = loop.now
        let configuration = SocketIOServer.Configuration(
            revision: revision, sid: sessions.session(sessionCount), pingInterval: options.pingInterval,
            pingTimeout: options.pingTimeout)
        clients.append(Client(socket: socket, connection: RealtimeConnection(configuration, openedAt: now)))
        change(socket.id) { $0.start(at: now, $1, into: &$2) }
        setTimer()
    }

    private func receive(_ message: WebSocketMessage, from socket: ServerWebSocket) {
        let now = loop.now
        change(socket.id) { $0.receive(message, at: now, $1, into: &$2) }
    }

    private func answer(_ request: ServerRequest) -> HTTPResponse {
        let verdict = HandshakeVerdict(
            method: request.method, path: request.path, query: request.query, isUpgrade: false)
        if case .refused(let code, let message) = verdict {
            return Self.json(RESTResponse(status: 400, body: HandshakeVerdict.body(code: code, message: message)))
        }
        if let status = takeFailure(request.path) {
            return Self.json(Backend.response(to: RESTError(status: status, message: "Something went wrong"), .core))
        }
        let scheme = "Bearer "
        let authorization = request.header("authorization") ?? ""
        let call = RESTRequest(
            method: request.method, path: request.path, query: request.query, body: request.body,
            bearer: authorization.hasPrefix(scheme) ? String(authorization.dropFirst(scheme.count)) : nil,
            host: request.header("host") ?? "localhost")
        let (response, frames) = backend.handle(call, at: loop.now)
        send(frames)
        setTimer()
        return Self.json(response)
    }

    private func takeFailure(_ path: String) -> Int? {
        guard let index = failures.firstIndex(where: { path.hasPrefix($0.path) }) else { return nil }
        failures[index].times -= 1
        let status = failures[index].status
        if failures[index].times <= 0 { failures.remove(at: index) }
        return status
    }

    private static func json(_ response: RESTResponse) -> HTTPResponse {
        let headers = response.body.isEmpty ? [] : [(name: "content-type", value: "application/json; charset=utf-8")]
        return HTTPResponse(status: response.status, headers: headers, body: response.body)
    }
}

// MARK: - What tests ask for

extension Hub {
    func truth() -> WorldTruth { backend.world.truth(for: facts.me) }

    func refuseTokens(_ refuses: Bool) { backend.tokens.refusesAll = refuses }

    func expireTokens() { backend.tokens.expiredBefore = loop.now }

    func failREST(_ path: String, status: Int, times: Int) {
        failures.append(Failure(path: path, status: status, times: times))
    }

    func dropConnections() {
        let sockets = clients.map(\.socket)
        clients = []
        for socket in sockets { socket.close(WebSocketClose(code: 1006), abrupt: true) }
        setTimer()
    }

    func kickClients() {
        for id in clients.map(\.socket.id) { change(id) { connection, _, effects in connection.kick(into: &effects) } }
        setTimer()
    }
}
