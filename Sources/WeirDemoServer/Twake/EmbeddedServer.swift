package import WeirEvents
import WeirJSON
package import WeirNetwork
package import WeirWire

/// A Twake backend for demonstrations and tests: Socket.IO at `/socket/` (Engine.IO 3 and 4, over polling, WebSocket
/// and the upgrade between them), and REST at `/internal/mobile` (era A) and `/internal/services` (era B). They share
/// one world, which a scenario drives. The same seed gives the same history.
///
/// The server can share its loop with others. As in the real servers, every user may join any room, unless
/// `Options.rights` restricts this. A client that does not read is disconnected when `EndpointOptions.maximumPending`
/// bytes wait for it.
package final class EmbeddedServer: Sendable {
    /// The options of a server, fixed when it starts.
    package struct Options: Hashable, Sendable {
        /// Whether the script starts with the server. Otherwise it starts after the first client has joined its rooms
        /// (after 400 ms without a join or request, and at the latest 3 s after the first join), so that every client
        /// sees the same history.
        package var startsAtOnce: Bool
        /// The speed of the server's clock, 1 to 1000 times real time. The history is the same.
        package var pace: Int
        /// The time for which a token is valid.
        package var tokenLifetime: Duration
        /// A fixed token of the user's that never expires; `nil` for generated tokens only.
        package var token: Secret?
        /// Whether the core's REST services exist, as they do since era B. Without them there are only the mobile
        /// proxy's.
        package var hasCore = true
        /// The options of the realtime endpoint.
        package var endpoint: EndpointOptions
        /// The checks for clients that join rooms.
        package var rights = RealtimeConnection.Rights()
        /// The server's time when the script starts, in milliseconds since 1970. It is fixed, so that times are part of
        /// the history.
        package var epoch: Int64
        /// Planned failures of the server with their times since the script's start, in order.
        package var faults: [ServerFault]
        /// Creates options. `pace` is clamped to 1 to 1000.
        package init(
            startsAtOnce: Bool = false, pace: Int = 1, tokenLifetime: Duration = .seconds(3_600),
            endpoint: EndpointOptions = EndpointOptions(path: "/socket/"), epoch: Int64 = 1_631_610_000_000,
            faults: [ServerFault] = []
        ) {
            self.startsAtOnce = startsAtOnce
            self.pace = min(max(pace, 1), 1_000)
            self.tokenLifetime = tokenLifetime
            self.endpoint = endpoint
            self.epoch = epoch
            self.faults = faults
        }
    }

    /// A planned failure of the server.
    package struct ServerFault: Hashable, Sendable {
        /// The kinds of planned failure.
        package enum Kind: Hashable, Sendable {
            /// Every token made so far expires.
            case tokensExpire
            /// The process restarts: every connection is cut and all sessions are forgotten. The world continues.
            case restart
        }
        /// The time of the failure since the script's start, on the server's clock.
        package var at: Duration
        package var kind: Kind
        package init(at: Duration, _ kind: Kind) {
            self.at = at
            self.kind = kind
        }
    }

    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    /// The user of the tokens that `makeToken` makes. `truth` returns this user's view.
    package let user: EntityID
    /// The id of the only company.
    package let company: EntityID
    /// The id of the first workspace.
    package let workspace: EntityID

    private let hub: Hub
    private let http: HTTPServer
    private let tokens: Tokens

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package convenience init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, scenario: Scenario, seed: UInt64,
        options: Options = Options()
    ) throws(NetworkError) {
        try self.init(hub: Hub(on: loop, scenario, seed: seed, options: options), address: address, port: port)
    }

    /// Restarts a closed server with the same world, as after a restart of the process. The script's events in the
    /// meantime have happened, and tokens made by `other` stay valid. Not from the loop.
    package convenience init(
        resuming other: EmbeddedServer, address: String = "127.0.0.1", port: UInt16 = 0
    ) throws(NetworkError) {
        try self.init(hub: other.hub, address: address, port: port)
    }

    private init(hub: Hub, address: String, port: UInt16) throws(NetworkError) {
        self.hub = hub
        tokens = hub.facts.tokens
        user = hub.facts.me
        company = hub.facts.company
        workspace = hub.facts.workspace
        // A form is little larger than its file.
        http = try HTTPServer(
            on: hub.loop, address: address, port: port, endpoint: hub.endpoint,
            largestBody: World.Limit.file + (1 << 16), handler: hub)
        url = http.url(address)
        hub.loop.run { hub.assumeIsolated { $0.open() } }
    }

    /// Returns a token of `user`: the fixed one, or a new one. Any thread.
    package func makeToken() -> Secret {
        tokens.given?.token ?? tokens.issue(for: user, at: hub.loop.now, lifetime: hub.facts.tokenLifetime)
    }

    /// Returns a new token of the user with this user name; `nil` when the name is unknown. Any thread.
    package func makeToken(username: String) -> Secret? {
        hub.facts.usernames[username].map { tokens.issue(for: $0, at: hub.loop.now, lifetime: hub.facts.tokenLifetime) }
    }

    /// Stops listening, cuts every connection and stops the script. The loop must not call it.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }

    /// Returns the current view of `user`, for comparison with a client's model.
    package func truth() async -> WorldTruth { await hub.truth() }

    // MARK: - For tests of what can go wrong

    /// Refuses every token from now on, or stops doing so (`false`).
    package func refuseTokens(_ refuses: Bool) async { await hub.refuseTokens(refuses) }

    /// Makes every token issued so far expire.
    package func expireTokens() async { await hub.expireTokens() }

    /// Forgets every session and cuts the TCP connections of their WebSockets without a closing handshake. A client
    /// that polls gets the error for an unknown session.
    package func dropConnections() async { await hub.dropConnections() }

    /// Disconnects every client from the namespace (`41`). Their sockets stay open.
    package func kickClients() async { await hub.kickClients() }

    /// Answers the next `times` requests whose path begins with `path` with `status` and Fastify's body.
    package func failREST(_ path: String, status: Int, times: Int = 1) async {
        await hub.failREST(path, status: status, times: times)
    }
}

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
            pace: options.pace, hasCore: options.hasCore, faults: options.faults, at: loop.now)
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

/// The clients of each room, so that a frame finds its receivers without a search of all clients.
struct RoomIndex {
    /// The clients by room, in the order of opening. Frames are sent in this order.
    private var members: [String: [SessionID]] = [:]

    /// Returns the clients in a room.
    func members(of room: String) -> [SessionID] { members[room] ?? [] }

    mutating func insert(_ id: SessionID, into room: String) {
        let place = place(of: id, in: room)
        if members[room]?.dropFirst(place).first == id { return }
        members[room, default: []].insert(id, at: place)
    }

    mutating func remove(_ id: SessionID, from room: String) {
        let place = place(of: id, in: room)
        guard members[room]?.dropFirst(place).first == id else { return }
        members[room]?.remove(at: place)
        if members[room]?.isEmpty == true { members[room] = nil }
    }

    /// Returns the index at which `id` is, or would be inserted.
    private func place(of id: SessionID, in room: String) -> Int {
        let ids = members[room] ?? []
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
