import Events
import JSONText
import Network
import Wire

/// The driver of the server. It runs on the loop, passes socket input and the time to the backend and the connections,
/// and sends their answers. It makes no decisions.
actor Hub: SessionHost {
    /// Constant values that any thread may read.
    struct Facts: Sendable {
        var tokens: Tokens
        var tokenLifetime: Duration
        var me: EntityID
        var company: EntityID
        var workspace: EntityID
        var usernames: [String: EntityID]
    }

    nonisolated let loop: EventLoop
    nonisolated let facts: Facts
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let options: EmbeddedServer.Options
    nonisolated var endpoint: EndpointOptions { options.endpoint }
    var sessions: SessionRoom
    private var backend: Backend
    private var clients: [SessionID: RealtimeConnection] = [:]
    private var rooms = RoomIndex()
    private var failures = PlannedFailures()
    private var isOpen = false
    private var timer: (due: Moment, timer: LoopTimer)?

    init(on loop: EventLoop, _ scenario: Scenario, seed: UInt64, options: EmbeddedServer.Options) {
        self.loop = loop
        self.options = options
        var random = SystemRandomNumberGenerator()
        var tokens = Tokens(key: (random.next(), random.next()))
        tokens.calendarOffset = options.epoch
        var backend = Backend(
            scenario, seed: seed, epoch: options.epoch, tokens: tokens, tokenLifetime: options.tokenLifetime,
            start: options.startsAtOnce
                ? .atOnce : .afterFirstClient(quiet: .milliseconds(400), longest: .seconds(3)),
            pace: options.pace, hasCore: options.hasCore, troubles: options.troubles, at: loop.now)
        tokens.given = options.token.map { ($0, backend.me) }
        backend.tokens = tokens
        let world = backend.world
        facts = Facts(
            tokens: tokens, tokenLifetime: options.tokenLifetime, me: backend.me, company: world.company.id,
            workspace: world.workspaces.first?.id ?? World.directWorkspace,
            usernames: Dictionary(world.users.map { ($0.username, $0.id) }) { first, _ in first })
        self.backend = backend
        sessions = SessionRoom(on: loop, options.endpoint, ids: IDSource(seed: seed, stream: .sessions))
    }

    // MARK: - The script

    /// Starts the server, or continues after `stop`.
    func open() {
        isOpen = true
        turn()
    }

    /// Stops the timers and forgets the clients, which are disconnected when the listener closes.
    func stop() {
        isOpen = false
        clients = [:]
        rooms = RoomIndex()
        sessions.removeAll()
        timer?.timer.cancel()
        timer = nil
    }

    /// Performs everything that is due, and sets the timer for the next deadline.
    private func turn() {
        guard isOpen else { return }
        send(backend.advance(to: loop.now))
        for trouble in backend.takeTroubles(at: loop.now) {
            switch trouble {
            case .tokensExpire: expireTokens()
            case .restart: dropConnections()
            }
        }
        settle()
    }

    private func setTimer() {
        guard isOpen else { return }
        let due = backend.deadline
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

    // MARK: - The clients

    func settled() { setTimer() }

    func deadline(of id: SessionID) -> Moment? { clients[id]?.deadline }

    func advance(_ id: SessionID, to now: Moment) { change(id) { $0.advance(to: now, $1, into: &$2) } }

    func perform(_ event: SessionEvent) {
        let now = loop.now
        switch event {
        case .opened(let id, let opening):
            clients[id] = RealtimeConnection(options.endpoint.socketIO(opening), rights: options.rights, openedAt: now)
            change(id) { $0.start(at: now, $1, into: &$2) }
            touch(id)
        case .received(let id, let packet): change(id) { $0.receive(packet, at: now, $1, into: &$2) }
        case .closed(let id): forget(id)
        }
    }

    private func forget(_ id: SessionID) {
        guard let client = clients.removeValue(forKey: id) else { return }
        for room in client.rooms { rooms.remove(id, from: room) }
    }

    /// Sends frames to the clients in their rooms. Each frame is encoded once.
    private func send(_ frames: [Frame]) {
        for frame in frames {
            let listeners = rooms.members(of: frame.room)
            if listeners.isEmpty { continue }
            let payload = frame.payload.raw
            for id in listeners {
                change(id) { connection, _, effects in
                    connection.deliver(frame.name, to: frame.room, payload, into: &effects)
                }
            }
        }
    }

    /// Changes a client's machine and performs the effects.
    private func change(
        _ id: SessionID, _ body: (inout RealtimeConnection, Tokens, inout [RealtimeConnection.Effect]) -> Void
    ) {
        guard let place = clients.index(forKey: id) else { return }
        var effects: [RealtimeConnection.Effect] = []
        body(&clients.values[place], backend.tokens, &effects)
        for effect in effects { perform(effect, of: id) }
    }

    private func perform(_ effect: RealtimeConnection.Effect, of id: SessionID) {
        switch effect {
        case .send(let message): sessions.send(message, to: id)
        case .joinWanted(let room):
            let isAllowed = clients[id]?.user.map { backend.world.hasRight($0, to: room) } ?? false
            change(id) { connection, _, effects in connection.settleJoin(of: room, isAllowed: isAllowed, into: &effects)
            }
        case .joined(let room):
            rooms.insert(id, into: room)
            backend.joinedRoom(at: loop.now)
        case .left(let room): rooms.remove(id, from: room)
        case .publish(let frame): send([frame])
        case .repeatToAll(let arguments):
            for id in clients.keys.sorted() {
                change(id) { connection, _, effects in connection.emit("message", arguments, into: &effects) }
            }
        case .present(let user): send([backend.world.presenceFrame(user, isOnline: true)])
        case .absent(let user): send([backend.world.presenceFrame(user, isOnline: false)])
        case .presenceAsked(let users, let ackID):
            let present = Set(clients.values.compactMap(\.user) + backend.world.present)
            let presence = users.map { (user: $0, isOnline: present.contains($0)) }
            change(id) { connection, _, effects in connection.tellPresence(presence, ackID: ackID, into: &effects) }
        case .close(let ending):
            forget(id)
            sessions.close(id, ending)
            touch(id)
        }
    }
}

// MARK: - REST

extension Hub {
    func answer(_ request: ServerRequest) -> HTTPResponse {
        if let status = failures.take(request.path) {
            return Self.json(Backend.response(to: RESTError(status: status, message: "Something went wrong"), .core))
        }
        let scheme = "Bearer "
        let authorization = request.header("authorization") ?? ""
        let call = RESTRequest(
            method: request.method, path: request.path, query: request.query, body: request.body,
            type: request.header("content-type"),
            bearer: authorization.hasPrefix(scheme) ? String(authorization.dropFirst(scheme.count)) : nil,
            host: request.header("host") ?? "localhost")
        let (response, frames) = backend.handle(call, at: loop.now)
        send(frames)
        settle()
        return Self.json(response)
    }

    private static func json(_ response: RESTResponse) -> HTTPResponse {
        let headers = response.body.isEmpty ? [] : [(name: "content-type", value: response.type)]
        return HTTPResponse(status: response.status, headers: headers, body: response.body)
    }
}

// MARK: - What tests ask for

extension Hub {
    func truth() -> WorldTruth { backend.world.truth(for: facts.me) }

    func refuseTokens(_ refuses: Bool) { backend.tokens.refusesAll = refuses }

    func expireTokens() { backend.tokens.expiredBefore = loop.now }

    func failREST(_ path: String, status: Int, times: Int) {
        failures.add(path, status: status, times: times)
    }

    func dropConnections() {
        for id in clients.keys.sorted() {
            forget(id)
            sessions.drop(id)
        }
        settle()
    }

    func kickClients() {
        for id in clients.keys.sorted() {
            change(id) { connection, _, effects in connection.kick(into: &effects) }
            touch(id)
        }
        settle()
    }
}
