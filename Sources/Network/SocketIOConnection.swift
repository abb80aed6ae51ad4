public import JSONText
public import Wire

/// The parameters of one attempt to connect. They are requested again for every attempt, so that a time stamp in the
/// URL, a token or a header is never stale.
public struct SocketIOAttempt: Sendable {
    /// The `http`, `https`, `ws` or `wss` URL with the Engine.IO path. Its query is added to that of every request.
    public var url: URLParts
    /// The settings for reaching the server, including headers.
    public var access: Access
    /// CONNECT payloads by namespace (Engine.IO 4). They replace the configured ones.
    public var auth: [String: RawJSON]
    /// The implementation that reads and writes the WebSocket frames.
    public var framing = WebSocketFraming.auto
    /// Creates an attempt with automatic framing.
    public init(url: URLParts, access: Access = Access(), auth: [String: RawJSON] = [:]) {
        self.url = url
        self.access = access
        self.auth = auth
    }
}

/// The reason why an event was not acknowledged.
public enum AcknowledgementFailure: Error, Hashable, Sendable {
    /// The event was sent, but its acknowledgement can no longer arrive.
    case unacknowledged(SocketIOClient.AckFailure)
    /// The event was not sent.
    case notSent(SocketIOClient.DropCause)
}

/// A Socket.IO client on an `EventLoop` that reconnects by itself. It supports all transports, several namespaces, and
/// events and acknowledgements in both directions, including binary ones. `SocketIOReconnection` makes its decisions.
///
/// All calls and callbacks are on the loop's thread, except `request`. The client lives until `disconnect` or until it
/// ends by itself (`.ended`), even if no other object retains it.
public final class SocketIOConnection: Sendable {
    /// A callback before every attempt; `attempt` counts from 1 since the last success. It calls `proceed` once, on any
    /// thread, now or later. A failure counts as a failure of the attempt.
    public typealias Preparation =
        @Sendable (_ attempt: Int, _ proceed: @escaping @Sendable (Result<SocketIOAttempt, ConnectFailure>) -> Void)
        -> Void
    /// A callback for events, in order. Consecutive events are delivered together.
    public typealias Handler = @Sendable ([SocketIOReconnection.Event]) -> Void

    private let loop: EventLoop
    private let core: SocketIOConnectionCore

    /// Starts to connect. Call this on the loop's thread. `handler` is called on the loop, and never before the
    /// initialiser returns. `http` carries the polling and must answer on the same loop. `maximumMessage` limits one
    /// message, in bytes.
    public init(
        on loop: EventLoop, http: HTTPClient, _ configuration: SocketIOReconnection.Configuration,
        transport: EngineIO.TransportChoice = .auto, maximumMessage: Int = Limits.standard,
        prepare: @escaping Preparation, handler: @escaping Handler
    ) {
        loop.preconditionOnLoop()
        self.loop = loop
        let core = SocketIOConnectionCore(
            loop: loop, http: http, configuration, transport: transport, maximumMessage: maximumMessage,
            prepare: prepare, handler: handler)
        self.core = core
        loop.run { core.start() }
    }

    /// Starts to connect to a server whose address does not change.
    public convenience init(
        on loop: EventLoop, http: HTTPClient, to attempt: SocketIOAttempt,
        _ configuration: SocketIOReconnection.Configuration, transport: EngineIO.TransportChoice = .auto,
        handler: @escaping Handler
    ) {
        self.init(
            on: loop, http: http, configuration, transport: transport,
            prepare: { _, proceed in proceed(.success(attempt)) }, handler: handler)
    }

    /// Sends an event, or keeps it for as long as its delivery mode allows. Returns its ack id if it requests an
    /// acknowledgement, whose outcome is reported to the handler.
    @discardableResult
    public func emit(_ emission: SocketIO.Emission) -> Int? {
        loop.preconditionOnLoop()
        return core.emit(emission, answer: nil)
    }

    /// Sends an event that requests an acknowledgement. `answer` is called once, on the loop, instead of the handler.
    public func emit(
        _ emission: SocketIO.Emission,
        answer: @escaping @Sendable (Result<SocketIO.Acknowledgement, AcknowledgementFailure>) -> Void
    ) {
        loop.preconditionOnLoop()
        _ = core.emit(emission.asking, answer: answer)
    }

    /// Sends an event and waits for its acknowledgement. Any thread. End the connection before shutting down the loop;
    /// otherwise the call never returns.
    public func request(_ emission: SocketIO.Emission) async throws(AcknowledgementFailure) -> SocketIO.Acknowledgement
    {
        let core = core
        let asking = emission.asking
        return try await withCheckedContinuation { continuation in
            loop.run { _ = core.emit(asking) { continuation.resume(returning: $0) } }
        }.get()
    }

    /// Acknowledges an event. An event that did not request an acknowledgement is ignored.
    public func acknowledge(_ event: SocketIO.Event, with arguments: SocketIO.Arguments = SocketIO.Arguments()) {
        loop.preconditionOnLoop()
        guard let id = event.ackID else { return }
        core.change { machine, now, effects in
            machine.acknowledge(
                id, arguments: arguments.array, attachments: arguments.attachments, namespace: event.namespace, at: now,
                into: &effects)
        }
    }

    /// Joins another namespace, on this connection and later ones.
    public func join(_ namespace: SocketIOClient.Namespace) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.join(namespace, at: now, into: &effects) }
    }

    /// Leaves a namespace for good. The client ends with its last namespace.
    public func leave(_ namespace: String) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.leave(namespace, at: now, into: &effects) }
    }

    /// Leaves every namespace and ends the client; `.ended` follows.
    public func disconnect() {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.disconnect(at: now, into: &effects) }
    }

    /// Pauses (`false`) or resumes (`true`) reading, on this connection and later ones. A slow consumer uses it for
    /// back-pressure.
    public func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        core.setReading(reading)
    }

    /// The number of bytes that are queued and not yet passed to the kernel, or posted and not yet answered.
    public var pendingBytes: Int {
        loop.preconditionOnLoop()
        return core.socket?.pendingBytes ?? 0
    }

    /// Whether a WebSocket carries the session now.
    public var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return core.socket?.isOnWebSocket ?? false
    }
}

extension SocketIO.Emission {
    /// The same emission, changed to request an acknowledgement.
    fileprivate var asking: SocketIO.Emission {
        var asking = self
        if ack == .none { asking.ack = .unlimited }
        return asking
    }
}
