/// The server end of one Engine.IO session, over any transport: heartbeats, the data of messages, and the packets that
/// the JavaScript server refuses (Engine.IO EIO-4, Socket.IO SIO-19).
///
/// It reads the packet stream of the session, in the form that a WebSocket of the session's revision carries. The owner
/// sends `EngineIO.Handshake.openPacket` first, and then the messages from `fire()` and `.answer`.
package struct EngineIOServer: Sendable {
    /// The meaning of a received packet.
    package enum Received: Hashable, Sendable {
        /// A text message: the slice of the packet after its type digit.
        case message(ArraySlice<UInt8>)
        /// A binary message, without the type byte of revision 3.
        case binary(ArraySlice<UInt8>)
        /// The packet must be answered with this one.
        case answer(WebSocketMessage)
        /// The packet requires no reaction.
        case nothing
    }

    private var heartbeat: Heartbeat
    private let revision: EngineIO.Revision

    /// Creates a session that opened at `now`. The client sends pings in revision 3, and the server sends them in
    /// revision 4.
    package init(_ revision: EngineIO.Revision, _ handshake: EngineIO.Handshake, openedAt now: Moment) {
        let (interval, timeout) = (handshake.pingInterval, handshake.pingTimeout)
        self.revision = revision
        heartbeat =
            switch revision {
            case .v3: .listener(interval: interval, timeout: timeout, from: now)
            case .v4: .sender(interval: interval, timeout: timeout, from: now)
            }
    }

    /// When to call `fire()` next.
    package var deadline: Moment { heartbeat.until }

    /// Performs the step that is due at `deadline`. Returns the ping to send, or `nil` if the client is dead.
    package mutating func fire() -> WebSocketMessage? {
        switch heartbeat.fire(at: deadline) {
        case .ping: EngineIO.Packet(.ping).message
        case .pong, .nothing, .death: nil
        }
    }

    /// Reads a packet. An error ends the session.
    package mutating func receive(
        _ message: WebSocketMessage, at now: Moment
    ) throws(SocketIO.Malformed) -> Received {
        switch message {
        case .text(let bytes): try receive(try EngineIO.Packet(parsing: bytes), at: now)
        case .binary(let bytes): .binary(try EngineIO.binaryData(of: bytes, revision))
        }
    }

    private mutating func receive(
        _ packet: EngineIO.Packet, at now: Moment
    ) throws(SocketIO.Malformed) -> Received {
        switch (packet.type, revision) {
        case (.message, _):
            return .message(packet.data)
        case (.ping, .v3):
            return heartbeat.pinged(at: now) ? .answer(packet.pong) : .nothing
        case (.pong, .v4):
            heartbeat = heartbeat.ponged(at: now)
            return .nothing
        case (.ping, .v4), (.pong, .v3):
            throw SocketIO.Malformed(message: "a heartbeat in the wrong direction")
        case (.open, _), (.close, _), (.upgrade, _), (.noop, _):
            // After a `1`, the reference implementation waits for the WebSocket's own close. It ignores the other types
            // (Engine.IO EIO-30).
            return .nothing
        }
    }
}

extension EngineIO {
    /// Returns the packet of a message: text after the type digit; binary after the type byte (revision 3) or bare
    /// (Engine.IO EIO-8).
    package static func packet(of message: WebSocketMessage, _ revision: Revision) -> WebSocketMessage {
        switch (message, revision) {
        case (.text(let bytes), _): Packet(.message, data: bytes).message
        case (.binary(let bytes), .v3): .binary([PacketType.message.rawValue] + bytes)
        case (.binary, .v4): message
        }
    }

    /// Returns the data of a binary packet.
    static func binaryData(
        of packet: ArraySlice<UInt8>, _ revision: Revision
    ) throws(SocketIO.Malformed) -> ArraySlice<UInt8> {
        switch revision {
        case .v4: return packet
        case .v3:
            guard packet.first == PacketType.message.rawValue else {
                throw SocketIO.Malformed(message: "a binary packet that is not a message", offset: 0)
            }
            return packet.dropFirst()
        }
    }

    /// The ways in which the server ends a session.
    package enum Ending: Hashable, Sendable {
        /// The session is broken or dead. A client that uses it again receives the error for an unknown session. The cause is for logs.
        case lost(String)
        /// The server ends a working session. A polling client learns of it with its next request (Engine.IO EIO-31).
        case orderly(String)

        /// The cause of the end, for logs.
        package var cause: String {
            switch self {
            case .lost(let cause), .orderly(let cause): cause
            }
        }
    }
}
