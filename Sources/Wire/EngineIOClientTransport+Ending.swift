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
