/// The client end of one Engine.IO session's transports (Engine.IO EIO-1 to EIO-34).
///
/// It turns polling requests, probes and pauses into the packet stream that a WebSocket of the session's revision would
/// carry. Heartbeats are packets of that stream; `SocketIOClientMachine`, one layer above, handles them.
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
package struct EngineIOClientTransport: Sendable {
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
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        // A server may ignore the requested revision, so the reader detects it from the beginning of the first body.
        reader = EngineIO.PayloadReader(nil, maximumPacket: configuration.maximumPacket)
        writer = EngineIO.PayloadWriter(configuration.revision.postFraming)
    }

    /// Whether the session runs only on the WebSocket. Its messages may then bypass this machine in both directions.
    package var isWebSocketStream: Bool { state == .webSocket }

    /// The size in bytes of the messages that are queued or whose POST has not ended.
    package var pendingBytes: Int { outgoingBytes + (post?.posted ?? 0) }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
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
    package mutating func handle(_ input: Input, at now: Moment, into effects: inout [Effect]) {
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
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
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

extension EngineIO {
    /// The transports that a client uses, and their order.
    public enum TransportChoice: String, Hashable, Sendable, CaseIterable {
        /// A WebSocket. If it cannot be opened, long-polling, upgraded if the server offers it.
        case auto
        /// A WebSocket, without any alternative.
        case websocket
        /// Long-polling, even if the server offers an upgrade.
        case polling
        /// Long-polling first, then an upgrade to a WebSocket if the server offers it and it works.
        case upgrade
    }
}

extension EngineIOClientTransport {
    /// The settings of a transport, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// The transports to use, and their order.
        package var transport: EngineIO.TransportChoice
        /// The revision to request from the server.
        package var revision: EngineIO.Revision
        /// Whether the requested revision is a guess, so that the use of another revision is reported as such.
        package var detectsRevision: Bool
        /// The path, with a trailing slash if the server requires one.
        package var path: String
        /// The user's part of the query, percent-encoded. It may be empty.
        package var query: String
        /// The host and port of the server, for messages.
        package var server: String
        /// Any number, letters or digits that make this session's requests different from others in caches.
        package var cacheBuster: String
        /// How long to wait for the first polling answer.
        package var handshakeTimeout: Duration
        /// How long a POST may take. Some servers never answer one that is too large (Engine.IO EIO-19).
        package var postTimeout: Duration
        /// How long an upgrade may take, from opening the WebSocket. The reference server gives up after 10 s.
        package var upgradeTimeout: Duration
        /// How long the final POST with the close packet may take.
        package var closeTimeout: Duration
        /// The maximum size of a received packet, in bytes.
        package var maximumPacket: Int

        /// Creates a configuration. Only the transports, the revision and the path have no default.
        package init(
            transport: EngineIO.TransportChoice, revision: EngineIO.Revision, detectsRevision: Bool = false,
            path: String, query: String = "", server: String = "the server", cacheBuster: String = "0",
            handshakeTimeout: Duration = .seconds(20), postTimeout: Duration = .seconds(20),
            upgradeTimeout: Duration = .seconds(10), closeTimeout: Duration = .seconds(5),
            maximumPacket: Int = Limits.standard
        ) {
            self.transport = transport
            self.revision = revision
            self.detectsRevision = detectsRevision
            self.path = path
            self.query = query
            self.server = server
            self.cacheBuster = cacheBuster
            self.handshakeTimeout = handshakeTimeout
            self.postTimeout = postTimeout
            self.upgradeTimeout = upgradeTimeout
            self.closeTimeout = closeTimeout
            self.maximumPacket = maximumPacket
        }

        /// The path and query of the first request, without the parts that change with each request.
        package var firstTarget: String { target(startsWithWebSocket ? "websocket" : "polling", with: "") }

        var startsWithWebSocket: Bool { transport == .auto || transport == .websocket }
        var wantsUpgrade: Bool { transport == .auto || transport == .upgrade }

        /// Returns the path and query of a request. `rest` begins with `&` or is empty.
        func target(_ transport: String, with rest: String) -> String {
            let user = query.isEmpty ? "" : "&\(query)"
            return "\(path)?EIO=\(revision.rawValue)&transport=\(transport)\(user)\(rest)"
        }
    }

    /// The identifier of one HTTP exchange of the session.
    package struct RequestID: Hashable, Sendable {
        /// The number of the exchange, counted from 1.
        package var number: Int
        /// Creates the identifier of the exchange with this number.
        package init(number: Int) { self.number = number }
    }

    /// The inputs of the state machine.
    package enum Input: Sendable {
        /// Begin the session with its first transport.
        case start
        /// The requested WebSocket is open.
        case webSocketOpened
        /// Messages arrived on the WebSocket, in order.
        case webSocketReceived([WebSocketMessage])
        /// The WebSocket was open and has closed.
        case webSocketClosed(WebSocketClose)
        /// The WebSocket could not be opened.
        case webSocketFailed(ConnectFailure)
        /// The head of a response arrived. `retryAfter` is in seconds.
        case responseHead(RequestID, status: Int, retryAfter: Int? = nil)
        /// A piece of the response's body arrived.
        case responseChunk(RequestID, ArraySlice<UInt8>)
        /// The body of the response is complete.
        case responseEnd(RequestID)
        /// The request failed without a response, or with a partial one.
        case requestFailed(RequestID, ConnectFailure)
        /// Send a message of the packet stream. Ignored before `opened` and after the session begins to close.
        case send(WebSocketMessage)
        /// End the session after the queued messages are sent. No message is received after that.
        case close(WebSocketClose)
    }

    /// The driver performs the effects in this order.
    package enum Effect: Hashable, Sendable {
        /// Open a WebSocket at this path and query. There is at most one at a time.
        case openWebSocket(target: String)
        /// Send a message on the WebSocket.
        case sendWebSocket(WebSocketMessage)
        /// Close the WebSocket. Unless the session runs on it, the driver need not report anything more about it.
        case closeWebSocket(WebSocketClose)
        /// Begin a GET request at this path and query.
        case get(RequestID, target: String)
        /// Begin a POST request with this body and content type.
        case post(RequestID, target: String, body: [UInt8], contentType: String)
        /// Cancel this exchange. The driver need not report anything more about it.
        case cancel(RequestID)
        /// The session is open, so messages can be sent.
        case opened
        /// Messages of the packet stream arrived, in order.
        case received([WebSocketMessage])
        /// The session was open and is over.
        case closed(WebSocketClose)
        /// The session could not be opened.
        case failed(ConnectFailure)
    }
}

