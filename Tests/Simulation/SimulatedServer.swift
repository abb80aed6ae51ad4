package import DemoServer
package import Events
import JSONText
package import Wire

/// Twake's server as one value. What it tells of changes goes through queues of their own (3.4).
package struct SimulatedServer: SimulatedService {
    var backend: Backend
    private var clients: [Int: RealtimeConnection] = [:]
    private let lifetime: Duration
    /// Nil: that of each client's protocol revision.
    private let edition: Edition?
    private let revision: EngineIO.Revision

    /// A server whose world is the one of `Scenario.simulated`, and whose lists have pages of `mostRows`. Of no `edition`, its world is that of
    /// 2021, and its sockets are as their clients expect.
    package init(
        seed: UInt64, epoch: Int64, tokenLifetime: Duration, edition: Edition? = nil, revision: EngineIO.Revision = .v4,
        mostRows: Int = 1_000
    ) {
        var tokens = Tokens(key: (seed, ~seed))
        tokens.calendarOffset = epoch
        lifetime = tokenLifetime
        self.edition = edition
        self.revision = revision
        backend = Backend(
            .simulated, seed: seed, epoch: epoch, tokens: tokens, tokenLifetime: tokenLifetime, start: .atOnce,
            edition: edition ?? .of2021, at: .zero)
        backend.mostRows = mostRows
    }

    /// The user who watches.
    package var me: EntityID { backend.me }

    /// The company and the workspaces.
    package var company: EntityID { backend.world.company.id }
    package var workspaces: [EntityID] { backend.world.workspaces.map(\.id) }

    /// What is true for the user who watches.
    package var truth: WorldTruth { backend.world.truth(for: backend.me) }

    /// Who is there: connected, or said to be there without being a client.
    package var present: Set<EntityID> { Set(clients.values.compactMap(\.user) + backend.world.present) }

    /// A new token of the user who watches.
    package func token(at now: Moment) -> Secret { backend.tokens.issue(for: backend.me, at: now, lifetime: lifetime) }

    /// Every token made before `now` is expired.
    package mutating func expireTokens(at now: Moment) { backend.tokens.expiredBefore = now }

    // MARK: - Time

    /// When `advance` wants to be called next.
    package var deadline: Moment? {
        clients.values.reduce(backend.deadline) { due, client in
            guard let own = client.deadline else { return due }
            return due.map { min($0, own) } ?? own
        }
    }

    /// Does what is due by `now`.
    package mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication] {
        for client in clients.keys.sorted() {
            change(client, into: &outputs) { $0.advance(to: now, $1, into: &$2) }
        }
        return backend.advance(to: now).map { SimulatedPublication($0) }
    }

    // MARK: - Clients

    /// A client's WebSocket opened.
    package mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput]) {
        let configuration = SocketIOServer.Configuration(revision: revision, sid: "session\(client)", upgrades: [])
        clients[client] = RealtimeConnection(configuration, edition, openedAt: now)
        change(client, into: &outputs) { $0.start(at: now, $1, into: &$2) }
    }

    /// A client's message arrived.
    package mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication] {
        change(client, into: &outputs) { $0.receive(message, at: now, $1, into: &$2) }
    }

    /// A client's socket is gone.
    package mutating func forget(_ client: Int) { clients[client] = nil }

    /// The process ended: nobody is connected any more.
    package mutating func forgetAll() { clients = [:] }

    /// Takes a client out of the namespace (`41`), in whichever manner.
    package mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput]) {
        change(client, into: &outputs) { connection, _, effects in connection.kick(into: &effects) }
    }

    /// A publication reaches its room.
    package mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput]) {
        guard case .frame(let frame) = publication.content else { return }
        for client in clients.keys.sorted() where clients[client]?.rooms.contains(frame.room) == true {
            change(client, into: &outputs) { connection, _, effects in
                connection.deliver(frame.name, to: frame.room, frame.payload.raw, into: &effects)
            }
        }
    }

    /// Sends a client an event, whatever its rooms; `arguments` is one JSON value.
    package mutating func emit(
        _ name: String, _ arguments: String, to client: Int, into outputs: inout [SimulatedOutput]
    ) {
        let value = RawJSON(unchecked: ArraySlice(arguments.utf8))
        change(client, into: &outputs) { connection, _, effects in connection.emit(name, value, into: &effects) }
    }

    @discardableResult
    private mutating func change(
        _ client: Int, into outputs: inout [SimulatedOutput],
        _ body: (inout RealtimeConnection, Tokens, inout [RealtimeConnection.Effect]) -> Void
    ) -> [SimulatedPublication] {
        guard let place = clients.index(forKey: client) else { return [] }
        var effects: [RealtimeConnection.Effect] = []
        body(&clients.values[place], backend.tokens, &effects)
        var publications: [SimulatedPublication] = []
        for effect in effects {
            switch effect {
            case .send(let message): outputs.append(.send(client: client, message))
            case .publish(let frame): publications.append(SimulatedPublication(frame))
            case .present(let user):
                publications.append(SimulatedPublication(backend.world.presenceFrame(user, isOnline: true)))
            case .absent(let user):
                publications.append(SimulatedPublication(backend.world.presenceFrame(user, isOnline: false)))
            case .presenceAsked(let users, let ackID):
                let present = present
                let presence = users.map { (user: $0, isOnline: present.contains($0)) }
                change(client, into: &outputs) { connection, _, effects in
                    connection.tellPresence(presence, ackID: ackID, into: &effects)
                }
            case .joinWanted, .joined, .left, .repeatToAll: break
            case .close:
                forget(client)
                outputs.append(.close(client: client))
            }
        }
        return publications
    }

    // MARK: - REST

    /// Answers a request; the publications are what it makes the server tell.
    package mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], publications: [SimulatedPublication]) {
        let request = RESTRequest(method: method, target: target, body: body, bearer: bearer)
        let (response, frames) = backend.handle(request, at: now)
        return (response.status, response.body, frames.map { SimulatedPublication($0) })
    }

    // MARK: - What simulations ask

    package var conversations: Set<EntityID> { Set(truth.channels.map(\.id)) }

    package var sayings: [SimulatedSaying] {
        truth.channels.flatMap { channel in
            channel.threads.flatMap { thread in
                thread.messages.map { message in
                    SimulatedSaying(
                        id: message.id, conversation: channel.id, thread: thread.id, text: message.text,
                        createdAt: message.createdAt)
                }
            }
        }
    }

    package func isJoinAnswer(_ message: WebSocketMessage) -> Bool {
        String(decoding: message.bytes.prefix(40), as: UTF8.self).contains("realtime:join:")
    }
}
