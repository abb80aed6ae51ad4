/// The events that the client has emitted to one namespace and that are not finished. It outlives a connection.
struct EmitLedger: Sendable {
    private struct Pending {
        var emission: SocketIO.Emission
        var id: Int?
    }

    let namespace: String
    var acks = AckLedger()
    private var buffered = BoundedBuffer<Pending>()
    private var retries = RetryQueue()
    var recovery = RecoveryPoint()

    init(namespace: String) { self.namespace = namespace }

    /// When to call `advance` next; `nil` if nothing is pending.
    var deadline: Moment? {
        guard let retry = retries.deadline else { return acks.deadline }
        return acks.deadline.map { min($0, retry) } ?? retry
    }

    /// Extends the peer's deadlines for its acknowledgements.
    mutating func postpone(by span: Duration) {
        acks.postpone(by: span)
        retries.postpone(by: span)
    }

    // MARK: Emitting

    /// Sends an event to a joined namespace.
    mutating func send(
        _ emission: SocketIO.Emission, at now: Moment, _ revision: EngineIO.Revision,
        into effects: inout [SocketIOClient.Effect]
    ) -> Int? {
        switch emission.delivery {
        case .volatile, .buffered:
            let id = issue(emission.ack, at: now, isSent: true, into: &effects)
            emission.send(to: namespace, id: id, revision, into: &effects)
            return id
        case .retried:
            let id = queue(emission, into: &effects)
            sendRetried(at: now, revision, into: &effects)
            return id
        }
    }

    /// Keeps an event for a namespace that is not joined, if its delivery mode and the available room permit.
    mutating func hold(
        _ emission: SocketIO.Emission, at now: Moment, _ policy: SocketIO.OverflowPolicy,
        into effects: inout [SocketIOClient.Effect]
    ) -> Int? {
        switch emission.delivery {
        case .volatile: return drop(emission, .notJoined, into: &effects)
        case .buffered: return buffer(emission, at: now, policy, into: &effects)
        case .retried: return queue(emission, into: &effects)
        }
    }

    /// Drops an event instead of sending it, and reports that.
    mutating func drop(
        _ emission: SocketIO.Emission, _ why: SocketIOClient.DropCause, into effects: inout [SocketIOClient.Effect]
    ) -> Int? {
        let wantsAck =
            switch (emission.delivery, emission.ack) {
            case (.retried, _), (_, .unlimited), (_, .within): true
            case (.volatile, .none), (.buffered, .none): false
            }
        let id = wantsAck ? acks.reserve() : nil
        tellDropped(emission, id, why, into: &effects)
        return id
    }

    private mutating func buffer(
        _ emission: SocketIO.Emission, at now: Moment, _ policy: SocketIO.OverflowPolicy,
        into effects: inout [SocketIOClient.Effect]
    ) -> Int? {
        let id = issue(emission.ack, at: now, isSent: false, into: &effects)
        let pending = Pending(emission: emission, id: id)
        while !buffered.append(pending, bytes: emission.weight) {
            guard policy == .dropOldest, let oldest = buffered.popFirst() else {
                if let id { _ = acks.settle(id) }
                tellDropped(emission, id, .overflow, into: &effects)
                break
            }
            if let id = oldest.id { _ = acks.settle(id) }
            tellDropped(oldest.emission, oldest.id, .overflow, into: &effects)
        }
        return id
    }

    private mutating func queue(_ emission: SocketIO.Emission, into effects: inout [SocketIOClient.Effect]) -> Int? {
        let id = acks.reserve()
        if !retries.append(RetryQueue.Item(emission: emission, id: id)) {
            tellDropped(emission, id, .overflow, into: &effects)
        }
        return id
    }

