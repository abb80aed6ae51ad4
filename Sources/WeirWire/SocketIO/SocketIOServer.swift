package import WeirJSON

/// The server end of one Socket.IO connection over one Engine.IO session. It behaves like the JavaScript server
/// (Socket.IO SIO-7, SIO-19).
///
/// It is as strict as the reference: a malformed frame, a packet for a namespace that is not joined, or a heartbeat in
/// the wrong direction closes the connection. After a `.close` effect the machine has finished: it accepts any input
/// and returns no effects. Timers fire only in `advance(to:into:)`.
package struct SocketIOServer: Sendable {
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
    package var deadline: Moment? {
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
    package var recoverableSessions: [SocketIORecoveryStore.Session] {
        switch state {
        case .created, .open: memberships.compactMap(\.session)
        case .closed: lostSessions
        }
    }

    /// Returns the client's id in a joined namespace. The client's store addresses it by this id for events that only
    /// it receives.
    package func socketID(in namespace: String = "/") -> String? {
        membership(namespace).map { memberships[$0].sid }
    }

    /// Creates a machine for a WebSocket that opened at `now`. `start(into:)` sends the open packet first, and then
    /// `40` on Engine.IO 3.
    package init(_ configuration: Configuration, openedAt now: Moment) {
        self.configuration = configuration
        engine = EngineIOServer(configuration.revision, configuration.handshake, openedAt: now)
        state = .created(at: now)
    }

    /// Sends the open packet. Call it once, before anything else.
    package mutating func start(into effects: inout [Effect]) {
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
    package mutating func emit(
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
    package mutating func acknowledge(
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
    package mutating func disconnect(namespace: String = "/", into effects: inout [Effect]) {
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
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
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

extension SocketIOServer {
    /// The settings of one connection, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// The revision that the client requested.
        package var revision: EngineIO.Revision
        /// The session id to send to the client.
        package var sid: String
        /// The time from one heartbeat to the next.
        package var pingInterval: Duration
        /// How long a heartbeat may be overdue.
        package var pingTimeout: Duration
        /// How long a client may remain without a namespace (Engine.IO 4).
        package var connectTimeout: Duration
        /// The maximum size of a message in bytes, announced in the open packet.
        package var maxPayload: Int
        /// The namespaces that exist on the server.
        package var namespaces: [String]
        /// The transports to which a polling client may upgrade.
        package var upgrades: [String]
        /// An unguessable secret for this connection only, for a server that recovers connections (Socket.IO SIO-15).
        /// With it, clients receive a `pid` for each namespace. If it is `nil`, connections are not recovered.
        package var recoverySecret: Secret?
        /// Whether the application decides who may join. Each CONNECT is then reported as `.joinAsked`, except for the
        /// namespace that Engine.IO 3 joins without a request.
        package var asks = false
        /// Creates a configuration. The default times and sizes are those of the JavaScript server.
        package init(
            revision: EngineIO.Revision, sid: String, pingInterval: Duration = .seconds(25),
            pingTimeout: Duration = .seconds(20),
            connectTimeout: Duration = .seconds(45), maxPayload: Int = 1_000_000, namespaces: [String] = ["/"],
            upgrades: [String] = [], recoverySecret: Secret? = nil
        ) {
            self.revision = revision
            self.sid = sid
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.connectTimeout = connectTimeout
            self.maxPayload = maxPayload
            self.namespaces = namespaces
            self.upgrades = upgrades
            self.recoverySecret = recoverySecret
        }
    }

    /// The driver performs the effects in this order.
    package enum Effect: Hashable, Sendable {
        /// Send this WebSocket message to the client.
        case send(WebSocketMessage)
        /// The client joined a namespace. `auth` is its CONNECT payload (Engine.IO 4).
        case connected(namespace: String, auth: RawJSON?)
        /// The client requests its earlier session. Always answer with `recover(_:namespace:auth:into:)`, before
        /// anything else is received.
        case recoveryAsked(namespace: String, pid: String, offset: String, auth: RawJSON)
        /// The client requests to join a namespace. Answer with `admit(into:)` or `refuse(_:into:)` before anything
        /// else is received.
        case joinAsked(namespace: String, auth: RawJSON?)
        /// The client sent an event.
        case event(SocketIO.Event)
        /// The client acknowledged an emitted event.
        case acknowledged(SocketIO.Acknowledgement)
        /// An emitted event that requested an acknowledgement will not receive one: it timed out, or the client has
        /// left.
        case unacknowledged(namespace: String, id: Int)
        /// The client left a namespace.
        case disconnected(namespace: String)
        /// End the session in this way.
        case close(EngineIO.Ending)
    }
}

extension SocketIOServer.Configuration {
    /// The contents of the open packet.
    package var handshake: EngineIO.Handshake {
        EngineIO.Handshake(
            sid: sid, upgrades: upgrades, pingInterval: pingInterval, pingTimeout: pingTimeout, maxPayload: maxPayload)
    }

    /// Returns the session id of a namespace, which must differ from the session id of the connection
    /// (Socket.IO SIO-7).
    func socketID(for namespace: String) -> String { Self.id(from: "\(sid)\u{0}\(namespace)") }

    /// Returns the id with which a client of this connection requests recovery in the namespace.
    func recoveryID(for namespace: String) -> String? {
        recoverySecret.map { Self.id(from: "\($0.reveal())\u{0}\(namespace)") }
    }

    /// Returns the payload of the answer to CONNECT.
    static func connectPayload(sid: String, pid: String?) -> RawJSON {
        .object {
            $0.member("sid", sid)
            $0.member("pid", pid)
        }
    }

    /// Returns an id in the usual format (20 characters of base64url), derived from a unique text, because this module
    /// has no source of randomness.
    private static func id(from text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // FNV-1a hashes the text, and a seeded generator spreads the hash over the characters.
        var seed: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var random = RandomSource(seed: seed)
        return String(decoding: (0..<20).map { _ in alphabet[Int(random.next() >> 58)] }, as: UTF8.self)
    }
}

extension SocketIO.NamespaceAddress {
    /// The name, and the query as an object of auth values, as the JavaScript server converts it (Socket.IO SIO-9).
    var nameAndAuth: (String, RawJSON?) {
        guard let query else { return (name, nil) }
        var seen: Set<String> = []
        let auth = RawJSON.object { writer in
            for pair in query.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let key = parts[0].percentDecoded()
                // A repeated key keeps its first value.
                guard seen.insert(key).inserted else { continue }
                writer.key(key)
                writer.string(parts.count == 2 ? parts[1].percentDecoded() : "")
            }
        }
        return (name, auth)
    }
}

extension RawJSON {
    /// The `pid` and the `offset` of a CONNECT payload that requests recovery, or `nil` if either is not a string.
    var recoveryWish: (pid: String, offset: String)? {
        guard case (let pid?, let offset?)? = texts("pid", "offset") else { return nil }
        return (pid, offset)
    }

    /// Returns two string members of an object, with `nil` for one that is missing or not a string. Returns `nil` if
    /// this is not an object.
    func texts(_ first: StaticString, _ second: StaticString) -> (String?, String?)? {
        var texts: (String?, String?)
        do throws(JSONError) {
            var reader = JSONReader(bytes.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let isText = try reader.peek() == .string
                if isText, reader.matches(key, first) {
                    texts.0 = try reader.string()
                } else if isText, reader.matches(key, second) {
                    texts.1 = try reader.string()
                } else {
                    try reader.skip()
                }
            }
        } catch {
            return nil
        }
        return texts
    }
}

// Input from the client.
extension SocketIOServer {
    /// Handles a WebSocket message from the client.
    package mutating func receive(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
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
        let packet = try SocketIO.Packet(
            parsing: data, revision: configuration.revision, maximumDepth: JSONReader.largestDepth)
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

    /// Returns the index of a joined namespace. A packet for any other namespace closes the connection, and so does a
    /// second CONNECT (Socket.IO SIO-19).
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
        guard membership(namespace) == nil, recovering != namespace, asking == nil else {
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
            if configuration.asks {
                asking = (namespace, auth)
                return effects.append(.joinAsked(namespace: namespace, auth: auth))
            }
            join(namespace, auth: auth, into: &effects)
        } else {
            refuse(namespace, "Invalid namespace", into: &effects)
        }
    }

    private func refuse(_ namespace: String, _ message: String, into effects: inout [Effect]) {
        let refusal = RawJSON.object { $0.member("message", message) }
        effects.append(.send(SocketIO.Packet.connectError(namespace: namespace, payload: refusal).message))
    }

    /// Answers `.joinAsked` by admitting the client to the namespace. `.connected` follows.
    package mutating func admit(into effects: inout [Effect]) {
        guard case .open = state, let (namespace, auth) = asking else { return }
        asking = nil
        join(namespace, auth: auth, into: &effects)
    }

    /// Answers `.joinAsked` by refusing the client, with this message.
    package mutating func refuse(_ why: String, into effects: inout [Effect]) {
        guard case .open = state, let namespace = asking?.namespace else { return }
        asking = nil
        refuse(namespace, why, into: &effects)
    }

    /// Joins the client to a namespace. Engine.IO 3 answers without a payload. The connect timeout ends with the first
    /// namespace (Socket.IO SIO-12).
    mutating func join(_ namespace: String, auth: RawJSON?, into effects: inout [Effect]) {
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

    /// Answers `.recoveryAsked`.
    ///
    /// With a session, the client gets it back: its missed events are sent before the answer (Socket.IO SIO-17), and no
    /// `.connected` follows. Without one, it joins like any other client.
    package mutating func recover(
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
