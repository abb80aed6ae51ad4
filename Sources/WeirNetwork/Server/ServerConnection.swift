import CWeirLibWebSockets
import WeirWire

/// A connection of an `HTTPServer`: HTTP requests, then possibly a WebSocket. On the loop's thread.
final class ServerConnection: StreamSocket, @unchecked Sendable {
    // Unchecked: see `LoopSocket`.

    /// The states of the connection, in this order. `request` and `answering` alternate.
    enum State {
        /// The connection reads a request.
        case request
        /// The handler has the request and will answer it.
        case answering(HTTPRequestReader.Request)
        /// The WebSocket is open for messages.
        case webSocket(ServerWebSocket)
        /// We sent a close frame and wait for the client's.
        case closing(ServerWebSocket, WebSocketClose)
        /// The client of a request is gone, and the handler must be notified.
        case aborted(ServerRequest)
        /// The WebSocket ended, and the handler must be notified.
        case ended(ServerWebSocket, WebSocketClose)
        /// The connection has nothing more to report.
        case done
    }

    let server: HTTPServerCore
    var state = State.request
    var reader: HTTPRequestReader
    var frames: WebSocketReader
    var frameWriter = WebSocketWriter(role: .server)
    /// Whether a WebSocket message was queued.
    var hasSent = false
    /// The request whose body is arriving, once the handler knows about it.
    var begun: ServerRequest?
    /// The client's close frame, or its protocol violation, kept until the end of the turn.
    var pendingEnd: PendingEnd?
    /// The timer that ends an idle connection or the closing handshake.
    private var timer: LoopTimer?

    /// The bytes that are read ahead while the handler has a request.
    private static let maximumPipelined = 1 << 16

    /// The reason why a WebSocket ends.
    enum PendingEnd {
        case peerClosed(WebSocketClose)
        case violation(WebSocketViolation)
    }

    init?(server: HTTPServerCore, host: OpaquePointer?, descriptor: Int32) {
        self.server = server
        reader = HTTPRequestReader(maximumBody: server.maximumBody)
        frames = WebSocketReader(role: .server, maximumMessage: server.maximumMessage)
        super.init(loop: server.loop, host: host, descriptor: descriptor)
        loop.core.arrivals.add(descriptor, handle: handle)
        setTimer(.seconds(60))
    }

    func setTimer(_ span: Duration?) {
        timer?.cancel()
        timer = span.map { span in
            loop.schedule(at: loop.now + span) { [weak self] in self?.timedOut() }
        }
    }

    private func timedOut() {
        timer = nil
        switch state {
        case .request, .closing: drop()
        case .answering, .webSocket, .aborted, .ended, .done: break
        }
    }

    override func received(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .request: reader.append(bytes)
        case .answering:
            reader.append(bytes)
            // From here on, the input of a client that pipelines waits in the kernel.
            if reader.unreadCount > Self.maximumPipelined { setReading(false) }
            return
        case .webSocket, .closing: readFrames(bytes)
        case .aborted, .ended, .done: return
        }
        needsDelivery()
    }

    override func gone() {
        setTimer(nil)
        server.forget(self)
        switch state {
        case .request: state = begun.map { .aborted($0) } ?? .done
        case .answering(let request): state = .aborted(request.request)
        case .webSocket(let socket): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .closing(let socket, _): state = .ended(socket, peerClose ?? WebSocketClose(code: 1006))
        case .aborted, .ended, .done: break
        }
        needsDelivery()
    }

    /// The client's close frame, if it arrived and was not reported yet.
    private var peerClose: WebSocketClose? {
        if case .peerClosed(let close) = pendingEnd { return close }
        return nil
    }

    override func deliver() {
        switch state {
        case .request: answerRequests()
        case .answering, .done: break
        case .webSocket(let socket):
            deliverMessages(to: socket)
            if let end = pendingEnd { finish(socket, end) }
        case .closing(let socket, _):
            if let end = pendingEnd { finish(socket, end) }
        case .aborted(let request):
            state = .done
            server.handler?.aborted(request)
        case .ended(let socket, let close):
            deliverMessages(to: socket)
            state = .done
            server.handler?.closed(socket, close)
        }
    }

    override func silence() {
        super.silence()
        state = .done
        server.forget(self)
        timer = nil
    }
}

