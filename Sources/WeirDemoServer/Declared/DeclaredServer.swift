import WeirJSON
package import WeirNetwork
package import WeirPipeline
package import WeirWire

/// A server that simulates the backend a profile declares, for demonstrations and tests. It offers Socket.IO, Bayeux or
/// a plain WebSocket, rooms, and REST with rows in memory. A scenario defines the rows and the events; without one,
/// both are generated from the seed.
///
/// It knows only the profile, not how the pipeline reads it, so that each implementation can reveal the other's
/// mistakes.
package final class DeclaredServer: Sendable {
    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    /// A token that the server accepts.
    package let token: Secret
    private let http: HTTPServer
    private let host: any DeclaredHost

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// The profile defines the endpoint's path. The script starts with the server, or when the first client has joined
    /// its rooms. Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, profile: Profile,
        scenario: ProfileScenario?, seed: UInt64 = 1, startsAtOnce: Bool = false, options: EndpointOptions? = nil
    ) throws(NetworkError) {
        let service = DeclaredService(profile, scenario, seed: seed, startsAtOnce: startsAtOnce, at: loop.now)
        let realtime = profile.realtime
        let usual = EndpointOptions(path: realtime.path ?? realtime.transport.usualPath)
        // Without a realtime connection, every path except this one belongs to the services.
        let options = realtime.transport == .none ? EndpointOptions(path: "/socket.io/") : options ?? usual
        token = Secret(service.token)
        let handler: any DeclaredHost & HTTPServerHandler =
            switch profile.realtime.transport {
            // Without a realtime connection there is only REST, and no client requests the endpoint.
            case .socketio, .none: DeclaredSocketIO(on: loop, service, options, seed: seed)
            case .bayeux: DeclaredChannels(on: loop, service, options, seed: seed)
            case .websocket: DeclaredMessages(on: loop, service, options, seed: seed)
            }
        host = handler
        http = try HTTPServer(on: loop, address: address, port: port, endpoint: options, handler: handler)
        url = http.url(address)
        handler.loop.run { [handler] in handler.assumeIsolated { $0.open() } }
    }

    /// Stops listening, cuts every connection and stops the script. The loop must not call it.
    package func close() {
        http.close()
        host.loop.run { [host] in host.assumeIsolated { $0.stop() } }
    }
}

/// An actor on the loop that serves a declared backend. It passes socket input and the time to the service, and sends
/// the service's answers.
protocol DeclaredHost: Actor {
    nonisolated var loop: EventLoop { get }
    var service: DeclaredService { get set }
    /// The timer for the next deadline; `nil` while none is set.
    var alarm: (due: Moment, timer: LoopTimer)? { get set }
    /// Whether the server runs, from `open` until `stop`.
    var isOpen: Bool { get set }
    /// The earliest deadline of the script and the clients.
    var deadline: Moment? { get }
    /// Performs the steps that are due for the clients, such as closing silent ones.
    func advanceClients()
    func carryOut(_ effects: [DeclaredService.Effect])
    /// Forgets the clients, which are disconnected when the listener closes.
    func forgetClients()
}

extension DeclaredHost {
    var deadline: Moment? { service.deadline }
    func advanceClients() {}

    /// Starts the script and the timers.
    func open() {
        isOpen = true
        turn()
    }

    /// Stops the script and forgets the clients.
    func stop() {
        isOpen = false
        alarm?.timer.cancel()
        alarm = nil
        forgetClients()
    }

    /// Performs everything that is due, and sets the timer for the next deadline.
    func turn() {
        guard isOpen else { return }
        carryOut(service.advance(to: loop.now))
        advanceClients()
        setAlarm()
    }

    func setAlarm() {
        guard isOpen else { return }
        let due = deadline
        if let alarm, alarm.due == due { return }
        alarm?.timer.cancel()
        alarm = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.alarmRang() } })
        }
    }

    private func alarmRang() {
        alarm = nil
        turn()
    }

    /// Answers a request, and notifies clients of the changes it made.
    func rest(_ request: ServerRequest) -> HTTPResponse {
        let (response, news) = service.answer(request, at: loop.now)
        carryOut(service.tell(news))
        setAlarm()
        return response
    }
}

