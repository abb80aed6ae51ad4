package import WeirJSON
package import WeirNetwork
import WeirWire

/// A server that replays the output of another server. It speaks Socket.IO with its own handshakes, sends the recorded
/// events at their times after a client joins the namespace, and answers REST requests with the recorded answers, in
/// order for each method and path.
///
/// Every client gets the recording from its beginning. A client that is cut off at the loss of a recorded connection
/// gets the next connection after it reconnects.
package final class RecordedServer: Sendable {
    /// The URL at which clients reach the server: `http://address:port`.
    package let url: String
    private let hub: RecordedHub
    private let http: HTTPServer

    /// Starts listening on `address` and `port` (0 lets the system choose one), and returns when clients can connect.
    /// Not from the loop.
    package init(
        on loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0, script: RecordedScript,
        options: EndpointOptions
    ) throws(NetworkError) {
        hub = RecordedHub(on: loop, script, options)
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

/// A server's recorded output for replay: events with their times, and answers to requests.
package struct RecordedScript: Sendable {
    /// An event that the server sent.
    package struct Event: Sendable {
        package var namespace: String
        package var name: String
        /// The arguments, as JSON values separated by commas; `nil` if there are none.
        package var arguments: RawJSON?
        /// The binary data for the placeholders in `arguments`.
        package var attachments: [ArraySlice<UInt8>]
        package init(
            namespace: String, name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = []
        ) {
            self.namespace = namespace
            self.name = name
            self.arguments = arguments
            self.attachments = attachments
        }
    }

    /// A recorded step of a connection.
    package enum Step: Sendable {
        /// The server sent this event.
        case event(Event)
        /// The client sent an event of this name. The next steps may be a reaction to it, so they wait for the client
        /// to do the same.
        case heard(name: String)
        /// The server acknowledged the event at this index among those that requested it, counted from 0. `arguments`
        /// is a JSON array.
        case acknowledged(index: Int, namespace: String, arguments: RawJSON)
        /// The connection was lost here.
        case lost
    }

    /// A recorded connection, from the time its namespace was joined.
    package struct Connection: Sendable {
        /// The steps with their times since the namespace was joined.
        package var steps: [(at: Duration, step: Step)]
        package init(steps: [(at: Duration, step: Step)] = []) { self.steps = steps }
    }

    /// A request and the recorded answer to it.
    package struct Exchange: Sendable {
        /// The HTTP method of the request.
        package var method: String
        /// The request's path and query.
        package var target: String
        /// The answer's HTTP status code.
        package var status: Int
        /// The bytes of the answer's body.
        package var body: [UInt8]
        package init(method: String, target: String, status: Int, body: [UInt8]) {
            self.method = method
            self.target = target
            self.status = status
            self.body = body
        }
    }

    /// The recorded connections, in the order of connecting.
    package var connections: [Connection]
    /// The exchanges, in the order of their answers.
    package var exchanges: [Exchange]
    /// The namespaces that a client may join.
    package var namespaces: [String]
    /// The speed of the replay relative to the recording; `nil` for no waiting.
    package var speed: Double?

    package init(connections: [Connection], exchanges: [Exchange], namespaces: [String], speed: Double? = 1) {
        self.connections = connections
        self.exchanges = exchanges
        self.namespaces = namespaces
        self.speed = speed
    }
}

/// A client of a recorded server. It receives what was sent on one recorded connection, at the same times after it
/// joined the namespace.
///
/// It is a state machine. Before a step at which the recorded client had sent an event, it waits for its client to do
/// the same, so that an answer never precedes its cause. It waits at most `patience`, since the client may be a
/// different program. If a client fails to send an event of some name, the machine does not wait for that name again.
struct RecordedConnection: Sendable {
    /// An effect of the machine. Effects are performed in order.
    enum Effect: Hashable, Sendable {
        case send(WebSocketMessage)
        /// Ends the session. The machine takes no more input.
        case close(EngineIO.Ending)
        /// Cuts the client off, as the recorded connection was lost here. After a reconnect the client gets the next
        /// connection.
        case cut
    }

    /// The machine's position in its steps.
    private enum State {
        /// The client has joined no namespace yet. → playing
        case outside
        /// The steps are timed from `from`; `waitingSince` is when the machine began to wait for the client. → over
        case playing(from: Moment, waitingSince: Moment?)
        /// All steps were played, or the session ended.
        case over
    }

    /// The longest time to wait for an event that the recorded client had sent.
    static let patience: Duration = .seconds(2)

    private var server: SocketIOServer
    private let speed: Double?
    private var steps: ArraySlice<(at: Duration, step: RecordedScript.Step)>
    private var state = State.outside
    /// By name, the number of events that the client sent ahead of the recorded one.
    private var heard: [String: Int] = [:]
    /// The names of events that the client failed to send in time.
    private var missed: Set<String> = []
    /// The client's events that request an acknowledgement, in order.
    private var asks: [(namespace: String, id: Int)] = []

    init(
        _ configuration: SocketIOServer.Configuration, _ connection: RecordedScript.Connection, speed: Double?,
        openedAt now: Moment
    ) {
        server = SocketIOServer(configuration, openedAt: now)
        steps = connection.steps[...]
        self.speed = speed
    }

    /// The time at which `advance` must be called next.
    var deadline: Moment? {
        guard let own = ownDeadline else { return server.deadline }
        return server.deadline.map { min($0, own) } ?? own
    }

    private var ownDeadline: Moment? {
        guard case .playing(let start, let waitingSince) = state, let next = steps.first else { return nil }
        return waitingSince.map { $0 + Self.patience } ?? due(next.at, from: start)
    }

    /// Starts the session, which sends the open packet.
    mutating func start(at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.start(into: &$1) }
    }

    /// Handles a packet from the client.
    mutating func receive(_ packet: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.receive(packet, at: now, into: &$1) }
    }

    /// Performs everything that is due.
    mutating func advance(to now: Moment, into effects: inout [Effect]) {
        run(at: now, into: &effects) { $0.advance(to: now, into: &$1) }
    }

    private mutating func run(
        at now: Moment, into effects: inout [Effect],
        _ body: (inout SocketIOServer, inout [SocketIOServer.Effect]) -> Void
    ) {
        var below: [SocketIOServer.Effect] = []
        body(&server, &below)
        for effect in below { take(effect, at: now, into: &effects) }
        play(at: now, into: &effects)
    }

    private mutating func take(_ effect: SocketIOServer.Effect, at now: Moment, into effects: inout [Effect]) {
        switch effect {
        case .send(let message): effects.append(.send(message))
        case .close(let ending):
            state = .over
            effects.append(.close(ending))
        case .connected: if case .outside = state { state = .playing(from: now, waitingSince: nil) }
        case .event(let event):
            heard[event.name, default: 0] += 1
            if let id = event.ackID, asks.count < Self.mostAsks { asks.append((event.namespace, id)) }
        case .recoveryAsked, .joinAsked, .acknowledged, .unacknowledged, .disconnected: break
        }
    }

    /// The maximum number of acknowledgements that a client may wait for.
    private static let mostAsks = 10_000

    // MARK: - The steps

    private func due(_ time: Duration, from start: Moment) -> Moment {
        guard let speed else { return start }
        return start + .microseconds(Int64(min(Double(time.microseconds) / speed, 1e15)))
    }

    /// Plays the steps that are due.
    private mutating func play(at now: Moment, into effects: inout [Effect]) {
        while case .playing(let start, let waitingSince) = state {
            guard let next = steps.first else { return }
            guard due(next.at, from: start) <= now else { return }
            if case .heard(let name) = next.step {
                if let count = heard[name], count > 0 {
                    heard[name] = count - 1
                } else if let waitingSince {
                    guard waitingSince + Self.patience <= now else { return }
                    missed.insert(name)
                } else if !missed.contains(name) {
                    state = .playing(from: start, waitingSince: now)
                    return
                }
            }
            steps.removeFirst()
            // A wait delays all later steps by the same time.
            let late = waitingSince.map { speed == nil ? .zero : now - max($0, due(next.at, from: start)) } ?? .zero
            state = .playing(from: start + late, waitingSince: nil)
            perform(next.step, into: &effects)
        }
    }

    private mutating func perform(_ step: RecordedScript.Step, into effects: inout [Effect]) {
        var below: [SocketIOServer.Effect] = []
        switch step {
        case .event(let event):
            guard !SocketIO.isReserved(event.name) else { return }
            server.emit(
                event.name, arguments: event.arguments, attachments: event.attachments, namespace: event.namespace,
                into: &below)
        case .acknowledged(let index, let namespace, let arguments):
            guard index < asks.count, asks[index].namespace == namespace else { return }
            server.acknowledge(asks[index].id, arguments: arguments, namespace: namespace, into: &below)
        case .heard: return
        case .lost:
            state = .over
            effects.append(.cut)
        }
        for case .send(let message) in below { effects.append(.send(message)) }
    }
}
