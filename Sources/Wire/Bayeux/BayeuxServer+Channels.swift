import JSONText

extension BayeuxServer {
    mutating func subscribe(
        _ message: Bayeux.Message, _ policy: Policy, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        var accepted: [Bayeux.Channel] = []
        var error = message.subscriptions.isEmpty ? "402:subscription:Missing required parameter" : nil
        for name in message.subscriptions where error == nil {
            switch check(name, of: number, message, policy) {
            case .success(let channel): accepted.append(channel)
            case .failure(let refusal): error = refusal.words
            }
        }
        answer.add(message.channel, id: message.id, isSuccessful: error == nil) { reply in
            reply.member("clientId", clientID.reveal())
            reply.subscription(message.subscriptions)
            reply.member("error", error)
        }
        guard error == nil else { return }
        for channel in accepted where sessions[number]?.subscriptions.contains(channel) == false {
            sessions[number]?.subscriptions.append(channel)
            effects.append(.occasion(.subscribed(session: number, channel)))
        }
    }

    struct Refused: Error {
        var words: String
    }

    private func check(
        _ name: String, of number: Int, _ message: Bayeux.Message, _ policy: Policy
    ) -> Result<Bayeux.Channel, Refused> {
        let shown = name.prefix(Bayeux.Channel.mostBytes)
        guard let channel = Bayeux.Channel(name) else {
            return .failure(Refused(words: "405:\(shown):Invalid channel"))
        }
        guard channel.isSubscribable else { return .failure(Refused(words: "403:\(shown):Forbidden channel")) }
        let count = sessions[number]?.subscriptions.count ?? 0
        guard count < configuration.mostSubscriptions else {
            return .failure(Refused(words: "403:\(shown):Too many subscriptions"))
        }
        if let words = policy(.subscribe(channel, ext: message.ext)) { return .failure(Refused(words: words)) }
        return .success(channel)
    }

    mutating func unsubscribe(
        _ message: Bayeux.Message, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        for name in message.subscriptions {
            guard let index = sessions[number]?.subscriptions.firstIndex(where: { $0.name == name }),
                let channel = sessions[number]?.subscriptions.remove(at: index)
            else { continue }
            effects.append(.occasion(.unsubscribed(session: number, channel)))
        }
        answer.add(message.channel, id: message.id, isSuccessful: true) { reply in
            reply.member("clientId", clientID.reveal())
            reply.subscription(message.subscriptions)
        }
    }

    /// Publishes a message if the policy allows it. A client without a session may publish, too (Bayeux BX-5).
    /// Subscribers receive the message before the publisher receives its reply (Bayeux BX-20).
    mutating func publish(
        _ message: Bayeux.Message, _ policy: Policy, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        var error: String?
        let channel = Bayeux.Channel(message.channel)
        if let channel, !channel.isPattern {
            if channel.isMeta {
                error = "403:\(channel):Forbidden channel"
            } else if let data = message.data {
                error = policy(.publish(channel, data, ext: message.ext))
            } else {
                error = "402:data:Missing required parameter"
            }
        } else {
            error = "405:\(message.channel.prefix(Bayeux.Channel.mostBytes)):Invalid channel"
        }
        if error == nil, let channel, let data = message.data {
            effects.append(.occasion(.published(session: message.clientID.flatMap { numbers[$0] }, channel, data)))
            if !channel.isService { hand(on: channel, id: message.id, data, into: &effects) }
        }
        answer.add(message.channel, id: message.id, isSuccessful: error == nil) { reply in
            reply.member("error", error)
        }
    }

