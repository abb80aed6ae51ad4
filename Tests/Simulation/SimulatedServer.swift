package import WeirDemoServer
package import WeirEvents
import WeirJSON
package import WeirWire

/// Twake's server as a value. Its publications travel in separate queues (Twake TW-47).
package struct SimulatedServer: SimulatedService {
    var backend: Backend
    private var clients: [Int: RealtimeConnection] = [:]
    private let lifetime: Duration
    /// The edition of the server; `nil` for that of each client's protocol revision.
    private let edition: Edition?
    private let revision: EngineIO.Revision

    /// Creates a server with the world of `Scenario.simulated` and lists with pages of `mostRows`. Without an
    /// `edition`, its world is that of 2021, and its sockets behave as their clients expect.
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

    /// The user who watches, whose session is simulated.
    package var me: EntityID { backend.me }

    /// The company's id and the ids of its workspaces.
    package var company: EntityID { backend.world.company.id }
    package var workspaces: [EntityID] { backend.world.workspaces.map(\.id) }

    /// The state that the watching user should see.
    package var truth: WorldTruth { backend.world.truth(for: backend.me) }

    /// The users who are online: connected clients, and users that an act set online.
    package var present: Set<EntityID> { Set(clients.values.compactMap(\.user) + backend.world.present) }

    /// Issues a new token for the watching user.
    package func token(at now: Moment) -> Secret { backend.tokens.issue(for: backend.me, at: now, lifetime: lifetime) }

    /// Expires every token issued before `now`.
    package mutating func expireTokens(at now: Moment) { backend.tokens.expiredBefore = now }

    // MARK: - Time

    /// When `advance` must be called next.
    package var deadline: Moment? {
        clients.values.reduce(backend.deadline) { due, client in
            guard let own = client.deadline else { return due }
            return due.map { min($0, own) } ?? own
        }
    }

    /// Performs the work that is due by `now`.
    package mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication] {
        for client in clients.keys.sorted() {
            change(client, into: &outputs) { $0.advance(to: now, $1, into: &$2) }
        }
        return backend.advance(to: now).map { SimulatedPublication($0) }
    }

    // MARK: - Clients

    /// Handles the opening of a client's WebSocket.
    package mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput]) {
        let configuration = SocketIOServer.Configuration(revision: revision, sid: "session\(client)", upgrades: [])
        clients[client] = RealtimeConnection(configuration, edition, openedAt: now)
        change(client, into: &outputs) { $0.start(at: now, $1, into: &$2) }
    }

    /// Handles a message from a client.
    package mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication] {
        change(client, into: &outputs) { $0.receive(message, at: now, $1, into: &$2) }
    }

    /// Handles the loss of a client's socket.
    package mutating func forget(_ client: Int) { clients[client] = nil }

    /// Ends the process, which disconnects all clients.
    package mutating func forgetAll() { clients = [:] }

    /// Removes a client from the namespace (`41`), whatever the `manner`.
    package mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput]) {
        change(client, into: &outputs) { connection, _, effects in connection.kick(into: &effects) }
    }

    /// Delivers a publication to the clients in its room.
    package mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput]) {
        guard case .frame(let frame) = publication.content else { return }
        for client in clients.keys.sorted() where clients[client]?.rooms.contains(frame.room) == true {
            change(client, into: &outputs) { connection, _, effects in
                connection.deliver(frame.name, to: frame.room, frame.payload.raw, into: &effects)
            }
        }
    }

    /// Sends an event to a client, whatever its rooms. `arguments` is one JSON value.
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

    /// Answers a request. Also returns the publications that it causes.
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
