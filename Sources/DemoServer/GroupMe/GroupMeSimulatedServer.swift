package import Events
import JSONText
package import Wire

/// The whole server as one value, for simulations: its world, its script, its REST service and its push sessions. It has no socket and no
/// clock.
package struct GroupMeSimulatedServer: Sendable {
    /// Something to be done to a client's WebSocket, in this order.
    package enum Output: Hashable, Sendable {
        /// Send a message.
        case send(client: Int, WebSocketMessage)
        /// End the socket.
        case close(client: Int)
    }

    private var backend: GroupMeBackend
    private let configuration: BayeuxServer.Configuration
    private var push: BayeuxServer

    /// A server whose script begins at once. A connect is held for `timeout`.
    package init(seed: UInt64, epoch: Int64, timeout: Duration, isEndless: Bool = true) {
        let users = GroupMeScript.Cast.users(born: 0).map(\.id)
        backend = GroupMeBackend(
            seed: seed, epoch: epoch, tokens: GroupMeTokens(users: users, key: seed), start: .atOnce,
            isEndless: isEndless, at: .zero)
        configuration = BayeuxServer.Configuration(timeout: timeout)
        push = BayeuxServer(configuration, seed: seed)
    }

    /// The user who watches.
    package var me: GroupMe.UserID { backend.me }

    /// The token of the user who watches.
    package var token: Secret { backend.tokens.token(of: backend.me) ?? Secret("") }

    /// What is true for the user who watches.
    package var truth: GroupMeTruth { backend.world.truth(for: backend.me) }

    /// When `advance` wants to be called next.
    package var deadline: Moment? { [backend.deadline, push.deadline].compactMap { $0 }.min() }

    /// Does what is due by `now`.
    package mutating func advance(to now: Moment, into outputs: inout [Output]) {
        tell(backend.advance(to: now), into: &outputs)
        run(into: &outputs) { push, effects in push.advance(to: now, into: &effects) }
    }

    /// A client's message arrived.
    package mutating func receive(
        _ message: WebSocketMessage, from client: Int, at now: Moment, into outputs: inout [Output]
    ) {
        let policy = backend.tokens.policy
        run(into: &outputs) { push, effects in
            push.receive(message.bytes, on: client, isSocket: true, at: now, policy: policy, into: &effects)
        }
    }

    /// A client's socket is gone; its session lives on for a while.
    package mutating func forget(_ client: Int) { push.linkClosed(client) }

    /// The process ended: no session is known any more.
    package mutating func restart(seed: UInt64) { push = BayeuxServer(configuration, seed: seed) }

    /// Answers a request.
    package mutating func answer(
        _ method: String, _ target: String, body: [UInt8], token: String?, at now: Moment, into outputs: inout [Output]
    ) -> (status: Int, body: [UInt8]) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = RESTRequest(
            method: method, path: String(parts.first ?? ""), query: parts.count > 1 ? String(parts[1]) : "", body: body,
            bearer: token)
        let (response, publications) = backend.handle(request, at: now)
        tell(publications, into: &outputs)
        return (response.status, response.body)
    }

    private mutating func tell(_ publications: [GroupMePublication], into outputs: inout [Output]) {
        for publication in publications {
            guard let channel = Bayeux.Channel(publication.channel.description) else { continue }
            let data = publication.data.raw
            run(into: &outputs) { push, effects in push.publish(channel, data, into: &effects) }
        }
    }

    private mutating func run(
        into outputs: inout [Output], _ body: (inout BayeuxServer, inout [BayeuxServer.Effect]) -> Void
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
}
