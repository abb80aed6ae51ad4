package import DemoServer
package import Events
import JSONText
package import Wire

/// GroupMe's server as one value: its world, its script or none, its REST service and its push sessions. Each channel is a queue of its own.
package struct GroupMeSimulatedServer: SimulatedService {
    var backend: GroupMeBackend
    private let configuration: BayeuxServer.Configuration
    private var push: BayeuxServer
    private let seed: UInt64
    /// How often the push service began anew.
    private var lives: UInt64 = 0
    /// Acts so far, of which some want a word that nobody else uses.
    var serial = 0

    /// A server whose script begins at once. A connect is held for `timeout`.
    package init(seed: UInt64, epoch: Int64, timeout: Duration, isEndless: Bool = true) {
        let users = GroupMeScript.Cast.users(born: 0).map(\.id)
        self.init(
            GroupMeBackend(
                seed: seed, epoch: epoch, tokens: GroupMeTokens(users: users, key: seed), start: .atOnce,
                isEndless: isEndless, at: .zero), seed: seed, timeout: timeout)
    }

    /// A server whose world is the small one of simulations, and is moved by acts alone.
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

    /// The user who watches.
    package var me: GroupMe.UserID { backend.me }

    /// Everybody, the user who watches first.
    package var people: [GroupMe.UserID] { backend.world.users.map(\.id) }

    /// What is true for the user who watches.
    package var truth: GroupMeTruth { backend.world.truth(for: backend.me) }

    /// The token of the user who watches: the same for ever.
    package func token(at now: Moment) -> Secret { backend.tokens.token(of: backend.me) ?? Secret("") }

    /// They do not expire.
    package mutating func expireTokens(at now: Moment) {}

    // MARK: - Time

    package var deadline: Moment? { [backend.deadline, push.deadline].compactMap { $0 }.min() }

    package mutating func advance(to now: Moment, into outputs: inout [SimulatedOutput]) -> [SimulatedPublication] {
        run(into: &outputs) { push, effects in push.advance(to: now, into: &effects) }
        return heard(backend.advance(to: now))
    }

    // MARK: - Clients

    /// A WebSocket says nothing by itself: its client shakes hands.
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

    /// A client's socket is gone; its session lives on for a while.
    package mutating func forget(_ client: Int) { push.linkClosed(client) }

    package mutating func forgetAll() {
        lives += 1
        push = BayeuxServer(configuration, seed: seed &+ lives)
    }

    /// Its session ends, with its socket; or, `manner` odd, every session is forgotten while the sockets stay open, as behind a balancer
    /// that holds them (section 6).
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

    /// Sends a client a frame, whatever it asked for.
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

    /// What the user who watches can hear: what other users are told reaches nobody here.
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
