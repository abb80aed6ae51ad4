import CLibWebSockets
import Wire

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
