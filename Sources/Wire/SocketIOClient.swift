public import JSONText

/// The client's end of one Socket.IO connection over one WebSocket: Engine.IO handshake and heartbeats, one namespace, events, acks.
///
/// A machine: give it what the socket gave and the time; it answers with effects. A new connection needs a new machine.
///
/// ```
/// opening ──open packet──► joining ──CONNECT answered──► joined
///    │                        │                            │
///    └────────────────────────┴──── any .close effect ─────┴──► finished
/// ```
///
/// On Engine.IO 4 the machine sends CONNECT and the answer must carry a `sid`; on Engine.IO 3 the server sends `40` unasked,
/// and CONNECT is sent for other namespaces than `/` only. Events that come before the answer are held back and delivered
/// after it; emits made before it wait and leave in order.
///
/// Tolerant as its peers are where a frame can be left out: unreadable packets, packets for nobody, binary messages nothing
/// announced and placeholders without their attachment are reported and passed over, with the attachments they announce. A text
/// message while attachments are due is not: nobody can tell what the binary messages after it belong to, so the machine asks
/// for the close (`.outOfStep`), as the reference client does at every malformed packet.
///
/// Timers fire in `advance(to:into:)` only: a message in hand is handled even if it comes late, as it proves that the server
/// lives. After a `.close` effect the machine is finished: it takes everything and answers nothing.
public struct SocketIOClient: Sendable {
    private enum State {
        /// No open packet yet. Follows: joining, finished.
        case opening(until: Moment)
        /// The session is open, the namespace's answer is due. Follows: joined, finished.
        case joining(EngineIO.Handshake, until: Moment)
        /// The namespace is joined. Follows: finished.
        case joined
        /// Nothing more will happen.
        case finished
    }

    private var state: State
    private var engine: EngineIOClient
    private let revision: EngineIO.Revision
    private let namespace: SocketIO.NamespaceAddress
    private let auth: RawJSON?
    private var acks = AckLedger()
    /// Events that came before the namespace's answer (1.10).
    private var earlyEvents = BoundedBuffer<SocketIO.Event>()
    /// Emits made before the namespace was joined.
    private var waitingEmits = BoundedBuffer<[WebSocketMessage]>()
    private var assembler = AttachmentAssembler()

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
        switch state {
        case .opening(let until): until
        case .joining(_, let until): engine.deadline.map { min($0, until) } ?? until
        case .joined: engine.deadline
        case .finished: nil
        }
    }

    /// A machine for a WebSocket that opened at `now`.
    public init(_ configuration: Configuration, openedAt now: Moment) {
        precondition(SocketIO.isNamespace(configuration.namespace), "a namespace cannot hold a comma: it ends the name")
        revision = configuration.revision
        engine = EngineIOClient(configuration.revision)
        namespace = SocketIO.NamespaceAddress(configuration.namespace)
        auth = configuration.auth
        state = .opening(until: now + configuration.handshakeTimeout)
    }
}

// MARK: - What the application does

extension SocketIOClient {
    /// Sends an event with its arguments, a comma-separated list of JSON values (may be empty), and the attachments their placeholders
    /// stand for (`SocketIO.Arguments` makes both).
    /// Gives the ack id when `wantsAck`. Before the namespace is joined events wait and leave in order after it; one that
    /// does not fit any more (4096 events, 16 MiB) is reported as `.malformed` and not sent.
    ///
    /// `name` must not be reserved: ask `SocketIO.isReserved` about a name that is not your own. An emit on a finished
    /// machine is not sent.
    @discardableResult
    public mutating func emit(
        _ name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = [], wantsAck: Bool = false,
        into effects: inout [Effect]
    ) -> Int? {
        precondition(!SocketIO.isReserved(name), "the event name \(name) is reserved by Socket.IO")
        let id = wantsAck ? issueAck(into: &effects) : nil
        let message = SocketIO.Packet.eventMessage(
            name, arguments: arguments, attachments: attachments.count, namespace: namespace.name, id: id)
        switch state {
        case .opening, .joining:
            let messages = [message] + attachments.map { EngineIO.packet(of: .binary($0), revision) }
            let bytes = messages.reduce(0) { $0 + $1.bytes.count }
            guard !waitingEmits.append(messages, bytes: bytes) else { break }
            effects.append(.malformed(.init(message: "too many events wait for the namespace; one was not sent")))
            giveUp(id, into: &effects)
        case .joined:
            effects.append(.send(message))
            for attachment in attachments { effects.append(.send(EngineIO.packet(of: .binary(attachment), revision))) }
        case .finished:
            giveUp(id, into: &effects)
        }
        return id
    }