    /// Delivers a message to each subscriber once, even if several of its subscriptions cover the channel.
    mutating func hand(
        on channel: Bayeux.Channel, id: String?, _ data: RawJSON, into effects: inout [Effect]
    ) {
        let receivers = order.filter { sessions[$0]?.subscriptions.contains { $0.covers(channel) } ?? false }
        if receivers.isEmpty { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("channel", channel.name)
        writer.member("data", raw: data)
        writer.member("id", id)
        writer.endObject()
        for number in receivers { deliver(writer.bytes, to: number, into: &effects) }
    }

    private mutating func deliver(_ text: [UInt8], to number: Int, into effects: inout [Effect]) {
        guard let session = sessions[number] else { return }
        if let socket = session.socket { return effects.append(.send(link: socket, Self.frame([text]))) }
        guard session.queue.count < configuration.mostQueued,
            text.count <= configuration.mostQueuedBytes - session.queuedBytes
        else { return end(number, into: &effects) }
        sessions[number]?.queue.append(text)
        sessions[number]?.queuedBytes += text.count
        for link in links(holding: number) { release(link, into: &effects) }
    }

    mutating func takeQueue(of number: Int) -> [[UInt8]] {
        guard let queue = sessions[number]?.queue, !queue.isEmpty else { return [] }
        sessions[number]?.queue = []
        sessions[number]?.queuedBytes = 0
        return queue
    }
}

// MARK: - Answers

extension BayeuxServer {
    /// Answers a frame after all its messages are handled, or holds the answer if the frame contains a connect.
    mutating func finish(_ answer: Answer, at now: Moment, into effects: inout [Effect]) {
        guard let connect = answer.connect, sessions[connect.session] != nil else {
            let hasAnswer = !answer.isAnswered && (!answer.replies.isEmpty || !answer.isSocket)
            if hasAnswer { effects.append(.send(link: answer.link, Self.frame(answer.replies))) }
            return
        }
        var until = connect.until
        // A second connect replaces a held one, and is answered at the time that one was due (Bayeux BX-11).
        for link in links(holding: connect.session) {
            guard let earlier = held.removeValue(forKey: link) else { continue }
            until = min(until, earlier.until)
            guard !earlier.isSocket || !earlier.replies.isEmpty else { continue }
            effects.append(.send(link: link, Self.frame(earlier.replies)))
        }
        held[answer.link] = HeldFrame(
            session: connect.session, id: connect.id, until: until, replies: answer.replies, place: connect.place,
            isSocket: answer.isSocket)
        let hasEvents = !answer.isSocket && sessions[connect.session]?.queue.isEmpty == false
        if until <= now || hasEvents { release(answer.link, into: &effects) }
    }

    /// Answers a held frame. In an HTTP exchange, queued events follow the reply to the connect.
    mutating func release(
        _ link: Int, ending: Bayeux.Advice.Reconnect = .handshake, into effects: inout [Effect]
    ) {
        guard let frame = held.removeValue(forKey: link) else { return }
        var texts = frame.replies
        texts.insert(connectReply(frame.session, id: frame.id, ending: ending), at: frame.place)
        if !frame.isSocket { texts += takeQueue(of: frame.session) }
        effects.append(.send(link: link, Self.frame(texts)))
    }

    /// Returns the links on which a connect of the session is held. There is at most one.
    func links(holding number: Int) -> [Int] { held.filter { $0.value.session == number }.keys.sorted() }

    /// Returns the reply to a connect. `ending` is the advice for the client of a session that has just ended.
    func connectReply(_ number: Int, id: String?, ending: Bayeux.Advice.Reconnect = .handshake) -> [UInt8] {
        let session = sessions[number]
        let isSuccessful = session != nil || ending == .none
        return Answer.reply(Bayeux.Channel.connect.name, id: id, isSuccessful: isSuccessful) { reply in
            if let session { reply.member("clientId", session.clientID.reveal()) }
            if !isSuccessful { reply.member("error", "401::Unknown client") }
            reply.advice(advice(session == nil ? ending : .retry))
        }
    }

    /// Returns an array of messages that are already JSON text.
    static func frame(_ texts: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(texts.reduce(2) { $0 + $1.count + 1 })
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += text
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}

extension JSONWriter {
    /// Writes the channels as the request named them: one name, or a list.
    fileprivate mutating func subscription(_ names: [String]) {
        if names.count == 1, let name = names.first {
            member("subscription", name)
        } else {
            member("subscription", names: names)
        }
    }
}
