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
        var acks = AckLedger()
    }

    private var state: State
    private var engine: EngineIOServer
    private let configuration: Configuration
    private var assembler = AttachmentAssembler()
    /// As many as the configuration has namespaces, at most.
    private var memberships: [Membership] = []

    /// When `advance(to:into:)` wants to be called next.
    public var deadline: Moment? {
        switch state {
        case .open(let joinBy): joinBy.map { min($0, engine.deadline) } ?? engine.deadline
        case .created, .closed: nil
        }
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
    /// (`SocketIO.Arguments` makes both). Gives the ack id when `wantsAck`.
    ///
    /// A client that is not in the namespace (it may leave at any time) is sent nothing. `name` must not be reserved (`SocketIO.isReserved`).
    @discardableResult
    public mutating func emit(
        _ name: String, arguments: RawJSON?, attachments: [ArraySlice<UInt8>] = [], namespace: String = "/",
        wantsAck: Bool = false, into effects: inout [Effect]
    ) -> Int? {
        precondition(!SocketIO.isReserved(name), "the event name \(name) is reserved by Socket.IO")
        guard let index = membership(namespace) else { return nil }
        let id = wantsAck ? memberships[index].acks.issue().id : nil
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
        memberships.remove(at: index)
        effects.append(.send(SocketIO.Packet.disconnect(namespace: namespace).message))
    }

    private func membership(_ namespace: String) -> Int? {
        memberships.firstIndex { $0.namespace == namespace }
    }

    private mutating func close(_ ending: EngineIO.Ending, into effects: inout [Effect]) {
        state = .closed
        memberships = []
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
        } else if let ping = engine.fire() {
            effects.append(.send(ping))
        } else {
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
            memberships.remove(at: try joined(namespace))
            effects.append(.disconnected(namespace: namespace))
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
        guard membership(namespace) == nil else { throw SocketIO.Malformed(message: "a second CONNECT") }
        if configuration.namespaces.contains(namespace) {
            join(namespace, auth: auth, into: &effects)
        } else {
            let refusal = RawJSON(unchecked: ArraySlice(#"{"message":"Invalid namespace"}"#.utf8))
            effects.append(.send(SocketIO.Packet.connectError(namespace: namespace, payload: refusal).message))
        }
    }

    /// Engine.IO 3 answers without a payload; the connect timeout ends with the first namespace (1.7).
    private mutating func join(_ namespace: String, auth: RawJSON?, into effects: inout [Effect]) {
        memberships.append(Membership(namespace: namespace))
        state = .open(joinBy: nil)
        let payload: RawJSON? =
            switch configuration.revision {
            case .v3: nil
            case .v4: configuration.connectPayload(for: namespace)
            }
        effects.append(.send(SocketIO.Packet.connect(namespace: namespace, payload: payload).message))
        effects.append(.connected(namespace: namespace, auth: auth))
    }
}