    /// Answers an event that asked for it; `arguments` is a JSON array.
    public mutating func acknowledge(
        _ id: Int, arguments: RawJSON, attachments: [ArraySlice<UInt8>] = [], into effects: inout [Effect]
    ) {
        switch state {
        case .joined:
            let answer = SocketIO.Acknowledgement(
                namespace: namespace.name, id: id, arguments: arguments, attachments: attachments)
            let packet = SocketIO.Packet.acknowledgement(answer, attachments: attachments.count)
            effects += packet.messages(revision).map(Effect.send)
        case .opening, .joining, .finished:
            break
        }
    }

    /// Leaves the namespace and asks for the socket to be closed.
    public mutating func disconnect(into effects: inout [Effect]) {
        switch state {
        case .joined: effects.append(.send(SocketIO.Packet.disconnect(namespace: namespace.name).message))
        case .opening, .joining: break
        case .finished: return
        }
        finish(.requested, into: &effects)
    }

    /// The socket is gone: what still waits for an ack is given up.
    public mutating func socketClosed(into effects: inout [Effect]) {
        state = .finished
        engine.close()
        assembler.reset()
        earlyEvents = BoundedBuffer()
        waitingEmits = BoundedBuffer()
        for id in acks.giveUpAll() { effects.append(.unacknowledged(id: id)) }
    }

    private mutating func issueAck(into effects: inout [Effect]) -> Int {
        let (id, givenUp) = acks.issue()
        if let givenUp { effects.append(.unacknowledged(id: givenUp)) }
        return id
    }

    private mutating func giveUp(_ id: Int?, into effects: inout [Effect]) {
        guard let id, acks.settle(id) else { return }
        effects.append(.unacknowledged(id: id))
    }

    private mutating func finish(_ cause: CloseCause, into effects: inout [Effect]) {
        socketClosed(into: &effects)
        effects.append(.close(cause))
    }
}

// MARK: - Time

extension SocketIOClient {
    /// Does what is due up to `now`, each at its own deadline.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        while let due = deadline, due <= now { fire(due, into: &effects) }
    }

    private mutating func fire(_ due: Moment, into effects: inout [Effect]) {
        switch state {
        case .opening(let until), .joining(_, let until):
            if until <= due {
                finish(.handshakeTimeout, into: &effects)
            } else {
                beat(into: &effects)
            }
        case .joined:
            beat(into: &effects)
        case .finished:
            break
        }
    }

    private mutating func beat(into effects: inout [Effect]) {
        if let ping = engine.fire() {
            effects.append(.send(ping))
        } else {
            finish(.pingTimeout, into: &effects)
        }
    }
}

// MARK: - What the server sends

