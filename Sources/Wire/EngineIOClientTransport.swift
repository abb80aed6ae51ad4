/// The client end of one Engine.IO session's transports (Engine.IO EIO-1 to EIO-34).
///
/// It turns polling requests, probes and pauses into the packet stream that a WebSocket of the session's revision would
/// carry. Heartbeats are packets of that stream; `SocketIOClient`, one layer above, handles them.
///
///     idle ──► openingWebSocket ──► webSocket ─────────────────────────────────────► over
///      │            │ auto only        ▲ `5` sent                                     ▲
///      └────────────┴──► handshaking ──┼──► polling ◄──── failed probe ─┐             │
///                                      │       └────► upgrading ────────┤             │
///                                      └────────────────────┘           └─► closing ──┘
///
/// Polling keeps one GET pending and at most one POST; messages sent meanwhile wait for the next POST. An upgrade runs
/// in parallel until the server answers the probe. After that, no new request begins (the pause). When the pending
/// requests have ended and the packets of the last GET are delivered, `5` moves the session to the WebSocket, and the
/// queued messages follow.
public struct EngineIOClientTransport: Sendable {
    enum State: Hashable, Sendable {
        /// The session has not begun. Follows: openingWebSocket, handshaking.
        case idle
        /// A WebSocket is being opened for a session without polling. Follows: webSocket, handshaking, over.
        case openingWebSocket
        /// The first GET is pending. Follows: polling, upgrading, over.
        case handshaking(until: Moment)
        /// The session polls, without an upgrade in progress. Follows: closing, over.
        case polling
        /// The session polls while an upgrade is in progress. A requested close waits for the upgrade's outcome.
        /// Follows: webSocket, polling, closing, over.
        case upgrading(Upgrade, until: Moment, closing: WebSocketClose?)
        /// The session runs on the WebSocket. Follows: closingWebSocket, over.
        case webSocket
        /// The WebSocket of the session is being closed. Follows: over.
        case closingWebSocket
        /// The queued messages are being posted, with the close packet at their end. Follows: over.
        case closing(WebSocketClose, until: Moment)
        /// The session does nothing more.
        case over
    }

    /// The progress of an upgrade.
    enum Upgrade: Hashable, Sendable {
        /// The WebSocket is being opened. Follows: probing.
        case opening
        /// `2probe` was sent. Follows: pausing.
        case probing
        /// `3probe` arrived: pending requests end, and no new one begins.
        case pausing
    }

    /// An HTTP request that has not ended.
    struct Exchange: Hashable, Sendable {
        var id: RequestID
        /// When a GET was sent.
        var begun = Moment.zero
        /// When the request times out; `nil` for a GET, whose timeout is the heartbeat of the layer above.
        var until: Moment?
        /// The status, after the head of the response has arrived.
        var status: Int?
        /// The number of seconds that a refusal asks the client to wait.
        var retryAfter: Int?
        /// The size of the POST's body in bytes.
        var posted = 0
        /// Whether any part of the response's body has arrived.
        var hasBody = false
        /// Whether the body contained a meaningful packet: neither a noop nor a heartbeat.
        var hasPackets = false
        /// The beginning of the body of a refusal.
        var refusal: [UInt8] = []
    }

    var configuration: Configuration
    var state = State.idle
    /// The pause after an answer without any packet, which a correct server never sends. Without it, the client would
    /// send requests in a tight loop.
    static let emptyAnswerPause = Duration.seconds(1)
    /// The minimum time from one GET to the next if the server keeps answering at once with only noops or heartbeats.
    ///
    /// A few noops are a normal end of a GET, as during an upgrade. A heartbeat that is due at its interval arrives
    /// later than this.
    static let noopPause = Duration.milliseconds(100)
    static let mostNoops = 3

    var get: Exchange?
    /// When the next GET begins, after an answer without a packet.
    var getDue: Moment?
    var post: Exchange?
    /// The number of consecutive GETs that were answered at once without a meaningful packet.
    var noops = 0
    /// The messages that wait for the next POST or for the WebSocket, and their total size in bytes.
    var outgoing: [WebSocketMessage] = []
    var outgoingBytes = 0
    /// The session id, percent-encoded. Empty before the open packet.
    var sid = ""
    var reader: EngineIO.PayloadReader
    var writer: EngineIO.PayloadWriter
    var requests = 0
    /// Why the WebSocket that was tried before polling was refused. It is reported if polling fails, too.
    var webSocketRefusal: ConnectFailure?

