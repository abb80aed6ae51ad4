/// The server's end of one Engine.IO session, whatever it rides on: heartbeats, what messages carry, and what the JavaScript
/// server refuses (`reference/socketio.md` 1.2, 1.14).
///
/// It reads the session's packet stream: the messages as a WebSocket of the session's revision carries them. The owner sends
/// `EngineIO.Handshake.openPacket` first, then what `fire()` and `.answer` give.
public struct EngineIOServer: Sendable {
    /// What a packet meant.
    public enum Received: Hashable, Sendable {
        /// A text message, a slice of the packet after its type digit.
        case message(ArraySlice<UInt8>)
        /// A binary message, without the type byte of revision 3.
        case binary(ArraySlice<UInt8>)
        /// A packet to answer with this one.
        case answer(WebSocketMessage)
        /// A packet that asks for nothing.
        case nothing
    }

    private var heartbeat: Heartbeat
    private let revision: EngineIO.Revision

    /// A session that opened at `now`. The server is pinged in revision 3 and pings in revision 4.
    public init(_ revision: EngineIO.Revision, _ handshake: EngineIO.Handshake, openedAt now: Moment) {
        let (interval, timeout) = (handshake.pingInterval, handshake.pingTimeout)
        self.revision = revision
        heartbeat =
            switch revision {
            case .v3: .listener(interval: interval, timeout: timeout, from: now)
            case .v4: .sender(interval: interval, timeout: timeout, from: now)
            }
    }

    /// When `fire()` is due.
    public var deadline: Moment { heartbeat.until }

    /// Does what is due at `deadline`: nil when the client is dead, otherwise the ping to send.
    public mutating func fire() -> WebSocketMessage? {
        switch heartbeat.fire(at: deadline) {
        case .ping: EngineIO.Packet(.ping).message
        case .pong, .nothing, .death: nil
        }
    }

    /// Reads a packet. What it throws ends the session.
    public mutating func receive(
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
            // The reference waits for the WebSocket's own close after a `1`, and ignores the rest (1.7).
            return .nothing
        }
    }
}

extension EngineIO {
    /// The packet of a message: text behind the type digit, binary behind the type byte (revision 3) or bare (1.2).
    public static func packet(of message: WebSocketMessage, _ revision: Revision) -> WebSocketMessage {
        switch (message, revision) {
        case (.text(let bytes), _): Packet(.message, data: bytes).message
        case (.binary(let bytes), .v3): .binary([PacketType.message.rawValue] + bytes)
        case (.binary, .v4): message
        }
    }

    /// What a binary packet carries.
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

    /// How the server's end of a session ends it.
    public enum Ending: Hashable, Sendable {
        /// The session is broken or dead: whoever asks for it again is told that it is unknown. The cause is for logs.
        case lost(String)
        /// The server ends a session that works: a client that polls is told so when it asks next (1.7).
        case orderly(String)

        /// The cause, for logs.
        public var cause: String {
            switch self {
            case .lost(let cause), .orderly(let cause): cause
            }
        }
    }
}
