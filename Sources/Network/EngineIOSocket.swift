public import Wire

/// Where and how to open an Engine.IO session.
public struct EngineIORequest: Sendable {
    /// `http`, `https`, `ws` or `wss` URL with the Engine.IO path; its query is the user's part of every request's.
    public var url: URLParts
    /// The transports to use.
    public var transport: EngineIO.TransportChoice
    /// The revision to ask for.
    public var revision: EngineIO.Revision
    /// Whether the revision is a guess. A polling session then goes on in the revision that the server answers in; a refusal says in
    /// `ConnectFailure.retry` which one to try.
    public var detectsRevision: Bool
    /// How the server is reached, by WebSocket and by polling.
    public var access: Access
    /// Who frames the WebSocket.
    public var framing = WebSocketFraming.auto
    /// As `WebSocketRequest.fellBack`.
    public var fellBack: (@Sendable () -> Void)?
    /// Called on the loop's thread with each packet of an upgrade (`2probe`, `3probe`, `5`). They are not part of the packet stream.
    public var upgrading: (@Sendable (WebSocketMessage, _ isSent: Bool) -> Void)?
    /// Longest time for connecting and for the handshake of one transport.
    public var timeout: Duration
    /// Largest packet accepted, in bytes.
    public var maximumMessage: Int
    /// A request.
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

/// One Engine.IO session of a client on an `EventLoop`: the packets a WebSocket would carry, whatever carries them (Engine.IO's
/// heartbeats are among them, and their answers are the owner's). All calls and callbacks are on the loop's thread.
///
/// `opened` is told when messages can be sent: on a WebSocket before the open packet, on polling with it. The loop keeps the
/// session until it is closed or failed, whoever else lets go of it.
public final class EngineIOSocket: Sendable {
    private let loop: EventLoop
    let connection: EngineIOConnection

    /// Begins a session; `handler` is called on the loop, never before this returns. To be made on the loop's thread too.
    /// Polling goes by `http`, which must answer on the same loop and needs two connections for a session.
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

    /// Queues a message of the packet stream. Messages leave in order. Ignored before `opened`, and once the session is closing.
    public func send(_ message: WebSocketMessage) {
        loop.preconditionOnLoop()
        connection.send(message)
    }

    /// Bytes queued and not yet given to the kernel, or posted and not yet answered.
    public var pendingBytes: Int {
        loop.preconditionOnLoop()
        return connection.pendingBytes
    }

    /// Whether the session is carried by a WebSocket now.
    public var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return connection.isOnWebSocket
    }

    /// Ends the session in order, after what is queued; `closed` follows, after an upgrade that is under way was decided, and at
    /// the latest five seconds later; no more messages are received. A session that has not opened fails at once.
    public func close(_ close: WebSocketClose) {
        loop.preconditionOnLoop()
        connection.feed(.close(close))
    }

    /// Stops (`false`) or resumes (`true`) reading. While it is stopped the server is read no further than a bounded amount, and
    /// no message is received but those of the piece that is being read.
    public func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        connection.setReading(reading)
    }
}
