import Network
import Wire

/// The echo server's hand: lives on the loop, gives the connections what the sockets say and the time.
actor EchoHub: SessionHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var sessions: SessionRoom
    private let service: EchoServer.Service
    private var clients: [SessionID: any EchoConnection] = [:]
    /// What is known of clients that were cut off; nil when none are taken back.
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

    /// The calendar's milliseconds at the start of the loop's clock.
    private static func epoch(of loop: EventLoop) -> Int64 {
        MachineClock.wall / 1000 - loop.now.microseconds / 1000
    }

    /// Clients are gone with the listener.
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

    /// The client is gone; should it come back, it finds what it missed.
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