/// A declared backend on Socket.IO, with rooms and acknowledgements.
actor DeclaredSocketIO: SessionHost, DeclaredHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var sessions: SessionRoom
    var service: DeclaredService
    var alarm: (due: Moment, timer: LoopTimer)?
    var isOpen = false
    private var clients: [SessionID: SocketIOServer] = [:]
    private let realtime: Profile.Realtime

    init(on loop: EventLoop, _ service: DeclaredService, _ options: EndpointOptions, seed: UInt64) {
        self.loop = loop
        self.service = service
        realtime = service.profile.realtime
        sessions = SessionRoom(on: loop, options, ids: IDSource(seed: seed, stream: .sessions))
    }

    func forgetClients() {
        clients = [:]
        service.disconnectAll()
        sessions.removeAll()
    }

    func answer(_ request: ServerRequest) -> HTTPResponse {
        defer { settle() }
        return rest(request)
    }

    func settled() { setAlarm() }

    func deadline(of id: SessionID) -> Moment? { clients[id]?.deadline }

    func advance(_ id: SessionID, to now: Moment) { change(id) { $0.advance(to: now, into: &$1) } }

    func perform(_ event: SessionEvent) {
        let now = loop.now
        switch event {
        case .opened(let id, let opening):
            var configuration = sessions.options.socketIO(opening, namespaces: [realtime.namespace])
            configuration.asks = true
            clients[id] = SocketIOServer(configuration, openedAt: now)
            change(id) { $0.start(into: &$1) }
            touch(id)
        case .received(let id, let packet): change(id) { $0.receive(packet, at: now, into: &$1) }
        case .closed(let id): forget(id)
        }
    }

    private func forget(_ id: SessionID) {
        clients[id] = nil
        service.disconnect(id.number)
    }

    /// Changes a client's machine and performs the effects.
    private func change(_ id: SessionID, _ body: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void) {
        guard let place = clients.index(forKey: id) else { return }
        var effects: [SocketIOServer.Effect] = []
        body(&clients.values[place], &effects)
        for effect in effects { perform(effect, of: id) }
    }

    private func perform(_ effect: SocketIOServer.Effect, of id: SessionID) {
        switch effect {
        case .send(let packet): sessions.send(packet, to: id)
        case .close(let ending):
            forget(id)
            sessions.close(id, ending)
            touch(id)
        case .joinAsked(_, let auth):
            let isWelcome = admits(auth) || service.unauthorized(at: loop.now) != nil
            change(id) { isWelcome ? $0.admit(into: &$1) : $0.refuse(DeclaredService.wrongToken, into: &$1) }
        case .connected(realtime.namespace, let auth):
            // A client admitted without a valid token gets the event for a wrong token, or identifies itself by an
            // event.
            let user = user(of: auth)
            let told = user == nil && !admits(auth) ? service.unauthorized(at: loop.now) : nil
            carryOut(told.map { [.tell(id.number, $0)] } ?? service.connect(id.number, user, at: loop.now))
        case .event(let event) where event.namespace == realtime.namespace: heard(event, from: id)
        case .disconnected(realtime.namespace): service.disconnect(id.number)
        case .connected, .event, .disconnected, .recoveryAsked, .acknowledged, .unacknowledged: break
        }
    }

    // MARK: - Tokens

    private var emissionsWithToken: [Profile.Emission] {
        realtime.emit.filter { $0.arguments.contains { $0.places.contains("token") } }
    }

    /// Returns the owner of CONNECT's token. If the profile sends no token at all, every client is the first user.
    private func user(of auth: RawJSON?) -> DeclaredUser? {
        guard let template = realtime.auth else { return service.user(of: realtime.token(in: auth)) }
        if !template.places.contains("token"), emissionsWithToken.isEmpty { return service.user(of: service.token) }
        return service.user(of: realtime.token(in: auth))
    }

    /// Whether a client may connect: with a known token, or without one if an event will bring it.
    private func admits(_ auth: RawJSON?) -> Bool {
        user(of: auth) != nil || realtime.token(in: auth) == nil && !emissionsWithToken.isEmpty
    }

    // MARK: - Events

    private func heard(_ event: SocketIO.Event, from id: SessionID) {
        let now = loop.now
        let arguments = event.arguments.map { (try? JSONValue(parsing: $0.bytes)) ?? .null }
        let ask = DeclaredAsk.event(event.name, arguments)
        for emission in emissionsWithToken {
            guard let token = ask.values(emission)?["token"]?.plainText else { continue }
            if let user = service.user(of: token) {
                service.identify(id.number, user)
            } else if let news = service.unauthorized(at: now) {
                carryOut([.tell(id.number, news)])
            }
        }
        let answer = service.heard(id.number, ask, at: now)
        if let number = event.ackID {
            let list = JSONValue.array(answer.map { [$0.acknowledgement] } ?? []).raw
            change(id) { $0.acknowledge(number, arguments: list, namespace: event.namespace, into: &$1) }
        }
        carryOut(answer?.effects ?? [])
    }

    func carryOut(_ effects: [DeclaredService.Effect]) {
        for effect in effects {
            switch effect {
            case .tell(let number, let news):
                let list = news.arguments.map(\.raw.description).joined(separator: ",")
                let arguments = list.isEmpty ? nil : RawJSON(unchecked: Array(list.utf8)[...])
                change(SessionID(number: number)) {
                    $0.emit(news.name, arguments: arguments, namespace: realtime.namespace, into: &$1)
                }
            case .drop:
                for id in clients.keys.sorted() {
                    forget(id)
                    sessions.drop(id)
                }
            }
        }
    }
}

