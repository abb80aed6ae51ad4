/// The transports of one Engine.IO session, client's end (`reference/socketio.md` 1.1–1.8): turns polling requests, probes and
/// pauses into the stream of packets that a WebSocket of the session's revision would carry. Heartbeats are packets of that
/// stream; `SocketIOClient` above keeps them.
///
///     idle ──► openingWebSocket ──► webSocket ─────────────────────────────────────► over
///      │            │ auto only        ▲ `5` sent                                     ▲
///      └────────────┴──► handshaking ──┼──► polling ◄──── failed probe ─┐             │
///                                      │       └────► upgrading ────────┤             │
///                                      └────────────────────┘           └─► closing ──┘
///
/// Polling keeps one GET out at a time, and one POST at most; what is sent meanwhile waits for the next POST. An upgrade
/// goes on beside it until the server answers the probe. Then no request is begun any more (the pause); when the running ones
/// have ended, and the packets of the last GET are given, `5` moves the session to the WebSocket, and what waited follows.
public struct EngineIOClientTransport: Sendable {
    enum State: Hashable, Sendable {
        /// Not begun. Follows: openingWebSocket, handshaking.
        case idle
        /// The WebSocket of a session without polling is being opened. Follows: webSocket, handshaking, over.
        case openingWebSocket
        /// The first GET is out. Follows: polling, upgrading, over.
        case handshaking(until: Moment)
        /// Polling, with no upgrade under way. Follows: closing, over.
        case polling
        /// Polling, with an upgrade under way; a close that was asked for waits for its outcome. Follows: webSocket, polling,
        /// closing, over.
        case upgrading(Upgrade, until: Moment, closing: WebSocketClose?)
        /// The WebSocket is the session. Follows: closingWebSocket, over.
        case webSocket
        /// The WebSocket of the session is being closed. Follows: over.
        case closingWebSocket
        /// What waits is being posted, the farewell at its end. Follows: over.
        case closing(WebSocketClose, until: Moment)
        /// Nothing more will happen.
        case over
    }

    /// How far an upgrade is.
    enum Upgrade: Hashable, Sendable {
        /// The WebSocket is being opened. Follows: probing.
        case opening
        /// `2probe` was sent. Follows: pausing.
        case probing
        /// `3probe` came: the running requests end, none is begun.
        case pausing
    }

    /// A request that has not ended.
    struct Exchange: Hashable, Sendable {
        var id: RequestID
        /// When a GET was sent.
        var begun = Moment.zero
        /// When it is given up; nil for a GET, whose end the heartbeat above decides.
        var until: Moment?
        /// The status, once the head came.
        var status: Int?
        /// How many seconds a refusal asks to wait.
        var retryAfter: Int?
        /// Bytes posted.
        var posted = 0
        /// Whether anything of an answer's body came.
        var hasBody = false
        /// Whether there was a packet in it that says something: neither a noop nor a heartbeat.
        var hasPackets = false
        /// The beginning of the body of a refusal.
        var refusal: [UInt8] = []
    }

    var configuration: Configuration
    var state = State.idle
    /// How long a server that answered without a packet, as none should, is left alone: asked at once, it could keep us asking.
    static let emptyAnswerPause = Duration.seconds(1)
    /// So long after a GET the next one begins, where the server keeps answering at once and with noops or heartbeats only. A few noops end a
    /// GET in good order, as during an upgrade; a heartbeat that its interval brought comes later than that.
    static let noopPause = Duration.milliseconds(100)
    static let mostNoops = 3

    var get: Exchange?
    /// When the next GET begins, after an answer without a packet.
    var getDue: Moment?
    var post: Exchange?
    /// GETs in a row whose answer came at once and said nothing.
    var noops = 0
    /// What waits for the next POST, or for the WebSocket; and how many bytes that is.
    var outgoing: [WebSocketMessage] = []
    var outgoingBytes = 0
    /// The session id, percent-encoded; empty before the open packet.
    var sid = ""
    var reader: EngineIO.PayloadReader
    var writer: EngineIO.PayloadWriter
    var requests = 0
    /// Why the WebSocket was refused that was tried before polling: of use when polling fails, too.
    var webSocketRefusal: ConnectFailure?

    /// A session that has not begun.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        // Only a body of revision 4 can be told from one of revision 3 by its beginning; both are looked for.
        reader = EngineIO.PayloadReader(nil, maximumPacket: configuration.maximumPacket)
        writer = EngineIO.PayloadWriter(configuration.revision.postFraming)
    }

    /// Whether the session is the WebSocket's alone: its messages may be passed by this machine, both ways.
    public var isWebSocketStream: Bool { state == .webSocket }

    /// Bytes of messages that are queued or whose POST has not ended.
    public var pendingBytes: Int { outgoingBytes + (post?.posted ?? 0) }

    /// When `advance(to:into:)` wants to be called next; nil when nothing is timed.
    public var deadline: Moment? {
        let own: Moment? =
            switch state {
            case .handshaking(let until), .upgrading(_, let until, _), .closing(_, let until): until
            case .idle, .openingWebSocket, .polling, .webSocket, .closingWebSocket, .over: nil
            }
        return [own, post?.until, isPollingFreely ? getDue : nil].compactMap(\.self).min()
    }

    /// Handles one input at the time `now`; effects are appended in the order they are to be performed. Inputs about a request
    /// or WebSocket that is not wanted any more are passed over.
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

    /// Does what is due up to `now`.
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
    /// How a client frames its POSTs: text always, since only that is allowed in revision 4 and understood by all in 3.
    var postFraming: EngineIO.PayloadWriter.Framing {
        switch self {
        case .v3: .counted(escaped: true)
        case .v4: .separated
        }
    }
}
