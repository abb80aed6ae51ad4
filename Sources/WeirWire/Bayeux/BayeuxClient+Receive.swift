import WeirJSON

extension BayeuxClient {
    /// Handles a frame from the server, one message after the other.
    package mutating func receive(_ frame: ArraySlice<UInt8>, at now: Moment, into effects: inout [Effect]) {
        if isFinished { return }
        heard = max(heard, now)
        let messages: Bayeux.Frame
        do throws(Bayeux.Malformed) {
            messages = try Bayeux.Frame(parsing: frame, maximumDepth: configuration.maximumDepth)
        } catch {
            switch state {
            case .handshaking where !hadSession: return finish(.notBayeux(error), into: &effects)
            case .idle, .handshaking, .resuming, .open, .pausing, .leaving, .finished:
                return effects.append(.malformed(error))
            }
        }
        for malformed in messages.malformed { effects.append(.malformed(malformed)) }
        for message in messages.messages {
            if isFinished { return }
            receive(message, at: now, into: &effects)
        }
    }

    private mutating func receive(_ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]) {
        if let advice = message.advice, message.channel.hasPrefix("/meta/") { self.advice.merge(advice) }
        switch message.channel {
        case Bayeux.Channel.handshake.name: handshakeAnswered(message, at: now, into: &effects)
        case Bayeux.Channel.connect.name: connectAnswered(message, at: now, into: &effects)
        case Bayeux.Channel.subscribe.name: subscriptionAnswered(message, at: now, into: &effects)
        case Bayeux.Channel.unsubscribe.name: unsubscriptionAnswered(message, into: &effects)
        case Bayeux.Channel.disconnect.name: disconnectAnswered(into: &effects)
        default:
            if message.isSuccessful != nil {
                publicationAnswered(message, at: now, into: &effects)
            } else if let data = message.data {
                stood = now
                tellOfResumption(into: &effects)
                effects.append(.delivery(Delivery(channel: message.channel, id: message.id, data: data)))
            } else {
                effects.append(.malformed(Bayeux.Malformed("a message without data")))
            }
        }
    }

    private mutating func handshakeAnswered(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        guard case .handshaking(let id, _) = state, message.id == nil || message.id == id else { return }
        guard message.isSuccessful == true, let clientID = message.clientID else {
            let words = message.error ?? "the handshake was refused"
            return finish(isForbidden ? .forbidden(words) : .refused(words), into: &effects)
        }
        // Advice to shake hands was about the previous session; this session is new.
        if message.advice?.reconnect == nil { advice.reconnect = .retry }
        batch = configuration.acknowledges && message.acknowledges ? 0 : nil
        effects.append(.connected(hadSession ? .renewed : .first))
        open(clientID, at: now, into: &effects)
    }

    /// Reports that the previous session is open again. This must precede any delivery of the session, because events
    /// may be missing just before it.
    private mutating func tellOfResumption(into effects: inout [Effect]) {
        guard case .resuming(let clientID, let id, let until, false) = state else { return }
        state = .resuming(clientID: clientID, id: id, until: until, isTold: true)
        effects.append(.connected(batch == nil ? .resumed : .complete))
    }

    private mutating func open(_ clientID: Secret, at now: Moment, into effects: inout [Effect]) {
        state = .open(clientID: clientID)
        (hadSession, stood, opened) = (true, now, now)
        connectNow(clientID, at: now, into: &effects)
        askForSubscriptions(at: now, into: &effects)
        while let publication = waiting.popFirst() { send(publication, clientID, at: now, into: &effects) }
    }

    private mutating func connectNow(_ clientID: Secret, at now: Moment, into effects: inout [Effect]) {
        let id = newID()
        let held = advice.timeout ?? configuration.assumedTimeout
        connect = .out(id: id, until: now + held + configuration.replyTimeout)
        sendConnect(clientID, id: id, hold: nil, at: now, into: &effects)
    }

    /// Sends a connect that the server holds for `hold`, or for as long as it likes if `hold` is `nil`.
    mutating func sendConnect(
        _ clientID: Secret, id: String, hold: Duration?, at now: Moment, into effects: inout [Effect]
    ) {
        connected = now
        let frame = Bayeux.frame(.connect, id: id) { message in
            message.member("clientId", clientID.reveal())
            message.member("connectionType", configuration.connectionType.rawValue)
            if let hold { message.advice(Bayeux.Advice(timeout: hold)) }
            if let batch { message.member("ext", raw: RawJSON(unchecked: ArraySlice(#"{"ack":\#(batch)}"#.utf8))) }
        }
        effects.append(.send(Outgoing(bytes: frame, isConnect: true)))
    }

    private mutating func connectAnswered(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        guard let isSuccessful = message.isSuccessful else { return }
        switch state {
        case .resuming(let clientID, let id, _, _) where message.id == nil || message.id == id:
            guard isSuccessful else { return connectFailed(message, at: now, into: &effects) }
            tellOfResumption(into: &effects)
            note(batchOf: message)
            resumable = nil
            open(clientID, at: now, into: &effects)
        case .open(let clientID):
            guard case .out(let id, _) = connect, message.id == nil || message.id == id else { return }
            guard isSuccessful else { return connectFailed(message, at: now, into: &effects) }
            note(batchOf: message)
            stood = now
            if now - opened >= Steadiness.holdingTime { forgotten = 0 }
            guard !isForbidden else { return finish(.forbidden("the server forbids further connects"), into: &effects) }
            let pause = max(advice.interval ?? .zero, pauseAfterHaste(at: now))
            connect = .due(now + pause)
            if pause == .zero { connectNow(clientID, at: now, into: &effects) }
        case .idle, .handshaking, .resuming, .pausing, .leaving, .finished: return
        }
    }

    /// Returns a pause before the next connect if the server answers every connect at once and advises no interval.
    /// Without it, the client would send connects in a tight loop.
    private mutating func pauseAfterHaste(at now: Moment) -> Duration {
        let left = Self.connectFloor - (now - connected)
        hasty = left > .zero ? hasty + 1 : 0
        return hasty > Self.mostHasty ? left : .zero
    }

    /// Whether the server forbade another attempt.
    private var isForbidden: Bool {
        advice.reconnect == Bayeux.Advice.Reconnect.none || advice.interval ?? .zero < .zero
    }

    private mutating func connectFailed(
        _ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]
    ) {
        if isForbidden { return finish(.forbidden(message.error ?? "the connect was refused"), into: &effects) }
        if message.advice?.reconnect == .retry, !message.meansUnknownSession, case .open = state {
            let delay = configuration.backoff.delay(afterFailures: 1, using: &random)
            connect = .due(now + max(delay, advice.interval ?? .zero))
        } else {
            forget(at: now, into: &effects)
        }
    }

    private mutating func note(batchOf message: Bayeux.Message) {
        guard batch != nil, let received = message.batch else { return }
        batch = received
    }

    private mutating func disconnectAnswered(into effects: inout [Effect]) {
        if case .leaving = state { return finish(.requested, into: &effects) }
        finish(.byServer, into: &effects)
    }

    /// Handles the refusal of a probe, whose subscription the server had accepted: either the session is gone or the
    /// permission is.
    mutating func probeRefused(_ message: Bayeux.Message, at now: Moment, into effects: inout [Effect]) {
        guard !message.meansUnknownSession else { return forget(at: now, into: &effects) }
        guard let index = probed else { return }
        subscriptions[index].state = .refused
        effects.append(.refused(subscriptions[index].channel, message.error ?? "refused"))
    }
}

// MARK: - Time

extension BayeuxClient {
    var connectDeadline: Moment {
        switch connect {
        case .out(_, let until), .due(let until): until
        }
    }

    /// The index of the subscription that is requested again as a probe of the transport.
    var probed: Int? { subscriptions.firstIndex { $0.state == .standing } }

    var probeDeadline: Moment? {
        if let probe { return probe.until }
        guard let silence = configuration.probeAfter, probed != nil else { return nil }
        return heard + silence
    }

    /// Performs the steps that are due up to `now`, each at its own deadline.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        switch state {
        case .idle, .finished: return
        case .handshaking: finish(.noAnswer, into: &effects)
        case .resuming: finish(.silent, into: &effects)
        case .pausing: handshake(at: due, into: &effects)
        case .leaving: finish(.requested, into: &effects)
        case .open(let clientID):
            if connectDeadline <= due {
                guard case .due = connect else { return finish(.silent, into: &effects) }
                connectNow(clientID, at: due, into: &effects)
            }
            advanceProbe(clientID, to: due, into: &effects)
            advanceSubscriptions(to: due, into: &effects)
            advancePublications(to: due, into: &effects)
        }
    }

    private mutating func advanceProbe(_ clientID: Secret, to due: Moment, into effects: inout [Effect]) {
        guard let deadline = probeDeadline, deadline <= due else { return }
        guard probe == nil, let index = probed else { return finish(.silent, into: &effects) }
        let id = newID()
        probe = (id, due + configuration.replyTimeout)
        var frame = Bayeux.FrameWriter()
        frame.add(subscription: subscriptions[index], id: id, clientID)
        effects.append(.send(Outgoing(bytes: frame.finish(), isConnect: false)))
    }
}

extension Bayeux.Message {
    /// Whether a failed reply means that the server does not know the session: `401:<id>:Unknown client`, or CometD's
    /// `402::session_unknown` (Bayeux BX-18). Salesforce's server has answered with 403 (Bayeux BX-18).
    var meansUnknownSession: Bool {
        guard isSuccessful == false else { return false }
        if advice?.reconnect == .handshake { return true }
        guard let error else { return false }
        return error.hasPrefix("401:") || error.hasSuffix(":session_unknown") || error.hasSuffix(":Unknown client")
    }

    /// Whether the server accepts the acknowledgement extension.
    fileprivate var acknowledges: Bool { extValue == .bool(true) || batch != nil }

    /// The number of the batch that ends with this reply to a connect.
    fileprivate var batch: Int64? { if case .integer(let number)? = extValue { number } else { nil } }

    private var extValue: JSONValue? {
        guard let ext, let value = try? JSONValue(parsing: ext.bytes) else { return nil }
        return value["ack"]
    }
}
