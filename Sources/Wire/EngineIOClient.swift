/// The client's end of one Engine.IO session over one WebSocket: the open packet, heartbeats, what messages carry.
struct EngineIOClient: Sendable {
    /// What a frame meant.
    enum Received {
        /// The session is open.
        case opened(EngineIO.Handshake)
        /// A message, a slice of the frame after its type digit.
        case message(ArraySlice<UInt8>)
        /// A binary message, without the type byte of revision 3.
        case binary(ArraySlice<UInt8>)
        /// A frame to answer with this one.
        case answer(WebSocketMessage)
        /// The server closed the session.
        case closed
        /// A frame that asks for nothing.
        case nothing
    }

    private enum State {
        /// No open packet yet. Follows: open, closed.
        case opening
        /// Heartbeats run. Follows: closed.
        case open(Heartbeat)
        /// Nothing more will happen.
        case closed
    }

    private var state = State.opening
    private var revision: EngineIO.Revision

    /// A session whose open packet is awaited.
    init(_ revision: EngineIO.Revision) { self.revision = revision }

    /// When `fire()` is due; nil before the open packet and after the close.
    var deadline: Moment? {
        switch state {
        case .open(let heartbeat): heartbeat.deadline
        case .opening, .closed: nil
        }
    }

    /// Does what is due at `deadline`: throws when the server is dead, otherwise gives what is to be sent.
    mutating func fire(at now: Moment) throws(Silence) -> WebSocketMessage? {
        guard case .open(var heartbeat) = state else { return nil }
        let due = heartbeat.fire(at: now)
        state = .open(heartbeat)
        switch due {
        case .ping: return EngineIO.Packet(.ping).message
        case .pong: return EngineIO.Packet(.pong).message
        case .nothing: return nil
        case .death: throw Silence()
        }
    }

    /// The server was silent for too long.
    struct Silence: Error {}

    /// The socket is read, or not.
    mutating func set(_ reading: SocketReading, at now: Moment) {
        guard case .open(var heartbeat) = state else { return }
        heartbeat.set(reading, at: now)
        state = .open(heartbeat)
    }

    /// The open session is one of this revision: the server ignored which one was asked for.
    mutating func adopt(_ revision: EngineIO.Revision, _ handshake: EngineIO.Handshake, at now: Moment) {
        self.revision = revision
        if case .open = state { state = .open(startHeartbeat(handshake, at: now)) }
    }

    /// Ends the session.
    mutating func close() { state = .closed }

    /// Reads a frame. What it throws before the session is open is fatal; after that the session goes on.
    mutating func receive(_ message: WebSocketMessage, at now: Moment) throws(SocketIO.Malformed) -> Received {
        switch state {
        case .opening: return try receiveOpen(message, at: now)
        case .open(let heartbeat): return try receive(message, heartbeat, at: now)
        case .closed: return .nothing
        }
    }

    /// A text message arrived that needs no reading; false when no session is open.
    mutating func hearsMessage(at now: Moment) -> Bool {
        switch state {
        case .open(let heartbeat):
            state = .open(heartbeat.heard(at: now))
            return true
        case .opening, .closed: return false
        }
    }

    /// The first packet must be the open packet; a noop may come anywhere (1.14).
    private mutating func receiveOpen(
        _ message: WebSocketMessage, at now: Moment
    ) throws(SocketIO.Malformed) -> Received {
        guard case .text(let bytes) = message else {
            throw SocketIO.Malformed(message: "a binary frame where the open packet should be", offset: 0)
        }
        let packet = try EngineIO.Packet(parsing: bytes)
        switch packet.type {
        case .open:
            let handshake = try EngineIO.Handshake(parsing: packet)
            state = .open(startHeartbeat(handshake, at: now))
            return .opened(handshake)
        case .close:
            state = .closed
            return .closed
        case .noop:
            return .nothing
        case .ping, .pong, .message, .upgrade:
            throw SocketIO.Malformed(message: "another packet where the open packet should be", offset: 0)
        }
    }

    /// The client pings in revision 3 and is pinged in revision 4 (1.2).
    private func startHeartbeat(_ handshake: EngineIO.Handshake, at now: Moment) -> Heartbeat {
        let (interval, timeout) = (handshake.pingInterval, handshake.pingTimeout)
        return switch revision {
        case .v3: .sender(interval: interval, timeout: timeout, from: now)
        case .v4: .listener(interval: interval, timeout: timeout, from: now)
        }
    }

    private mutating func receive(
        _ message: WebSocketMessage, _ heartbeat: Heartbeat, at now: Moment
    ) throws(SocketIO.Malformed) -> Received {
        state = .open(heartbeat.heard(at: now))
        let bytes: ArraySlice<UInt8>
        switch message {
        case .text(let text):
            bytes = text
            if text.first == UInt8(ascii: "b") { return .binary(try base64Data(of: text)) }
        case .binary(let data): return .binary(try EngineIO.binaryData(of: data, revision))
        }
        let packet = try EngineIO.Packet(parsing: bytes)
        switch packet.type {
        case .message:
            return .message(packet.data)
        case .ping where revision == .v4:
            var heartbeat = heartbeat
            let isToBeAnswered = heartbeat.pinged(at: now)
            state = .open(heartbeat)
            return isToBeAnswered ? .answer(packet.pong) : .nothing
        case .close:
            state = .closed
            return .closed
        case .ping, .pong, .noop:
            // A ping of a revision 3 server goes the wrong way; genuine clients ignore it.
            return .nothing
        case .open, .upgrade:
            throw SocketIO.Malformed(message: "a packet that has no place in an open session", offset: 0)
        }
    }

    /// A session that polled with base64 may keep to it on its WebSocket (1.2).
    private func base64Data(of text: ArraySlice<UInt8>) throws(SocketIO.Malformed) -> ArraySlice<UInt8> {
        guard case .binary(let packet)? = Base64Packet.packet(of: text, revision) else {
            throw SocketIO.Malformed(message: "a binary packet that is not base64", offset: 0)
        }
        return try EngineIO.binaryData(of: packet, revision)
    }
}
