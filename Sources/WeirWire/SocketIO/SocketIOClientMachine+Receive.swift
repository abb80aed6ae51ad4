import WeirJSON

// Input from the server.
extension SocketIOClientMachine {
    /// Handles a WebSocket message from the server.
    package mutating func receive(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        self.now = now
        do throws(SocketIO.Malformed) {
            switch try engine.receive(message, at: now) {
            case .opened(let handshake): open(handshake, into: &effects)
            case .message(let packet): try receive(packet, into: &effects)
            case .binary(let data): try receive(attachment: data, into: &effects)
            case .answer(let answer): effects.append(.send(answer))
            case .closed: closeByServer(into: &effects)
            case .nothing: break
            }
        } catch {
            refuse(error, into: &effects)
        }
    }

    /// Notes a message whose event was already decoded (see `SocketIO.Event.plainArray`).
    ///
    /// Returns false, and does nothing, if the message needs more than delivery. In that case, pass it to `receive`.
    package mutating func takesPlainEvent(at now: Moment) -> Bool {
        guard configuration.limits.depth == JSONReader.standardDepth, !assembler.isExpecting,
            let index = membership(of: "/"), memberships[index].isJoined,
            !memberships[index].ledger.recovery.isTracking, engine.hearsMessage(at: now)
        else { return false }
        self.now = now
        return true
    }

    /// How long to wait for the CONNECT that an Engine.IO 3 server sends directly after the open packet.
    private static let unaskedConnect = Duration.milliseconds(300)

    private var isListening: Bool { if case .listening = state { true } else { false } }

    private mutating func refuse(_ error: SocketIO.Malformed, into effects: inout [Effect]) {
        switch state {
        case .opening: finish(.notEngineIO(error), into: &effects)
        case .listening, .open: effects.append(.malformed(error))
        case .finished: break
        }
    }

    private mutating func open(_ handshake: EngineIO.Handshake, into effects: inout [Effect]) {
        guard case .opening(let until) = state else { return }
        // `maxPayload` proves Engine.IO 4, but some servers of that revision omit it.
        guard configuration.detectsRevision, revision == .v4, handshake.maxPayload == nil else {
            return begin(handshake, answersBy: until, into: &effects)
        }
        state = .listening(handshake, until: now + Self.unaskedConnect, answersBy: until)
    }

    /// Opens the session and requests the namespaces.
    mutating func begin(_ handshake: EngineIO.Handshake, answersBy until: Moment, into effects: inout [Effect]) {
        state = .open(handshake)
        isUnanswered = true
        if revision == .v3 { expectDefaultNamespace() }
        for index in memberships.indices where !memberships[index].isGone {
            ask(index, into: &effects)
            // One deadline applies to the open packet and the answers together.
            memberships[index].state = .joining(until: memberships[index].isWanted ? until : nil)
        }
        renewNamespacesDue()
    }

    /// Handles an answer for a namespace that the client has not requested yet.
    ///
    /// The server then uses Engine.IO 3, and the connection switches to it. The exception is an answer that names a
    /// session, as in captured traffic, in which the client itself sends nothing.
    private mutating func heardUnasked(sessionIDs: (sid: String, pid: String?)?, into effects: inout [Effect]) {
        guard case .listening(let handshake, _, let answersBy) = state else { return }
        if sessionIDs == nil {
            revision = .v3
            engine.adopt(.v3, handshake, at: now)
        }
        begin(handshake, answersBy: answersBy, into: &effects)
    }

    /// Expects the default namespace: an Engine.IO 3 server joins the client to `/` in every connection, requested or
    /// not.
    private mutating func expectDefaultNamespace() {
        guard let index = membership(of: "/") else {
            return memberships.append(Membership(Namespace("/"), isWanted: false))
        }
        if memberships[index].isGone, !memberships[index].isWanted { memberships[index].state = .waiting }
    }

