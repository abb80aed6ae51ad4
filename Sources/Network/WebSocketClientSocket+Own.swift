import CLibWebSockets
import Wire

// Our own framing, over a connection that libwebsockets takes for an HTTP exchange whose answer never ends.
//
// libwebsockets' WebSocket role reads a byte a call; its HTTP client gives us what came, in bulk (64 KiB).
extension WebSocketClientSocket {
    /// Begins to turn the HTTP request that libwebsockets is writing at `place` into an upgrade; nil when this is not the library we
    /// know.
    func beginHandshake(_ place: inout UnsafeMutablePointer<UInt8>) -> WebSocketHandshake? {
        guard WebSocketHandshake.takeBack(request.headerToTakeBack, &place) else { return nil }
        let handshake = WebSocketHandshake(offersCompression: request.offersCompression, &random)
        self.handshake = handshake
        return handshake
    }

    /// The head of the server's answer is there.
    func answered(_ wsi: OpaquePointer) -> Int32 {
        // libwebsockets tells it of its own role too.
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

    /// Begins to read frames, when the head of the answer is right; else says why not.
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

    /// Reads the words of the refusal, from the first 4 KiB of the body.
    private func readRefusal(_ bytes: some Sequence<UInt8>) {
        guard var told = refusal, let status = told.httpStatus else { return }
        let body = ((refusalBody ?? []) + bytes).prefix(EngineIO.ServerError.longestBody)
        refusalBody = body.count < EngineIO.ServerError.longestBody ? Array(body) : nil
        let error = EngineIO.ServerError(status: status, body: body)
        (told.code, told.text) = (error.code, error.text)
        told.message = "\(place): the server refuses the WebSocket with \(error.message)\(told.retry.words)"
        refusal = told
    }

    /// The answer does not end in time: what came of it is used.
    private func endRefusal() {
        guard case .connecting = state, refusalBody != nil else { return }
        refusalBody = nil
        cut()
        attemptEnded()
    }

    /// What follows an interim answer: heads, and then frames.
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

    /// Bytes wait to be read.
    func readInBulk(_ wsi: OpaquePointer) -> Int32 {
        var place = loop.core.readBuffer.baseAddress
        var count = Int32(loop.core.readBuffer.count)
        // Calls us back with the bytes.
        guard lws_http_client_read(wsi, &place, &count) == 0 else { return -1 }
        return isOver || (refusal != nil && refusalBody == nil) ? -1 : 0
    }

    /// The bytes of one read.
    func readFrames(_ bytes: UnsafeRawBufferPointer) {
        if interim != nil { return readHeads(bytes) }
        if refusalBody != nil { return readRefusal(bytes) }
        reader.append([UInt8](bytes))
        readOn()
        // A server that refuses after the upgrade writes an HTTP answer where frames belong (python-engineio with some web servers).
        if case .closed(var close) = lastEvent, close.code == 1002,
            let error = EngineIO.ServerError(answer: Array(bytes.prefix(EngineIO.ServerError.longestBody))[...])
        {
            (close.reason, close.retry) = (error.message, error.retry(detectsRevision: false))
            lastEvent = .closed(close)
        }
    }

    /// Asks for what waits to be written when the turn ends.
    func writeSoon() {
        if isOwnFraming { needsDelivery() } else { needsWriting() }
    }

    /// Our own framing: writes what waits, as far as the kernel takes it. Not inside a callback.
    ///
    /// libwebsockets' HTTP client writes only when nothing is left to be read. A socket that is not read it leaves alone, and polls it without end
    /// once it is asked to write to it. So it is asked only when the kernel takes no more, and never while the socket is not read.
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

    /// A socket that is being closed is read whatever the owner wants.
    private var isRead: Bool { if case .open = state { isReading } else { true } }

    /// Reads what was not read yet; pings are answered at once.
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
            // The answer carries the code that came (RFC 6455, 5.5.1).
            append(WebSocketFrame.closeBody(close), .close)
            limitClosing(close)
            writeSoon()
        case .awaitingAnswer: isOver = true
        // The bytes with the close frame had to wait until messages before it were taken.
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
