package import WeirJSON

/// The client end of one Socket.IO connection over one packet stream: Engine.IO handshake and heartbeats, namespaces,
/// events, acknowledgements.
///
/// This is a state machine. The driver passes it the input from the socket and the time, and the machine returns
/// effects. A new connection needs a new machine, which receives the `Memory` of the previous one.
///
/// ```
/// opening ──open packet──► open ──any .close effect──► finished
///    │  └──► listening ───────┘                            │
///    └────────────────────── any .close effect ────────────┘
/// ```
///
/// `listening` waits for an Engine.IO 3 server that ignores the requested revision (Engine.IO EIO-14). Such a server
/// joins the client to `/` by itself, and a CONNECT for `/` would open a second session in its application.
///
/// While the session is open, each namespace has its own state (`Membership.State`). On Engine.IO 4 the client sends
/// CONNECT, and the answer must contain a `sid`. On Engine.IO 3 the server joins the client to `/` without a request,
/// and the client sends CONNECT only for other namespaces. Nothing is sent to a namespace before its answer; emitted
/// events wait and are sent in order. Events that arrive before the answer are held back and delivered after it. A
/// refused namespace does not affect the others. When none is left, the client requests the close.
///
/// The client is as tolerant as its peers if a frame can be left out. Unreadable packets, packets for unknown
/// namespaces, unannounced binary messages, and placeholders without attachments are reported and ignored, together
/// with the attachments they announce. A text message while attachments are due is different: the binary messages after
/// it could belong to either packet. The client then requests the close (`.outOfStep`), as the reference client does at
/// every malformed packet.
///
/// Timers fire only in `advance(to:into:)`. A message that arrives late is still handled, because it proves that the
/// server is alive. After a `.close` effect the client has finished: it accepts any input and returns no effects.
package struct SocketIOClientMachine: Sendable {
    enum State {
        /// The open packet has not arrived yet. Follows: listening, open, finished.
        case opening(until: Moment)
        /// The open packet has arrived, but no namespace has been requested: an Engine.IO 3 server sends its own
        /// CONNECT. `answersBy` is the deadline for the answers for the namespaces. Follows: open, finished.
        indirect case listening(EngineIO.Handshake, until: Moment, answersBy: Moment)
        /// The session is open. Follows: finished.
        indirect case open(EngineIO.Handshake)
        /// The client does nothing more.
        case finished
    }

    var state: State
    var engine: EngineIOClient
    /// The requested revision, or the one that the server turned out to use.
    package internal(set) var revision: EngineIO.Revision
    let configuration: Configuration
    /// The namespaces: first the configured ones, in their order. Names are unique.
    var memberships: [Membership] = []
    var assembler: AttachmentAssembler
    /// The latest time passed to the client.
    var now: Moment
    /// The earliest deadline of all namespaces. It is stored because `deadline` is read at every message.
    var namespacesDue: Moment?

    /// Whether the server opened the session, but has sent nothing about a namespace since.
    package internal(set) var isUnanswered = false

    /// When the driver stopped reading the socket; `nil` while it reads.
    private var unreadSince: Moment?

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
        switch state {
        case .opening(let until), .listening(_, let until, _):
            unreadSince == nil ? earlier(until, namespacesDue) : nil
        case .open: unreadSince == nil ? earlier(engine.deadline, namespacesDue) : engine.deadline
        case .finished: nil
        }
    }

    /// Tells the client whether the socket is read. After a pause, the server's deadlines move by the length of the
    /// pause.
    package mutating func set(_ reading: SocketReading, at now: Moment) {
        engine.set(reading, at: now)
        defer { unreadSince = reading == .resumed ? nil : unreadSince ?? now }
        guard reading == .resumed, let unreadSince else { return }
        let span = now - unreadSince + .unreadGrace
        switch state {
        case .opening(let until): state = .opening(until: until + span)
        case .listening(let handshake, let until, let answersBy):
            state = .listening(handshake, until: until + span, answersBy: answersBy + span)
        case .open, .finished: break
        }
        for index in memberships.indices { memberships[index].postpone(by: span) }
        renewNamespacesDue()
    }

    /// Creates a client for a packet stream that opened at `now`, which continues from the previous client's `memory`.
    ///
    /// The name of a namespace must not contain a comma, which ends the name on the wire.
    package init(_ configuration: Configuration, memory: Memory = Memory(), openedAt now: Moment) {
        self.configuration = configuration
        assembler = AttachmentAssembler(room: configuration.limits.attachments)
        self.now = now
        revision = configuration.revision
        engine = EngineIOClient(configuration.revision)
        state = .opening(until: now + configuration.handshakeTimeout)
        var ledgers = memory.ledgers
        for namespace in configuration.namespaces {
            precondition(
                SocketIO.isNamespace(namespace.name), "a namespace must not contain a comma, which ends the name")
            let name = SocketIO.NamespaceAddress(namespace.name).name
            precondition(membership(of: name) == nil, "the namespace \(name) is requested twice")
            let ledger = ledgers.firstIndex { $0.namespace == name }.map { ledgers.remove(at: $0) }
            memberships.append(Membership(namespace, ledger: ledger))
        }
        for ledger in ledgers {
            var rest = Membership(Namespace(ledger.namespace), isWanted: false, ledger: ledger)
            rest.state = .gone
            memberships.append(rest)
        }
        renewNamespacesDue()
    }

    /// The namespace for calls that name none.
    var firstNamespace: String { memberships.first?.name ?? "/" }

    func membership(of name: String) -> Int? {
        for index in memberships.indices where memberships[index].name == name { return index }
        return nil
    }

    mutating func renewNamespacesDue() { namespacesDue = memberships.lazy.compactMap(\.deadline).min() }
}

