public import JSONText

/// The server's end of one Socket.IO connection over one Engine.IO session, as the JavaScript server behaves (`reference/socketio.md` 1.10, 1.14).
///
/// Strict where the reference is strict: a malformed frame, a packet for a namespace that is not joined, a heartbeat in the wrong
/// direction closes the connection. After a `.close` effect the machine is finished: it takes everything and answers nothing.
/// Timers fire in `advance(to:into:)` only.
public struct SocketIOServer: Sendable {
    private enum State {
        /// `start` was not called yet. Follows: open, closed.
        case created(at: Moment)
        /// The session is open. Follows: closed.
        case open(joinBy: Moment?)
        /// Nothing more will happen.
        case closed
    }

    /// A namespace the client is in.
    private struct Membership {
        var namespace: String
        var sid: String
        var pid: String?
        var acks = AckLedger()

        var session: SocketIORecoveryStore.Session? {
            pid.map { SocketIORecoveryStore.Session(sid: sid, pid: $0, namespace: namespace) }
        }
    }

    private var state: State
    private var engine: EngineIOServer
    private let configuration: Configuration
    private var assembler = AttachmentAssembler()
    /// As many as the configuration has namespaces, at most.
    private var memberships: [Membership] = []
    /// A CONNECT that waits for `recover`: its namespace.
    private var recovering: String?
    private var lostSessions: [SocketIORecoveryStore.Session] = []

    /// When `advance(to:into:)` wants to be called next.
    public var deadline: Moment? {
        switch state {
        case .open(let joinBy):
            memberships.reduce(joinBy.map { min($0, engine.deadline) } ?? engine.deadline) { due, membership in
                membership.acks.deadline.map { min($0, due) } ?? due
            }
        case .created, .closed: nil
        }
    }

    /// The sessions a store is to keep when the socket is gone, rooms not included: those of namespaces the client was in to the end, and no others
    /// (1.12). To be asked when the socket is gone, or after a `.close` effect.
    public var recoverableSessions: [SocketIORecoveryStore.Session] {
        switch state {
        case .created, .open: memberships.compactMap(\.session)
        case .closed: lostSessions
        }
    }

    /// The id of the client in a namespace it is in, to which its store sends what is for it alone.
    public func socketID(in namespace: String = "/") -> String? {
        membership(namespace).map { memberships[$0].sid }
    }

    /// A machine for a WebSocket that opened at `now`. The open packet (and `40` on Engine.IO 3) is the first effect of `start`.
    public init(_ configuration: Configuration, openedAt now: Moment) {
        self.configuration = configuration
        engine = EngineIOServer(configuration.revision, configuration.handshake, openedAt: now)
        state = .created(at: now)
    }

    /// Sends the open packet. To be called once, before anything else.
    public mutating func start(into effects: inout [Effect]) {
        guard case .created(let moment) = state else { return }
        effects.append(.send(configuration.handshake.openPacket))
        switch configuration.revision {
        case .v3:
            state = .open(joinBy: nil)
            join("/", auth: nil, into: &effects)
        case .v4:
            state = .open(joinBy: moment + configuration.connectTimeout)
        }
    }
}

// MARK: - What the application does

extension SocketIOServer {
    /// Sends an event; `arguments` is a comma-separated list of JSON values, `attachments` what their placeholders stand for
    /// (`SocketIO.Arguments` makes both). Gives the ack id when `wantsAck`; past `ackBy` the acknowledgement is given up.
    ///
    /// A client that is not in the namespace (it may leave at any time) is sent nothing. `name` must not be reserved (`SocketIO.isReserved`).
    @discardableResult
    public mutating func emit(
        _ name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = [], namespace: String = "/",
        wantsAck: Bool = false, ackBy: Moment? = nil, into effects: inout [Effect]
    ) -> Int? {
        precondition(!SocketIO.isReserved(name), "the event name \(name) is reserved by Socket.IO")
        guard let index = membership(namespace) else { return nil }
        let id = wantsAck ? issueAck(index, due: ackBy, into: &effects) : nil
        let message = SocketIO.Packet.eventMessage(
            name, arguments: arguments, attachments: attachments.count, namespace: namespace, id: id)
        effects.append(.send(message))
        for attachment in attachments {
            effects.append(.send(EngineIO.packet(of: .binary(attachment), configuration.revision)))
        }
        return id
    }

