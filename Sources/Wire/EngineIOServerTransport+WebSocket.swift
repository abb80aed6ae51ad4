extension EngineIOServerTransport {
    /// Handles a new WebSocket that names the session. It is probed, or closed if the session already has one
    /// (Engine.IO EIO-29).
    public mutating func open(_ socket: SocketID, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .polling: state = .probing(socket, noop: nil, until: now + configuration.upgradeTimeout)
        case .probing, .webSocket, .ending, .closed: effects.append(.closeSocket(socket))
        }
    }

    /// Handles a message from a WebSocket.
    public mutating func receive(
        _ message: WebSocketMessage, on socket: SocketID, at now: Moment, into effects: inout [Effect]
    ) {
        switch state {
        case .webSocket(socket): receive(message, into: &effects)
        case .probing(socket, _, let until): probed(message, on: socket, until: until, at: now, into: &effects)
        case .polling, .probing, .webSocket, .ending, .closed: return
        }
    }

    /// Handles the loss of a WebSocket. If it was only being probed, the session continues to poll.
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

    /// Handles a message on a WebSocket to which the session has not moved: the probe, then the upgrade. Anything else
    /// ends the attempt.
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

    /// Moves the session to the WebSocket. The packets that no GET has fetched are sent first.
    private mutating func upgrade(to socket: SocketID, into effects: inout [Effect]) {
        state = .webSocket(socket)
        // The client has ended its requests before it upgrades. One that still waits is released (Engine.IO EIO-30).
        if poll != nil { answerPoll(with: [EngineIO.Packet(.close).message], into: &effects) }
        let packets = kept
        kept = []
        pendingBytes = 0
        for packet in packets { send(packet, into: &effects) }
    }
}

/// A binary packet as a text frame: `b` and Base64, with the type digit between them in revision 3 (Engine.IO EIO-9).
enum Base64Packet {
    /// Returns the text frame of a packet of the stream.
    static func text(of packet: ArraySlice<UInt8>, _ revision: EngineIO.Revision) -> WebSocketMessage {
        switch revision {
        case .v4: .text(([UInt8(ascii: "b")] + Base64.encode(packet))[...])
        case .v3:
            .text(
                ([UInt8(ascii: "b"), EngineIO.PacketType.message.digit] + Base64.encode(packet.dropFirst()))[...])
        }
    }

    /// Returns the packet in a text frame, or `nil` if the frame is invalid.
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
