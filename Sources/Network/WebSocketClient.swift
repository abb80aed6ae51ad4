public import Wire

/// Where and how to open a WebSocket.
public struct WebSocketRequest: Sendable {
    /// `ws://` or `wss://` URL with path and query.
    public var url: URLParts
    /// Headers sent with the upgrade request.
    public var headers: [(name: String, value: String)]
    /// How TLS peers are verified.
    public var trust: TLSTrust
    /// Longest time for resolving, connecting, TLS and upgrade, together.
    public var timeout: Duration
    /// Largest message accepted, in bytes; a larger one closes the socket with 1009.
    public var maximumMessage: Int
    /// A request.
    public init(
        url: URLParts, headers: [(name: String, value: String)] = [], trust: TLSTrust = .system, timeout: Duration = .seconds(20),
        maximumMessage: Int = 16 << 20
    ) {
        self.url = url
        self.headers = headers
        self.trust = trust
        self.timeout = timeout
        self.maximumMessage = maximumMessage
    }
}

/// Which certificate authorities are believed. Verification is never off.
public enum TLSTrust: Hashable, Sendable {
    /// Those of the machine.
    case system
    /// Those of a PEM file only.
    case file(String)
}

/// What happens to a WebSocket, told on the loop's thread.
public enum WebSocketEvent: Sendable {
    /// The upgrade was accepted.
    case opened
    /// The messages one turn of the loop read, in order.
    case received([WebSocketMessage])
    /// The socket is gone; nothing follows.
    case closed(WebSocketClose)
    /// The socket never opened; nothing follows.
    case failed(ConnectFailure)
}

/// A client WebSocket on an `EventLoop`. All calls and callbacks are on the loop's thread.
public final class WebSocketClient: Sendable {
    /// Resolves (on a helper thread), connects, verifies and upgrades; `handler` is called on the loop.
    public init(on loop: EventLoop, _ request: WebSocketRequest, handler: @escaping @Sendable (WebSocketEvent) -> Void) { fatalError("stub") }
    /// Queues a message. Messages leave in order.
    public func send(_ message: WebSocketMessage) { fatalError("stub") }
    /// Bytes queued and not yet given to the kernel.
    public var pendingBytes: Int { fatalError("stub") }
    /// Starts the closing handshake; `closed` follows, at the latest after five seconds.
    public func close(_ close: WebSocketClose) { fatalError("stub") }
    /// Stops (`false`) or resumes (`true`) reading from the socket.
    public func setReading(_ reading: Bool) { fatalError("stub") }
}
