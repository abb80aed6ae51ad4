/// Engine.IO, revisions 3 and 4 (`reference/socketio.md` 1.1–1.8).
public enum EngineIO {
    /// The protocol revision, the `EIO` of the request line.
    public enum Revision: Int, Hashable, Sendable, CaseIterable {
        case v3 = 3
        case v4 = 4
    }

    /// The packet types; a packet's first character is its number.
    public enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case open, close, ping, pong, message, upgrade, noop
    }

    /// The open packet's facts (1.3).
    public struct Handshake: Hashable, Sendable {
        /// The server's session id.
        public var sid: String
        /// Transports the server offers to upgrade to.
        public var upgrades: [String]
        /// The time between pings.
        public var pingInterval: Duration
        /// The time a ping may stay unanswered.
        public var pingTimeout: Duration
        /// Bytes of one polling body, when the server says so.
        public var maxPayload: Int?
        /// The facts of an open packet.
        public init(
            sid: String, upgrades: [String] = [], pingInterval: Duration = .seconds(25),
            pingTimeout: Duration = .seconds(20), maxPayload: Int? = nil
        ) {
            self.sid = sid
            self.upgrades = upgrades
            self.pingInterval = pingInterval
            self.pingTimeout = pingTimeout
            self.maxPayload = maxPayload
        }
    }
}
