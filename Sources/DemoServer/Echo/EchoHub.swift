import Network
import Wire

/// The echo server's hand: lives on the loop, gives the connections what the sockets say and the time.
actor EchoHub: SessionHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var sessions: SessionRoom
    private let service: EchoServer.Service
    private var clients: [SessionID: any EchoConnection] = [:]

    init(on loop: EventLoop, _ service: EchoServer.Service, _ options: EndpointOptions) {
        self.loop = loop
        self.service = service
        var random = SystemRandomNumberGenerator()
        sessions = SessionRoom(on: loop, options, ids: IDSource(seed: random.next(), stream: .sessions))
    }

    /// Clients are gone with the listener.
    func stop() {
        clients = [:]
        sessions.removeAll()
    }

    func answer(_ request: ServerRequest) -> HTTPResponse { HTTPResponse(status: 404) }

    func settle() {
        var events = sessions.takeEvents()
        while !events.isEmpty {
            for event in events { perform(event) }
            events = sessions.takeEvents()
        }
        sessions.endPosts()
    }

    func touch(_ id: SessionID) {
        sessions.setTimer(id, due: clients[id]?.deadline) { [weak self] in
            self?.assumeIsolated { $0.timerFired(of: id) }
        }
    }

    private func timerFired(of id: SessionID) {
        let now = loop.now
        sessions.advance(id, to: now)
        change(id) { $0.advance(to: now) }
        settle()
        touch(id)
    }

    private func perform(_ event: SessionEvent) {
        let now = loop.now
        switch event {
        case .opened(let id, let opening):
            clients[id] = connection(opening, at: now)
            change(id) { $0.start() }
            touch(id)
        case .received(let id, let packet): change(id) { $0.receive(packet, at: now) }
        case .closed(let id): clients[id] = nil
        }
    }

    private func connection(_ opening: SessionOpening, at now: Moment) -> any EchoConnection {
        switch service {
        case .socketIO: SocketIOEcho(opening, sessions.options, openedAt: now)
        case .engineIO: EngineIOEcho(opening, sessions.options, openedAt: now)
        }
    }

    private func change(_ id: SessionID, _ body: (inout any EchoConnection) -> [EchoEffect]) {
        guard let place = clients.index(forKey: id) else { return }
        for effect in body(&clients.values[place]) {
            switch effect {
            case .send(let packet): sessions.send(packet, to: id)
            case .close(let ending):
                clients[id] = nil
                sessions.close(id, ending)
                touch(id)
            }
        }
    }
}
