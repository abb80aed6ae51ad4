package import WeirJSON

extension BayeuxClient {
    /// A wanted channel and the state of its subscription.
    struct Subscription: Hashable, Sendable {
        enum State: Hashable {
            /// Not yet requested in this session. Follows: asked.
            case wanted
            /// Requested `attempts` times. Follows: standing, refused, asked, wanted.
            case asked(id: String, until: Moment, attempts: Int)
            /// The server accepted it. Follows: leaving, wanted.
            case standing
            /// The server refused it or did not answer. Follows: asked, wanted.
            case refused
            /// The client has sent an unsubscribe request.
            case leaving(id: String, until: Moment)
        }

        let channel: Bayeux.Channel
        /// The extensions sent with each request. They may contain a token.
        var ext: RawJSON?
        var state = State.wanted

        var isLeaving: Bool { if case .leaving = state { true } else { false } }

        /// When an answer is due, if a request is pending.
        var deadline: Moment? {
            switch state {
            case .asked(_, let until, _), .leaving(_, let until): until
            case .wanted, .standing, .refused: nil
            }
        }

        /// Extends the deadline for the server's answer.
        mutating func postpone(by span: Duration) {
            switch state {
            case .asked(let id, let until, let attempts):
                state = .asked(id: id, until: until + span, attempts: attempts)
            case .leaving(let id, let until): state = .leaving(id: id, until: until + span)
            case .wanted, .standing, .refused: break
            }
        }

        /// Returns a pending request to `wanted`, because it is unknown whether it arrived.
        mutating func transportClosed() { if case .asked = state { state = .wanted } }

        /// Returns to `wanted` after the session is lost.
        mutating func reset() { state = .wanted }
    }

    /// The number of attempts to subscribe before the client gives up.
    static let mostAttempts = 3

    /// Subscribes to a channel or a pattern, in this session and in later ones, until `unsubscribe`.
    ///
    /// A subscription that was refused is requested again.
    ///
    /// - Parameter ext: A JSON object to send with each request.
    package mutating func subscribe(
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

    /// Replaces the `ext` of future requests for all wanted channels, for example when the token in it has changed.
    package mutating func renew(ext: RawJSON?) {
        for index in subscriptions.indices { subscriptions[index].ext = ext }
    }

    /// Returns whether the server has accepted the channel in the open session.
    package func isSubscribed(to channel: Bayeux.Channel) -> Bool {
        switch state {
        // The events of a resumed session arrive before the answer to its connect.
        case .open, .resuming(_, _, _, isTold: true): break
        case .idle, .handshaking, .resuming, .pausing, .leaving, .finished: return false
        }
        return subscriptions.contains { $0.channel == channel && $0.state == .standing }
    }

    /// Unsubscribes from a channel. `.unsubscribed` follows.
    package mutating func unsubscribe(_ channel: Bayeux.Channel, at now: Moment, into effects: inout [Effect]) {
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

    /// Requests all wanted channels that are not yet requested, in one frame.
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

    /// Repeats requests that were not answered in time, and gives up after `mostAttempts`.
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
        // The client does not wait for a silent server. It still passes on what the server sends.
        subscriptions.removeAll { given.contains($0.channel) }
        effects += given.map { .unsubscribed($0) }
        guard !frame.isEmpty else { return }
        effects.append(.send(Outgoing(bytes: frame.finish(), isConnect: false)))
    }

    /// Handles a reply on `/meta/subscribe`.
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

    /// Handles a reply on `/meta/unsubscribe`. Whether it succeeded or not, the channel is no longer wanted.
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

extension BayeuxClient {
    /// A message that waits to be published, or was sent and is not yet answered.
    struct Publication: Hashable, Sendable {
        /// The id that `publish` returned to the caller.
        var number: Int
        var channel: Bayeux.Channel
        var data: RawJSON
        var ext: RawJSON?
        /// The id on the wire; empty until the message is sent.
        var id = ""
        /// When the client gives up, once the message is sent.
        var until = Moment.zero
    }

    /// The maximum number of unanswered messages.
    static let mostUnanswered = 1024

    /// Publishes `data` on a channel, or queues it until the session is open.
    ///
    /// The client never sends a message twice. One that gets no answer ends as `.unpublished`, and the caller decides
    /// whether to repeat it.
    ///
    /// - Parameter data: Any JSON value except null.
    /// - Returns: The id that the final `.published` or `.unpublished` effect carries.
    package mutating func publish(
        _ channel: Bayeux.Channel, _ data: RawJSON, ext: RawJSON? = nil, at now: Moment, into effects: inout [Effect]
    ) -> Int {
        let publication = Publication(number: nextID, channel: channel, data: data, ext: ext)
        nextID += 1
        switch state {
        case .open(let clientID):
            if publications.count < Self.mostUnanswered {
                send(publication, clientID, at: now, into: &effects)
            } else {
                effects.append(.unpublished(publication.number, .overflow))
            }
        case .idle, .handshaking, .resuming, .pausing:
            if !waiting.append(publication, bytes: data.bytes.count) {
                effects.append(.unpublished(publication.number, .overflow))
            }
        case .leaving, .finished: effects.append(.unpublished(publication.number, .finished))
        }
        return publication.number
    }

    mutating func send(
        _ publication: Publication, _ clientID: Secret, at now: Moment, into effects: inout [Effect]
    ) {
        var sent = publication
        sent.id = newID()
        sent.until = now + configuration.replyTimeout
        publications.append(sent)
        let frame = Bayeux.frame(sent.channel, id: sent.id) { message in
            message.member("clientId", clientID.reveal())
            message.member("data", raw: sent.data)
            message.member("ext", raw: sent.ext)
        }
        effects.append(.send(Outgoing(bytes: frame, isConnect: false)))
    }

    var publicationsDeadline: Moment? { publications.first?.until }

    mutating func advancePublications(to due: Moment, into effects: inout [Effect]) {
        while let first = publications.first, first.until <= due {
            publications.removeFirst()
            effects.append(.unpublished(first.number, .timeout))
        }
    }

    /// Handles a reply on a channel outside the protocol. A message with the same id but without `successful` is a
    /// delivery (Bayeux BX-4).
    mutating func publicationAnswered(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = publications.firstIndex(where: { $0.id == message.id }) else { return }
        let publication = publications.remove(at: index)
        if message.isSuccessful == true {
            effects.append(.published(publication.number))
        } else {
            effects.append(.unpublished(publication.number, .refused(message.error ?? "refused")))
            if message.meansUnknownSession { forget(at: now, into: &effects) }
        }
    }

    /// Ends all sent messages with `failure`. Queued messages wait for the next session, unless the client has
    /// finished.
    mutating func abandonPublications(_ failure: PublishFailure, into effects: inout [Effect]) {
        var given = publications
        publications = []
        if failure == .finished { given += waiting.drain() }
        effects += given.map { .unpublished($0.number, failure) }
    }
}
