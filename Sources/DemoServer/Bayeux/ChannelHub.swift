import JSONText
import Network
import Wire

/// The channel server's hand: lives on the loop, gives the endpoint what clients say and the time.
actor ChannelHub: HTTPServerHandler {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var endpoint: BayeuxEndpoint
    private let token: Secret?
    private var timer: (due: Moment, timer: LoopTimer)?

    init(on loop: EventLoop, _ token: Secret?, _ configuration: BayeuxServer.Configuration) {
        self.loop = loop
        self.token = token
        var random = SystemRandomNumberGenerator()
        endpoint = BayeuxEndpoint(on: loop, configuration, seed: random.next())
    }

    /// Clients are gone with the listener.
    func stop() {
        timer?.timer.cancel()
        timer = nil
    }

    private var policy: BayeuxServer.Policy {
        let token = self.token
        return { request in
            guard let token else { return nil }
            let ext: RawJSON? =
                switch request {
                case .subscribe(_, let ext), .publish(_, _, let ext): ext
                }
            let shown = ext.flatMap { try? JSONValue(parsing: $0.bytes)["access_token"] }
            return shown == .string(token.reveal()) ? nil : "403::access token authentication failed"
        }
    }

    private func settle() {
        let due = endpoint.deadline
        if timer?.due == due { return }
        timer?.timer.cancel()
        timer = due.map { due in
            (due, loop.schedule(at: due) { [weak self] in self?.assumeIsolated { $0.timerFired() } })
        }
    }

    private func timerFired() {
        timer = nil
        _ = endpoint.advance()
        settle()
    }

    // MARK: - What the server says

    nonisolated func handle(_ request: ServerRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        assumeIsolated { hub in
            guard request.path == hub.endpoint.path else { return respond(HTTPResponse(status: 404)) }
            _ = hub.endpoint.handle(request, hub.policy, respond: respond)
            hub.settle()
        }
    }

    nonisolated func aborted(_ request: ServerRequest) {
        assumeIsolated { hub in
            hub.endpoint.aborted(request)
            hub.settle()
        }
    }

    nonisolated func refuses(_ upgrade: ServerRequest) -> HTTPResponse? {
        assumeIsolated { $0.endpoint.path == upgrade.path ? nil : HTTPResponse(status: 404) }
    }

    nonisolated func opened(_ socket: ServerWebSocket, _ upgrade: ServerRequest) {
        assumeIsolated { $0.endpoint.opened(socket) }
    }

    nonisolated func received(_ messages: [WebSocketMessage], from socket: ServerWebSocket) {
        assumeIsolated { hub in
            _ = hub.endpoint.received(messages, from: socket, hub.policy)
            hub.settle()
        }
    }

    nonisolated func closed(_ socket: ServerWebSocket, _ close: WebSocketClose) {
        assumeIsolated { hub in
            hub.endpoint.closed(socket)
            hub.settle()
        }
    }
}
