import Wire

extension ServerConnection {
    /// Queues a message. Ignored unless the WebSocket is open.
    func send(_ message: WebSocketMessage) {
        guard case .webSocket = state else { return }
        write {
            $0.append { frameWriter.write(message, mask: nil, to: &$0) }
            // Engine.IO's handshake packet is written by itself, as by the JavaScript server: in revision 3 another
            // packet follows at once.
            if !hasSent { $0.endWrite() }
        }
        hasSent = true
    }

    /// Starts the closing handshake, or cuts the connection if `abrupt`.
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
        frames.discardMessages()
        setTimer(.seconds(5))
    }

    private func sendClose(_ close: WebSocketClose) {
        writeFrame(WebSocketFrame.closeBody(close), .close)
    }

    private func writeFrame(_ body: [UInt8], _ opcode: WebSocketFrame.Opcode) {
        write { $0.append { WebSocketFrame.append(body[...], opcode: opcode, mask: nil, to: &$0) } }
    }

    /// Reads frames. Pings are answered at once; everything else waits for the end of the turn. May be called inside a
    /// callback.
    func readFrames(_ bytes: UnsafeRawBufferPointer) {
        frames.append([UInt8](bytes))
        readOn()
    }

    private func readOn() {
        guard pendingEnd == nil else { return }
        var controls: [WebSocketReader.Control] = []
        do throws(WebSocketViolation) {
            try frames.read(&controls)
        } catch {
            pendingEnd = .violation(error)
        }
        for control in controls {
            switch control {
            case .ping(let payload):
                guard case .webSocket = state, pendingBytes < 1 << 20 else { continue }
                writeFrame(payload, .pong)
            case .pong: continue
            case .close(let close):
                if pendingEnd == nil { pendingEnd = .peerClosed(close) }
            }
        }
        // Messages that arrive after we began to close are dropped.
        if case .closing = state { frames.discardMessages() }
    }

    /// Delivers the complete messages to the handler.
    func deliverMessages(to socket: ServerWebSocket) {
        while frames.hasMessages {
            server.handler?.received(frames.takeMessages(), from: socket)
            if frames.hasUnread { readOn() }
        }
    }

    /// Ends the WebSocket after the client closed it or broke the protocol: sends the close frame that is due, ends the
    /// connection, and notifies the handler.
    func finish(_ socket: ServerWebSocket, _ end: PendingEnd) {
        pendingEnd = nil
        let told: WebSocketClose
        switch (end, state) {
        case (.peerClosed(let close), .webSocket):
            // The answer repeats the received code (RFC 6455, 5.5.1).
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