    private mutating func issue(
        _ request: SocketIO.AckRequest, at now: Moment, isSent: Bool, into effects: inout [SocketIOClient.Effect]
    ) -> Int? {
        let due: Moment? =
            switch request {
            case .none, .unlimited: nil
            case .within(let span): now + span
            }
        if request == .none { return nil }
        let (id, givenUp) = acks.issue(due: due, isSent: isSent)
        if let givenUp { tellUnacknowledged(givenUp, .overflow, into: &effects) }
        return id
    }

    // MARK: What happens to it

    /// Sends the waiting events, in order, after the namespace is joined.
    mutating func flush(at now: Moment, _ revision: EngineIO.Revision, into effects: inout [SocketIOClient.Effect]) {
        for pending in buffered.drain() {
            if let id = pending.id { acks.noteSent(id) }
            pending.emission.send(to: namespace, id: pending.id, revision, into: &effects)
        }
        sendRetried(at: now, revision, into: &effects)
    }

    /// Handles an acknowledgement. One that is not pending is ignored.
    mutating func settle(
        _ answer: SocketIO.Acknowledgement, at now: Moment, _ revision: EngineIO.Revision,
        into effects: inout [SocketIOClient.Effect]
    ) {
        if acks.settle(answer.id) {
            effects.append(.acknowledged(answer))
        } else if retries.settle(answer.id) {
            effects.append(.acknowledged(answer))
            sendRetried(at: now, revision, into: &effects)
        }
    }

    /// Performs the steps that are due by `now`. `revision` is `nil` while the namespace is not joined.
    mutating func advance(
        to now: Moment, _ revision: EngineIO.Revision?, into effects: inout [SocketIOClient.Effect]
    ) {
        for id in acks.expire(at: now) {
            if let pending = buffered.remove(where: { $0.id == id }) {
                tellDropped(pending.emission, id, .timeout, into: &effects)
            } else {
                tellUnacknowledged(id, .timeout, into: &effects)
            }
        }
        if let due = retries.deadline, due <= now {
            if let item = retries.endAttempt() { tellUnacknowledged(item.id, .timeout, into: &effects) }
            if let revision { sendRetried(at: now, revision, into: &effects) }
        }
    }

    /// Handles the loss of the connection, or of the namespace on it. Events already sent are reported as
    /// unacknowledged; waiting events keep waiting.
    mutating func disconnected(into effects: inout [SocketIOClient.Effect]) {
        for id in acks.giveUpSent() { tellUnacknowledged(id, .disconnected, into: &effects) }
        if let item = retries.endAttempt() { tellUnacknowledged(item.id, .disconnected, into: &effects) }
    }

    /// Gives up all events, because the namespace will not be joined again.
    mutating func abandon(into effects: inout [SocketIOClient.Effect]) {
        recovery = RecoveryPoint()
        let waiting = buffered.drain()
        for pending in waiting {
            if let id = pending.id { _ = acks.settle(id) }
        }
        for id in acks.giveUpAll() { tellUnacknowledged(id, .disconnected, into: &effects) }
        for pending in waiting { tellDropped(pending.emission, pending.id, .notJoined, into: &effects) }
        for item in retries.drain() { tellUnacknowledged(item.id, .disconnected, into: &effects) }
    }

    private mutating func sendRetried(
        at now: Moment, _ revision: EngineIO.Revision, into effects: inout [SocketIOClient.Effect]
    ) {
        guard let item = retries.next(at: now) else { return }
        item.emission.send(to: namespace, id: item.id, revision, into: &effects)
    }

    private func tellUnacknowledged(
        _ id: Int, _ cause: SocketIOClient.AckFailure, into effects: inout [SocketIOClient.Effect]
    ) {
        effects.append(.unacknowledged(namespace: namespace, id: id, cause))
    }

    private func tellDropped(
        _ emission: SocketIO.Emission, _ id: Int?, _ cause: SocketIOClient.DropCause,
        into effects: inout [SocketIOClient.Effect]
    ) {
        effects.append(.dropped(SocketIOClient.Dropped(emission: emission, namespace: namespace, id: id, cause: cause)))
    }
}
