import Network
import Wire

/// The sessions of an Engine.IO endpoint: which request and which WebSocket is whose. It belongs to an actor on the loop.
///
/// What requests and WebSockets bring is noted as events. The owner takes them after each call, handles them, and then calls
/// `endPosts`, since a POST is answered when its packets were looked at.
struct SessionRoom {
    /// One session. A class, so that a packet is not a copy out of a dictionary and back.
    final class Session {
        let sid: String
        var transport: EngineIOServerTransport
        /// The WebSocket it rides on, and those that are tried or on their way out.
        var sockets: [EngineIOServerTransport.SocketID: ServerWebSocket] = [:]
        /// When its timer goes off.
        var timer: (due: Moment, timer: LoopTimer)?

        init(sid: String, _ transport: EngineIOServerTransport) {
            self.sid = sid
            self.transport = transport
        }

        /// Bytes that wait for the client to ask for them, or to read them.
        var pendingBytes: Int { sockets.values.reduce(transport.pendingBytes) { $0 + $1.pendingBytes } }
    }

    let loop: EventLoop
    let options: EndpointOptions
    private let ids: IDSource
    /// Sessions and WebSockets so far.
    private var count = (sessions: 0, sockets: 0)
    private var sessions: [SessionID: Session] = [:]
    private var sids: [String: SessionID] = [:]
    /// Whose each WebSocket is.
    private var owners: [ServerWebSocket.ID: (session: SessionID, socket: EngineIOServerTransport.SocketID)] = [:]
    /// The requests that are not answered, by number.
    var requests: [Int: WaitingRequest] = [:]
    private var events: [SessionEvent] = []
    /// The sessions with a POST whose packets are among the events.
    var posts: [SessionID] = []

    init(on loop: EventLoop, _ options: EndpointOptions, ids: IDSource) {
        self.loop = loop
        self.options = options
        self.ids = ids
    }

    /// Whether there is no room for another session.
    var isFull: Bool { sessions.count >= options.maximumSessions }

    /// What happened since the last call, in order.
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

    /// Gives a session's transport something to do, and does what it answers.
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
    /// Sends a packet. A session that too many bytes wait for is dropped; its end is an event.
    mutating func send(_ packet: WebSocketMessage, to id: SessionID) {
        change(id) { $0.send(packet, into: &$1) }
        guard let session = sessions[id], session.pendingBytes > options.maximumPending else { return }
        drop(id)
        events.append(.closed(id))
    }

    /// Ends a session.
    mutating func close(_ id: SessionID, _ ending: EngineIO.Ending) {
        let now = loop.now
        change(id) { $0.close(ending, at: now, into: &$1) }
    }

    /// Forgets a session and cuts the TCP connection of its WebSocket; a request that waits is told the end. No event tells it.
    mutating func drop(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        var effects: [EngineIOServerTransport.Effect] = []
        session.transport.close(.lost("dropped"), at: loop.now, into: &effects)
        for case .respond(let request, let response) in effects { respond(request.number, response) }
        remove(id, session)
        for socket in session.sockets.values { socket.close(WebSocketClose(code: 1006), abrupt: true) }
    }

    /// Forgets everything; the connections are gone with the listener. Numbers go on, so that no two sessions have one id.
    mutating func removeAll() {
        for session in sessions.values { session.timer?.timer.cancel() }
        sessions = [:]
        sids = [:]
        owners = [:]
        requests = [:]
        events = []
        posts = []
    }

    /// Does what is due for a session's transport.
    mutating func advance(_ id: SessionID, to now: Moment) {
        sessions[id]?.timer = nil
        change(id) { $0.advance(to: now, into: &$1) }
    }

    /// Has `fire` called when the session's transport, or its owner (`due`), wants it. A timer that is set for earlier stays: to
    /// look once too often is cheaper than to set it at every packet.
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
    /// What the endpoint makes of a request.
    func verdict(_ request: ServerRequest, isUpgrade: Bool) -> EndpointVerdict {
        EndpointVerdict(
            method: request.method, path: request.path, query: request.query, isUpgrade: isUpgrade,
            endpoint: options.path
        ) { sid in sids[sid].flatMap { sessions[$0]?.transport.transport } }
    }

    /// The session of an id.
    func session(_ sid: String) -> SessionID? { sids[sid] }

    /// Makes a session, and tells it.
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

    /// A WebSocket that was not refused opened: for a new session, or for one that polls.
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

    /// Messages came on a WebSocket.
    mutating func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        guard let (id, number) = owners[socket.id] else { return }
        let now = loop.now
        for message in messages { change(id) { $0.receive(message, on: number, at: now, into: &$1) } }
    }

    /// A WebSocket is gone.
    mutating func closed(_ socket: ServerWebSocket) {
        guard let (id, number) = owners.removeValue(forKey: socket.id) else { return }
        sessions[id]?.sockets[number] = nil
        change(id) { $0.closed(number, into: &$1) }
    }

    /// Whose a WebSocket is.
    func owner(of socket: ServerWebSocket) -> SessionID? { owners[socket.id]?.session }
}