    /// Answers an event that asked for it; `arguments` is a JSON array.
    public mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], namespace: String = "/",
        into effects: inout [Effect]
    ) {
        if membership(namespace) == nil { return }
        let answer = SocketIO.Acknowledgement(
            namespace: namespace, id: id, arguments: arguments, attachments: attachments)
        let packet = SocketIO.Packet.acknowledgement(answer, attachments: attachments.count)
        effects += packet.messages(configuration.revision).map(Effect.send)
    }

    /// Takes the client out of a namespace (`41`). There is no `.disconnected` effect for what the server itself does.
    public mutating func disconnect(namespace: String = "/", into effects: inout [Effect]) {
        guard let index = membership(namespace) else { return }
        effects.append(.send(SocketIO.Packet.disconnect(namespace: namespace).message))
        end(index, into: &effects)
    }

    private mutating func issueAck(_ index: Int, due: Moment?, into effects: inout [Effect]) -> Int {
        let (id, givenUp) = memberships[index].acks.issue(due: due)
        if let givenUp { effects.append(.unacknowledged(namespace: memberships[index].namespace, id: givenUp)) }
        return id
    }

    /// The client is out of the namespace: it answers nothing any more.
    private mutating func end(_ index: Int, into effects: inout [Effect]) {
        var membership = memberships.remove(at: index)
        for id in membership.acks.giveUpAll() {
            effects.append(.unacknowledged(namespace: membership.namespace, id: id))
        }
    }

    private func membership(_ namespace: String) -> Int? {
        memberships.firstIndex { $0.namespace == namespace }
    }

    private mutating func close(_ ending: EngineIO.Ending, into effects: inout [Effect]) {
        state = .closed
        while !memberships.isEmpty { end(0, into: &effects) }
        assembler.reset()
        effects.append(.close(ending))
    }
}

// MARK: - Time

extension SocketIOServer {
    /// Does what is due up to `now`, each at its own deadline.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        if case .open(let joinBy?) = state, joinBy <= due {
            close(.orderly("no namespace joined in time"), into: &effects)
            return
        }
        for index in memberships.indices {
            for id in memberships[index].acks.expire(at: due) {
                effects.append(.unacknowledged(namespace: memberships[index].namespace, id: id))
            }
        }
        guard engine.deadline <= due else { return }
        if let ping = engine.fire() {
            effects.append(.send(ping))
        } else {
            lostSessions = memberships.compactMap(\.session)
            close(.lost("ping timeout"), into: &effects)
        }
    }
}

// MARK: - What the client sends