    /// Creates a session that has not begun.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        // A server may ignore the requested revision, so the reader detects it from the beginning of the first body.
        reader = EngineIO.PayloadReader(nil, maximumPacket: configuration.maximumPacket)
        writer = EngineIO.PayloadWriter(configuration.revision.postFraming)
    }

    /// Whether the session runs only on the WebSocket. Its messages may then bypass this machine in both directions.
    public var isWebSocketStream: Bool { state == .webSocket }

    /// The size in bytes of the messages that are queued or whose POST has not ended.
    public var pendingBytes: Int { outgoingBytes + (post?.posted ?? 0) }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    public var deadline: Moment? {
        let own: Moment? =
            switch state {
            case .handshaking(let until), .upgrading(_, let until, _), .closing(_, let until): until
            case .idle, .openingWebSocket, .polling, .webSocket, .closingWebSocket, .over: nil
            }
        return [own, post?.until, isPollingFreely ? getDue : nil].compactMap(\.self).min()
    }

    /// Handles one input at the time `now`, and appends effects in the order in which to perform them.
    ///
    /// An input about a request or a WebSocket that is no longer needed is ignored.
    public mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
        switch input {
        case .start: start(at: now, into: &effects)
        case .webSocketOpened: webSocketOpened(into: &effects)
        case .webSocketReceived(let messages): webSocketReceived(messages, at: now, into: &effects)
        case .webSocketClosed(let close): webSocketClosed(close, at: now, into: &effects)
        case .webSocketFailed(let failure): webSocketFailed(failure, at: now, into: &effects)
        case .responseHead(let id, let status, let retryAfter): head(id, status, retryAfter)
        case .responseChunk(let id, let chunk): self.chunk(id, chunk, at: now, into: &effects)
        case .responseEnd(let id): ended(id, at: now, into: &effects)
        case .requestFailed(let id, let failure): failed(id, failure, into: &effects)
        case .send(let message): send(message, at: now, into: &effects)
        case .close(let close): self.close(close, at: now, into: &effects)
        }
    }

    /// Performs the steps that are due up to `now`: timeouts and delayed GETs.
    public mutating func advance(to now: Moment, into effects: inout [Effect]) {
        if let until = post?.until, until <= now { postTimedOut(into: &effects) }
        if let due = getDue, due <= now, isPollingFreely { startGet(at: now, into: &effects) }
        switch state {
        case .handshaking(let until) where until <= now:
            let wait = configuration.handshakeTimeout.seconds
            fail(failure("no answer to the handshake within \(wait) s"), into: &effects)
        case .upgrading(_, let until, _) where until <= now:
            effects.append(.closeWebSocket(WebSocketClose(code: 1000)))
            upgradeFailed(at: now, into: &effects)
        case .closing(let close, let until) where until <= now: end(close, into: &effects)
        case .idle, .openingWebSocket, .handshaking, .polling, .upgrading, .webSocket, .closingWebSocket, .closing,
            .over:
            break
        }
    }

    private mutating func start(at now: Moment, into effects: inout [Effect]) {
        guard state == .idle else { return }
        if configuration.startsWithWebSocket {
            state = .openingWebSocket
            effects.append(.openWebSocket(target: configuration.target("websocket", with: "")))
        } else {
            startPolling(at: now, into: &effects)
        }
    }

    private mutating func send(_ message: WebSocketMessage, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .webSocket:
            effects.append(.sendWebSocket(message))
        case .polling, .upgrading(_, _, closing: nil):
            enqueue(message)
            startPost(at: now, into: &effects)
        case .idle, .openingWebSocket, .handshaking, .upgrading, .closingWebSocket, .closing, .over:
            break
        }
    }
}

extension EngineIO.Revision {
    /// The framing of a client's POSTs. It is always text, since revision 4 allows nothing else and every server of
    /// revision 3 understands it.
    var postFraming: EngineIO.PayloadWriter.Framing {
        switch self {
        case .v3: .counted(escaped: true)
        case .v4: .separated
        }
    }
}