    private mutating func receive(
        attachment: ArraySlice<UInt8>, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        if !assembler.isGathering, !memberships.contains(where: \.isJoined), attachment.isMsgpackPacket {
            return finish(.msgpack, into: &effects)
        }
        if let packet = try assembler.attach(attachment) { try receive(packet, into: &effects) }
    }

    private mutating func closeByServer(into effects: inout [Effect]) {
        for index in memberships.indices where memberships[index].isWanted && !memberships[index].isGone {
            effects.append(.disconnected(namespace: memberships[index].name))
        }
        finish(.byServer, into: &effects)
    }

    /// Reads the data of a text message. Error offsets count from the start of the frame, which begins with the
    /// Engine.IO type digit.
    private mutating func receive(
        _ data: ArraySlice<UInt8>, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        if assembler.isGathering {
            finish(.outOfStep(.init(message: "a text message while attachments are due", offset: 0)), into: &effects)
            return
        }
        let packet: SocketIO.Packet
        do throws(SocketIO.Malformed) {
            packet = try SocketIO.Packet(
                parsing: data, revision: isListening ? .v3 : revision,
                mostAttachments: configuration.limits.attachmentCount,
                maximumDepth: configuration.limits.depth)
        } catch {
            assembler.refuse(data)
            throw error.moved(by: 1)
        }
        if packet.attachments > 0 { return assembler.begin(packet) }
        assembler.reset()
        do throws(SocketIO.Malformed) {
            try receive(packet, into: &effects)
        } catch {
            throw error.moved(by: 1)
        }
    }

    private mutating func receive(
        _ packet: SocketIO.Packet, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        switch packet {
        case .event(let event, _):
            try receive(event, into: &effects)
        case .acknowledgement(let answer, _):
            guard let index = membership(of: answer.namespace), memberships[index].isJoined else { return }
            memberships[index].ledger.settle(answer, at: now, revision, into: &effects)
            renewNamespacesDue()
        case .connect(let address, let payload):
            try receiveConnect(SocketIO.NamespaceAddress(address).name, payload, into: &effects)
        case .disconnect(let name):
            receiveDisconnect(name, into: &effects)
        case .connectError(let name, let payload):
            try receiveError(name, SocketIO.Refusal(payload: payload), into: &effects)
        }
    }

    private mutating func receive(_ event: SocketIO.Event, into effects: inout [Effect]) throws(SocketIO.Malformed) {
        guard let index = membership(of: event.namespace) else {
            throw SocketIO.Malformed(message: "an event for a namespace that is not joined", offset: 0)
        }
        switch memberships[index].state {
        case .joined:
            deliver(event, of: index, into: &effects)
        case .joining:
            if memberships[index].early.append(event.detached, bytes: event.weight) { return }
            memberships[index].hasLostEarly = true
            throw SocketIO.Malformed(
                message: "too many events before the namespace's answer; one was dropped", offset: 0)
        case .waiting, .gone:
            throw SocketIO.Malformed(message: "an event for a namespace that is not joined", offset: 0)
        }
    }

    /// Delivers an event. The offset that a recovering server appends to an event is not one of its arguments: it is
    /// noted and removed (Socket.IO SIO-16).
    private mutating func deliver(_ event: SocketIO.Event, of index: Int, into effects: inout [Effect]) {
        guard memberships[index].ledger.recovery.isTracking, event.ackID == nil,
            memberships[index].ledger.recovery.follow(event)
        else { return effects.append(.event(event)) }
        var event = event
        event.hasOffset = true
        effects.append(.event(event))
    }
}

extension ArraySlice<UInt8> {
    /// Whether this is a packet of the MessagePack parser: a map of few members, the first of which is `type`.
    fileprivate var isMsgpackPacket: Bool {
        first.map { (0x80...0x8F).contains($0) } == true && dropFirst().starts(with: [0xA4] + "type".utf8)
    }
}

// MARK: - Namespaces

