public import JSONText
public import Wire

/// What one attempt to connect is made with: asked for anew at every attempt, so that a URL with a time stamp, a fresh token or a
/// rebuilt header is never stale.
public struct SocketIOAttempt: Sendable {
    /// `http`, `https`, `ws` or `wss` URL with the Engine.IO path; its query is the user's part of every request's.
    public var url: URLParts
    /// How the server is reached, headers included.
    public var access: Access
    /// CONNECT payloads by namespace (Engine.IO 4); they stand instead of the configured ones.
    public var auth: [String: RawJSON]
    /// Who frames the WebSocket.
    public var framing = WebSocketFraming.auto
    /// An attempt.
    public init(url: URLParts, access: Access = Access(), auth: [String: RawJSON] = [:]) {
        self.url = url
        self.access = access
        self.auth = auth
    }
}

/// Why an event was not acknowledged.
public enum AcknowledgementFailure: Error, Hashable, Sendable {
    /// It was sent, and no answer can come any more.
    case unacknowledged(SocketIOClient.AckFailure)
    /// It was not sent.
    case notSent(SocketIOClient.DropCause)
}

/// A Socket.IO client on an `EventLoop` that stays connected: any transport, several namespaces, events and acknowledgements both
/// ways, binary included. What it decides, `SocketIOReconnection` decides.
///
/// All calls and callbacks are on the loop's thread, `request` excepted. It lives until `disconnect` or an end of its own
/// (`.ended`), whoever else lets go of it.
public final class SocketIOConnection: Sendable {
    /// Asked before every attempt, counted from 1 since the last success; calls back once, on any thread, now or later. A failure
    /// counts as one of the attempt.
    public typealias Preparation =
        @Sendable (_ attempt: Int, _ proceed: @escaping @Sendable (Result<SocketIOAttempt, ConnectFailure>) -> Void)
        -> Void
    /// Told what happens, in order; a run of events at once.
    public typealias Handler = @Sendable ([SocketIOReconnection.Event]) -> Void

    private let loop: EventLoop
    private let core: SocketIOConnectionCore

    /// Begins to connect; `handler` is called on the loop, never before this returns. To be made on the loop's thread too. Polling goes by
    /// `http`, which must answer on the same loop. `maximumMessage` bounds one message, in bytes.
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

    /// Begins to connect to a server whose address does not change.
    public convenience init(
        on loop: EventLoop, http: HTTPClient, to attempt: SocketIOAttempt,
        _ configuration: SocketIOReconnection.Configuration, transport: EngineIO.TransportChoice = .auto,
        handler: @escaping Handler
    ) {
        self.init(
            on: loop, http: http, configuration, transport: transport,
            prepare: { _, proceed in proceed(.success(attempt)) }, handler: handler)
    }

    /// Sends an event, or keeps it as far as its delivery allows. Gives its ack id when it asks for an acknowledgement; how that ends
    /// is told to the handler.
    @discardableResult
    public func emit(_ emission: SocketIO.Emission) -> Int? {
        loop.preconditionOnLoop()
        return core.emit(emission, answer: nil)
    }

    /// Sends an event that is to be acknowledged; `answer` is called once, on the loop, and the handler is not told.
    public func emit(
        _ emission: SocketIO.Emission,
        answer: @escaping @Sendable (Result<SocketIO.Acknowledgement, AcknowledgementFailure>) -> Void
    ) {
        loop.preconditionOnLoop()
        _ = core.emit(emission.asking, answer: answer)
    }

    /// Sends an event and waits for its acknowledgement. Any thread. Whoever shuts the loop down before has nothing to wait for: end
    /// the connection first.
    public func request(_ emission: SocketIO.Emission) async throws(AcknowledgementFailure) -> SocketIO.Acknowledgement
    {
        let core = core
        let asking = emission.asking
        return try await withCheckedContinuation { continuation in
            loop.run { _ = core.emit(asking) { continuation.resume(returning: $0) } }
        }.get()
    }

    /// Answers an event that asked for it; one that did not is not answered.
    public func acknowledge(_ event: SocketIO.Event, with arguments: SocketIO.Arguments = SocketIO.Arguments()) {
        loop.preconditionOnLoop()
        guard let id = event.ackID else { return }
        core.change { machine, now, effects in
            machine.acknowledge(
                id, arguments: arguments.array, attachments: arguments.attachments, namespace: event.namespace, at: now,
                into: &effects)
        }
    }

    /// Joins one more namespace, on this connection and the next ones.
    public func join(_ namespace: SocketIOClient.Namespace) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.join(namespace, at: now, into: &effects) }
    }

    /// Leaves a namespace for good; with the last one the client ends.
    public func leave(_ namespace: String) {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.leave(namespace, at: now, into: &effects) }
    }

    /// Leaves every namespace and ends; `.ended` follows.
    public func disconnect() {
        loop.preconditionOnLoop()
        core.change { machine, now, effects in machine.disconnect(at: now, into: &effects) }
    }

    /// Stops (`false`) or resumes (`true`) reading, on this connection and the next ones: for a consumer that lags.
    public func setReading(_ reading: Bool) {
        loop.preconditionOnLoop()
        core.setReading(reading)
    }

    /// Bytes queued and not yet given to the kernel, or posted and not yet answered.
    public var pendingBytes: Int {
        loop.preconditionOnLoop()
        return core.socket?.pendingBytes ?? 0
    }

    /// Whether the session is carried by a WebSocket now.
    public var isOnWebSocket: Bool {
        loop.preconditionOnLoop()
        return core.socket?.isOnWebSocket ?? false
    }
}

extension SocketIO.Emission {
    /// The same, asking for an acknowledgement.
    fileprivate var asking: SocketIO.Emission {
        var asking = self
        if ack == .none { asking.ack = .unlimited }
        return asking
    }
}
