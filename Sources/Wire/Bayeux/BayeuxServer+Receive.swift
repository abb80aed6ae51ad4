import JSONText

extension BayeuxServer {
    /// Handles a frame from a link. A frame that is not JSON is ignored on a WebSocket, and refused with status 400 in
    /// an HTTP exchange (Bayeux BX-21).
    public mutating func receive(
        _ bytes: ArraySlice<UInt8>, on link: Int, isSocket: Bool, at now: Moment, policy: Policy,
        into effects: inout [Effect]
    ) {
        if isSocket, sockets[link] == nil { sockets[link] = [] }
        guard let frame = try? Bayeux.Frame(parsing: bytes) else {
            if !isSocket { effects.append(.refuse(link: link, status: 400)) }
            return
        }
        var answer = Answer(link: link, isSocket: isSocket)
        for message in frame.messages { handle(message, at: now, policy, &answer, into: &effects) }
        finish(answer, at: now, into: &effects)
    }

    /// The answer to a frame, built while its messages are handled.
    struct Answer {
        let link: Int
        let isSocket: Bool
        /// The replies, each as JSON text.
        var replies: [[UInt8]] = []
        /// Whether the answer has already been sent.
        var isAnswered = false
        /// The connect to hold. `place` is the number of replies before its own.
        var connect: (session: Int, id: String?, until: Moment, place: Int)?

        mutating func add(
            _ channel: String, id: String?, isSuccessful: Bool, _ members: (inout JSONWriter) -> Void = { _ in }
        ) {
            replies.append(Self.reply(channel, id: id, isSuccessful: isSuccessful, members))
        }

        static func reply(
            _ channel: String, id: String?, isSuccessful: Bool, _ members: (inout JSONWriter) -> Void
        ) -> [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("id", id)
            writer.member("channel", channel)
            writer.member("successful", isSuccessful)
            members(&writer)
            writer.endObject()
            return writer.bytes
        }
    }

    private mutating func handle(
        _ message: Bayeux.Message, at now: Moment, _ policy: Policy, _ answer: inout Answer,
        into effects: inout [Effect]
    ) {
        switch message.channel {
        case Bayeux.Channel.handshake.name: shakeHands(message, at: now, &answer, into: &effects)
        case Bayeux.Channel.connect.name: connect(message, at: now, &answer, into: &effects)
        case Bayeux.Channel.subscribe.name: subscribe(message, policy, &answer, into: &effects)
        case Bayeux.Channel.unsubscribe.name: unsubscribe(message, &answer, into: &effects)
        case Bayeux.Channel.disconnect.name: disconnect(message, &answer, into: &effects)
        default: publish(message, policy, &answer, into: &effects)
        }
    }

    func advice(_ reconnect: Bayeux.Advice.Reconnect = .retry) -> Bayeux.Advice {
        switch reconnect {
        case .retry:
            Bayeux.Advice(reconnect: .retry, interval: configuration.interval, timeout: configuration.timeout)
        case .handshake, .none: Bayeux.Advice(reconnect: reconnect, interval: configuration.interval)
        }
    }

    private mutating func shakeHands(
        _ message: Bayeux.Message, at now: Moment, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        var error: String?
        if message.version == nil {
            error = "402:version:Missing required parameter"
        } else if message.connectionTypes.isEmpty {
            error = "402:supportedConnectionTypes:Missing required parameter"
        } else if !message.connectionTypes.contains(where: { Bayeux.ConnectionType(rawValue: $0) != nil }) {
            error = "301:\(message.connectionTypes.prefix(8).joined(separator: ",")):Connection types not supported"
        } else if sessions.count >= configuration.mostSessions {
            error = "503::Too many sessions"
        }
        let types = Bayeux.ConnectionType.allCases.map(\.rawValue).sorted()
        if let error {
            return answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
                reply.member("version", Bayeux.version)
                reply.member("supportedConnectionTypes", names: types)
                reply.member("error", error)
                reply.advice(advice(.handshake))
            }
        }
        let clientID = begin(at: now, into: &effects)
        answer.add(message.channel, id: message.id, isSuccessful: true) { reply in
            reply.member("version", Bayeux.version)
            reply.member("supportedConnectionTypes", names: types)
            reply.member("clientId", clientID.reveal())
            reply.advice(advice())
        }
    }

    private mutating func begin(at now: Moment, into effects: inout [Effect]) -> Secret {
        let clientID = newClientID()
        let number = nextSession
        nextSession += 1
        let expires = now + configuration.timeout * 2
        sessions[number] = Session(clientID: clientID, expires: expires)
        numbers[clientID] = number
        order.append(number)
        nextExpiry = min(nextExpiry ?? expires, expires)
        effects.append(.occasion(.began(session: number)))
        return clientID
    }

    private mutating func connect(
        _ message: Bayeux.Message, at now: Moment, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let number = message.clientID.flatMap({ numbers[$0] }) else {
            return refuseUnknown(message, withAdvice: true, &answer)
        }
        guard message.connectionType != nil else {
            return answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
                reply.member("error", "402:connectionType:Missing required parameter")
                reply.advice(advice())
            }
        }
        let expires = now + configuration.timeout * 2
        sessions[number]?.expires = expires
        nextExpiry = min(nextExpiry ?? expires, expires)
        if answer.isSocket { bind(number, to: answer.link, into: &effects) }
        let hold = min(message.advice?.timeout ?? configuration.timeout, configuration.timeout)
        if let earlier = answer.connect {
            // If a frame contains two connects, the later one is held.
            answer.connect = nil
            answer.replies.insert(connectReply(earlier.session, id: earlier.id), at: earlier.place)
        }
        answer.connect = (number, message.id, now + max(hold, .zero), answer.replies.count)
    }

    /// Binds the session to this WebSocket and sends its queued events at once. A previously bound WebSocket stays open
    /// but receives nothing more (Bayeux BX-17).
    private mutating func bind(_ number: Int, to link: Int, into effects: inout [Effect]) {
        if let old = sessions[number]?.socket, old != link { sockets[old]?.removeAll { $0 == number } }
        if sockets[link]?.contains(number) == false { sockets[link]?.append(number) }
        sessions[number]?.socket = link
        for text in takeQueue(of: number) { effects.append(.send(link: link, Self.frame([text]))) }
    }

    func refuseUnknown(_ message: Bayeux.Message, withAdvice: Bool, _ answer: inout Answer) {
        let error =
            message.clientID.map { "401:\($0.reveal().prefix(64)):Unknown client" }
            ?? "402:clientId:Missing required parameter"
        answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
            if !withAdvice, let clientID = message.clientID { reply.member("clientId", clientID.reveal()) }
            reply.member("error", error)
            if withAdvice { reply.advice(advice(.handshake)) }
        }
    }

    private mutating func disconnect(
        _ message: Bayeux.Message, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        answer.add(message.channel, id: message.id, isSuccessful: true) { $0.member("clientId", clientID.reveal()) }
        // The WebSocket of the session closes after the answer.
        effects.append(.send(link: answer.link, Self.frame(answer.replies)))
        answer.isAnswered = true
        end(number, advising: .none, into: &effects)
    }
}