// MARK: - The end

extension SocketIOClientMachine {
    /// Leaves every namespace permanently and requests the close of the socket. Waiting events are given up.
    package mutating func disconnect(into effects: inout [Effect]) {
        if case .finished = state { return }
        for index in memberships.indices where memberships[index].isJoined && memberships[index].isWanted {
            effects.append(.send(SocketIO.Packet.disconnect(namespace: memberships[index].name).message))
        }
        for index in memberships.indices { memberships[index].end(into: &effects) }
        finish(.requested, into: &effects)
    }

    /// Handles the loss of the socket. Sent events will not be acknowledged.
    ///
    /// - Returns: The memory for the next client. If no further connection follows, call `Memory.abandon(into:)`.
    @discardableResult
    package mutating func socketClosed(into effects: inout [Effect]) -> Memory {
        endConnection(into: &effects)
        var memory = Memory()
        memory.ledgers = memberships.map(\.ledger)
        memberships = []
        return memory
    }

    mutating func finish(_ cause: CloseCause, into effects: inout [Effect]) {
        endConnection(into: &effects)
        effects.append(.close(cause))
    }

    private mutating func endConnection(into effects: inout [Effect]) {
        if case .finished = state { return }
        state = .finished
        engine.close()
        assembler.reset()
        for index in memberships.indices { memberships[index].disconnected(into: &effects) }
    }

    /// Ends one namespace, and the connection if it was the last wanted one.
    mutating func end(_ index: Int, _ cause: CloseCause, into effects: inout [Effect]) {
        memberships[index].end(into: &effects)
        if memberships.allSatisfy({ $0.isGone || !$0.isWanted }) { finish(cause, into: &effects) }
        renewNamespacesDue()
    }
}

// MARK: - Time

extension SocketIOClientMachine {
    /// Performs the steps that are due up to `now`, each at its own deadline.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
        self.now = max(self.now, now)
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        now = due
        if unreadSince == nil, let namespacesDue, namespacesDue <= due { fireNamespaces(into: &effects) }
        switch state {
        case .opening(let until):
            if until <= due { finish(.handshakeTimeout, into: &effects) }
        case .listening(let handshake, let until, let answersBy):
            if until <= due { begin(handshake, answersBy: answersBy, into: &effects) }
        case .open:
            guard let beat = engine.deadline, beat <= due else { break }
            do throws(EngineIOClient.Silence) {
                if let message = try engine.fire(at: due) { effects.append(.send(message)) }
            } catch {
                finish(.pingTimeout, into: &effects)
            }
        case .finished:
            break
        }
    }

    private mutating func fireNamespaces(into effects: inout [Effect]) {
        for index in memberships.indices {
            memberships[index].ledger.advance(
                to: now, memberships[index].isJoined ? revision : nil, into: &effects)
            guard case .joining(let until?) = memberships[index].state, until <= now else { continue }
            guard memberships.contains(where: { $0.isJoined && $0.isWanted }) else {
                return finish(.handshakeTimeout, into: &effects)
            }
            let refusal = SocketIO.Refusal(message: "the server does not answer")
            effects.append(.refused(namespace: memberships[index].name, refusal))
            memberships[index].end(into: &effects)
        }
        renewNamespacesDue()
    }
}

