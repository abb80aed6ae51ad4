import WeirEvents
import WeirJSON
import WeirWire

// The messages that the session receives from the socket and sends over it.
extension Session {
    mutating func received(_ message: WebSocketMessage, on connection: Int, into effects: inout [Effect]) {
        guard link.open?.connection == connection else { return }
        let now = context.now
        history.heardAt = now
        context.frame = message.bytes
        withClient(into: &effects) { client, wire in client.receive(message, at: now, into: &wire) }
        withChannels(into: &effects) { client, wire in client.receive(message.bytes, at: now, into: &wire) }
        withMessages(into: &effects) { client, wire in client.receive(message.bytes, at: now, into: &wire) }
    }

    /// Records whether the driver reads the socket. A pause extends the deadlines of the server by its own length,
    /// because messages that were not read must not count against the server.
    mutating func set(_ reading: SocketReading) {
        let now = context.now
        if reading == .resumed, self.reading != .resumed {
            let span = now - readingSince + .unreadGrace
            if case .authenticating(let open, let until) = link { link = .authenticating(open, until: until + span) }
            rooms.postpone(by: span)
            resumedAt = now
        }
        if self.reading == .resumed, reading != .resumed {
            readingSince = now
            // Messages that waited in the socket during the last pause may not all be read yet.
            if now - resumedAt > .unreadGrace { unreadSince = now }
        }
        self.reading = reading
        client?.set(reading, at: now)
        bayeux?.set(reading, at: now)
        messages?.set(reading, at: now)
    }

    /// Returns the time from which events may be missing, if the last message was read at `moment`. A message that
    /// waited in the socket is as old as the start of the pause.
    func missing(since moment: Moment) -> Moment {
        unreadSince < min(moment, resumedAt) && moment <= resumedAt + .unreadGrace ? unreadSince : moment
    }

    /// Runs `body` on the Socket.IO client of the open connection, in place, and carries out the client's effects.
    mutating func withClient(
        into effects: inout [Effect],
        _ body: (inout SocketIOClientMachine, inout [SocketIOClientMachine.Effect]) -> Void
    ) {
        guard let connection = link.open?.connection, client != nil else { return }
        var wire = wireEffects
        wireEffects = []
        body(&client!, &wire)
        for effect in wire { carryOut(effect, on: connection, into: &effects) }
        wire.removeAll(keepingCapacity: true)
        if wire.capacity > wireEffects.capacity { wireEffects = wire }
    }

    /// Removes the protocol clients of a connection that has ended, and keeps their state for their successors.
    mutating func retireClient(into effects: inout [Effect]) {
        // Everything that awaits an acknowledgement is lost.
        var told: [SocketIOClientMachine.Effect] = []
        if let memory = client?.socketClosed(into: &told) { history.memory = memory }
        client = nil
        retireChannels()
        if let memory = messages?.memory { history.messages = memory }
        messages = nil
        forgetEmits(into: &effects)
    }

    private mutating func carryOut(
        _ effect: SocketIOClientMachine.Effect, on connection: Int, into effects: inout [Effect]
    ) {
        switch effect {
        case .send(let message): effects.append(.send(connection: connection, message))
        case .connected(let joined):
            noteRevision()
            history.recoveredEvents? += joined.early
            if history.joining.join(joined.namespace, isRecovered: joined.isRecovered) {
                began(isRecovered: history.joining.isRecovered)
            }
        case .refused(let name, let refusal): refused(namespace: name, refusal, into: &effects)
        case .event(let event): hear(event, into: &effects)
        case .acknowledged(let answer):
            if !settle(answer.id, in: answer.namespace, .answered(answer), into: &effects) {
                acknowledged(answer, into: &effects)
            }
        case .unacknowledged(let namespace, let id, let failure):
            _ = settle(id, in: namespace, failure.outcome, into: &effects)
        // `Session.emit` looks for this effect itself.
        case .dropped: break
        case .disconnected: end(.disconnectedByServer, into: &effects)
        case .malformed(let malformed):
            reportUndecodable(.frame, subject: "frame", malformed.message, context.frame, into: &effects)
        case .close(let cause): end(.protocolEnd(cause), into: &effects)
        }
    }

    /// Handles an event of a configured namespace. An Engine.IO 3 server puts every client into `/` unasked, so an
    /// event of `/` counts only if the configuration contains it.
    private mutating func hear(_ event: SocketIO.Event, into effects: inout [Effect]) {
        guard configuration.namespaces.contains(event.namespace) else { return }
        handle(.socketIO(event), into: &effects)
    }

    /// Handles a refused namespace, which does not affect the other namespaces.
    private mutating func refused(namespace: String, _ refusal: SocketIO.Refusal, into effects: inout [Effect]) {
        switch history.joining.refuse(namespace) {
        case .alone: return end(.namespaceRefused(refusal.words), into: &effects)
        case .ready: began(isRecovered: history.joining.isRecovered)
        case .othersLeft: break
        }
        context.notice(.error, "the namespace \(namespace) was refused: \(refusal.words)")
    }

    /// Starts authentication, after the namespaces were joined or the protocol's session was established. `isRecovered`
    /// is `true` if nothing was missed since the last session.
    mutating func began(isRecovered: Bool) {
        guard case .handshaking(let open) = link else { return }
        history.isRecovered = isRecovered
        link = .authenticating(open, until: context.now + Link.authenticationTimeout)
        backend.connected(token: token, by: open.spoken, into: &context)
    }