// The WebSocket: either the whole session, or the upgrade of a polling session (Engine.IO EIO-26).
extension EngineIOClientTransport {
    mutating func webSocketOpened(into effects: inout [Effect]) {
        switch state {
        case .openingWebSocket:
            state = .webSocket
            effects.append(.opened)
        case .upgrading(.opening, let until, let closing):
            state = .upgrading(.probing, until: until, closing: closing)
            effects.append(.sendWebSocket(.text("2probe")))
        case .idle, .handshaking, .polling, .upgrading, .webSocket, .closingWebSocket, .closing, .over: break
        }
    }

    mutating func webSocketReceived(
        _ messages: [WebSocketMessage], at now: Moment, into effects: inout [Effect]
    ) {
        switch state {
        case .webSocket:
            effects.append(.received(messages))
        case .upgrading(.probing, let until, let closing):
            // A noop may come at any time. Until `5` is sent, no other packet does.
            guard messages.contains(where: { $0.isText("3probe") }) else { return }
            state = .upgrading(.pausing, until: until, closing: closing)
            finishPause(into: &effects)
        case .idle, .openingWebSocket, .handshaking, .polling, .upgrading, .closingWebSocket, .closing, .over: break
        }
    }

    mutating func webSocketClosed(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .webSocket, .closingWebSocket: end(close, into: &effects)
        case .upgrading: upgradeFailed(at: now, into: &effects)
        case .idle, .openingWebSocket, .handshaking, .polling, .closing, .over: break
        }
    }

    /// Handles a WebSocket that could not be opened. A proxy that blocks WebSockets may still pass polling requests. An
    /// address that cannot be reached at all fails for both.
    mutating func webSocketFailed(_ failure: ConnectFailure, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .openingWebSocket:
            switch (configuration.transport, failure.phase) {
            case (.auto, .handshake), (.auto, .proxy):
                webSocketRefusal = failure
                startPolling(at: now, into: &effects)
            case (.auto, _), (.websocket, _), (.polling, _), (.upgrade, _):
                state = .over
                effects.append(.failed(judged(failure)))
            }
        case .upgrading: upgradeFailed(at: now, into: &effects)
        case .idle, .handshaking, .polling, .webSocket, .closingWebSocket, .closing, .over: break
        }
    }

    /// Determines from a refused upgrade request whether another attempt can help. A server that supports only revision
    /// 3 refuses revision 4 with 400. Other servers do so for other reasons, which a second attempt reveals.
    private func judged(_ failure: ConnectFailure) -> ConnectFailure {
        guard failure.phase == .handshake, let status = failure.httpStatus, failure.retry == .later else {
            return failure
        }
        var failure = failure
        let error = EngineIO.ServerError(status: status, body: ArraySlice((failure.text ?? "").utf8))
        failure.retry = error.retry(detectsRevision: configuration.detectsRevision)
        if status == 400, failure.text == nil, configuration.detectsRevision { failure.retry = .withRevision(.v3) }
        return failure
    }

    mutating func startUpgrade(at now: Moment, into effects: inout [Effect]) {
        state = .upgrading(.opening, until: now + configuration.upgradeTimeout, closing: nil)
        effects.append(.openWebSocket(target: configuration.target("websocket", with: "&sid=\(sid)")))
    }

    /// Moves the session to the WebSocket after the pending requests have ended. All their packets have been delivered
    /// by then.
    mutating func finishPause(into effects: inout [Effect]) {
        guard case .upgrading(.pausing, _, let closing) = state, get == nil, post == nil else { return }
        state = .webSocket
        effects.append(.sendWebSocket(.text("5")))
        for message in outgoing { effects.append(.sendWebSocket(message)) }
        (outgoing, outgoingBytes) = ([], 0)
        if let closing { closeWebSocket(closing, into: &effects) }
    }

    /// Returns the session to polling. A pending close then begins.
    mutating func upgradeFailed(at now: Moment, into effects: inout [Effect]) {
        guard case .upgrading(_, _, let closing) = state else { return }
        state = .polling
        if let closing {
            startClosing(closing, at: now, into: &effects)
        } else {
            resumePolling(at: now, into: &effects)
        }
    }
}

