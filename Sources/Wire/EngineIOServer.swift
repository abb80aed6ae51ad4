/// The server's end of one Engine.IO session over one WebSocket: heartbeats, what messages carry, and what the JavaScript
/// server refuses (`reference/socketio.md` 1.2, 1.14).
struct EngineIOServer: Sendable {
    /// What a frame meant.
    enum Received {
        /// A message, a slice of the frame after its type digit.
        case message(ArraySlice<UInt8>)
        /// A frame to answer with this one.
        case answer(WebSocketMessage)
        /// A frame that asks for nothing.
        case nothing
    }

    private var heartbeat: Heartbeat
    private let revision: EngineIO.Revision

    /// A session that opened at `now`. The server is pinged in revision 3 and pings in revision 4.
    init(_ revision: EngineIO.Revision, _ handshake: EngineIO.Handshake, openedAt now: Moment) {
        let (interval, timeout) = (handshake.pingInterval, handshake.pingTimeout)
        self.revision = revision
        heartbeat =
            switch revision {
            case .v3: .listener(interval: interval, timeout: timeout, from: now)
            case .v4: .sender(interval: interval, timeout: timeout, from: now)
            }
    }

    /// When `fire()` is due.
    var deadline: Moment { heartbeat.deadline }

    /// Does what is due at `deadline`: nil when the client is dead, otherwise the ping to send.
    mutating func fire() -> WebSocketMessage? {
        switch heartbeat.fire() {
        case .ping: EngineIO.Packet(.ping).message
        case .death: nil
        }
    }

    /// Reads a frame. What it throws ends the session.
    mutating func receive(_ message: WebSocketMessage, at now: Moment) throws(SocketIO.Malformed) -> Received {
        guard case .text(let bytes) = message else {
            throw SocketIO.Malformed(message: "a binary frame that belongs to no packet")
        }
        let packet = try EngineIO.Packet(parsing: bytes)
        switch (packet.type, revision) {
        case (.message, _):
            return .message(packet.data)
        case (.ping, .v3):
            heartbeat = heartbeat.pinged(at: now)
            return .answer(packet.pong)
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
