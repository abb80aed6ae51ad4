import WeirNetwork
import WeirWire

/// An actor on the loop that serves an Engine.IO endpoint. It passes socket input to the `SessionRoom`, and the room's
/// events to the clients' machines.
protocol SessionHost: Actor, HTTPServerHandler {
    nonisolated var loop: EventLoop { get }
    var sessions: SessionRoom { get set }
    /// Handles an event of the room.
    func perform(_ event: SessionEvent)
    /// Finishes a turn, after all events of the room are handled.
    func settled()
    /// Returns when `advance` must be called for a client's machine; `nil` for never, or when the client is unknown.
    func deadline(of id: SessionID) -> Moment?
    /// Performs everything that is due for a client's machine.
    func advance(_ id: SessionID, to now: Moment)
    /// Answers a request for any path other than the endpoint's.
    func answer(_ request: ServerRequest) -> HTTPResponse
}

extension SessionHost {
    /// Handles the events of the room, including those caused by handling them, and answers its POSTs.
    func settle() {
        var events = sessions.takeEvents()
        while !events.isEmpty {
            for event in events { perform(event) }
            events = sessions.takeEvents()
        }
        sessions.endPosts()
        settled()
    }

    /// Updates the timer of a session whose deadline may have changed.
    func touch(_ id: SessionID) {
        sessions.setTimer(id, due: deadline(of: id)) { [weak self] in
            self?.assumeIsolated { $0.timerFired(of: id) }
        }
    }

    private func timerFired(of id: SessionID) {
        let now = loop.now
        sessions.advance(id, to: now)
        advance(id, to: now)
        settle()
        touch(id)
    }

    nonisolated func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        assumeIsolated { host in
            guard request.path.hasPrefix(host.sessions.options.path) else { return respond(host.answer(request)) }
            let id = host.sessions.handle(request, respond: respond)
            host.settle()
            if let id { host.touch(id) }
        }
    }

    nonisolated func began(_ request: ServerRequest) {
        assumeIsolated { host in
            host.sessions.began(request)
            host.settle()
        }
    }

    nonisolated func aborted(_ request: ServerRequest) {
        assumeIsolated { host in
            host.sessions.aborted(request)
            host.settle()
        }
    }

    nonisolated func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        assumeIsolated { $0.sessions.refusal(of: upgrade) }
    }

    nonisolated func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        assumeIsolated { host in
            host.sessions.opened(socket, upgrade)
            host.settle()
            if let id = host.sessions.owner(of: socket) { host.touch(id) }
        }
    }

    nonisolated func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        assumeIsolated { host in
            host.sessions.received(messages, from: socket)
            host.settle()
            if let id = host.sessions.owner(of: socket) { host.touch(id) }
        }
    }

    nonisolated func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        assumeIsolated { host in
            host.sessions.closed(socket)
            host.settle()
        }
    }
}
