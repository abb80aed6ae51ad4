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
