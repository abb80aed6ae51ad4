public import JSONText

/// The server's end of one Socket.IO connection over one Engine.IO session, as the JavaScript server behaves (`reference/socketio.md` 1.10, 1.14).
///
/// Strict where the reference is strict: a malformed frame, a packet for a namespace that is not joined, a heartbeat in the wrong
/// direction closes the connection. After a `.close` effect the machine is finished: it takes everything and answers nothing.
/// Timers fire in `advance(to:into:)` only.
public struct SocketIOServer: Sendable {
    enum State {
        /// `start` was not called yet. Follows: open, closed.
        case created(at: Moment)
        /// The session is open. Follows: closed.
        case open(joinBy: Moment?)
        /// Nothing more will happen.
        case closed
    }

    /// A namespace the client is in.
    struct Membership {
        var namespace: String
        var sid: String
        var pid: String?
        var acks = AckLedger()

        var session: SocketIORecoveryStore.Session? {
            pid.map { SocketIORecoveryStore.Session(sid: sid, pid: $0, namespace: namespace) }
        }
    }

    var state: State
    var engine: EngineIOServer
    let configuration: Configuration
    var assembler = AttachmentAssembler(room: Limits.standard)
    /// As many as the configuration has namespaces, at most.
    var memberships: [Membership] = []
    /// A CONNECT that waits for `recover`: its namespace.
    var recovering: String?
    /// A CONNECT that waits for `admit` or `refuse`.
    var asking: (namespace: String, auth: RawJSON?)?
    var lostSessions: [SocketIORecoveryStore.Session] = []

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

    mutating func issueAck(_ index: Int, due: Moment?, into effects: inout [Effect]) -> Int {
        let (id, givenUp) = memberships[index].acks.issue(due: due)
        if let givenUp { effects.append(.unacknowledged(namespace: memberships[index].namespace, id: givenUp)) }
        return id
    }

    /// The client is out of the namespace: it answers nothing any more.
    mutating func end(_ index: Int, into effects: inout [Effect]) {
        var membership = memberships.remove(at: index)
        for id in membership.acks.giveUpAll() {
            effects.append(.unacknowledged(namespace: membership.namespace, id: id))
        }
    }

    func membership(_ namespace: String) -> Int? {
        memberships.firstIndex { $0.namespace == namespace }
    }

    mutating func close(_ ending: EngineIO.Ending, into effects: inout [Effect]) {
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
