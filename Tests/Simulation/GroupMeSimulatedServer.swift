package import WeirDemoServer
package import WeirEvents
import WeirJSON
package import WeirWire

/// GroupMe's server as a value: its world, an optional script, its REST service and its push sessions. Each channel is
/// a separate queue.
package struct GroupMeSimulatedServer: SimulatedService {
    var backend: GroupMeBackend
    private let configuration: BayeuxServer.Configuration
    private var push: BayeuxServer
    private let seed: UInt64
    /// How often the push service has restarted.
    private var lives: UInt64 = 0
    /// The number of acts so far. Some acts derive a unique GUID from it.
    var serial = 0

    /// Creates a server whose script begins at once. A connect request is held for `timeout`.
    package init(seed: UInt64, epoch: Int64, timeout: Duration, isEndless: Bool = true) {
        let users = GroupMeScript.Cast.users(born: 0).map(\.id)
        self.init(
            GroupMeBackend(
                seed: seed, epoch: epoch, tokens: GroupMeTokens(users: users, key: seed), start: .atOnce,
                isEndless: isEndless, at: .zero), seed: seed, timeout: timeout)
    }

    /// Creates a server with the small world of simulations, which only acts change.
    package init(quietSeed seed: UInt64, epoch: Int64, timeout: Duration) {
        let world = GroupMeWorld.simulated(epoch: epoch)
        let tokens = GroupMeTokens(users: world.users.map(\.id), key: seed)
        self.init(
            GroupMeBackend(world, epoch: epoch, tokens: tokens, at: .zero), seed: seed, timeout: timeout)
    }

    private init(_ backend: GroupMeBackend, seed: UInt64, timeout: Duration) {
        self.backend = backend
        self.seed = seed
        configuration = BayeuxServer.Configuration(timeout: timeout)
        push = BayeuxServer(configuration, seed: seed)
    }

    /// The user who watches, whose session is simulated.
    package var me: GroupMe.UserID { backend.me }

    /// All users, with the watching user first.
    package var people: [GroupMe.UserID] { backend.world.users.map(\.id) }

    /// The state that the watching user should see.
    package var truth: GroupMeTruth { backend.world.truth(for: backend.me) }

    /// Returns the token of the watching user, which never changes.
    package func token(at now: Moment) -> Secret { backend.tokens.token(of: backend.me) ?? Secret("") }

    /// Does nothing: the tokens never expire.
    package mutating func expireTokens(at now: Moment) {}

    // MARK: - Time

    package var deadline: Moment? { [backend.deadline, push.deadline].compactMap { $0 }.min() }

    package mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication] {
        run(into: &outputs) { push, effects in push.advance(to: now, into: &effects) }
        return heard(backend.advance(to: now))
    }

    // MARK: - Clients

    /// Does nothing: on a WebSocket the client begins with a handshake.
    package mutating func open(_ client: Int, at now: Moment, into outputs: inout [SimulatedOutput]) {}

    package mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [SimulatedOutput]
    ) -> [SimulatedPublication] {
        let policy = backend.tokens.policy
        run(into: &outputs) { push, effects in
            push.receive(message.bytes, on: client, isSocket: true, at: now, policy: policy, into: &effects)
        }
        return []
    }

    /// Handles the loss of a client's socket. Its session stays alive for a while.
    package mutating func forget(_ client: Int) { push.linkClosed(client) }

    package mutating func forgetAll() {
        lives += 1
        push = BayeuxServer(configuration, seed: seed &+ lives)
    }

    /// Ends the client's session and its socket. If `manner` is odd, forgets all sessions while the sockets stay open, as happens when a
    /// balancer holds them (GroupMe GM-48).
    package mutating func kick(_ client: Int, _ manner: Int, into outputs: inout [SimulatedOutput]) {
        guard manner % 2 == 0 else { return forgetAll() }
        run(into: &outputs) { push, effects in push.endSessions(on: client, into: &effects) }
    }

    package mutating func publish(_ publication: SimulatedPublication, into outputs: inout [SimulatedOutput]) {
        guard case .push(let told) = publication.content, let channel = Bayeux.Channel(told.channel.description) else {
            return
        }
        let data = told.data.raw
        run(into: &outputs) { push, effects in push.publish(channel, data, into: &effects) }
    }

    /// Sends a frame to a client, whatever it has subscribed to.
    package mutating func emit(_ frame: String, to client: Int, into outputs: inout [SimulatedOutput]) {
        outputs.append(.send(client: client, .text(frame)))
    }

    private mutating func run(
        into outputs: inout [SimulatedOutput], _ body: (inout BayeuxServer, inout [BayeuxServer.Effect]) -> Void
    ) {
        var effects: [BayeuxServer.Effect] = []
        body(&push, &effects)
        for effect in effects {
            switch effect {
            case .send(let link, let frame): outputs.append(.send(client: link, .text(frame[...])))
            case .close(let link): outputs.append(.close(client: link))
            case .refuse, .occasion: break
            }
        }
    }

    // MARK: - REST

    package mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], publications: [SimulatedPublication]) {
        let request = RESTRequest(method: method, target: target, body: body, bearer: bearer)
        let (response, publications) = backend.handle(request, at: now)
        return (response.status, response.body, heard(publications))
    }

    /// Converts the publications that the watching user can receive. Those for other users are dropped.
    func heard(_ publications: [GroupMePublication]) -> [SimulatedPublication] {
        publications.compactMap { push in
            if case .user(let user) = push.channel, user != me { return nil }
            return SimulatedPublication(push)
        }
    }

    // MARK: - What simulations ask

    package var conversations: Set<EntityID> {
        let world = backend.world
        return Set(world.groups(of: me).map(\.id.entity) + world.directs(of: me).map(\.entity))
    }

    package var sayings: [SimulatedSaying] {
        let world = backend.world
        let places = world.groups(of: me).map { GroupMe.ConversationID.group($0.id) } + world.directs(of: me)
        return places.flatMap { place in
            (world.threads[place]?.messages ?? []).map { message in
                SimulatedSaying(
                    id: message.id.entity, conversation: place.entity, thread: place.entity, text: message.text ?? "",
                    createdAt: Timestamp(milliseconds: message.createdAt * 1000), word: message.guid)
            }
        }
    }

    package func isJoinAnswer(_ message: WebSocketMessage) -> Bool {
        String(decoding: message.bytes, as: UTF8.self).contains(#""channel":"/meta/subscribe""#)
    }
}
