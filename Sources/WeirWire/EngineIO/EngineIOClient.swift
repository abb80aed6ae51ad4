/// The client end of one Engine.IO session over one WebSocket: the open packet, heartbeats, and the data of messages.
struct EngineIOClient: Sendable {
    /// The meaning of a received frame.
    enum Received {
        /// The open packet arrived: the session is open.
        case opened(EngineIO.Handshake)
        /// A message: the slice of the frame after its type digit.
        case message(ArraySlice<UInt8>)
        /// A binary message, without the type byte of revision 3.
        case binary(ArraySlice<UInt8>)
        /// The frame must be answered with this one.
        case answer(WebSocketMessage)
        /// The server closed the session.
        case closed
        /// The frame requires no reaction.
        case nothing
    }

    private enum State {
        /// The open packet has not arrived yet. Follows: open, closed.
        case opening
        /// The session is open and heartbeats run. Follows: closed.
        case open(Heartbeat)
        /// The session does nothing more.
        case closed
    }

    private var state = State.opening
    private var revision: EngineIO.Revision

    /// Creates a session that waits for its open packet.
    init(_ revision: EngineIO.Revision) { self.revision = revision }

    /// When to call `fire(at:)`; `nil` before the open packet and after the close.
    var deadline: Moment? {
        switch state {
        case .open(let heartbeat): heartbeat.deadline
        case .opening, .closed: nil
        }
    }

    /// Performs the step that is due at `deadline`, and returns the message to send, if any. Throws if the server is dead.
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

    /// Tells the session whether the socket is read.
    mutating func set(_ reading: SocketReading, at now: Moment) {
        guard case .open(var heartbeat) = state else { return }
        heartbeat.set(reading, at: now)
        state = .open(heartbeat)
    }

    /// Adopts the revision that the server uses, after it ignored the requested one.
    mutating func adopt(_ revision: EngineIO.Revision, _ handshake: EngineIO.Handshake, at now: Moment) {
        self.revision = revision
        if case .open = state { state = .open(startHeartbeat(handshake, at: now)) }
    }

    /// Ends the session without sending anything.
    mutating func close() { state = .closed }

    /// Reads a frame. An error before the session is open is fatal; after that, the session continues.
    mutating func receive(_ message: WebSocketMessage, at now: Moment) throws(SocketIO.Malformed) -> Received {
        switch state {
        case .opening: return try receiveOpen(message, at: now)
        case .open(let heartbeat): return try receive(message, heartbeat, at: now)
        case .closed: return .nothing
        }
    }

    /// Notes a text message that need not be parsed. Returns false if the session is not open.
    mutating func hearsMessage(at now: Moment) -> Bool {
        switch state {
        case .open(let heartbeat):
            state = .open(heartbeat.heard(at: now))
            return true
        case .opening, .closed: return false
        }
    }

    /// Reads the first packet, which must be the open packet. A noop may come at any time (Socket.IO SIO-20).
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

    /// The client sends pings in revision 3, and the server sends them in revision 4 (Engine.IO EIO-5).
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
            // A ping from a server of revision 3 goes in the wrong direction. The reference clients ignore it.
            return .nothing
        case .open, .upgrade:
            throw SocketIO.Malformed(message: "a packet that has no place in an open session", offset: 0)
        }
    }

    /// Decodes a binary packet in Base64. A session that polled with Base64 may keep to it on its WebSocket
    /// (Engine.IO EIO-9).
    private func base64Data(of text: ArraySlice<UInt8>) throws(SocketIO.Malformed) -> ArraySlice<UInt8> {
        guard case .binary(let packet)? = Base64Packet.packet(of: text, revision) else {
            throw SocketIO.Malformed(message: "a binary packet that is not base64", offset: 0)
        }
        return try EngineIO.binaryData(of: packet, revision)
    }
}
