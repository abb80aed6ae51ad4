/// Engine.IO, revisions 3 and 4 (Engine.IO EIO-1 to EIO-34).
public enum EngineIO {
    /// The protocol revision: the `EIO` parameter of the request.
    public enum Revision: Int, Hashable, Sendable, CaseIterable {
        case v3 = 3
        case v4 = 4
    }

    /// The packet types. The first character of a packet is its type's number.
    public enum PacketType: UInt8, Hashable, Sendable, CaseIterable {
        case open, close, ping, pong, message, upgrade, noop
    }

    /// The contents of the open packet (Engine.IO EIO-10).
    public struct Handshake: Hashable, Sendable {
        /// The session id, chosen by the server.
        public var sid: String
        /// The transports to which the server offers to upgrade.
        public var upgrades: [String]
        /// The time from one ping to the next.
        public var pingInterval: Duration
        /// How long a ping may remain unanswered.
        public var pingTimeout: Duration
        /// The maximum size of a polling body in bytes, if the server states it.
        public var maxPayload: Int?
        /// Creates a handshake. The default times are 25 seconds between pings and 20 seconds for an answer.
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
