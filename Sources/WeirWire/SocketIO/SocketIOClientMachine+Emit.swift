package import WeirJSON

// The calls of the application.
extension SocketIOClientMachine {
    /// Sends an event at the time `now`.
    ///
    /// If the namespace is not joined yet, `delivery` determines what happens to the event. An event that is not sent,
    /// or whose namespace was not requested, is reported as `.dropped`. The name must not be reserved; check a foreign
    /// name with `SocketIO.isReserved`.
    ///
    /// - Returns: The acknowledgement id, if the event requests an acknowledgement.
    @discardableResult
    package mutating func emit(_ emission: SocketIO.Emission, at now: Moment, into effects: inout [Effect]) -> Int? {
        self.now = max(self.now, now)
        return emit(emission, into: &effects)
    }

    /// Sends an event, or lets it wait until the namespace is joined.
    ///
    /// `SocketIO.Arguments` creates both the arguments and the attachments.
    ///
    /// - Parameters:
    ///   - arguments: A comma-separated list of JSON values, which may be empty.
    ///   - attachments: The attachments for the placeholders in the arguments.
    @discardableResult
    package mutating func emit(
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

    /// Returns the id of the next event in a namespace that requests an acknowledgement.
    package func nextAckID(in namespace: String) -> Int? {
        membership(of: SocketIO.NamespaceAddress(namespace).name).map { memberships[$0].ledger.acks.nextID }
    }

    /// Skips acknowledgement ids, so that the next one is `id`. Use it if the client has not seen the earlier events.
    package mutating func skipAckIDs(to id: Int, in namespace: String) {
        guard let index = membership(of: SocketIO.NamespaceAddress(namespace).name) else { return }
        memberships[index].ledger.acks.skip(to: id)
    }

    private var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Acknowledges an event that requested it. `arguments` is a JSON array. Does nothing if the namespace is no longer
    /// joined.
    package mutating func acknowledge(
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

    /// Joins another namespace, or one that was left or refused. A namespace that was already requested stays as it is.
    ///
    /// Engine.IO 3 cannot join the default namespace again; this is reported as `.refused`.
    package mutating func join(_ namespace: Namespace, at now: Moment, into effects: inout [Effect]) {
        precondition(SocketIO.isNamespace(namespace.name), "a namespace must not contain a comma, which ends the name")
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

    /// Leaves a namespace permanently and gives up the events waiting for it. The connection ends with the last
    /// namespace.
    package mutating func leave(_ namespace: String, into effects: inout [Effect]) {
        let name = SocketIO.NamespaceAddress(namespace).name
        guard !isFinished, let index = membership(of: name), !memberships[index].isGone else { return }
        if memberships[index].isJoined {
            effects.append(.send(SocketIO.Packet.disconnect(namespace: name).message))
        }
        end(index, .requested, into: &effects)
    }

    /// Requests a namespace if the session is open. On Engine.IO 3, the server joins the client to `/` by itself, and a
    /// request for it would make some servers close the session (Socket.IO SIO-9).
    mutating func ask(_ index: Int, into effects: inout [Effect]) {
        guard case .open = state else { return }
        memberships[index].state = .joining(until: now + configuration.handshakeTimeout)
        renewNamespacesDue()
        if revision == .v3, memberships[index].name == "/" { return }
        effects.append(.send(memberships[index].connect(revision)))
    }
}