    mutating func handle(_ event: WireEvent, into effects: inout [Effect]) {
        do throws(DecodingFailure) {
            handle(EventReport(event: try backend.decode(event), source: event), into: &effects)
        } catch {
            reportUndecodable(event, error, into: &effects)
            carryOutPlans(into: &effects)
        }
    }

    mutating func handle(_ event: EventReport, into effects: inout [Effect]) {
        if tells(event) { effects.append(.report(.event(event))) }
        if let id = event.ackID { acks.note(AckBook.Key(namespace: event.namespace, id: id), event.wireName) }
        event.withEvent { backend.handle($0, ackID: event.ackID, rooms: rooms, into: &context) }
        carryOutPlans(into: &effects)
    }

    /// Handles the acknowledgement of a join, or of an event that the backend emitted.
    private mutating func acknowledged(_ answer: SocketIO.Acknowledgement, into effects: inout [Effect]) {
        if answer.namespace == configuration.namespaces[0], let room = acks.joins.removeValue(forKey: answer.id) {
            let why = backend.refusal(answer.arguments, of: room)
            context.plans.append(why.map { .joinRefused(room: room, why: $0) } ?? .joined(room: room))
            return carryOutPlans(into: &effects)
        }
        do { try backend.acknowledged(answer.arguments, into: &context) } catch {
            reportUndecodable(
                .event, subject: "acknowledgement", error.description, answer.arguments.bytes, into: &effects)
        }
        carryOutPlans(into: &effects)
    }

    private func reportUndecodable(_ event: WireEvent, _ failure: DecodingFailure, into effects: inout [Effect]) {
        reportUndecodable(.event, subject: event.name, failure.description, event.payload.bytes, into: &effects)
    }

    func reportUndecodable(
        _ layer: UndecodableReport.Layer, subject: String, _ message: String, _ text: ArraySlice<UInt8>,
        into effects: inout [Effect]
    ) {
        // A slice would keep the whole message in memory, so this makes a copy.
        let excerpt = Array(text.prefix(200))[...]
        let report = UndecodableReport(layer: layer, subject: subject, message: message, excerpt: excerpt)
        effects.append(.report(.undecodable(report)))
    }

    /// Sends an event; returns the id of its acknowledgement if it requests one.
    @discardableResult
    mutating func send(
        _ emission: HandlerContext.Emission, wantsAck: Bool = false, into effects: inout [Effect]
    ) -> Int? {
        if messages != nil {
            guard let message = emission.message else { return nil }
            withMessages(into: &effects) { client, wire in client.send(message, into: &wire) }
            return nil
        }
        var id: Int?
        withClient(into: &effects) { client, wire in
            id = client.emit(emission.name, arguments: emission.arguments, wantsAck: wantsAck, into: &wire)
        }
        return id
    }

    /// Carries out the backend's plans in order. Plans may add further plans.
    mutating func carryOutPlans(into effects: inout [Effect]) {
        var index = 0
        while index < context.plans.count {
            carryOut(context.plans[index], into: &effects)
            index += 1
        }
        context.plans.removeAll(keepingCapacity: true)
    }

    private mutating func carryOut(_ plan: HandlerContext.Plan, into effects: inout [Effect]) {
        switch plan {
        case .emit(let emission): send(emission, into: &effects)
        case .ask(let emission): send(emission, wantsAck: true, into: &effects)
        case .typing(let report): effects.append(.report(.typing(report)))
        case .acknowledge(let id):
            acks.settle(AckBook.Key(namespace: configuration.namespaces[0], id: id))
            withClient(into: &effects) { client, wire in
                client.acknowledge(id, arguments: RawJSON(unchecked: ArraySlice("[]".utf8)), into: &wire)
            }
        case .subscribe(let channel, let ext): subscribe(channel, ext, into: &effects)
        case .ready: becomeReady(into: &effects)
        case .tokenRefused(let message): end(.tokenRefused(message), into: &effects)
        case .want(let room): list(room, into: &effects)
        case .unwant(let room): unlist(room, into: &effects)
        case .joined(let room): joined(room, into: &effects)
        case .joinRefused(let room, let why):
            if rooms.refused(room, why: why) {
                if rooms.isNewRefusal(room, why: why) { reportRoom(.refused, room, why: why, into: &effects) }
                joinWantedRooms(into: &effects)
            }
        case .left(let room): reportRoom(.left, room, into: &effects)
        case .fetch(let key, .zero): context.refetcher.invalidate(key, cause: context.cause)
        case .fetch(let key, let span):
            context.refetcher.invalidate(key, at: context.now + span, cause: context.cause)
        case .forget(let key):
            if let request = context.refetcher.forget(key) { effects.append(.cancel(request: request)) }
        case .cancel(let tag):
            for request in context.refetcher.cancel(tag) { effects.append(.cancel(request: request)) }
        case .account(let user): learned(user: user, into: &effects)
        case .hole(let hole):
            let gap = history.lastGap ?? (.zero, context.now)
            effects.append(
                .report(.gap(GapReport(cause: .catchUp, from: gap.from, to: gap.to, lost: hole.count, hole: hole))))
        case .notice(let notice): effects.append(.report(.notice(notice)))
        }
    }
}

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
