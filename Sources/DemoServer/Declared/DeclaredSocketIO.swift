import JSONText
import Network
import Pipeline
import Wire

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
