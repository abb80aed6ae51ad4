import CWeirLibWebSockets
import WeirWire

// Our own framing, over a connection that libwebsockets treats as an HTTP exchange with an endless response.
//
// libwebsockets' WebSocket role reads one byte per call; its HTTP client delivers bytes in bulk (64 KiB).
extension WebSocketClientSocket {
    /// Starts to turn the HTTP request that libwebsockets is writing at `place` into an upgrade. Returns `nil` when
    /// this is not the libwebsockets we know.
    func beginHandshake(_ place: inout UnsafeMutablePointer<UInt8>) -> WebSocketHandshake? {
        guard WebSocketHandshake.takeBack(request.headerToTakeBack, &place) else { return nil }
        let handshake = WebSocketHandshake(offersCompression: request.offersCompression, &random)
        self.handshake = handshake
        return handshake
    }

    /// Handles the head of the server's response.
    func answered(_ wsi: OpaquePointer) -> Int32 {
        // libwebsockets makes this callback for its own role too.
        guard isOwnFraming else { return 0 }
        guard case .connecting = state, handshake != nil else { return -1 }
        let status = Int(lws_http_client_http_response(wsi))
        if (100..<200).contains(status), status != 101 {
            interim = InterimHeads()
            return 0
        }
        guard accept(status, { WebSocketHandshake.header($0, of: wsi) }) else {
            guard refusal?.httpStatus != nil else { return -1 }
            refusalBody = []
            timers.append(loop.schedule(at: loop.now + .seconds(1)) { [weak self] in self?.endRefusal() })
            return 0
        }
        keepCookies(wsi)
        return 0
    }

    /// Starts reading frames if the head of the response is correct. Otherwise notes the refusal and returns `false`.
    private func accept(_ status: Int, _ header: (WebSocketHandshake.Header) -> String?) -> Bool {
        guard let handshake, let wsi else { return false }
        do throws(HandshakeProblem) {
            let compression = try handshake.check(status, header)
            reader = WebSocketReader(
                role: .client, maximumMessage: request.maximumMessage, compression: compression)
            writer = WebSocketWriter(role: .client, compression: compression)
        } catch {
            refuse(error)
            return false
        }
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        established()
        return true
    }

    private func refuse(_ problem: HandshakeProblem) {
        let retry = Reconnection(afterSeconds: problem.retryAfter)
        let words =
            problem.status.map { "the server refuses the WebSocket with HTTP status \($0)\(retry.words)" }
            ?? "the answer to the upgrade is wrong (\(problem.words))"
        refusal = ConnectFailure(
            phase: .handshake, httpStatus: problem.status, message: "\(request.url.authority): \(words)", retry: retry)
    }

    /// Reads the text of the refusal from the first 4 KiB of the body.
    private func readRefusal(_ bytes: some Sequence<UInt8>) {
        guard var told = refusal, let status = told.httpStatus else { return }
        let body = ((refusalBody ?? []) + bytes).prefix(EngineIO.ServerError.longestBody)
        refusalBody = body.count < EngineIO.ServerError.longestBody ? Array(body) : nil
        let error = EngineIO.ServerError(status: status, body: body)
        (told.code, told.text) = (error.code, error.text)
        told.message = "\(place): the server refuses the WebSocket with \(error.message)\(told.retry.words)"
        refusal = told
    }

    /// Uses the part of the refusal that was read in time, because its body does not end.
    private func endRefusal() {
        guard case .connecting = state, refusalBody != nil else { return }
        refusalBody = nil
        cut()
        attemptEnded()
    }

    /// Reads the heads after an interim response, and then frames.
    private func readHeads(_ bytes: UnsafeRawBufferPointer) {
        do throws(HandshakeProblem) {
            guard let (head, rest) = try interim?.take(bytes) else { return }
            interim = nil
            for (name, value) in head.fields where name == "set-cookie" {
                request.access.cookies?.take(value, from: request.url)
            }
            guard accept(head.status, { head.value($0.rawValue) }) else {
                readRefusal(rest)
                refusalBody = nil
                return
            }
            if !rest.isEmpty { rest.withUnsafeBytes { readFrames($0) } }
        } catch {
            refuse(error)
        }
    }

