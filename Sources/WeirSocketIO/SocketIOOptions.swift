/// The settings of a `SocketIOClient`. Durations below zero count as zero.
public struct SocketIOOptions: Sendable {
    /// The ways to reach a server.
    public enum Transport: Hashable, Sendable {
        /// A WebSocket. If it cannot be opened, long-polling, upgraded if the server offers it.
        case automatic
        /// A WebSocket, without any alternative.
        case webSocket
        /// Long-polling, even if the server offers an upgrade.
        case polling
        /// Long-polling first, then an upgrade to a WebSocket if the server offers it.
        case upgrade
    }

    /// The protocol revisions of servers.
    public enum Revision: Hashable, Sendable {
        /// Engine.IO 3: Socket.IO servers 1 and 2.
        case engineIO3
        /// Engine.IO 4: Socket.IO servers 3 and 4.
        case engineIO4
    }

    /// The namespace that `connect()` joins, and that the client's own methods use.
    public var namespace = "/"
    /// The way to reach the server.
    public var transport = Transport.automatic
    /// The revision of the server; `nil` detects it.
    public var revision: Revision?
    /// The headers to send with each request. Header values never appear in errors.
    public var headers: [String: String] = [:]
    /// The path of a PEM file with the only certificate authorities to trust; `nil` for those of the system.
    public var trustFile: String?
    /// The longest time for one attempt to connect, and for the server's answer about a namespace.
    public var handshakeTimeout: Duration = .seconds(20)
    /// The number of attempts after which `connect()` throws; `nil` for no limit.
    public var connectAttempts: Int? = 1
    /// The number of failed attempts in a row after which a client that was connected gives up; `nil` for no limit, 0
    /// to end with the first loss.
    public var reconnectAttempts: Int?
    /// The delay before the second attempt. It doubles with each failure, with jitter.
    public var reconnectDelay: Duration = .seconds(1)
    /// The longest delay between two attempts.
    public var longestReconnectDelay: Duration = .seconds(5)
    /// Whether to join again after the server removed the client from a namespace or closed the session.
    public var returnsAfterRemoval = true
    /// The largest message accepted, in bytes.
    public var maximumMessage = 64 << 20
    /// The number of bytes that may wait to be sent. While more wait, `emit` and `request` throw `overflow`.
    public var maximumPending = 16 << 20

    /// Creates the settings that suit most servers.
    public init() {}
}
