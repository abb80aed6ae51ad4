import Network
import Wire

/// An actor on the loop that serves an Engine.IO endpoint: it hands what the sockets say to the room of its sessions, and handles
/// what that makes of it in `settle`.
protocol SessionHost: Actor, HTTPServerHandler {
    var sessions: SessionRoom { get set }
    /// Handles the events of the room, and ends its POSTs.
    func settle()
    /// Answers a request that is not for the endpoint.
    func answer(_ request: ServerRequest) -> HTTPResponse
    /// Looks at a session whose deadline may have changed.
    func touch(_ id: SessionID)
}

extension SessionHost {
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