extension Profile.Realtime {
    /// Returns the token in the payload of CONNECT or of a Bayeux subscription.
    func token(in auth: RawJSON?) -> String? {
        guard let value = auth.flatMap({ try? JSONValue(parsing: $0.bytes) }) else { return nil }
        guard let template = self.auth else { return value["token"]?.plainText }
        return template.values(in: value)?["token"]?.plainText
    }
}

/// A declared backend on Bayeux. Events of a room are published on the room's channel, and events for all clients on
/// the channels outside the rooms.
actor DeclaredChannels: ChannelHost, DeclaredHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var endpoint: BayeuxEndpoint
    var service: DeclaredService
    var alarm: (due: Moment, timer: LoopTimer)?
    var isOpen = false
    private let realtime: Profile.Realtime
    /// The subscribed channels outside the rooms, by session number.
    private var others: [Int: Set<Bayeux.Channel>] = [:]

    init(on loop: EventLoop, _ service: DeclaredService, _ options: EndpointOptions, seed: UInt64) {
        var service = service
        service.hearAll(0)
        let realtime = service.profile.realtime
        endpoint = BayeuxEndpoint(
            on: loop, path: realtime.path ?? realtime.transport.usualPath,
            BayeuxServer.Configuration(timeout: .seconds(30)), seed: seed)
        (self.loop, self.service, self.realtime) = (loop, service, realtime)
    }

    func forgetClients() {
        others = [:]
        endpoint.forgetSessions()
    }

    var deadline: Moment? { [service.deadline, endpoint.deadline].compactMap { $0 }.min() }
    func advanceClients() { note(endpoint.advance()) }
    func settle() { setAlarm() }
    func answer(_ request: ServerRequest) -> HTTPResponse { rest(request) }

    func carryOut(_ effects: [DeclaredService.Effect]) {
        for effect in effects {
            switch effect {
            case .tell(_, let news): publish(news)
            case .drop(let forgetting):
                endpoint.dropSockets()
                if forgetting { forgetClients() }
            }
        }
    }

    private func publish(_ news: DeclaredNews) {
        let name = service.profile.rooms?.name
        let room = news.room.flatMap { id in name?.filled { _ in id } }.flatMap { Bayeux.Channel($0) }
        let channels = room.map { [$0] } ?? Set(others.values.flatMap { $0 }).sorted { $0.name < $1.name }
        let data = service.speech.message(of: news, usualName: "type").raw
        for channel in channels { note(endpoint.publish(channel, data)) }
    }

    func note(_ occasions: [BayeuxServer.Occasion]) {
        for occasion in occasions {
            switch occasion {
            case .subscribed(let session, let channel):
                service.clock.joinedRoom(at: loop.now)
                if roomID(channel) == nil { others[session, default: []].insert(channel) }
            case .unsubscribed(let session, let channel): others[session]?.remove(channel)
            case .ended(let session): others[session] = nil
            case .began, .published: break
            }
        }
    }

    private func roomID(_ channel: Bayeux.Channel) -> String? {
        service.profile.rooms?.name.values(in: channel.name, stop: "/")?.values.first
    }

    var policy: BayeuxServer.Policy {
        { [self] request in
            switch request {
            case .subscribe(let channel, let ext):
                guard let user = service.user(of: realtime.token(in: ext)) else { return DeclaredService.wrongToken }
                if let room = roomID(channel) { return service.refusal(of: room, to: user) }
                let own = realtime.subscribe.compactMap { $0.filled { $0 == "user" ? user.id : nil } }
                return own.contains(channel.name) ? nil : "403:\(channel.name):no such channel"
            case .publish(let channel, _, _): return "403:\(channel.name):the server alone publishes"
            }
        }
    }
}

