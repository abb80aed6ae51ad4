import Network
import Wire

/// A request that is not answered yet.
struct WaitingRequest {
    /// The session it is of.
    var session: SessionID
    /// Answers it; nil while its body arrives.
    var respond: (@Sendable (HTTPResponse) -> Void)?
    /// Whether what it asks for may come compressed.
    var acceptsGzip = false
    /// The answer, when it came before the body was whole.
    var response: EngineIO.Response?
}

extension SessionRoom {
    /// A request came whose body is still arriving.
    mutating func began(_ request: ServerRequest) {
        guard request.method == "POST", case .belongs(let sid) = verdict(request, isUpgrade: false),
            let id = session(sid)
        else { return }
        requests[request.id] = WaitingRequest(session: id)
        change(id) { $0.beginPost(.init(request.id), into: &$1) }
    }

    /// A request was given up by its client.
    mutating func aborted(_ request: ServerRequest) {
        guard let waiting = requests.removeValue(forKey: request.id) else { return }
        change(waiting.session) { $0.aborted(.init(request.id), into: &$1) }
    }

    /// A whole request came; gives the session it is of.
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
                // The JavaScript server's word for a method it does not know.
                respond(HTTPResponse(status: 500))
            }
            return id
        }
        return nil
    }

    /// Whether a WebSocket handshake is refused, and how.
    func refusal(of upgrade: ServerRequest) -> HTTPResponse? {
        switch verdict(upgrade, isUpgrade: true) {
        case .elsewhere: HTTPResponse(status: 404)
        case .refused(let refusal): HTTPResponse(refusal.upgradeResponse)
        case .opens: isFull ? Self.full : nil
        case .belongs: nil
        }
    }

    /// Answers a request, or keeps the answer until its body is whole.
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
    /// An endpoint's answer.
    init(_ response: EngineIO.Response) {
        self.init(status: response.status, headers: response.headers, body: response.body)
    }

    /// The answer compressed, when its body is worth it: of as many bytes as the JavaScript server asks for, and not of so many that
    /// the others would wait for the loop.
    fileprivate var gzipped: HTTPResponse {
        guard (1024...(1 << 20)).contains(body.count), let packed = Gzip.compress(body[...]) else { return self }
        return HTTPResponse(status: status, headers: headers + [("Content-Encoding", "gzip")], body: packed)
    }
}

extension ServerRequest {
    /// Whether the client takes gzip (RFC 9110, 12.5.3).
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
