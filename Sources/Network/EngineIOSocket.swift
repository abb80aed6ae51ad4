public import Wire

/// The server and the options for opening an Engine.IO session.
public struct EngineIORequest: Sendable {
    /// The `http`, `https`, `ws` or `wss` URL with the Engine.IO path. Its query is added to that of every request.
    public var url: URLParts
    /// The transport to use, or the order in which to try the transports.
    public var transport: EngineIO.TransportChoice
    /// The protocol revision to request.
    public var revision: EngineIO.Revision
    /// Whether the revision is a guess. A polling session then continues in the revision that the server answers in.
    /// After a refusal, `ConnectFailure.retry` contains the revision to try next.
    public var detectsRevision: Bool
    /// The settings for reaching the server, by WebSocket and by polling.
    public var access: Access
    /// The implementation that reads and writes the WebSocket frames.
    public var framing = WebSocketFraming.auto
    /// Called when the WebSocket falls back; see `WebSocketRequest.fellBack`.
    public var fellBack: (@Sendable () -> Void)?
    /// Called on the loop's thread with each packet of an upgrade (`2probe`, `3probe`, `5`). These packets are not part
    /// of the packet stream.
    public var upgrading: (@Sendable (WebSocketMessage, _ isSent: Bool) -> Void)?
    /// The longest time for connecting, and for the handshake of one transport.
    public var timeout: Duration
    /// The largest packet accepted, in bytes.
    public var maximumMessage: Int
    /// Creates a request with automatic framing and without the callbacks.
    public init(
        url: URLParts, transport: EngineIO.TransportChoice = .auto, revision: EngineIO.Revision = .v4,
        detectsRevision: Bool = false, access: Access = Access(), timeout: Duration = .seconds(20),
        maximumMessage: Int = Limits.standard
    ) {
        self.url = url
        self.transport = transport
        self.revision = revision
        self.detectsRevision = detectsRevision
        self.access = access
        self.timeout = timeout
        self.maximumMessage = maximumMessage
    }
}

/// A client's Engine.IO session on an `EventLoop`: the stream of packets that a WebSocket would carry, on any
/// transport. Engine.IO's heartbeats are part of the stream, and the owner answers them. All calls and callbacks are on
/// the loop's thread.
///
/// `opened` is delivered when messages can be sent: before the open packet on a WebSocket, together with it on polling.
/// The loop retains the session until it is closed or has failed.
public final class EngineIOSocket: Sendable {
    private let loop: EventLoop
    let connection: EngineIOConnection

    /// Begins a session. Call this on the loop's thread. `handler` is called on the loop, and never before the
    /// initialiser returns. `http` carries the polling. It must answer on the same loop and needs two connections per
    /// session.
    public init(
        on loop: EventLoop, http: HTTPClient, _ request: EngineIORequest,
        handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        let connection = EngineIOConnection(loop: loop, http: http, request: request, handler: handler)
        self.connection = connection
        loop.run { connection.feed(.start) }
    }

    /// Queues a message of the packet stream. Messages are sent in order. Ignored before `opened` and once the session
    /// is closing.
    public func send(_ message: WebSocketMessage) {
        loop.preconditionOnLoop()
        connection.send(message)
    }

    /// The number of bytes that are queued and not yet passed to the kernel, or posted and not yet answered.
    public var pendingBytes: Int {
        loop.preconditionOnLoop()
        return connection.pendingBytes
    }

    /// Whether a WebSocket carries the session now.
    public var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return connection.isOnWebSocket
    }

    /// Closes the session in order, after the queued messages. `closed` follows once a running upgrade is decided, and
    /// within five seconds; no more messages are received. A session that has not opened fails at once.
    public func close(_ close: WebSocketClose) {
        loop.preconditionOnLoop()
        connection.feed(.close(close))
    }

    /// Pauses (`false`) or resumes (`true`) reading. While paused, only a bounded amount is read from the server, and
    /// no message is delivered except those of the piece that is being read.
    public func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        connection.setReading(reading)
    }
}