extension SocketIOClientMachine {
    /// A namespace to join, with the credentials for it.
    package struct Namespace: Hashable, Sendable {
        /// The name; `/` for the default namespace. Over Engine.IO 3 it may have a query, `/admin?token=1`.
        package var name: String
        /// The CONNECT payload of Engine.IO 4, a JSON object, if the backend requires one.
        package var auth: RawJSON?
        /// Creates a namespace to join. By default, it is the default namespace without a payload.
        package init(_ name: String = "/", auth: RawJSON? = nil) {
            self.name = name
            self.auth = auth
        }
    }

    /// The settings of a client, fixed when it is created.
    ///
    /// Each connection has a new client, so values that must be fresh for every attempt (`auth`) are created with it.
    package struct Configuration: Hashable, Sendable {
        /// The Engine.IO revision to use.
        package var revision: EngineIO.Revision
        /// Whether the revision is a guess. If the server turns out to use revision 3, the client switches to it on the
        /// same connection, provided that it has not requested a namespace yet.
        package var detectsRevision = false
        /// The namespaces to join when the session opens. The first one is the default for calls that name no
        /// namespace.
        package var namespaces: [Namespace]
        /// How long the open packet and the answers for the namespaces may take together, and the answer for a
        /// namespace joined later.
        package var handshakeTimeout: Duration
        /// Which event to drop when too many wait for their namespace.
        package var overflow: SocketIO.OverflowPolicy
        /// The limits on a packet. A packet that exceeds one is rejected, and its attachments are ignored.
        package var limits = Limits()
        /// Creates a configuration for several namespaces.
        package init(
            revision: EngineIO.Revision, namespaces: [Namespace], handshakeTimeout: Duration = .seconds(20),
            overflow: SocketIO.OverflowPolicy = .refuseNewest
        ) {
            self.revision = revision
            self.namespaces = namespaces
            self.handshakeTimeout = handshakeTimeout
            self.overflow = overflow
        }
        /// Creates a configuration for a single namespace.
        package init(
            revision: EngineIO.Revision, namespace: String = "/", auth: RawJSON? = nil,
            handshakeTimeout: Duration = .seconds(20)
        ) {
            self.init(
                revision: revision, namespaces: [Namespace(namespace, auth: auth)], handshakeTimeout: handshakeTimeout)
        }
    }

    /// The result of joining a namespace.
    package struct Joined: Hashable, Sendable {
        /// The name of the joined namespace.
        package var namespace: String
        /// The server's id for this client in the namespace. Engine.IO 3 does not send it.
        package var id: String?
        /// Whether the server recovered the session of the previous connection. The missed events follow directly.
        package var isRecovered: Bool
        /// The number of events that arrived before the server's answer. They follow. In a recovered session they are
        /// the missed events.
        package var early = 0
        /// The handshake of the Engine.IO session.
        package var handshake: EngineIO.Handshake
    }

    /// An event that was not sent.
    package struct Dropped: Hashable, Sendable {
        /// The event as it was emitted.
        package var emission: SocketIO.Emission
        /// The namespace to which it was emitted.
        package var namespace: String
        /// Its acknowledgement id, if it has one. It will not be acknowledged.
        package var id: Int?
        /// The reason why the event was not sent.
        package var cause: DropCause
    }

    /// The reasons for which an event is not sent.
    package enum DropCause: Hashable, Sendable {
        /// The event was volatile and the namespace not joined, or the namespace will not be joined again.
        case notJoined
        /// Too many events are already waiting (4096 events or 16 MiB in a namespace).
        case overflow
        /// The time for its acknowledgement expired before it could be sent.
        case timeout
        /// The client has finished and sends nothing more.
        case finished
    }

