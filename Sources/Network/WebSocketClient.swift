public import Wire

/// Where and how to open a WebSocket.
public struct WebSocketRequest: Sendable {
    /// `ws://` or `wss://` URL with path and query.
    public var url: URLParts
    /// Headers sent with the upgrade request.
    public var headers: [(name: String, value: String)]
    /// How the server is reached.
    public var access: Access
    /// Longest time for resolving, connecting, TLS and upgrade, together.
    public var timeout: Duration
    /// Largest message accepted, in bytes; a larger one closes the socket with 1009.
    public var maximumMessage: Int
    /// Who reads the frames.
    public var framing = WebSocketFraming.auto
    /// Called on the loop, before the opened event, when libwebsockets reads the frames and the user did not choose that.
    public var fellBack: (@Sendable () -> Void)?
    /// Whether compression of messages (permessage-deflate) is offered to the server; only our own framing does.
    public var offersCompression = false
    /// What libwebsockets 4.1 puts into an HTTP request just before it asks for more headers, and what an upgrade must not say. Tests
    /// expect something else here, and so have a library that is not known.
    var headerToTakeBack = "connection: close\r\n"
    /// A request.
    public init(
        url: URLParts, headers: [(name: String, value: String)] = [], access: Access = Access(),
        timeout: Duration = .seconds(20), maximumMessage: Int = Limits.standard
    ) {
        self.url = url
        self.headers = headers
        self.access = access
        self.timeout = timeout
        self.maximumMessage = maximumMessage
    }
}

/// Who reads and writes the frames of a client's WebSocket.
public enum WebSocketFraming: String, CaseIterable, Hashable, Sendable {
    /// Our own, and libwebsockets' where its HTTP client is not the one we know.
    case auto
    /// Our own, which reads in bulk and is many times as fast.
    case own
    /// libwebsockets' WebSocket role. That of Debian (4.1.6) does not answer each of ten pings that come at once, and takes a close frame
    /// whose reason is not UTF-8 (Autobahn's cases 2.10, 2.11 and 7.5.1).
    case library
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
///
/// The loop keeps the socket until it is closed or failed, whoever else lets go of it. A close that we began is told with our own
/// code. In libwebsockets' framing (4.1) the close codes 1012 to 1015 of a server arrive as 1002.
public final class WebSocketClient: Sendable {
    private let loop: EventLoop
    private let socket: WebSocketClientSocket

    /// Resolves (on a helper thread), connects, verifies and upgrades; `handler` is called on the loop, never before this
    /// returns. To be made on the loop's thread too. Messages sent before the socket opens leave when it does.
    public init(on loop: EventLoop, _ request: WebSocketRequest, handler: @escaping @Sendable (WebSocketEvent) -> Void)
    {
        self.loop = loop
        let socket = WebSocketClientSocket(loop: loop, request: request, handler: handler)
        self.socket = socket
        loop.run { socket.start() }
    }

    /// Queues a message. Messages leave in order. Ignored once the socket is closing.
    public func send(_ message: WebSocketMessage) {
        loop.preconditionOnLoop()
        socket.send(message)
    }

    /// Bytes queued and not yet given to the kernel.
    public var pendingBytes: Int {
        loop.preconditionOnLoop()
        return socket.pendingBytes
    }

    /// Bytes received that the handler was not given yet: the beginning of a message, and, while reading is stopped, what had been read
    /// before. Never more than the largest message, a mebibyte, and a few reads of 64 KiB.
    public var undeliveredBytes: Int {
        loop.preconditionOnLoop()
        return socket.undeliveredBytes
    }

    /// Starts the closing handshake, after what is queued; `closed` follows, at the latest after five seconds, and no more
    /// messages are received. A socket that has not opened fails at once.
    public func close(_ close: WebSocketClose) {
        loop.preconditionOnLoop()
        socket.close(close)
    }

    /// Stops (`false`) or resumes (`true`) reading from the socket. While it is stopped no message is received; when the socket
    /// ends meanwhile with messages not yet received, they and `closed` come after it is resumed.
    public func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        socket.setReading(reading)
    }
}