// The ways a session ends (Engine.IO EIO-30, EIO-32).
extension EngineIOClientTransport {
    mutating func close(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        switch state {
        case .idle, .openingWebSocket, .handshaking: fail(failure("closed before it opened"), into: &effects)
        case .polling: startClosing(close, at: now, into: &effects)
        case .upgrading(let upgrade, let until, closing: nil):
            state = .upgrading(upgrade, until: until, closing: close)
        case .webSocket: closeWebSocket(close, into: &effects)
        case .upgrading, .closingWebSocket, .closing, .over: break
        }
    }

    mutating func closeWebSocket(_ close: WebSocketClose, into effects: inout [Effect]) {
        state = .closingWebSocket
        effects.append(.closeWebSocket(close))
    }

    /// Sends the queued messages in a POST, followed by the close packet.
    mutating func startClosing(_ close: WebSocketClose, at now: Moment, into effects: inout [Effect]) {
        enqueue(.text("1"))
        state = .closing(close, until: now + configuration.closeTimeout)
        startPost(at: now, into: &effects)
    }

    /// Handles a request that failed below HTTP. It is unknown whether a POST arrived, so the session cannot continue.
    mutating func failed(_ id: RequestID, _ failure: ConnectFailure, into effects: inout [Effect]) {
        guard get?.id == id || post?.id == id else { return }
        forget(id)
        switch state {
        case .handshaking: fail(failure, into: &effects)
        case .closing(let close, _): if post == nil { end(close, into: &effects) }
        case .idle, .openingWebSocket, .polling, .upgrading, .webSocket, .closingWebSocket, .over:
            end(WebSocketClose(code: 1006, reason: failure.message, retry: failure.retry), into: &effects)
        }
    }