extension ServerConnection {
    /// Passes the received requests to the handler, one at a time.
    func answerRequests() {
        while case .request = state {
            do throws(HTTPRequestReader.Refusal) {
                switch try reader.next() {
                case .needsMore:
                    setReading(true)
                    return
                case .wantsContinue:
                    write { $0.append(ArraySlice("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
                case .head(let request): begin(request.request)
                case .request(let request): handle(request)
                }
            } catch {
                refuse(error)
                return
            }
        }
    }

    private func begin(_ request: ServerRequest) {
        var request = request
        request.id = server.makeRequestID()
        begun = request
        server.handler?.began(request)
    }

    private func handle(_ request: HTTPRequestReader.Request) {
        var request = request
        request.request.id = begun?.id ?? server.makeRequestID()
        begun = nil
        setTimer(nil)
        // Reading continues, to notice when a client disconnects before its answer.
        state = .answering(request)
        if request.request.mentions("websocket", in: "upgrade") {
            upgrade(request.request)
            return
        }
        server.handler?.handle(request.request) { [weak self] response in self?.respond(response) }
    }

    /// Sends the handler's response, and ends the connection unless the client keeps it.
    func respond(_ response: HTTPResponse) {
        loop.preconditionOnLoop()
        guard case .answering(let request) = state else { return }
        let text = response.serialized(keepsAlive: request.keepsAlive, withBody: request.request.method != "HEAD")
        write { $0.append(text[...]) }
        guard request.keepsAlive else {
            state = .done
            endAfterWriting()
            return
        }
        state = .request
        setTimer(.seconds(60))
        needsDelivery()
    }

    /// Answers input that is not a request, and ends the connection.
    private func refuse(_ refusal: HTTPRequestReader.Refusal) {
        let response = HTTPResponse(
            status: refusal.status, headers: [("Content-Type", "text/plain")], body: Array((refusal.reason + "\n").utf8)
        )
        setTimer(nil)
        state = .done
        if let begun { server.handler?.aborted(begun) }
        begun = nil
        write { $0.append(response.serialized(keepsAlive: false, withBody: true)[...]) }
        endAfterWriting()
        setReading(true)
    }

    // MARK: The upgrade (RFC 6455, 4.2)

    private func upgrade(_ request: ServerRequest) {
        guard request.method == "GET", request.mentions("upgrade", in: "connection"),
            let key = request.header("sec-websocket-key")
        else {
            respond(HTTPResponse(status: 400, body: Array("not a WebSocket handshake\n".utf8)))
            return
        }
        guard request.header("sec-websocket-version") == "13" else {
            respond(HTTPResponse(status: 426, headers: [("Sec-WebSocket-Version", "13")]))
            return
        }
        if let refusal = server.handler?.refuses(request) {
            respond(refusal)
            return
        }
        var answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(acceptHash(key))\r\n"
        if let compression = compression(request) {
            answer += "Sec-WebSocket-Extensions: \(compression.text)\r\n"
            frames = WebSocketReader(
                role: .server, maximumMessage: server.maximumMessage, compression: compression.agreement)
            frameWriter = WebSocketWriter(role: .server, compression: compression.agreement)
        }
        answer += "\r\n"
        // The answer is written by itself, as by the JavaScript server. A client that gets the answer together with a
        // message may emit the message before any listener is attached (node's package ws, in the official suite of
        // Engine.IO 3).
        write {
            $0.append(ArraySlice(answer.utf8))
            $0.endWrite()
        }
        let socket = ServerWebSocket(self)
        state = .webSocket(socket)
        setReading(true)
        reader.takeRest().withUnsafeBytes(readFrames)
        server.handler?.opened(socket, request)
        needsDelivery()
    }

    /// Returns the compression agreed with a client that offers it; `nil` without an offer, or when the server does not
    /// compress.
    private func compression(_ request: ServerRequest) -> (agreement: PermessageDeflate, text: String)? {
        guard server.compresses else { return nil }
        let offers = request.headers.filter { $0.name == "sec-websocket-extensions" }.map(\.value)
        return PermessageDeflate.answer(to: offers.joined(separator: ","))
    }
}

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

extension HTTPResponse {
    /// Returns the response as sent over the connection (RFC 9112). The server sets the framing headers; those of the
    /// response are dropped.
    func serialized(keepsAlive: Bool, withBody: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(of: status))\r\n"
        for (name, value) in headers where isHeaderName(name) && isHeaderValue(value) && !Self.isFraming(name) {
            text += "\(name): \(value)\r\n"
        }
        if Self.hasBody(status) { text += "Content-Length: \(body.count)\r\n" }
        if !keepsAlive { text += "Connection: close\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (withBody && Self.hasBody(status) ? body : [])
    }

    /// Returns whether a response with this status has a body (RFC 9110, 6.4.1).
    private static func hasBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }

    private static func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
    }

    private static func reason(of status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