    /// The reasons for which a sent event will not be acknowledged.
    package enum AckFailure: Hashable, Sendable {
        /// No answer arrived in time. For a retried event: to its last attempt.
        case timeout
        /// The connection or the namespace ended first.
        case disconnected
        /// Too many acknowledgements are pending; this one was the oldest of 16,384.
        case overflow
    }

    /// The driver performs the effects in this order.
    ///
    /// Each acknowledgement id that `emit` returned ends with exactly one `.acknowledged`, `.unacknowledged` or
    /// `.dropped`.
    package enum Effect: Hashable, Sendable {
        /// Send this WebSocket message to the server.
        case send(WebSocketMessage)
        /// A namespace is joined. Events that arrived before the answer follow, and waiting events are sent.
        indirect case connected(Joined)
        /// The server refused a namespace. Events waiting for it are given up; the other namespaces continue.
        case refused(namespace: String, SocketIO.Refusal)
        /// An event from the server arrived.
        case event(SocketIO.Event)
        /// The server acknowledged an emitted event, by the id that `emit` returned.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emitted event that requested an acknowledgement will not receive one.
        case unacknowledged(namespace: String, id: Int, AckFailure)
        /// An emitted event was not sent.
        indirect case dropped(Dropped)
        /// The server removed the client from a namespace (`41`), or closed the session (`1`).
        case disconnected(namespace: String)
        /// A frame was rejected. The client continues if the tables of Socket.IO SIO-19 tolerate it.
        case malformed(SocketIO.Malformed)
        /// Close the WebSocket; the client has finished.
        case close(CloseCause)
    }

    /// The reason why the client wants the socket closed.
    package enum CloseCause: Hashable, Sendable {
        /// The server was silent for longer than its handshake allows.
        case pingTimeout
        /// The open packet or an answer to CONNECT did not arrive in time.
        case handshakeTimeout
        /// The first frames are not Engine.IO.
        case notEngineIO(SocketIO.Malformed)
        /// The server uses Engine.IO 3, although 4 was requested (Engine.IO EIO-14). Reconnect with revision 3.
        case revisionMismatch(EngineIO.Revision)
        /// After a server's error, it is unclear which frames belong together.
        case outOfStep(SocketIO.Malformed)
        /// The server's packets are MessagePack instead of text: its application uses a parser that Weir does not
        /// support.
        case msgpack
        /// The caller called `disconnect(into:)`, or left the last namespace.
        case requested
        /// The server ended the session, removed the client from the last namespace, or refused it.
        case byServer
    }
}

extension SocketIOClientMachine {
    /// The state of one namespace that the client has requested, or to which a server of Engine.IO 3 has joined it.
    struct Membership: Sendable {
        enum State {
            /// To be requested when the session opens. Follows: joining.
            case waiting
            /// The answer is due, without a time limit if it was not requested. Follows: joined, gone.
            case joining(until: Moment?)
            /// The namespace is joined and events flow. Follows: gone.
            case joined
            /// Left, removed or refused. Follows: joining, if it is requested again.
            case gone
        }

        let name: String
        /// The address for CONNECT over Engine.IO 3: the name and perhaps a query.
        var address: String
        var auth: RawJSON?
        /// False for the default namespace of an Engine.IO 3 server if the application did not request it. Its events
        /// are delivered, but nothing else is reported.
        var isWanted: Bool
        var state = State.waiting
        var ledger: EmitLedger
        /// The events that arrived before the server's answer (Socket.IO SIO-10).
        var early = BoundedBuffer<SocketIO.Event>(countLimit: 16_384)
        var hasLostEarly = false

        init(_ namespace: Namespace, isWanted: Bool = true, ledger: EmitLedger? = nil) {
            let address = SocketIO.NamespaceAddress(namespace.name)
            name = address.name
            self.address = address.text
            auth = namespace.auth
            self.isWanted = isWanted
            self.ledger = ledger ?? EmitLedger(namespace: address.name)
        }

        var isJoined: Bool { if case .joined = state { true } else { false } }
        var isGone: Bool { if case .gone = state { true } else { false } }

