public import JSONText

extension BayeuxClient {
    /// A channel that is wanted.
    struct Subscription: Hashable, Sendable {
        enum State: Hashable {
            /// Not asked for in this session. Follows: asked.
            case wanted
            /// Asked for so often. Follows: standing, refused, asked, wanted.
            case asked(id: String, until: Moment, attempts: Int)
            /// The server accepted it. Follows: leaving, wanted.
            case standing
            /// The server refused it, or does not answer. Follows: asked, wanted.
            case refused
            /// Its end is asked for.
            case leaving(id: String, until: Moment)
        }

        let channel: Bayeux.Channel
        /// What goes with each request; it may hold a token.
        var ext: RawJSON?
        var state = State.wanted

        var isLeaving: Bool { if case .leaving = state { true } else { false } }

        /// When an answer is due.
        var deadline: Moment? {
            switch state {
            case .asked(_, let until, _), .leaving(_, let until): until
            case .wanted, .standing, .refused: nil
            }
        }

        /// The server has so much longer for its answer.
        mutating func postpone(by span: Duration) {
            switch state {
            case .asked(let id, let until, let attempts):
                state = .asked(id: id, until: until + span, attempts: attempts)
            case .leaving(let id, let until): state = .leaving(id: id, until: until + span)
            case .wanted, .standing, .refused: break
            }
        }

        /// Nobody can say whether what was asked for arrived.
        mutating func transportClosed() { if case .asked = state { state = .wanted } }

        /// The session it stood in is gone.
        mutating func reset() { state = .wanted }
    }

    /// How often a subscription is asked for when nothing is answered.
    static let mostAttempts = 3

    /// Wants a channel or a pattern, in this session and the next ones, until `unsubscribe`. `ext`, a JSON object, goes with every
    /// request. One that was refused is asked for again.
    public mutating func subscribe(
        _ channel: Bayeux.Channel, ext: RawJSON? = nil, at now: Moment, into effects: inout [Effect]
    ) {
        guard channel.isSubscribable else {
            return effects.append(.refused(channel, "a channel of the protocol"))
        }
        if let index = subscriptions.firstIndex(where: { $0.channel == channel }) {
            subscriptions[index].ext = ext
            switch subscriptions[index].state {
            case .wanted, .asked, .standing: return
            case .refused, .leaving: subscriptions[index].reset()
            }
        } else {
            subscriptions.append(Subscription(channel: channel, ext: ext))
        }
        askForSubscriptions(at: now, into: &effects)
    }

    /// Another `ext` goes from now on with each request for the channels that are wanted: the token in it is another one.
    public mutating func renew(ext: RawJSON?) {
        for index in subscriptions.indices { subscriptions[index].ext = ext }
    }

    /// Whether the server accepted the channel in the session that stands.
    public func isSubscribed(to channel: Bayeux.Channel) -> Bool {
        switch state {
        // What comes of a session that was taken up again comes before the answer to its connect.
        case .open, .resuming(_, _, _, isTold: true): break
        case .idle, .handshaking, .resuming, .pausing, .leaving, .finished: return false
        }
        return subscriptions.contains { $0.channel == channel && $0.state == .standing }
    }

    /// Wants a channel no more.
    public mutating func unsubscribe(_ channel: Bayeux.Channel, at now: Moment, into effects: inout [Effect]) {
        guard let index = subscriptions.firstIndex(where: { $0.channel == channel }) else { return }
        switch subscriptions[index].state {
        case .leaving: return
        case .asked, .standing:
            guard case .open(let clientID) = state else { break }
            let id = newID()
            subscriptions[index].state = .leaving(id: id, until: now + configuration.replyTimeout)
            let frame = Bayeux.frame(.unsubscribe, id: id) { message in
                message.member("clientId", clientID.reveal())
                message.member("subscription", channel.name)
                message.member("ext", raw: subscriptions[index].ext)
            }
            return effects.append(.send(Outgoing(bytes: frame, isConnect: false)))
        case .wanted, .refused: break
        }
        subscriptions.remove(at: index)
        effects.append(.unsubscribed(channel))
    }

