import WeirJSON
package import WeirNetwork
import WeirThreads
import WeirWire

/// A server that echoes what it receives, for trying out clients. It speaks Socket.IO or bare Engine.IO, in Engine.IO 3
/// and 4, over polling, WebSocket and the upgrade between them. It has no tokens and no REST.
///
/// With `EndpointOptions.recovery`, disconnected clients of Engine.IO 4 recover missed events. Every event then has one
/// more argument, its offset, as with the JavaScript server.
///
/// A client that does not read is disconnected when `EndpointOptions.maximumPending` bytes wait for it.
package final class EchoServer: Sendable {
    /// The protocol that the server speaks.
    package enum Service: Hashable, Sendable {
        /// Socket.IO with the namespaces `/` and `/custom`. A client that joins one receives `auth` with the payload it
        /// joined with. The server answers `message` with `message-back` and the same arguments, and acknowledges
        /// `message-with-ack` with its arguments.
        case socketIO
        /// Engine.IO: every message is returned unchanged.
        case engineIO

        /// The protocol's default path: `/socket.io/` or `/engine.io/`.
        package var path: String {
            switch self {
            case .socketIO: "/socket.io/"
            case .engineIO: "/engine.io/"
            }
        }
    }

    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    private let hub: EchoHub
    private let http: HTTPServer

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, service: Service = .socketIO,
        options: EndpointOptions? = nil
    ) throws(NetworkError) {
        let options = options ?? EndpointOptions(path: service.path)
        hub = EchoHub(on: loop, service, options)
        http = try HTTPServer(on: loop, address: address, port: port, endpoint: options, handler: hub)
        url = http.url(address)
    }

    /// Stops listening and cuts every connection. The loop must not call it.
    package func close() {
        http.close()
        let hub = hub
        hub.loop.run { hub.assumeIsolated { $0.stop() } }
    }
}

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

/// An effect of an echo connection. Effects are performed in order.
enum EchoEffect: Hashable, Sendable {
    /// Sends a packet of the session's stream.
    case send(WebSocketMessage)
    /// Ends the session. The machine takes no more input.
    case close(EngineIO.Ending)
}

/// A client of the echo server: a machine that takes packets and the time. It also takes the server's recovery store
/// for disconnected clients, if the server has one.
protocol EchoConnection: Sendable {
    /// The time at which `advance` must be called next.
    var deadline: Moment? { get }
    /// The sessions to store for recovery when the client is disconnected.
    var recoverableSessions: [SocketIORecoveryStore.Session] { get }
    /// Starts the session, which sends the open packet.
    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
    /// Handles a packet from the client.
    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect]
    /// Performs everything that is due up to `now`.
    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect]
}

/// A bare Engine.IO echo: every message is returned unchanged.
struct EngineIOEcho: EchoConnection {
    private enum State {
        /// The session is open. → closed
        case open(EngineIOServer)
        case closed
    }

    private let revision: EngineIO.Revision
    private let handshake: EngineIO.Handshake
    private var state: State

    init(_ opening: SessionOpening, _ options: EndpointOptions, openedAt now: Moment) {
        revision = opening.revision
        handshake = options.socketIO(opening).handshake
        state = .open(EngineIOServer(opening.revision, handshake, openedAt: now))
    }

    var deadline: Moment? {
        switch state {
        case .open(let engine): engine.deadline
        case .closed: nil
        }
    }

    /// The sessions to recover: always none, since Engine.IO has no recovery.
    var recoverableSessions: [SocketIORecoveryStore.Session] { [] }

    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        [.send(handshake.openPacket)]
    }

    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        guard case .open(var engine) = state else { return [] }
        do throws(SocketIO.Malformed) {
            let received = try engine.receive(packet, at: now)
            state = .open(engine)
            switch received {
            case .message, .binary: return [.send(packet)]
            case .answer(let answer): return [.send(answer)]
            case .nothing: return []
            }
        } catch {
            return close(.lost("parse error: \(error.message)"))
        }
    }

    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        var effects: [EchoEffect] = []
        while case .open(var engine) = state, engine.deadline <= now {
            guard let ping = engine.fire() else { return effects + close(.lost("ping timeout")) }
            state = .open(engine)
            effects.append(.send(ping))
        }
        return effects
    }

    private mutating func close(_ ending: EngineIO.Ending) -> [EchoEffect] {
        state = .closed
        return [.close(ending)]
    }
}

