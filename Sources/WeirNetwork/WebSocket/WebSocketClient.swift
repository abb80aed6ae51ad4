package import WeirWire

/// The server and the options for opening a WebSocket.
package struct WebSocketRequest: Sendable {
    /// The `ws://` or `wss://` URL with path and query.
    package var url: URLParts
    /// The headers sent with the upgrade request.
    package var headers: [(name: String, value: String)]
    /// The settings for reaching the server.
    package var access: Access
    /// The longest time for resolving, connecting, TLS and upgrade together.
    package var timeout: Duration
    /// The largest message accepted, in bytes. A larger one closes the socket with code 1009.
    package var maximumMessage: Int
    /// The implementation that reads and writes the frames.
    package var framing = WebSocketFraming.auto
    /// Called on the loop, before the `opened` event, when libwebsockets handles the frames although the user did not
    /// choose it.
    package var fellBack: (@Sendable () -> Void)?
    /// Whether to offer the server compression of messages (permessage-deflate). Only our own framing can offer it.
    package var offersCompression = false
    /// The header that libwebsockets 4.1 adds to an HTTP request just before it requests more headers, and that an
    /// upgrade must not contain. Tests set a different text to simulate an unknown library.
    var headerToTakeBack = "connection: close\r\n"
    /// Creates a request with automatic framing and without compression.
    package init(
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

/// The implementation that reads and writes the frames of a client's WebSocket.
public enum WebSocketFraming: String, CaseIterable, Hashable, Sendable {
    /// Our own, or libwebsockets' if the version of its HTTP client is not a known one.
    case auto
    /// The framing of this module, which reads in bulk and is many times as fast.
    case own
    /// libwebsockets' WebSocket role. Debian's version (4.1.6) does not answer every ping when ten arrive at once, and
    /// accepts a close frame whose reason is not UTF-8 (Autobahn's cases 2.10, 2.11 and 7.5.1).
    case library
}

/// An event of a WebSocket, delivered on the loop's thread.
package enum WebSocketEvent: Sendable {
    /// The server accepted the upgrade.
    case opened
    /// The messages that one turn of the loop read, in order.
    case received([WebSocketMessage])
    /// The socket is closed; no event follows.
    case closed(WebSocketClose)
    /// The socket never opened; no event follows.
    case failed(ConnectFailure)
}

/// A client WebSocket on an `EventLoop`. All calls and callbacks are on the loop's thread.
///
/// The loop retains the socket until it is closed or has failed. A close that the client began is reported with the
/// client's own code. With libwebsockets' framing (4.1), a server's close codes 1012 to 1015 arrive as 1002.
package final class WebSocketClient: Sendable {
    private let loop: EventLoop
    private let socket: WebSocketClientSocket

    /// Resolves the host (on a helper thread), connects, verifies and upgrades. Call this on the loop's thread.
    /// `handler` is called on the loop, and never before the initialiser returns. Messages sent before the socket opens
    /// are kept until then.
    package init(on loop: EventLoop, _ request: WebSocketRequest, handler: @escaping @Sendable (WebSocketEvent) -> Void)
    {
        self.loop = loop
        let socket = WebSocketClientSocket(loop: loop, request: request, handler: handler)
        self.socket = socket
        loop.run { socket.start() }
    }

    /// Queues a message. Messages are sent in order. Ignored once the socket is closing.
    package func send(_ message: WebSocketMessage) {
        loop.preconditionOnLoop()
        socket.send(message)
    }

    /// The number of bytes queued and not yet passed to the kernel.
    package var pendingBytes: Int {
        loop.preconditionOnLoop()
        return socket.pendingBytes
    }

    /// The number of received bytes not yet delivered to the handler: the beginning of a message and, while reading is
    /// paused, everything read before. At most the largest message, a mebibyte, and a few reads of 64 KiB.
    package var undeliveredBytes: Int {
        loop.preconditionOnLoop()
        return socket.undeliveredBytes
    }

    /// Starts the closing handshake after the queued messages. `closed` follows within five seconds, and no more
    /// messages are delivered. A socket that has not opened fails at once.
    package func close(_ close: WebSocketClose) {
        loop.preconditionOnLoop()
        socket.close(close)
    }

    /// Pauses (`false`) or resumes (`true`) reading from the socket. While paused, no message is delivered. If the
    /// socket ends with undelivered messages in the meantime, they and `closed` are delivered after reading resumes.
    package func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        socket.setReading(reading)
    }
}
