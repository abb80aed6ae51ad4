import TestSupport
import WeirJSON
import WeirNetwork
import WeirThreads
import WeirWire

/// A Socket.IO server of the house on a loopback port, with a few commands.
final class ChatServer: HTTPServerHandler {
    private struct Client {
        let socket: ServerWebSocket
        var machine: SocketIOServer
    }

    private struct State {
        var clients: [ObjectIdentifier: Client] = [:]
        var answersJoins = true
        var opened = 0
    }

    let loop: EventLoop
    /// The events of the clients: "joined /", "closed", or the name of an event.
    let log = Mailbox<String>()
    private let state = Monitor(State())
    private let server = Monitor<HTTPServer?>(nil)

    init() throws {
        loop = try EventLoop(name: "weir-chat")
        let made = try HTTPServer(on: loop, handler: self)
        server.change { $0 = made }
    }

    var url: String { "http://127.0.0.1:\(server.look { $0?.port ?? 0 })" }

    /// Leaves the joins of later clients without an answer.
    func ignoreJoins() { state.change { $0.answersJoins = false } }
    func answerJoins() { state.change { $0.answersJoins = true } }

    /// Cuts the TCP connection of every client.
    func cut() {
        loop.run { [self] in
            for client in state.look({ Array($0.clients.values) }) {
                client.socket.close(.init(code: 1001), abrupt: true)
            }
        }
    }

    func close() {
        server.change { $0 }?.close()
        loop.shutDown()
    }

    // MARK: The handler

    func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        respond(HTTPResponse(status: 404))
    }

    func refuses(_ upgrade: ServerRequest) -> HTTPResponse? { nil }

    func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        let number = state.change { state -> Int in
            state.opened += 1
            return state.opened
        }
        let revision: EngineIO.Revision = upgrade.queryParameter("EIO") == "3" ? .v3 : .v4
        var configuration = SocketIOServer.Configuration(
            revision: revision, sid: "s\(number)", namespaces: ["/", "/admin"])
        configuration.asks = true
        let machine = SocketIOServer(configuration, openedAt: loop.now)
        state.change { $0.clients[ObjectIdentifier(socket)] = Client(socket: socket, machine: machine) }
        step(socket) { $0.start(into: &$1) }
    }

    func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        for message in messages { step(socket) { [loop] in $0.receive(message, at: loop.now, into: &$1) } }
    }

    func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        state.change { $0.clients[ObjectIdentifier(socket)] = nil }
        log.put("closed")
    }

    private func step(
        _ socket: ServerWebSocket, _ body: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) {
        let key = ObjectIdentifier(socket)
        guard var machine = state.look({ $0.clients[key]?.machine }) else { return }
        var effects: [SocketIOServer.Effect] = []
        body(&machine, &effects)
        while !effects.isEmpty {
            var next: [SocketIOServer.Effect] = []
            for effect in effects { perform(effect, socket, &machine, &next) }
            effects = next
        }
        state.change { $0.clients[key]?.machine = machine }
    }

    private func perform(
        _ effect: SocketIOServer.Effect, _ socket: ServerWebSocket, _ machine: inout SocketIOServer,
        _ next: inout [SocketIOServer.Effect]
    ) {
        switch effect {
        case .send(let message): socket.send(message)
        case .close: socket.close(.init(code: 1000))
        case .joinAsked(let namespace, let auth):
            guard state.look({ $0.answersJoins }) else { return }
            if namespace == "/admin", auth?.description.contains("secret") != true {
                machine.refuse("not an admin", into: &next)
            } else {
                machine.admit(into: &next)
            }
        case .connected(let namespace, let auth):
            log.put("joined \(namespace)")
            machine.emit("welcome", arguments: auth ?? json("null"), namespace: namespace, into: &next)
        case .event(let event):
            log.put(event.name)
            answer(event, &machine, &next)
        case .acknowledged(let answer):
            machine.emit("answered", arguments: answer.arguments, into: &next)
        case .disconnected(let namespace): log.put("left \(namespace)")
        case .recoveryAsked, .unacknowledged: break
        }
    }

    private func answer(
        _ event: SocketIO.Event, _ machine: inout SocketIOServer, _ next: inout [SocketIOServer.Effect]
    ) {
        let list = SocketIOArgumentsText(event)
        switch event.name {
        case "silent": return
        case "flood":
            let count = Int(event.argument(0)?.description ?? "") ?? 0
            let filler = String(repeating: "x", count: 100)
            for number in 0..<count {
                machine.emit("tick", arguments: json("\(number),\"\(filler)\""), into: &next)
            }
        case "ask": machine.emit("question", arguments: json("\"why?\""), wantsAck: true, into: &next)
        case "kick": machine.disconnect(namespace: event.namespace, into: &next)
        case "say":
            machine.emit(
                "said", arguments: list.list, attachments: event.attachments, namespace: event.namespace, into: &next)
        default: break
        }
        guard let id = event.ackID else { return }
        machine.acknowledge(
            id, arguments: list.array, attachments: event.attachments, namespace: event.namespace, into: &next)
    }
}

/// An event's arguments as texts to send again.
private struct SocketIOArgumentsText {
    let array: RawJSON
    let list: RawJSON?

    init(_ event: SocketIO.Event) {
        var arguments = SocketIO.Arguments()
        for argument in event.arguments { arguments.append(argument) }
        (array, list) = (arguments.array, arguments.list)
    }
}

func json(_ text: String) -> RawJSON { RawJSON(unchecked: ArraySlice(text.utf8)) }

/// Runs `body` with a server, and closes the server.
func withServer(_ body: (ChatServer) async throws -> Void) async throws {
    let server = try ChatServer()
    defer { server.close() }
    try await body(server)
}