/// A Socket.IO echo: `message` is returned, and `message-with-ack` is acknowledged.
struct SocketIOEcho: EchoConnection {
    private var server: SocketIOServer

    /// Creates a connection. `recoverySecret` is unique to it; `nil` on a server without recovery.
    init(_ opening: SessionOpening, _ options: EndpointOptions, recoverySecret: Secret?, openedAt now: Moment) {
        server = SocketIOServer(
            options.socketIO(opening, namespaces: ["/", "/custom"], recoverySecret: recoverySecret), openedAt: now)
    }

    var deadline: Moment? { server.deadline }
    var recoverableSessions: [SocketIORecoveryStore.Session] { server.recoverableSessions }

    mutating func start(at now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        run(at: now, &memory) { $0.start(into: &$1) }
    }

    mutating func receive(
        _ packet: WebSocketMessage, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        run(at: now, &memory) { $0.receive(packet, at: now, into: &$1) }
    }

    mutating func advance(to now: Moment, _ memory: inout SocketIORecoveryStore?) -> [EchoEffect] {
        run(at: now, &memory) { $0.advance(to: now, into: &$1) }
    }

    /// Runs a step of the machine and handles its effects.
    private mutating func run(
        at now: Moment, _ memory: inout SocketIORecoveryStore?,
        _ step: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) -> [EchoEffect] {
        var below: [SocketIOServer.Effect] = []
        step(&server, &below)
        var effects: [EchoEffect] = []
        for effect in below {
            switch effect {
            case .send(let packet): effects.append(.send(packet))
            case .close(let ending): effects.append(.close(ending))
            case .connected(let namespace, let auth):
                // The JavaScript server represents a missing payload by an empty object.
                let auth = auth ?? RawJSON(unchecked: ArraySlice("{}".utf8))
                effects += emit(.init("auth", arguments: auth, namespace: namespace), at: now, &memory)
            case .event(let event): effects += answer(event, at: now, &memory)
            case .recoveryAsked(let namespace, let pid, let offset, let auth):
                let restored = memory?.restore(pid: pid, offset: offset, namespace: namespace, at: now)
                effects += run(at: now, &memory) {
                    $0.recover(restored, namespace: namespace, auth: auth, into: &$1)
                }
            case .joinAsked, .acknowledged, .unacknowledged, .disconnected: break
            }
        }
        return effects
    }

    private mutating func answer(
        _ event: SocketIO.Event, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        let list = event.argumentList
        switch (event.name, event.ackID) {
        case ("message", _):
            return emit(
                .init(
                    "message-back", arguments: list, attachments: event.attachments, namespace: event.namespace),
                at: now, &memory)
        case ("message-with-ack", let id?):
            let arguments = RawJSON(unchecked: ([UInt8(ascii: "[")] + (list?.bytes ?? []) + [UInt8(ascii: "]")])[...])
            return run(at: now, &memory) {
                $0.acknowledge(
                    id, arguments: arguments, attachments: event.attachments, namespace: event.namespace, into: &$1)
            }
        default: return []
        }
    }

    /// Sends an event to this client only, and stores it for recovery.
    private mutating func emit(
        _ emission: SocketIO.Emission, at now: Moment, _ memory: inout SocketIORecoveryStore?
    ) -> [EchoEffect] {
        let namespace = emission.namespace ?? "/"
        var emission = emission
        if let client = server.socketID(in: namespace) {
            emission = memory?.record(emission, to: [client], at: now) ?? emission
        }
        return run(at: now, &memory) {
            $0.emit(
                emission.name, arguments: emission.arguments, attachments: emission.attachments, namespace: namespace,
                into: &$1)
        }
    }
}
