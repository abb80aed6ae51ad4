import Wire

extension ServerConnection {
    /// Queues a message.
    func send(_ message: WebSocketMessage) {
        guard case .webSocket = state else { return }
        write { WebSocketFrame.append(message, mask: nil, to: &$0) }
    }

    /// Starts the closing handshake, or cuts.
    func close(_ close: WebSocketClose, abrupt: Bool) {
        switch state {
        case .webSocket(let socket):
            if abrupt {
                drop()
                return
            }
            startClosing(socket, close)
        case .closing:
            if abrupt { drop() }
        case .request, .answering, .aborted, .ended, .done:
            return
        }
    }

    private func startClosing(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        sendClose(close)
        state = .closing(socket, close)
        batch.discard()
        setTimer(.seconds(5))
    }

    private func sendClose(_ close: WebSocketClose) {
        let body = close.code == 1005 ? [] : WebSocketFrame.closeBody(close)
        write { WebSocketFrame.append(body[...], opcode: .close, mask: nil, to: &$0) }
    }

    /// Reads frames; pings are answered at once, the rest waits for the end of the turn. May be inside a callback.
    func readFrames(_ bytes: UnsafeRawBufferPointer) {
        guard pendingEnd == nil else { return }
        var controls: [WebSocketFrameReader.Control] = []
        do throws(WebSocketFrameReader.Violation) {
            try frames.read(bytes, into: &batch, &controls)
        } catch {
            pendingEnd = .violation(error)
        }
        for control in controls {
            switch control {
            case .ping(let payload):
                guard case .webSocket = state, pendingBytes < 1 << 20 else { continue }
                write { WebSocketFrame.append(payload[...], opcode: .pong, mask: nil, to: &$0) }
            case .pong: continue
            case .close(let body):
                guard pendingEnd == nil else { continue }
                if let close = WebSocketFrame.parseClose(body) {
                    pendingEnd = .peerClosed(close)
                } else {
                    pendingEnd = .violation(.init(code: 1002, reason: "bad close frame"))
                }
            }
        }
    }

    /// Hands the whole messages over.
    func deliverMessages(to socket: ServerWebSocket) {
        guard batch.hasMessages else { return }
        server.handler?.received(batch.take(), from: socket)
    }

    /// The client closed, or broke the protocol: answers what is due, ends the connection, and tells the handler.
    func finish(_ socket: ServerWebSocket, _ end: PendingEnd) {
        pendingEnd = nil
        let told: WebSocketClose
        switch (end, state) {
        case (.peerClosed(let close), .webSocket):
            // The answer carries the code that came (RFC 6455, 5.5.1).
            sendClose(WebSocketClose(code: close.code))
            told = close
        case (.peerClosed(let close), _):
            told = close
        case (.violation(let violation), .webSocket):
            told = WebSocketClose(code: violation.code, reason: violation.reason)
            sendClose(told)
        case (.violation(let violation), _):
            told = WebSocketClose(code: violation.code, reason: violation.reason)
        }
        endAfterWriting()
        setTimer(.seconds(5))
        state = .done
        server.handler?.closed(socket, told)
    }
}
