import WeirNetwork
import WeirWire

/// The identifier of a session: its number in the order of opening.
struct SessionID: Hashable, Comparable, Sendable {
    var number: Int

    static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// The result of a session's handshake.
struct SessionOpening: Hashable, Sendable {
    var revision: EngineIO.Revision
    var sid: String
    /// The transports to which the client may upgrade.
    var upgrades: [String]
}

/// An event of an endpoint's sessions.
enum SessionEvent: Sendable {
    /// A client opened a session, and the open packet must be sent.
    case opened(SessionID, SessionOpening)
    /// A packet of the session's stream arrived.
    case received(SessionID, WebSocketMessage)
    /// A session ended. There is no such event for a session that the owner dropped.
    case closed(SessionID)
}

/// The sessions of an Engine.IO endpoint, and their requests and WebSockets. Its owner is an actor on the loop.
///
/// Input from requests and WebSockets becomes events. After each call the owner takes the events, handles them, and
/// then calls `endPosts`, since a POST is answered after its packets are handled.
struct SessionRoom {
    /// One session. It is a class, so that a packet does not copy it out of the dictionary and back.
    final class Session {
        let sid: String
        var transport: EngineIOServerTransport
        /// The session's current WebSocket, and those that are being probed or closed.
        var sockets: [EngineIOServerTransport.SocketID: ServerWebSocket] = [:]
        /// The session's timer and the time at which it fires.
        var timer: (due: Moment, timer: LoopTimer)?

        init(sid: String, _ transport: EngineIOServerTransport) {
            self.sid = sid
            self.transport = transport
        }

        /// The number of bytes that wait until the client requests or reads them.
        var pendingBytes: Int { sockets.values.reduce(transport.pendingBytes) { $0 + $1.pendingBytes } }
    }

    let loop: EventLoop
    let options: EndpointOptions
    private let ids: IDSource
    /// The number of sessions and WebSockets opened so far.
    private var count = (sessions: 0, sockets: 0)
    private var sessions: [SessionID: Session] = [:]
    private var sids: [String: SessionID] = [:]
    /// The session of each WebSocket, and the socket's number.
    private var owners: [ServerWebSocket.ID: (session: SessionID, socket: EngineIOServerTransport.SocketID)] = [:]
    /// The unanswered requests, by number.
    var requests: [Int: WaitingRequest] = [:]
    private var events: [SessionEvent] = []
    /// The sessions with a POST whose packets are among the events.
    var posts: [SessionID] = []

    init(on loop: EventLoop, _ options: EndpointOptions, ids: IDSource) {
        self.loop = loop
        self.options = options
        self.ids = ids
    }

    /// Whether the maximum number of sessions is reached.
    var isFull: Bool { sessions.count >= options.maximumSessions }

    /// Removes and returns the events since the last call, in order.
    mutating func takeEvents() -> [SessionEvent] {
        defer { events = [] }
        return events
    }

    /// Answers the POSTs whose packets were handled.
    mutating func endPosts() {
        let ended = posts
        posts = []
        for id in ended { change(id) { $0.endPost(into: &$1) } }
    }

    /// Changes a session's transport and performs the effects.
    mutating func change(
        _ id: SessionID, _ body: (inout EngineIOServerTransport, inout [EngineIOServerTransport.Effect]) -> Void
    ) {
        guard let session = sessions[id] else { return }
        var effects: [EngineIOServerTransport.Effect] = []
        body(&session.transport, &effects)
        for effect in effects {
            switch effect {
            case .received(let packet): events.append(.received(id, packet))
            case .respond(let request, let response): respond(request.number, response)
            case .send(let message, let socket): session.sockets[socket]?.send(message)
            case .closeSocket(let socket): session.sockets[socket]?.close(WebSocketClose(code: 1005))
            case .closed:
                remove(id, session)
                events.append(.closed(id))
            }
        }
    }

    private mutating func remove(_ id: SessionID, _ session: Session) {
        session.timer?.timer.cancel()
        sessions[id] = nil
        sids[session.sid] = nil
    }
}

// MARK: - What the owner does

extension SessionRoom {
    /// Sends a packet. A session with too many waiting bytes is dropped, which causes a `closed` event.
    mutating func send(_ packet: WebSocketMessage, to id: SessionID) {
        change(id) { $0.send(packet, into: &$1) }
        guard let session = sessions[id], session.pendingBytes > options.maximumPending else { return }
        drop(id)
        events.append(.closed(id))
    }

    /// Ends a session in order, with the given reason.
    mutating func close(_ id: SessionID, _ ending: EngineIO.Ending) {
        let now = loop.now
        change(id) { $0.close(ending, at: now, into: &$1) }
    }

