import JSONText

// The effects of the open stream's client, and the reaction to its end.
extension SocketIOReconnection {
    mutating func withClient(
        at now: Moment, into effects: inout [Effect],
        _ body: (inout SocketIOClient, inout [SocketIOClient.Effect]) -> Void
    ) {
        guard client != nil else { return }
        var told: [SocketIOClient.Effect] = []
        body(&client!, &told)
        carryOut(told, at: now, into: &effects)
    }

    mutating func carryOut(
        _ told: [SocketIOClient.Effect], at now: Moment, into effects: inout [Effect]
    ) {
        for effect in told {
            switch effect {
            case .send(let message): effects.append(.send(message))
            case .connected(let joined):
                succeeded(at: now)
                effects.append(.tell(.joined(joined)))
            case .refused(let namespace, let refusal):
                wanted.removeAll { $0.namespace.matches(namespace) }
                self.refusal = refusal
                effects.append(.tell(.refused(namespace: namespace, refusal)))
            case .event(let event): effects.append(.tell(.event(event)))
            case .acknowledged(let answer): effects.append(.tell(.acknowledged(answer)))
            case .unacknowledged(let namespace, let id, let cause):
                effects.append(.tell(.unacknowledged(namespace: namespace, id: id, cause)))
            case .dropped(let dropped): effects.append(.tell(.dropped(dropped)))
            case .disconnected(let namespace): disconnected(namespace, at: now, into: &effects)
            case .malformed(let malformed): effects.append(.tell(.malformed(malformed)))
            case .close(let cause):
                state = .closing(cause)
                effects.append(.close)
                retireClient(at: now, into: &effects)
            }
        }
    }

    private mutating func succeeded(at now: Moment) {
        attempt = 0
        steadiness.began(at: now)
        isAtOnce = false
        if case .open = state, let found = client?.revision {
            state = .open(found)
            revision = found
        }
    }

    private mutating func disconnected(_ name: String, at now: Moment, into effects: inout [Effect]) {
        effects.append(.tell(.disconnected(namespace: name)))
        for index in wanted.indices.reversed() where wanted[index].namespace.matches(name) {
            if configuration.returnsAfterKick {
                wanted[index].askAgain = now + configuration.backoff.delay(afterFailures: 1, using: &random)
            } else if wanted.count > 1 {
                wanted.remove(at: index)
            }
        }
    }

    /// Ends the stream's client and keeps its memory for the next one.
    mutating func retireClient(at now: Moment, into effects: inout [Effect]) {
        var told: [SocketIOClient.Effect] = []
        if let left = client?.socketClosed(into: &told) { memory = left }
        client = nil
        carryOut(told, at: now, into: &effects)
    }

    mutating func connect(into effects: inout [Effect]) {
        attempt += 1
        let revision = configuration.revision ?? revision ?? .v4
        state = .connecting(revision)
        effects.append(.tell(.connecting(attempt: attempt)))
        effects.append(.connect(attempt: attempt, revision))
    }

    /// Handles the end of a stream that the client wanted closed.
    mutating func closed(
        by cause: SocketIOClient.CloseCause, at now: Moment, into effects: inout [Effect]
    ) {
        switch cause {
        case .requested: end(.requested, into: &effects)
        case .byServer where refusal != nil && wanted.isEmpty:
            end(.namespaceRefused(refusal ?? .init(message: "")), into: &effects)
        case .byServer where !configuration.returnsAfterKick: end(.disconnectedByServer, into: &effects)
        case .revisionMismatch(let revision):
            lost(.protocolEnd(cause), .withRevision(revision), at: now, into: &effects)
        case .msgpack: lost(.protocolEnd(cause), .never, at: now, into: &effects)
        case .byServer, .pingTimeout, .handshakeTimeout, .notEngineIO, .outOfStep:
            lost(.protocolEnd(cause), .later, at: now, into: &effects)
        }
    }

    mutating func lost(
        _ loss: Loss, _ retry: Reconnection, at now: Moment, into effects: inout [Effect]
    ) {
        if let attempts = steadiness.ended(at: now) { attempt = attempts }
        switch retry {
        case .never:
            if case .failed(let failure) = loss { return end(.refused(failure), into: &effects) }
            return end(.gaveUp(attempts: attempt, loss), into: &effects)
        case .withRevision(let found):
            guard configuration.revision == nil else { break }
            revision = found
            if connectAtOnce(loss, into: &effects) { return }
        case .atOnce:
            if connectAtOnce(loss, into: &effects) { return }
        case .later, .after: break
        }
        isAtOnce = false
        if let limit = configuration.maximumAttempts, attempt >= limit {
            return end(.gaveUp(attempts: attempt, loss), into: &effects)
        }
        var delay = configuration.backoff.delay(afterFailures: max(attempt, 1), using: &random)
        if case .after(let seconds) = retry { delay = max(delay, min(.seconds(seconds), .longestRetryAfter)) }
        state = .waiting(until: now + delay)
        effects.append(.tell(.lost(loss, retryIn: delay)))
    }

    private mutating func connectAtOnce(_ loss: Loss, into effects: inout [Effect]) -> Bool {
        if isAtOnce || attempt > 1 { return false }
        isAtOnce = true
        attempt -= attempt > 0 ? 1 : 0
        effects.append(.tell(.lost(loss, retryIn: .zero)))
        connect(into: &effects)
        return true
    }

    mutating func end(_ ending: Ending, into effects: inout [Effect]) {
        state = .over
        var told: [SocketIOClient.Effect] = []
        memory.abandon(into: &told)
        memory = SocketIOClient.Memory()
        carryOut(told, at: .zero, into: &effects)
        effects.append(.tell(.ended(ending)))
    }
}

extension SocketIOClient.Namespace {
    func matches(_ name: String) -> Bool { SocketIO.NamespaceAddress(self.name).name == name }
}