    /// Reads the bytes that wait on the socket.
    func readInBulk(_ wsi: OpaquePointer) -> Int32 {
        var place = loop.core.readBuffer.baseAddress
        var count = Int32(loop.core.readBuffer.count)
        // libwebsockets calls back with the bytes.
        guard lws_http_client_read(wsi, &place, &count) == 0 else { return -1 }
        return isOver || (refusal != nil && refusalBody == nil) ? -1 : 0
    }

    /// Processes the bytes of one read.
    func readFrames(_ bytes: UnsafeRawBufferPointer) {
        if interim != nil { return readHeads(bytes) }
        if refusalBody != nil { return readRefusal(bytes) }
        reader.append([UInt8](bytes))
        readOn()
        // A server that refuses after the upgrade sends an HTTP response in place of frames (python-engineio with some
        // web servers).
        if case .closed(var close) = lastEvent, close.code == 1002,
            let error = EngineIO.ServerError(answer: Array(bytes.prefix(EngineIO.ServerError.longestBody))[...])
        {
            (close.reason, close.retry) = (error.message, error.retry(detectsRevision: false))
            lastEvent = .closed(close)
        }
    }

    /// Schedules writing of the queued bytes for the end of the turn.
    func writeSoon() {
        if isOwnFraming { needsDelivery() } else { needsWriting() }
    }

    /// Writes the queued bytes, as many as the kernel takes. Only for our own framing. Not inside a callback.
    ///
    /// libwebsockets' HTTP client writes only when nothing is left to be read. It skips a socket whose reading is
    /// paused, yet polls it endlessly once a write is requested. So a write is requested only when the kernel takes no
    /// more, and never while reading is paused.
    func flush() {
        guard isOwnFraming, isEstablished, let wsi else { return }
        while !outgoing.isEmpty, lws_send_pipe_choked(wsi) == 0 {
            guard write(wsi) == 0 else {
                cut()
                return gone()
            }
        }
        if !outgoing.isEmpty, isRead { needsWriting() }
    }

    private var isEstablished: Bool {
        switch state {
        case .open, .awaitingAnswer, .answeringClose: true
        case .resolving, .connecting, .closing, .ended: false
        }
    }

    /// Whether the socket is read. A closing socket is read even if the owner has paused.
    private var isRead: Bool { if case .open = state { isReading } else { true } }

    /// Parses the unread bytes. Pings are answered at once.
    func readOn() {
        var controls: [WebSocketReader.Control] = []
        do throws(WebSocketViolation) {
            try reader.read(&controls)
        } catch {
            if case .open = state { violated(error) }
        }
        for control in controls {
            switch control {
            case .ping(let payload): answerPing(payload)
            case .pong: continue
            case .close(let close): peerCloses(close)
            }
        }
        if !tellsMessages { reader.discardMessages() }
        if reader.hasMessages { needsDelivery() }
    }

    private func answerPing(_ payload: [UInt8]) {
        guard case .open = state, pendingBytes < 1 << 20 else { return }
        append(payload, .pong)
        writeSoon()
    }

    private func peerCloses(_ close: WebSocketClose) {
        switch state {
        case .open:
            state = .answeringClose(close)
            // The answer repeats the received code (RFC 6455, 5.5.1).
            append(WebSocketFrame.closeBody(close), .close)
            limitClosing(close)
            writeSoon()
        case .awaitingAnswer: isOver = true
        // The bytes with the close frame had to wait until the messages before it were taken.
        case .ended: if case .closed = lastEvent { lastEvent = .closed(close) }
        case .resolving, .connecting, .closing, .answeringClose: break
        }
    }

    func append(_ body: [UInt8], _ opcode: WebSocketFrame.Opcode) {
        let key = maskingKey()
        outgoing.append { WebSocketFrame.append(body[...], opcode: opcode, mask: key, to: &$0) }
    }

    func maskingKey() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }
}
