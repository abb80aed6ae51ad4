public import JSONText

/// The server end of one Socket.IO connection over one Engine.IO session. It behaves like the JavaScript server
/// (Socket.IO SIO-7, SIO-19).
///
/// It is as strict as the reference: a malformed frame, a packet for a namespace that is not joined, or a heartbeat in
/// the wrong direction closes the connection. After a `.close` effect the machine has finished: it accepts any input
/// and returns no effects. Timers fire only in `advance(to:into:)`.
public struct SocketIOServer: Sendable {
    enum State {
        /// `start(into:)` has not been called yet. Follows: open, closed.
        case created(at: Moment)
        /// The session is open. Follows: closed.
        case open(joinBy: Moment?)
        /// The machine does nothing more.
        case closed
    }

    /// A namespace that the client has joined.
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
    /// The joined namespaces. There are at most as many as the configuration has namespaces.
    var memberships: [Membership] = []
    /// The namespace of a CONNECT that waits for `recover`.
    var recovering: String?
    /// The CONNECT that waits for `admit` or `refuse`.
    var asking: (namespace: String, auth: RawJSON?)?
    var lostSessions: [SocketIORecoveryStore.Session] = []

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
        switch state {
        case .open(let joinBy):
            memberships.reduce(joinBy.map { min($0, engine.deadline) } ?? engine.deadline) { due, membership in
                membership.acks.deadline.map { min($0, due) } ?? due
            }
        case .created, .closed: nil
        }
    }

    /// The sessions to save in a store after the socket is gone, without their rooms: only those of namespaces that the
    /// client was in until the end (Socket.IO SIO-15).
    ///
    /// Read it after the socket is gone or after a `.close` effect.
    public var recoverableSessions: [SocketIORecoveryStore.Session] {
        switch state {
        case .created, .open: memberships.compactMap(\.session)
        case .closed: lostSessions
        }
    }

    /// Returns the client's id in a joined namespace. The client's store addresses it by this id for events that only
    /// it receives.
    public func socketID(in namespace: String = "/") -> String? {
        membership(namespace).map { memberships[$0].sid }
    }

    /// Creates a machine for a WebSocket that opened at `now`. `start(into:)` sends the open packet first, and then
    /// `40` on Engine.IO 3.
    public init(_ configuration: Configuration, openedAt now: Moment) {
        self.configuration = configuration
        engine = EngineIOServer(configuration.revision, configuration.handshake, openedAt: now)
        state = .created(at: now)
    }

    /// Sends the open packet. Call it once, before anything else.
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
    /// Sends an event. Nothing is sent if the client is not in the namespace, which it may leave at any time.
    ///
    /// `SocketIO.Arguments` creates both the arguments and the attachments. `name` must not be reserved
    /// (`SocketIO.isReserved`).
    ///
    /// - Parameters:
    ///   - arguments: A comma-separated list of JSON values.
    ///   - attachments: The attachments for the placeholders in the arguments.
    ///   - ackBy: When to give up the acknowledgement; `nil` for never.
    /// - Returns: The acknowledgement id, if `wantsAck` is true.
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

    /// Acknowledges an event that requested it. `arguments` is a JSON array.
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

    /// Removes the client from a namespace (`41`). No `.disconnected` effect follows, since the server itself did this.
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

    /// Ends a membership and gives up its acknowledgements.
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
    /// Performs the steps that are due up to `now`, each at its own deadline.
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
