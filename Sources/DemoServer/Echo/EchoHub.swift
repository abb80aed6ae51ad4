import Network
import Wire

/// The driver of the echo server. It runs on the loop and passes socket input and the time to the connections.
actor EchoHub: SessionHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var sessions: SessionRoom
    private let service: EchoServer.Service
    private var clients: [SessionID: any EchoConnection] = [:]
    /// The recovery store for disconnected clients; `nil` without recovery.
    private var memory: SocketIORecoveryStore?
    private var random = SystemRandomNumberGenerator()

    init(on loop: EventLoop, _ service: EchoServer.Service, _ options: EndpointOptions) {
        self.loop = loop
        self.service = service
        sessions = SessionRoom(on: loop, options, ids: IDSource(seed: random.next(), stream: .sessions))
        memory = options.recovery.map { absence in
            SocketIORecoveryStore(.init(maximumAbsence: absence), epoch: Self.epoch(of: loop))
        }
    }

    /// The wall-clock time at the start of the loop's clock, in milliseconds since 1970.
    private static func epoch(of loop: EventLoop) -> Int64 {
        MachineClock.wall / 1000 - loop.now.microseconds / 1000
    }

    /// Forgets the clients, which are disconnected when the listener closes.
    func stop() {
        clients = [:]
        sessions.removeAll()
    }

    func answer(_ request: ServerRequest) -> HTTPResponse { HTTPResponse(status: 404) }

    func settled() {}

    func deadline(of id: SessionID) -> Moment? { clients[id]?.deadline }

    func advance(_ id: SessionID, to now: Moment) { change(id) { $0.advance(to: now, &$1) } }

    func perform(_ event: SessionEvent) {
        let now = loop.now
        switch event {
        case .opened(let id, let opening):
            clients[id] = connection(opening, at: now)
            change(id) { $0.start(at: now, &$1) }
            touch(id)
        case .received(let id, let packet): change(id) { $0.receive(packet, at: now, &$1) }
        case .closed(let id): forget(id)
        }
    }

    private func connection(_ opening: SessionOpening, at now: Moment) -> any EchoConnection {
        switch service {
        case .socketIO:
            SocketIOEcho(
                opening, sessions.options,
                recoverySecret: memory.map { _ in Secret("\(random.next() as UInt64) \(random.next() as UInt64)") },
                openedAt: now)
        case .engineIO: EngineIOEcho(opening, sessions.options, openedAt: now)
        }
    }

    /// Forgets a client, and stores its sessions so that it can recover missed events.
    private func forget(_ id: SessionID) {
        for session in clients.removeValue(forKey: id)?.recoverableSessions ?? [] {
            memory?.save(session, at: loop.now)
        }
    }

    private func change(
        _ id: SessionID, _ body: (inout any EchoConnection, inout SocketIORecoveryStore?) -> [EchoEffect]
    ) {
        guard let place = clients.index(forKey: id) else { return }
        for effect in body(&clients.values[place], &memory) {
            switch effect {
            case .send(let packet): sessions.send(packet, to: id)
            case .close(let ending):
                forget(id)
                sessions.close(id, ending)
                touch(id)
            }
        }
    }
}