    /// Handles a request whose response has a status outside 200 to 299.
    mutating func refused(_ exchange: Exchange, cancelling: Bool = false, into effects: inout [Effect]) {
        if cancelling { effects.append(.cancel(exchange.id)) }
        let isPost = post?.id == exchange.id
        forget(exchange.id)
        let error = EngineIO.ServerError(status: exchange.status ?? 0, body: exchange.refusal[...])
        let retry = { (detectsRevision: Bool) -> Reconnection in
            let known = error.retry(detectsRevision: detectsRevision)
            return known == .later ? Reconnection(afterSeconds: exchange.retryAfter) : known
        }
        switch state {
        case .handshaking:
            var failure = failure(error.message + retry(false).words)
            failure.httpStatus = error.status
            failure.code = error.code
            failure.text = error.text
            failure.retry = retry(configuration.detectsRevision)
            fail(failure, into: &effects)
        case .closing(let close, _): if post == nil { end(close, into: &effects) }
        case .idle, .openingWebSocket, .polling, .upgrading, .webSocket, .closingWebSocket, .over:
            let tooLarge = isPost && error.status == 413
            end(
                WebSocketClose(
                    code: tooLarge ? 1009 : 1006,
                    reason: tooLarge ? tooLargeWords(exchange) : error.message + retry(false).words,
                    retry: retry(false)), into: &effects)
        }
    }

    private func tooLargeWords(_ exchange: Exchange) -> String {
        let limit = writer.maximumBytes == .max ? "which is unknown" : "\(writer.maximumBytes) bytes"
        return "HTTP status 413: a POST of \(exchange.posted) bytes is above the server's maxPayload, \(limit)"
    }

    mutating func postTimedOut(into effects: inout [Effect]) {
        guard let posted = post?.posted else { return }
        let reason = "no answer to a POST of \(posted) bytes within \(configuration.postTimeout.seconds) s"
        switch state {
        case .closing(let close, _): end(close, into: &effects)
        case .idle, .openingWebSocket, .handshaking, .polling, .upgrading, .webSocket, .closingWebSocket, .over:
            end(WebSocketClose(code: 1006, reason: reason), into: &effects)
        }
    }

    private mutating func forget(_ id: RequestID) {
        if get?.id == id { get = nil }
        if post?.id == id { post = nil }
    }

    /// Returns a handshake failure with a text of our own.
    func failure(_ words: String) -> ConnectFailure {
        ConnectFailure(phase: .handshake, message: "\(configuration.server): \(words)")
    }

    /// Ends a session that could not be opened.
    mutating func fail(_ failure: ConnectFailure, into effects: inout [Effect]) {
        finish(into: &effects)
        var failure = failure
        if let before = webSocketRefusal, (before.httpStatus, before.text) != (failure.httpStatus, failure.text) {
            let place = "\(configuration.server): "
            failure.message += "; " + before.message.dropFirst(before.message.hasPrefix(place) ? place.count : 0)
        }
        effects.append(.failed(failure))
    }

    /// Ends a session that was open.
    mutating func end(_ close: WebSocketClose, into effects: inout [Effect]) {
        if state == .over { return }
        finish(into: &effects)
        effects.append(.closed(close))
    }

    /// Cancels the pending requests and an opening WebSocket.
    private mutating func finish(into effects: inout [Effect]) {
        for exchange in [get, post] {
            if let exchange { effects.append(.cancel(exchange.id)) }
        }
        (get, post) = (nil, nil)
        switch state {
        case .openingWebSocket, .upgrading: effects.append(.closeWebSocket(WebSocketClose(code: 1000)))
        case .idle, .handshaking, .polling, .webSocket, .closingWebSocket, .closing, .over: break
        }
        state = .over
        (outgoing, outgoingBytes) = ([], 0)
    }
}

extension Duration {
    /// Whole seconds, rounded toward zero, for messages.
    var seconds: Int64 { components.seconds }
}
