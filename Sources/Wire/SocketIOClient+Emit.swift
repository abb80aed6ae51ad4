public import JSONText

// What the application does.
extension SocketIOClient {
    /// Sends an event, at the time `now`; gives its ack id when it wants an acknowledgement. What becomes of one whose namespace is not
    /// joined yet, its `delivery` says; one that is not sent is told as `.dropped`, and so is one for a namespace that
    /// is not asked for.
    ///
    /// The name must not be reserved: ask `SocketIO.isReserved` about a name that is not your own.
    @discardableResult
    public mutating func emit(_ emission: SocketIO.Emission, at now: Moment, into effects: inout [Effect]) -> Int? {
        self.now = max(self.now, now)
        return emit(emission, into: &effects)
    }

    /// Sends an event with its arguments, a comma-separated list of JSON values (may be empty), and the attachments their placeholders
    /// stand for (`SocketIO.Arguments` makes both). Before the namespace is joined it waits.
    @discardableResult
    public mutating func emit(
        _ name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = [], namespace: String? = nil,
        wantsAck: Bool = false, into effects: inout [Effect]
    ) -> Int? {
        let emission = SocketIO.Emission(
            name, arguments: arguments, attachments: attachments, namespace: namespace,
            ack: wantsAck ? .unlimited : .none)
        return emit(emission, into: &effects)
    }

    private mutating func emit(_ emission: SocketIO.Emission, into effects: inout [Effect]) -> Int? {
        precondition(
            !SocketIO.isReserved(emission.name), "the event name \(emission.name) is reserved by Socket.IO")
        defer { renewNamespacesDue() }
        let name = emission.namespace.map { SocketIO.NamespaceAddress($0).name } ?? firstNamespace
        guard let index = membership(of: name) else {
            var ledger = EmitLedger(namespace: name)
            return ledger.drop(emission, isFinished ? .finished : .notJoined, into: &effects)
        }
        if isFinished { return memberships[index].ledger.drop(emission, .finished, into: &effects) }
        switch memberships[index].state {
        case .joined: return memberships[index].ledger.send(emission, at: now, revision, into: &effects)
        case .gone: return memberships[index].ledger.drop(emission, .notJoined, into: &effects)
        case .waiting, .joining:
            return memberships[index].ledger.hold(emission, at: now, configuration.overflow, into: &effects)
        }
    }

    /// The id that the next event to ask for an acknowledgement is given in a namespace.
    public func nextAckID(in namespace: String) -> Int? {
        membership(of: SocketIO.NamespaceAddress(namespace).name).map { memberships[$0].ledger.acks.nextID }
    }

    /// Passes ids over, so that the next one is `id`: of a client that did not see what came before.
    public mutating func skipAckIDs(to id: Int, in namespace: String) {
        guard let index = membership(of: SocketIO.NamespaceAddress(namespace).name) else { return }
        memberships[index].ledger.acks.skip(to: id)
    }

    private var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Answers an event that asked for it; `arguments` is a JSON array. Once the namespace is left nobody waits for the answer.
    public mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], namespace: String? = nil,
        into effects: inout [Effect]
    ) {
        let name = namespace.map { SocketIO.NamespaceAddress($0).name } ?? firstNamespace
        guard let index = membership(of: name), memberships[index].isJoined else { return }
        let answer = SocketIO.Acknowledgement(
            namespace: name, id: id, arguments: arguments, attachments: attachments)
        let packet = SocketIO.Packet.acknowledgement(answer, attachments: attachments.count)
        effects += packet.messages(revision).map(Effect.send)
    }

    /// Joins one more namespace, or one that was left or refused. One that is asked for already stays as it is.
    ///
    /// Engine.IO 3 has no way to join the default namespace again: that is told as `.refused`.
    public mutating func join(_ namespace: Namespace, at now: Moment, into effects: inout [Effect]) {
        precondition(SocketIO.isNamespace(namespace.name), "a namespace cannot hold a comma: it ends the name")
        self.now = max(self.now, now)
        if isFinished { return }
        var asked = Membership(namespace)
        guard let index = membership(of: asked.name) else {
            memberships.append(asked)
            return ask(memberships.endIndex - 1, into: &effects)
        }
        switch memberships[index].state {
        case .waiting, .joining:
            memberships[index].isWanted = true
        case .joined:
            if memberships[index].isWanted { return }
            memberships[index].isWanted = true
            connected(index, id: nil, isRecovered: false, into: &effects)
        case .gone:
            if revision == .v3, asked.name == "/" {
                let refusal = SocketIO.Refusal(message: "Engine.IO 3 cannot join the default namespace again")
                return effects.append(.refused(namespace: asked.name, refusal))
            }
            asked.ledger = memberships[index].ledger
            memberships[index] = asked
            ask(index, into: &effects)
        }
    }

    /// Leaves a namespace for good; what waits for it is given up. With the last one the connection ends.
    public mutating func leave(_ namespace: String, into effects: inout [Effect]) {
        let name = SocketIO.NamespaceAddress(namespace).name
        guard !isFinished, let index = membership(of: name), !memberships[index].isGone else { return }
        if memberships[index].isJoined {
            effects.append(.send(SocketIO.Packet.disconnect(namespace: name).message))
        }
        end(index, .requested, into: &effects)
    }

    /// Asks the server for a namespace, once the session is open. On Engine.IO 3 the server joins `/` by itself; asking for
    /// it would make some servers close the session (1.10).
    mutating func ask(_ index: Int, into effects: inout [Effect]) {
        guard case .open = state else { return }
        memberships[index].state = .joining(until: now + configuration.handshakeTimeout)
        renewNamespacesDue()
        if revision == .v3, memberships[index].name == "/" { return }
        effects.append(.send(memberships[index].connect(revision)))
    }
}
