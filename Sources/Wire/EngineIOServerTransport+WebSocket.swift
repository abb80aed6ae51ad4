extension EngineIOServerTransport {
    /// A WebSocket opened that names the session: it is tried, or closed when there is one already (1.6).
    public mutating func open(_ socket: SocketID, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .polling: state = .probing(socket, noop: nil, until: now + configuration.upgradeTimeout)
        case .probing, .webSocket, .ending, .closed: effects.append(.closeSocket(socket))
        }
    }

    /// A message arrived on a WebSocket.
    public mutating func receive(
        _ message: WebSocketMessage, on socket: SocketID, at now: Moment, into effects: inout [Effect]
    ) {
        switch state {
        case .webSocket(socket): receive(message, into: &effects)
        case .probing(socket, _, let until): probed(message, on: socket, until: until, at: now, into: &effects)
        case .polling, .probing, .webSocket, .ending, .closed: return
        }
    }

    /// A WebSocket is gone. While it was only being tried the session polls on.
    public mutating func closed(_ socket: SocketID, into effects: inout [Effect]) {
        switch state {
        case .webSocket(socket):
            state = .closed
            finish("transport close", answeringPollWith: .close, into: &effects)
        case .probing(socket, _, _): state = .polling
        case .polling, .probing, .webSocket, .ending, .closed: return
        }
    }

    // MARK: -

    private mutating func receive(_ message: WebSocketMessage, into effects: inout [Effect]) {
        guard case .text(let bytes) = message, bytes.first == UInt8(ascii: "b") else {
            return effects.append(.received(message))
        }
        if let packet = Base64Packet.packet(of: bytes, configuration.revision) {
            effects.append(.received(packet))
        } else {
            finish("parse error: a binary packet that is not base64", answeringPollWith: .close, into: &effects)
        }
    }

    /// What comes on a WebSocket before it is the session's: the probe, then the upgrade. Anything else ends the attempt.
    private mutating func probed(
        _ message: WebSocketMessage, on socket: SocketID, until: Moment, at now: Moment, into effects: inout [Effect]
    ) {
        if message == .text("2probe") {
            state = .probing(socket, noop: now + Self.noopInterval, until: until)
            effects.append(.send(.text("3probe"), on: socket))
        } else if case .text(let bytes) = message, bytes.first == EngineIO.PacketType.upgrade.digit {
            upgrade(to: socket, into: &effects)
        } else {
            state = .polling
            effects.append(.closeSocket(socket))
        }
    }

    /// The session changes over; what no request asked for goes first.
    private mutating func upgrade(to socket: SocketID, into effects: inout [Effect]) {
        state = .webSocket(socket)
        // The client has ended its requests before it asked; one that waits all the same is let go (1.7).
        if poll != nil { answerPoll(with: [EngineIO.Packet(.close).message], into: &effects) }
        let packets = kept
        kept = []
        pendingBytes = 0
        for packet in packets { send(packet, into: &effects) }
    }
}

/// A binary packet as a text frame: `b` and base64, with the type digit between them in revision 3 (1.2).
enum Base64Packet {
    /// The frame of a packet of the stream.
    static func text(of packet: ArraySlice<UInt8>, _ revision: EngineIO.Revision) -> WebSocketMessage {
        switch revision {
        case .v4: .text(([UInt8(ascii: "b")] + Base64.encode(packet))[...])
        case .v3:
            .text(
                ([UInt8(ascii: "b"), EngineIO.PacketType.message.digit] + Base64.encode(packet.dropFirst()))[...])
        }
    }

    /// The packet of the stream in a frame; nil when it holds none.
    static func packet(of text: ArraySlice<UInt8>, _ revision: EngineIO.Revision) -> WebSocketMessage? {
        var data = text.dropFirst()
        var type: [UInt8] = []
        if revision == .v3 {
            guard data.popFirst() == EngineIO.PacketType.message.digit else { return nil }
            type = [EngineIO.PacketType.message.rawValue]
        }
        return Base64.decode(data.span).map { .binary((type + $0)[...]) }
    }
}
