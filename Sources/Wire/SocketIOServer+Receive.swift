public import JSONText

// Input from the client.
extension SocketIOServer {
    /// Handles a WebSocket message from the client.
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
    public mutating func admit(into effects: inout [Effect]) {
        guard case .open = state, let (namespace, auth) = asking else { return }
        asking = nil
        join(namespace, auth: auth, into: &effects)
    }

    /// Answers `.joinAsked` by refusing the client, with this message.
    public mutating func refuse(_ why: String, into effects: inout [Effect]) {
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