extension SocketIOClientMachine {
    /// Handles a CONNECT. One without a `sid` on Engine.IO 4 comes from a server of revision 3 that ignores the
    /// requested revision (Engine.IO EIO-14).
    private mutating func receiveConnect(
        _ name: String, _ payload: RawJSON?, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        let ids = payload?.sessionIDs
        heardUnasked(sessionIDs: ids, into: &effects)
        isUnanswered = false
        guard case .open = state else { return }
        if revision == .v4, ids == nil {
            guard memberships.contains(where: \.isJoined) else {
                return finish(.revisionMismatch(.v3), into: &effects)
            }
            throw SocketIO.Malformed(message: "a CONNECT without a sid", offset: 0)
        }
        guard let index = membership(of: name), !memberships[index].isGone else {
            throw SocketIO.Malformed(message: "a CONNECT for a namespace that was not requested", offset: 0)
        }
        switch memberships[index].state {
        case .joining: join(index, ids, into: &effects)
        case .joined:
            // A Python server of Engine.IO 3 answers again (Socket.IO SIO-19).
            if revision == .v4 { throw SocketIO.Malformed(message: "a second CONNECT", offset: 0) }
        case .waiting, .gone: break
        }
    }

    private mutating func join(_ index: Int, _ ids: (sid: String, pid: String?)?, into effects: inout [Effect]) {
        memberships[index].state = .joined
        let isSame = memberships[index].ledger.recovery.answered(pid: ids?.pid)
        let isRecovered = isSame && !memberships[index].hasLostEarly
        let early = memberships[index].early.drain()
        if memberships[index].isWanted {
            connected(index, id: ids?.sid, isRecovered: isRecovered, early: early.count, into: &effects)
        }
        for event in early { deliver(event, of: index, into: &effects) }
        memberships[index].hasLostEarly = false
        memberships[index].ledger.flush(at: now, revision, into: &effects)
        renewNamespacesDue()
    }

    mutating func connected(
        _ index: Int, id: String?, isRecovered: Bool, early: Int = 0, into effects: inout [Effect]
    ) {
        guard case .open(let handshake) = state else { return }
        var joined = Joined(
            namespace: memberships[index].name, id: id, isRecovered: isRecovered, handshake: handshake)
        joined.early = early
        effects.append(.connected(joined))
    }

    private mutating func receiveDisconnect(_ name: String, into effects: inout [Effect]) {
        guard let index = membership(of: name), !memberships[index].isGone else { return }
        if memberships[index].isWanted { effects.append(.disconnected(namespace: name)) }
        // Waiting events may be sent if the namespace is joined again, but the session itself cannot be recovered
        // (Socket.IO SIO-18).
        memberships[index].ledger.recovery = RecoveryPoint()
        memberships[index].disconnected(into: &effects)
        memberships[index].state = .gone
        if memberships.allSatisfy({ $0.isGone || !$0.isWanted }) { finish(.byServer, into: &effects) }
        renewNamespacesDue()
    }

    /// Handles a CONNECT_ERROR. Before the server's answer, it refuses the namespace. After it (from a middleware of
    /// Engine.IO 3, or a Python server), it is only a message, which is reported.
    private mutating func receiveError(
        _ address: String, _ refusal: SocketIO.Refusal, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        heardUnasked(sessionIDs: nil, into: &effects)
        isUnanswered = false
        let name = SocketIO.NamespaceAddress(address).name
        guard let index = membership(of: name), !memberships[index].isGone else {
            throw SocketIO.Malformed(message: "an error for a namespace that was not requested", offset: 0)
        }
        switch memberships[index].state {
        case .joining:
            effects.append(.refused(namespace: name, refusal))
            end(index, .byServer, into: &effects)
        case .joined:
            throw SocketIO.Malformed(message: "the server reports an error: \(refusal.message)", offset: 0)
        case .waiting, .gone:
            break
        }
    }
}
