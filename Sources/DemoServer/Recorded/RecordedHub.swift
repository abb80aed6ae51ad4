import Network
import Wire

/// The driver of a recorded server. It runs on the loop and passes socket input and the time to the clients' machines.
actor RecordedHub: SessionHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var sessions: SessionRoom
    private let script: RecordedScript
    private var clients: [SessionID: (connection: Int, machine: RecordedConnection)] = [:]
    /// Recorded connections reserved for clients that were cut off and have not reconnected.
    private var awaited: [Int] = []
    private var answers: RecordedAnswers

    init(on loop: EventLoop, _ script: RecordedScript, _ options: EndpointOptions) {
        self.loop = loop
        self.script = script
        answers = RecordedAnswers(script.exchanges)
        var random = SystemRandomNumberGenerator()
        sessions = SessionRoom(on: loop, options, ids: IDSource(seed: random.next(), stream: .sessions))
    }

    /// Forgets the clients, which are disconnected when the listener closes.
    func stop() {
        clients = [:]
        sessions.removeAll()
    }

    func answer(_ request: ServerRequest) -> HTTPResponse {
        let target = request.query.isEmpty ? request.path : request.path + "?" + request.query
        guard let answer = answers.next(request.method, target) else { return HTTPResponse(status: 404) }
        let headers = answer.body.isEmpty ? [] : [(name: "content-type", value: "application/json; charset=utf-8")]
        return HTTPResponse(status: answer.status, headers: headers, body: answer.body)
    }

    func settled() {}

    func deadline(of id: SessionID) -> Moment? { clients[id]?.machine.deadline }

    func advance(_ id: SessionID, to now: Moment) { change(id) { $0.advance(to: now, into: &$1) } }

    func perform(_ event: SessionEvent) {
        let now = loop.now
        switch event {
        case .opened(let id, let opening):
            let number = awaited.isEmpty ? 0 : awaited.removeFirst()
            let connection = script.connections.indices.contains(number) ? script.connections[number] : .init()
            let configuration = sessions.options.socketIO(opening, namespaces: script.namespaces)
            clients[id] = (number, RecordedConnection(configuration, connection, speed: script.speed, openedAt: now))
            change(id) { $0.start(at: now, into: &$1) }
            touch(id)
        case .received(let id, let packet): change(id) { $0.receive(packet, at: now, into: &$1) }
        case .closed(let id): clients[id] = nil
        }
    }

    private func change(
        _ id: SessionID, _ body: (inout RecordedConnection, inout [RecordedConnection.Effect]) -> Void
    ) {
        guard let place = clients.index(forKey: id) else { return }
        var effects: [RecordedConnection.Effect] = []
        body(&clients.values[place].machine, &effects)
        for effect in effects {
            switch effect {
            case .send(let packet): sessions.send(packet, to: id)
            case .close(let ending):
                clients[id] = nil
                sessions.close(id, ending)
                touch(id)
            case .cut:
                if let client = clients.removeValue(forKey: id), client.connection + 1 < script.connections.count {
                    awaited.append(client.connection + 1)
                }
                sessions.drop(id)
            }
        }
    }
}

/// The recorded answers to requests. For each method and path they come in the recorded order, and the last one
/// repeats.
struct RecordedAnswers {
    private struct Key: Hashable {
        var method: String
        var target: String
    }

    private var answers: [Key: ArraySlice<RecordedScript.Exchange>] = [:]

    init(_ exchanges: [RecordedScript.Exchange]) {
        for exchange in exchanges {
            answers[Key(method: exchange.method, target: exchange.target), default: []].append(exchange)
        }
    }

    /// Returns the next answer; `nil` when none was recorded.
    mutating func next(_ method: String, _ target: String) -> RecordedScript.Exchange? {
        let key = Key(method: method, target: target)
        guard let first = answers[key]?.first else { return nil }
        if let count = answers[key]?.count, count > 1 { answers[key]?.removeFirst() }
        return first
    }
}
