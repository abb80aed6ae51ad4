import JSONText
import Network
import Pipeline
import Wire

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