/// A declared backend on plain WebSockets: the driver of `MessageServer`.
actor DeclaredMessages: HTTPServerHandler, DeclaredHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var alarm: (due: Moment, timer: LoopTimer)?
    var isOpen = false
    private var machine: MessageServer
    var service: DeclaredService {
        get { machine.service }
        set { machine.service = newValue }
    }
    private let path: String
    private let options: EndpointOptions
    private var sockets: [Int: ServerWebSocket] = [:]
    private var numbers: [ServerWebSocket.ID: Int] = [:]
    private var lastNumber = 0

    init(on loop: EventLoop, _ service: DeclaredService, _ options: EndpointOptions, seed: UInt64) {
        self.loop = loop
        self.options = options
        path = service.profile.realtime.path ?? "/"
        machine = MessageServer(service, heartbeats: options.pingInterval, seed: seed)
    }

    var deadline: Moment? { [service.deadline, machine.deadline].compactMap { $0 }.min() }
    func advanceClients() { perform(machine.advance(to: loop.now)) }

    func forgetClients() {
        (sockets, numbers) = ([:], [:])
        machine.forgetAll()
    }

    func carryOut(_ effects: [DeclaredService.Effect]) { perform(machine.carryOut(effects)) }

    private func perform(_ effects: [MessageServer.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let number, let message):
                guard let socket = sockets[number] else { continue }
                socket.send(.text(message.raw.bytes))
                // A client that does not read is disconnected.
                if socket.pendingBytes > options.maximumPending { cut(number) }
            case .close(let number, let close): sockets[number]?.close(close)
            case .cut(let number): cut(number)
            }
        }
        setAlarm()
    }

    private func cut(_ number: Int) { sockets[number]?.close(WebSocketClose(code: 1006), abrupt: true) }

    nonisolated func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        assumeIsolated { respond($0.rest(request)) }
    }

    nonisolated func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        assumeIsolated { host in
            if upgrade.path != host.path { return HTTPResponse(status: 404) }
            return host.sockets.count >= host.options.maximumSessions ? HTTPResponse(status: 503) : nil
        }
    }

    nonisolated func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        assumeIsolated { host in
            host.lastNumber += 1
            host.sockets[host.lastNumber] = socket
            host.numbers[socket.id] = host.lastNumber
            host.perform(host.machine.opened(host.lastNumber, at: host.loop.now))
        }
    }

    nonisolated func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        assumeIsolated { host in
            guard let number = host.numbers[socket.id] else { return }
            for message in messages {
                host.perform(host.machine.received(message.bytes, on: number, at: host.loop.now))
            }
        }
    }

    nonisolated func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        assumeIsolated { host in
            guard let number = host.numbers.removeValue(forKey: socket.id) else { return }
            host.sockets[number] = nil
            host.machine.closed(number)
        }
    }
}