        /// The next deadline in this namespace.
        var deadline: Moment? {
            guard case .joining(let until?) = state else { return ledger.deadline }
            return ledger.deadline.map { min($0, until) } ?? until
        }

        /// Extends the deadlines for the server's answers.
        mutating func postpone(by span: Duration) {
            if case .joining(let until?) = state { state = .joining(until: until + span) }
            ledger.postpone(by: span)
        }

        /// Handles the loss of the connection. Only the ledger is kept.
        mutating func disconnected(into effects: inout [Effect]) {
            if isGone { return }
            state = .waiting
            forgetEarly()
            ledger.disconnected(into: &effects)
        }

        /// Ends the membership. The client does not rejoin the namespace by itself.
        mutating func end(into effects: inout [Effect]) {
            state = .gone
            forgetEarly()
            ledger.abandon(into: &effects)
        }

        private mutating func forgetEarly() {
            _ = early.drain()
            hasLostEarly = false
        }

        /// Returns the CONNECT that requests the namespace, with the data to recover its last session
        /// (Socket.IO SIO-15).
        mutating func connect(_ revision: EngineIO.Revision) -> WebSocketMessage {
            switch revision {
            case .v3: return SocketIO.Packet.connect(namespace: address, payload: nil).message
            case .v4:
                guard let point = ledger.recovery.ask() else {
                    return SocketIO.Packet.connect(namespace: name, payload: auth).message
                }
                let wish = RawJSON.object {
                    $0.member("pid", point.pid)
                    $0.member("offset", point.offset)
                }
                return SocketIO.Packet.connect(namespace: name, payload: wish.merged(with: auth)).message
            }
        }
    }
}

extension RawJSON {
    /// Returns this object with the members of another appended.
    fileprivate func merged(with other: RawJSON?) -> RawJSON {
        guard let members = other?.members else { return self }
        return RawJSON(unchecked: bytes.dropLast() + [UInt8(ascii: ",")] + members + [UInt8(ascii: "}")])
    }

    /// The text between the braces, or `nil` if this is not an object or is empty.
    private var members: ArraySlice<UInt8>? {
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else { return nil }
        let inside = bytes.dropFirst().dropLast()
        return inside.allSatisfy { $0 <= 0x20 } ? nil : inside
    }

    /// The `sid` and the `pid` of a CONNECT answer of Engine.IO 4, or `nil` if `sid` is not a string.
    var sessionIDs: (sid: String, pid: String?)? {
        guard case (let sid?, let pid)? = texts("sid", "pid") else { return nil }
        return (sid, pid)
    }
}

extension SocketIOClientMachine {
    /// The state that outlives a connection: sessions to recover, waiting events, and retry queues.
    ///
    /// Take it from `socketClosed(into:)` and pass it to the next client. Between two clients, emit to it directly.
    package struct Memory: Sendable {
        var ledgers: [EmitLedger] = []

        /// Creates an empty memory, for the first connection.
        package init() {}

        /// When to call `advance` next: an acknowledgement is given up at that time.
        package var deadline: Moment? { ledgers.compactMap(\.deadline).min() }

        /// Keeps an event if its delivery mode permits, and returns its acknowledgement id. `first` is the namespace of
        /// an event that names none.
        package mutating func emit(
            _ emission: SocketIO.Emission, first: String = "/", overflow: SocketIO.OverflowPolicy = .refuseNewest,
            at now: Moment, into effects: inout [Effect]
        ) -> Int? {
            let name = SocketIO.NamespaceAddress(emission.namespace ?? first).name
            let index = ledgers.firstIndex { $0.namespace == name } ?? ledgers.endIndex
            if index == ledgers.endIndex { ledgers.append(EmitLedger(namespace: name)) }
            return ledgers[index].hold(emission, at: now, overflow, into: &effects)
        }

        /// Performs the steps that are due up to `now`.
        package mutating func advance(to now: Moment, into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].advance(to: now, nil, into: &effects) }
        }

        /// Gives up everything, with an effect for each event, because no further connection will follow.
        package mutating func abandon(into effects: inout [Effect]) {
            for index in ledgers.indices { ledgers[index].abandon(into: &effects) }
        }
    }
}