    /// Asks for everything that is wanted and not asked for, in one frame.
    mutating func askForSubscriptions(at now: Moment, into effects: inout [Effect]) {
        guard case .open(let clientID) = state else { return }
        var frame = Bayeux.FrameWriter()
        for index in subscriptions.indices {
            guard case .wanted = subscriptions[index].state else { continue }
            ask(index, attempts: 1, clientID, at: now, in: &frame)
        }
        guard !frame.isEmpty else { return }
        effects.append(.send(Outgoing(bytes: frame.finish(), isConnect: false)))
    }

    private mutating func ask(
        _ index: Int, attempts: Int, _ clientID: Secret, at now: Moment, in frame: inout Bayeux.FrameWriter
    ) {
        let id = newID()
        subscriptions[index].state = .asked(id: id, until: now + configuration.replyTimeout, attempts: attempts)
        frame.add(subscription: subscriptions[index], id: id, clientID)
    }

    var subscriptionsDeadline: Moment? { subscriptions.lazy.compactMap(\.deadline).min() }

    /// Asks again for what was not answered, and gives up what never is.
    mutating func advanceSubscriptions(to due: Moment, into effects: inout [Effect]) {
        guard case .open(let clientID) = state else { return }
        var frame = Bayeux.FrameWriter()
        var given: [Bayeux.Channel] = []
        for index in subscriptions.indices {
            guard let deadline = subscriptions[index].deadline, deadline <= due else { continue }
            switch subscriptions[index].state {
            case .asked(_, _, let attempts) where attempts < Self.mostAttempts:
                ask(index, attempts: attempts + 1, clientID, at: due, in: &frame)
            case .asked:
                subscriptions[index].state = .refused
                effects.append(.unanswered(subscriptions[index].channel))
            case .leaving: given.append(subscriptions[index].channel)
            case .wanted, .standing, .refused: break
            }
        }
        // A server that does not answer is not waited for: what it still sends is passed on.
        subscriptions.removeAll { given.contains($0.channel) }
        effects += given.map { .unsubscribed($0) }
        guard !frame.isEmpty else { return }
        effects.append(.send(Outgoing(bytes: frame.finish(), isConnect: false)))
    }

    /// A reply on `/meta/subscribe`.
    mutating func subscriptionAnswered(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        if let probe, probe.id == message.id {
            self.probe = nil
            guard message.isSuccessful == true else { return probeRefused(message, at: now, into: &effects) }
            return stood = now
        }
        guard
            let index = subscriptions.firstIndex(where: {
                if case .asked(message.id, _, _) = $0.state { true } else { false }
            })
        else { return }
        if message.isSuccessful == true {
            subscriptions[index].state = .standing
            effects.append(.subscribed(subscriptions[index].channel))
        } else if message.meansUnknownSession {
            forget(at: now, into: &effects)
        } else {
            subscriptions[index].state = .refused
            effects.append(.refused(subscriptions[index].channel, message.error ?? "refused"))
        }
    }

    /// A reply on `/meta/unsubscribe`: whatever it says, the channel is not wanted.
    mutating func unsubscriptionAnswered(_ message: Bayeux.Message, into effects: inout [Effect]) {
        guard
            let index = subscriptions.firstIndex(where: {
                if case .leaving(message.id, _) = $0.state { true } else { false }
            })
        else { return }
        effects.append(.unsubscribed(subscriptions.remove(at: index).channel))
    }
}

extension Bayeux.FrameWriter {
    mutating func add(subscription: BayeuxClient.Subscription, id: String, _ clientID: Secret) {
        add(Bayeux.Channel.subscribe.name, id: id) { message in
            message.member("clientId", clientID.reveal())
            message.member("subscription", subscription.channel.name)
            message.member("ext", raw: subscription.ext)
        }
    }
}