    /// Forgets a session, answers its waiting request with the end, and cuts the TCP connection of its WebSocket. It
    /// causes no event.
    mutating func drop(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        var effects: [EngineIOServerTransport.Effect] = []
        session.transport.close(.lost("dropped"), at: loop.now, into: &effects)
        for case .respond(let request, let response) in effects { respond(request.number, response) }
        remove(id, session)
        for socket in session.sockets.values { socket.close(WebSocketClose(code: 1006), abrupt: true) }
    }

    /// Forgets all sessions; the listener has closed their connections. Numbering continues, so that no session id is
    /// reused.
    mutating func removeAll() {
        for session in sessions.values { session.timer?.timer.cancel() }
        sessions = [:]
        sids = [:]
        owners = [:]
        requests = [:]
        events = []
        posts = []
    }

    /// Performs everything that is due for a session's transport.
    mutating func advance(_ id: SessionID, to now: Moment) {
        sessions[id]?.timer = nil
        change(id) { $0.advance(to: now, into: &$1) }
    }

    /// Sets the timer for the earlier deadline of the session's transport and its owner (`due`). A timer that fires
    /// earlier is kept: an unnecessary check costs less than setting a timer for every packet.
    mutating func setTimer(_ id: SessionID, due: Moment?, fire: @escaping @Sendable () -> Void) {
        guard let session = sessions[id],
            let due = [due, session.transport.deadline].compactMap(\.self).min()
        else { return }
        if let timer = session.timer, timer.due <= due { return }
        session.timer?.timer.cancel()
        session.timer = (due, loop.schedule(at: due, fire))
    }
}

// MARK: - What WebSockets say

extension SessionRoom {
    /// Returns the endpoint's decision about a request.
    func verdict(_ request: ServerRequest, isUpgrade: Bool) -> EndpointVerdict {
        EndpointVerdict(
            method: request.method, path: request.path, query: request.query, isUpgrade: isUpgrade,
            endpoint: options.path
        ) { sid in sids[sid].flatMap { sessions[$0]?.transport.transport } }
    }

    /// Returns the session with an id, if it exists.
    func session(_ sid: String) -> SessionID? { sids[sid] }

    /// Creates a session and adds an `opened` event.
    mutating func open(
        _ revision: EngineIO.Revision, isBase64: Bool, on socket: EngineIOServerTransport.SocketID? = nil
    ) -> SessionID {
        count.sessions += 1
        let id = SessionID(number: count.sessions)
        let sid = ids.session(count.sessions)
        let configuration = EngineIOServerTransport.Configuration(
            revision: revision, isBase64: isBase64, maxPayload: options.maxPayload)
        sessions[id] = Session(sid: sid, EngineIOServerTransport(configuration, on: socket))
        sids[sid] = id
        let upgrades = socket == nil ? ["websocket"] : []
        events.append(.opened(id, SessionOpening(revision: revision, sid: sid, upgrades: upgrades)))
        return id
    }

    /// Handles an accepted WebSocket: for a new session, or for one that polls.
    mutating func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        count.sockets += 1
        let number = EngineIOServerTransport.SocketID(count.sockets)
        let now = loop.now
        switch verdict(upgrade, isUpgrade: true) {
        case .opens(let revision, let isBase64):
            adopt(socket, number, for: open(revision, isBase64: isBase64, on: number))
        case .belongs(let sid):
            guard let id = sids[sid] else { return socket.close(WebSocketClose(code: 1005)) }
            adopt(socket, number, for: id)
            change(id) { $0.open(number, at: now, into: &$1) }
        case .elsewhere, .refused: socket.close(WebSocketClose(code: 1005))
        }
    }

    private mutating func adopt(
        _ socket: ServerWebSocket, _ number: EngineIOServerTransport.SocketID, for id: SessionID
    ) {
        sessions[id]?.sockets[number] = socket
        owners[socket.id] = (id, number)
    }

    /// Handles messages that arrived on a WebSocket.
    mutating func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        guard let (id, number) = owners[socket.id] else { return }
        let now = loop.now
        for message in messages { change(id) { $0.receive(message, on: number, at: now, into: &$1) } }
    }

    /// Handles the end of a WebSocket.
    mutating func closed(_ socket: ServerWebSocket) {
        guard let (id, number) = owners.removeValue(forKey: socket.id) else { return }
        sessions[id]?.sockets[number] = nil
        change(id) { $0.closed(number, into: &$1) }
    }

    /// Returns the session that a WebSocket belongs to.
    func owner(of socket: ServerWebSocket) -> SessionID? { owners[socket.id]?.session }
}

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
