import Events
import JSONText
import Wire

// A connection that speaks Bayeux. Its rooms are channels, which the session joins by subscribing.
extension Session {
    /// Starts the Bayeux client of the open connection. It continues with the state of the previous client, except for
    /// channels that are no longer wanted.
    mutating func openChannels(into effects: inout [Effect]) {
        let (rooms, backend) = (rooms, backend)
        history.channels.keep { backend.isOwn($0) || rooms.isWanted(backend.room(of: $0)) }
        history.channels.renew(ext: backend.publishing(token: token))
        var told = BayeuxClient.Configuration(connectionType: pollsChannels ? .longPolling : .websocket)
        told.maximumDepth = configuration.limits.depth
        bayeux = BayeuxClient(told, memory: history.channels, seed: random.next())
        let now = context.now
        bayeux?.set(reading, at: now)
        withChannels(into: &effects) { client, wire in client.start(at: now, into: &wire) }
    }

    /// Runs `body` on the Bayeux client of the open connection, if there is one, and carries out the client's effects.
    mutating func withChannels(
        into effects: inout [Effect], _ body: (inout BayeuxClient, inout [BayeuxClient.Effect]) -> Void
    ) {
        guard let connection = link.open?.connection, bayeux != nil else { return }
        var wire: [BayeuxClient.Effect] = []
        body(&bayeux!, &wire)
        for effect in wire { carryOut(effect, on: connection, into: &effects) }
    }

    /// Removes the Bayeux client of a connection that has ended, and keeps its state for the next client.
    mutating func retireChannels() {
        // Everything that was published and not answered is lost.
        var told: [BayeuxClient.Effect] = []
        if let memory = bayeux?.transportClosed(into: &told) { history.channels = memory }
        bayeux = nil
    }

    private mutating func carryOut(_ effect: BayeuxClient.Effect, on connection: Int, into effects: inout [Effect]) {
        switch effect {
        case .send(let frame):
            effects.append(.send(connection: connection, .text(frame.bytes[...])))
        case .connected(let continuity):
            beginAnew(into: &effects)
            began(isRecovered: continuity == .complete)
        case .subscribed(let channel): backend.subscribed(channel, into: &context)
        case .refused(let channel, let why): backend.refused(channel, why: why, into: &context)
        // This does not mean that the token is bad: another connection may succeed.
        case .unanswered(let channel) where backend.isOwn(channel): end(.channelsEnd(.silent), into: &effects)
        case .unanswered(let channel):
            context.plans.append(.joinRefused(room: backend.room(of: channel), why: RoomSubscriptions.noAnswer))
        case .unsubscribed(let channel): context.plans.append(.left(room: backend.room(of: channel)))
        case .delivery(let delivery): handle(.bayeux(delivery), into: &effects)
        case .published(let number):
            let answer = SocketIO.Acknowledgement(id: number, arguments: SocketIO.Arguments().array)
            _ = settle(number, in: "", .answered(answer), into: &effects)
        case .unpublished(let number, let failure):
            if settle(number, in: "", failure.outcome, into: &effects) { break }
            context.notice(.warning, "the published event may not have arrived: \(failure.text)")
        case .malformed(let malformed):
            reportUndecodable(.frame, subject: "frame", malformed.message, context.frame, into: &effects)
        case .close(let cause): end(.channelsEnd(cause), into: &effects)
        }
        carryOutPlans(into: &effects)
    }

    mutating func subscribe(_ channel: Bayeux.Channel, _ ext: RawJSON?, into effects: inout [Effect]) {
        // A resumed session still has its subscriptions.
        if bayeux?.isSubscribed(to: channel) == true { return backend.subscribed(channel, into: &context) }
        let now = context.now
        withChannels(into: &effects) { client, wire in client.subscribe(channel, ext: ext, at: now, into: &wire) }
    }

    mutating func unsubscribe(_ channel: Bayeux.Channel, into effects: inout [Effect]) {
        let now = context.now
        withChannels(into: &effects) { client, wire in client.unsubscribe(channel, at: now, into: &wire) }
    }

    /// Publishes the argument of an emission on the channel that the emission names.
    ///
    /// - Returns: The number of the publication; `nil` if the name is not a channel to publish on.
    mutating func publish(_ emission: HandlerContext.Emission, into effects: inout [Effect]) -> Int? {
        guard let channel = Bayeux.Channel(emission.name), channel.isSubscribable, !channel.isPattern else {
            return nil
        }
        let data = emission.arguments ?? RawJSON(unchecked: ArraySlice("{}".utf8))
        let ext = backend.publishing(token: token)
        let now = context.now
        var number: Int?
        withChannels(into: &effects) { client, wire in
            number = client.publish(channel, data, ext: ext, at: now, into: &wire)
        }
        return number
    }
}

extension BayeuxClient.PublishFailure {
    /// One line for people. It may contain the peer's words.
    var text: String {
        switch self {
        case .refused(let words): "the server refused it: \(words)"
        case .overflow: "too much waits already"
        case .timeout: "the server does not answer"
        case .sessionLost: "the session was lost"
        case .finished: "the session is over"
        }
    }
}
