import Network
import Wire

/// A request that has not been answered.
struct WaitingRequest {
    /// The session that the request belongs to.
    var session: SessionID
    /// Sends the answer; `nil` while the request's body is arriving.
    var respond: (@Sendable (HTTPResponse) -> Void)?
    /// Whether the client accepts a gzip-compressed answer.
    var acceptsGzip = false
    /// The answer, if it was ready before the body was complete.
    var response: EngineIO.Response?
}

extension SessionRoom {
    /// Handles a request whose body is still arriving.
    mutating func began(_ request: ServerRequest) {
        guard request.method == "POST", case .belongs(let sid) = verdict(request, isUpgrade: false),
            let id = session(sid)
        else { return }
        requests[request.id] = WaitingRequest(session: id)
        change(id) { $0.beginPost(.init(request.id), into: &$1) }
    }

    /// Handles the loss of a client whose request was not answered.
    mutating func aborted(_ request: ServerRequest) {
        guard let waiting = requests.removeValue(forKey: request.id) else { return }
        change(waiting.session) { $0.aborted(.init(request.id), into: &$1) }
    }

    /// Handles a complete request. Returns the session it belongs to.
    mutating func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) -> SessionID? {
        let number = EngineIOServerTransport.RequestID(request.id)
        if var waiting = requests[request.id] {
            waiting.respond = respond
            requests[request.id] = waiting
            if let response = waiting.response {
                self.respond(request.id, response)
            } else {
                receivePost(request, of: waiting.session)
            }
            return waiting.session
        }
        switch verdict(request, isUpgrade: false) {
        case .elsewhere: respond(HTTPResponse(status: 404))
        case .refused(let refusal): respond(HTTPResponse(refusal.response))
        case .opens where isFull: respond(Self.full)
        case .opens(let revision, let isBase64):
            let id = open(revision, isBase64: isBase64)
            requests[request.id] = WaitingRequest(session: id, respond: respond)
            change(id) { $0.poll(number, into: &$1) }
            return id
        case .belongs(let sid):
            guard let id = session(sid) else { return nil }
            switch request.method {
            case "GET":
                requests[request.id] = WaitingRequest(
                    session: id, respond: respond, acceptsGzip: request.acceptsGzip)
                change(id) { $0.poll(number, into: &$1) }
            case "POST":
                requests[request.id] = WaitingRequest(session: id, respond: respond)
                change(id) { $0.beginPost(number, into: &$1) }
                receivePost(request, of: id)
            default:
                // The JavaScript server also answers an unknown method with 500.
                respond(HTTPResponse(status: 500))
            }
            return id
        }
        return nil
    }

    /// Returns the response that refuses a WebSocket handshake; `nil` to accept it.
    func refusal(of upgrade: ServerRequest) -> HTTPResponse? {
        switch verdict(upgrade, isUpgrade: true) {
        case .elsewhere: HTTPResponse(status: 404)
        case .refused(let refusal): HTTPResponse(refusal.upgradeResponse)
        case .opens: isFull ? Self.full : nil
        case .belongs: nil
        }
    }

    /// Answers a request, or keeps the answer until the request's body is complete.
    mutating func respond(_ number: Int, _ response: EngineIO.Response) {
        guard let waiting = requests[number], let respond = waiting.respond else {
            requests[number]?.response = response
            return
        }
        requests[number] = nil
        respond(waiting.acceptsGzip ? HTTPResponse(response).gzipped : HTTPResponse(response))
    }

    private mutating func receivePost(_ request: ServerRequest, of id: SessionID) {
        posts.append(id)
        change(id) {
            $0.receive(
                request.body[...], contentType: request.header("content-type"), of: .init(request.id), into: &$1)
        }
    }

    private static var full: HTTPResponse {
        HTTPResponse(status: 503, headers: [("Content-Type", "text/plain")], body: Array("too many sessions".utf8))
    }
}

extension HTTPResponse {
    /// Creates an HTTP response from an endpoint's answer.
    init(_ response: EngineIO.Response) {
        self.init(status: response.status, headers: response.headers, body: response.body)
    }

    /// The response, compressed if its size is suitable: at least the JavaScript server's threshold of 1 KiB, and at
    /// most 1 MiB, so that compression does not delay other clients on the loop.
    fileprivate var gzipped: HTTPResponse {
        guard (1024...(1 << 20)).contains(body.count), let packed = Gzip.compress(body[...]) else { return self }
        return HTTPResponse(status: status, headers: headers + [("Content-Encoding", "gzip")], body: packed)
    }
}

extension ServerRequest {
    /// Whether the client accepts gzip (RFC 9110, 12.5.3).
    var acceptsGzip: Bool {
        headers.contains { header in
            header.name == "accept-encoding"
                && header.value.lowercased().split(separator: ",").contains { element in
                    let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
                    let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
                    return parts.first == "gzip" && !isRefused
                }
        }
    }
}