extension SocketIOServer {
    /// A WebSocket message arrived.
    public mutating func receive(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .created: preconditionFailure("start the machine before it receives")
        case .closed: return
        case .open: break
        }
        guard message.bytes.count <= configuration.maxPayload else {
            close(
                .lost("a message of \(message.bytes.count) bytes, more than \(configuration.maxPayload)"),
                into: &effects)
            return
        }
        let received: EngineIOServer.Received
        do throws(SocketIO.Malformed) {
            received = try engine.receive(message, at: now)
        } catch {
            close(.lost("parse error: \(error.message)"), into: &effects)
            return
        }
        do throws(SocketIO.Malformed) {
            switch received {
            case .message(let data):
                try receive(data, into: &effects)
            case .binary(let data):
                if let packet = try assembler.attach(data) { try receive(packet, into: &effects) }
            case .answer(let answer): effects.append(.send(answer))
            case .nothing: break
            }
        } catch {
            close(.orderly("parse error: \(error.message)"), into: &effects)
        }
    }

    private mutating func receive(
        _ data: ArraySlice<UInt8>, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        guard !assembler.isGathering else {
            throw SocketIO.Malformed(message: "a text message while attachments are due")
        }
        let packet = try SocketIO.Packet(parsing: data, revision: configuration.revision)
        if packet.attachments > 0 { assembler.begin(packet) } else { try receive(packet, into: &effects) }
    }

    private mutating func receive(
        _ packet: SocketIO.Packet, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        switch packet {
        case .connect(let address, let payload):
            try receiveConnect(address, payload, into: &effects)
        case .disconnect(let namespace):
            let index = try joined(namespace)
            effects.append(.disconnected(namespace: namespace))
            end(index, into: &effects)
        case .event(let event, _):
            _ = try joined(event.namespace)
            effects.append(.event(event))
        case .acknowledgement(let answer, _):
            guard memberships[try joined(answer.namespace)].acks.settle(answer.id) else { return }
            effects.append(.acknowledged(answer))
        case .connectError:
            throw SocketIO.Malformed(message: "a CONNECT_ERROR from a client")
        }
    }

    /// Anything for a namespace that is not joined closes the connection, and so does a second CONNECT (1.14).
    private func joined(_ namespace: String) throws(SocketIO.Malformed) -> Int {
        guard let index = membership(namespace) else {
            throw SocketIO.Malformed(message: "a packet for a namespace that is not joined")
        }
        return index
    }

    private mutating func receiveConnect(
        _ address: String, _ payload: RawJSON?, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        let (namespace, auth) =
            switch configuration.revision {
            case .v3: SocketIO.NamespaceAddress(address).nameAndAuth
            case .v4: (address, payload)
            }
        guard membership(namespace) == nil, recovering != namespace else {
            throw SocketIO.Malformed(message: "a second CONNECT")
        }
        if configuration.namespaces.contains(namespace) {
            if configuration.recoverySecret != nil, configuration.revision == .v4, let auth,
                let wish = auth.recoveryWish
            {
                recovering = namespace
                effects.append(
                    .recoveryAsked(namespace: namespace, pid: wish.pid, offset: wish.offset, auth: auth))
                return
            }
            join(namespace, auth: auth, into: &effects)
        } else {
            let refusal = RawJSON(unchecked: ArraySlice(#"{"message":"Invalid namespace"}"#.utf8))
            effects.append(.send(SocketIO.Packet.connectError(namespace: namespace, payload: refusal).message))
        }
    }

    /// Engine.IO 3 answers without a payload; the connect timeout ends with the first namespace (1.7).
    private mutating func join(_ namespace: String, auth: RawJSON?, into effects: inout [Effect]) {
        let membership = Membership(
            namespace: namespace, sid: configuration.socketID(for: namespace),
            pid: configuration.revision == .v4 ? configuration.recoveryID(for: namespace) : nil)
        answer(membership, into: &effects)
        effects.append(.connected(namespace: namespace, auth: auth))
    }

    private mutating func answer(_ membership: Membership, into effects: inout [Effect]) {
        memberships.append(membership)
        state = .open(joinBy: nil)
        let payload: RawJSON? =
            switch configuration.revision {
            case .v3: nil
            case .v4: Configuration.connectPayload(sid: membership.sid, pid: membership.pid)
            }
        effects.append(.send(SocketIO.Packet.connect(namespace: membership.namespace, payload: payload).message))
    }

    /// Answers `.recoveryAsked`: with a session, the client has it back (what it missed is written before the answer, 1.12, and no `.connected`
    /// follows); without, it joins as any other.
    public mutating func recover(
        _ restored: SocketIORecoveryStore.Restored?, namespace: String, auth: RawJSON, into effects: inout [Effect]
    ) {
        guard case .open = state, recovering == namespace else { return }
        recovering = nil
        guard let restored else { return join(namespace, auth: auth, into: &effects) }
        for emission in restored.missed {
            effects += emission.messages(to: namespace, configuration.revision).map(Effect.send)
        }
        answer(
            Membership(namespace: namespace, sid: restored.session.sid, pid: restored.session.pid), into: &effects)
    }
}