extension SocketIOClient {
    /// A WebSocket message arrived.
    public mutating func receive(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
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

    private mutating func refuse(_ error: SocketIO.Malformed, into effects: inout [Effect]) {
        switch state {
        case .opening: finish(.notEngineIO(error), into: &effects)
        case .joining, .joined: effects.append(.malformed(error))
        case .finished: break
        }
    }

    /// On Engine.IO 3 the server joins `/` by itself; asking for it would make some servers close the session (1.10).
    private mutating func open(_ handshake: EngineIO.Handshake, into effects: inout [Effect]) {
        guard case .opening(let until) = state else { return }
        state = .joining(handshake, until: until)
        switch revision {
        case .v3:
            if namespace.name == "/" { return }
            effects.append(.send(SocketIO.Packet.connect(namespace: namespace.text, payload: nil).message))
        case .v4:
            effects.append(.send(SocketIO.Packet.connect(namespace: namespace.name, payload: auth).message))
        }
    }

    private mutating func receive(
        attachment: ArraySlice<UInt8>, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        if let packet = try assembler.attach(attachment) { try receive(packet, into: &effects) }
    }

    private mutating func closeByServer(into effects: inout [Effect]) {
        effects.append(.disconnected)
        finish(.byServer, into: &effects)
    }

    /// Offsets count from the start of the frame, which has the Engine.IO type digit in front.
    private mutating func receive(
        _ data: ArraySlice<UInt8>, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        if assembler.isGathering {
            finish(.outOfStep(.init(message: "a text message while attachments are due", offset: 0)), into: &effects)
            return
        }
        let packet: SocketIO.Packet
        do throws(SocketIO.Malformed) {
            packet = try SocketIO.Packet(parsing: data, revision: revision)
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
}

// MARK: - Socket.IO packets

extension SocketIOClient {
    private mutating func receive(
        _ packet: SocketIO.Packet, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        switch packet {
        case .event(let event, _):
            try receive(event, into: &effects)
        case .acknowledgement(let answer, _):
            if answer.namespace == namespace.name, acks.settle(answer.id) { effects.append(.acknowledged(answer)) }
        case .connect(let address, let payload):
            try receiveConnect(SocketIO.NamespaceAddress(address).name, payload, into: &effects)
        case .disconnect(let name):
            if name == namespace.name { closeByServer(into: &effects) }
        case .connectError(let name, let payload):
            try receiveError(name, SocketIO.Refusal(payload: payload), into: &effects)
        }
    }

    /// On Engine.IO 3 the server joins every client to `/`, so its events come beside those of the namespace asked for.
    private mutating func receive(_ event: SocketIO.Event, into effects: inout [Effect]) throws(SocketIO.Malformed) {
        guard event.namespace == namespace.name || (revision == .v3 && event.namespace == "/") else {
            throw SocketIO.Malformed(message: "an event for a namespace that is not joined", offset: 0)
        }
        switch state {
        case .joined:
            effects.append(.event(event))
        case .joining:
            if earlyEvents.append(event.detached, bytes: event.array.bytes.count) { return }
            throw SocketIO.Malformed(
                message: "too many events before the namespace's answer; one was dropped", offset: 0)
        case .opening, .finished:
            break
        }
    }

    /// A CONNECT without a `sid` on Engine.IO 4 is a server of revision 3 that ignores what we asked for (1.3).
    private mutating func receiveConnect(
        _ name: String, _ payload: RawJSON?, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        switch (state, revision) {
        case (.joining(let handshake, _), .v3):
            if name == namespace.name { join(handshake, into: &effects) }
        case (.joining(let handshake, _), .v4):
            guard let payload, payload.hasSessionID else {
                finish(.revisionMismatch(.v3), into: &effects)
                return
            }
            guard name == namespace.name else {
                throw SocketIO.Malformed(message: "a CONNECT for a namespace that was not asked for", offset: 0)
            }
            join(handshake, into: &effects)
        case (.joined, .v4):
            throw SocketIO.Malformed(message: "a second CONNECT", offset: 0)
        case (.joined, .v3), (.opening, _), (.finished, _):
            break
        }
    }

    private mutating func join(_ handshake: EngineIO.Handshake, into effects: inout [Effect]) {
        state = .joined
        effects.append(.connected(handshake))
        for event in earlyEvents.drain() { effects.append(.event(event)) }
        for messages in waitingEmits.drain() { effects += messages.map(Effect.send) }
    }

    /// Before the answer an error refuses the namespace. After it (a middleware of Engine.IO 3, a python server) it is a word of the server's,
    /// reported and survived.
    private mutating func receiveError(
        _ name: String, _ refusal: SocketIO.Refusal, into effects: inout [Effect]
    ) throws(SocketIO.Malformed) {
        switch state {
        case .joining:
            guard name == namespace.name else {
                throw SocketIO.Malformed(message: "an error for a namespace that was not asked for", offset: 0)
            }
            effects.append(.refused(refusal))
            finish(.byServer, into: &effects)
        case .joined:
            throw SocketIO.Malformed(message: "the server reports an error: \(refusal.message)", offset: 0)
        case .opening, .finished:
            break
        }
    }
}
