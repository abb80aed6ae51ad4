import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

// Sockets, requests and tokens of the tail.
extension TailEngine {
    /// Resolves the token on a helper thread (its reference may be a command), then opens the socket.
    func connect(_ request: ConnectionRequest, _ stamp: Stamp) {
        connection.number = request.connection
        connection.socket = nil
        recorder.notes.spoken = request.spoken.name
        recorder.notes.isOnWebSocket = false
        let schemes = request.isWebSocket ? (plain: "ws", secure: "wss") : (plain: "http", secure: "https")
        let url = configuration.server.with(
            scheme: configuration.server.isSecure ? schemes.secure : schemes.plain, target: request.target)
        let connecting = Record.ConnectionRecord(
            connection: request.connection, state: .connecting, url: shown(url.description), attempt: request.attempt)
        recorder.notes.connection.note(connecting)
        record(.connection(connecting), stamp)
        let configuration = configuration
        let resolve: @Sendable () -> Result<Credentials, TokenError> = {
            Result { () throws(TokenError) in
                let (access, secrets) = try configuration.access.resolve(for: configuration.server)
                var found = Credentials(
                    token: try configuration.token?.resolve(), access: access, query: configuration.server.query,
                    secrets: secrets)
                found.services = try ServiceTokens(configuration.serviceTokens)
                found.secrets += found.services.all
                try found.add(auth: configuration.auth, query: configuration.query)
                return found
            }
        }
        guard configuration.needsResolving else { return take(resolve(), request) }
        connection.renewing = loop.freshen(configuration.tokens) { [loop, weak self] freshness in
            self?.assumeIsolated { $0.note(freshness) }
            loop.offload(named: "weir-token", resolve) { [weak self] result in
                self?.assumeIsolated { $0.take(result, request) }
            }
        }
    }

    /// Returns a text without secrets, as it is recorded.
    func shown(_ text: String) -> String { recorder.scrubber?.scrubbed(text) ?? text }

    /// The resolved references for one attempt to connect.
    private struct Credentials: Sendable {
        var token: Secret?
        var access: Access
        var services = ServiceTokens()
        /// The auth object of Socket.IO, as JSON.
        var auth: Secret?
        /// The query of the connection's requests.
        var query: String
        /// The secrets in the access, the auth object and the query.
        var secrets: [Secret]

        mutating func add(auth: ReferenceTemplate?, query: ReferenceTemplate?) throws(TokenError) {
            if let auth {
                let (text, hidden) = try auth.resolve()
                self.auth = text
                secrets += AccessPlan.hidden(hidden)
            }
            if let query {
                let (text, hidden) = try query.resolve()
                self.query = text.reveal()
                secrets += AccessPlan.hidden(hidden)
            }
        }
    }

    private func take(_ result: Result<Credentials, TokenError>, _ request: ConnectionRequest) {
        switch result {
        case .success(let credentials):
            if let token = credentials.token { adopt(token) }
            connection.access = credentials.access
            connection.serviceTokens = credentials.services
            pending += credentials.secrets.map { .redact($0) }
            connection.auth = credentials.auth
            open(request, query: credentials.query)
        case .failure(let error):
            feed(.failed(connection: request.connection, ConnectFailure(phase: .token, message: error.message)))
        }
    }

    private func adopt(_ token: Secret) {
        guard token != self.connection.token else { return }
        self.connection.token = token
        pending.append(.redact(token))
    }

    private func open(_ asked: ConnectionRequest, query: String) {
        guard asked.connection == connection.number, case .running = phase else { return }
        let number = asked.connection
        guard asked.opening != .nothing else {
            return feed(.opened(connection: number, token: connection.token, auth: connection.auth))
        }
        connection.socket = RealtimeSocket(
            on: loop, http: http, asked.opening, to: configuration.server, target: asked.target, query: query,
            access: connection.access,
            framing: configuration.framing, limits: configuration.session.limits
        ) { [weak self] in
            self?.assumeIsolated { $0.framingFellBack() }
        } upgrading: { [weak self] message, isSent in
            self?.assumeIsolated { $0.show(message, isSent: isSent) }
        } handler: { [weak self] event in
            self?.assumeIsolated { $0.socketDid(event, connection: number) }
        }
        if backPressure.isReadingPaused { connection.socket?.setReading(false) }
    }

    /// Shows a packet of an upgrade in the wire view.
    private func show(_ packet: WebSocketMessage, isSent: Bool) {
        let packet = recorder.scrubber?.scrubbed(packet) ?? packet
        let unit = WireUnit(
            stamp: journal.unnumbered(at: loop.now), isSent: isSent, channel: "ws", title: "", bytes: packet.bytes,
            isBinary: false, size: packet.bytes.count)
        outletThread?.push([.wire(unit)])
    }

    /// Warns once that libwebsockets parses the frames, since the user did not choose that.
    func framingFellBack() {
        guard !connection.toldOfFraming else { return }
        connection.toldOfFraming = true
        tellNotice(
            Notice(
                .warning,
                "libwebsockets parses the frames, since its HTTP client is an unknown version: it is slower, and does not answer "
                    + "each of many pings (--framing own refuses to connect instead)"))
    }

    private func socketDid(_ event: WebSocketEvent, connection: Int) {
        guard connection == self.connection.number else { return }
        switch event {
        case .opened: feed(.opened(connection: connection, token: self.connection.token, auth: self.connection.auth))
        case .received(let messages): feed(messages, connection: connection)
        case .closed(let close):
            self.connection.socket = nil
            feed(.closed(connection: connection, close))
            leave()
        case .failed(let failure):
            self.connection.socket = nil
            feed(.failed(connection: connection, failure))
            leave()
        }
    }

    /// Sends a request of the session. The answer becomes an input.
    func send(_ request: FetchRequest, _ stamp: Stamp) {
        var exchange = HTTPRequest(
            request.call, of: configuration.session.backend, at: configuration.service, access: connection.access,
            token: connection.token,
            services: connection.serviceTokens)
        record(
            .http(
                Record.HTTPRecord(
                    id: request.id,
                    phase: .request(
                        method: request.method, url: shown(exchange.url.description),
                        body: recorder.scrubber?.scrubbed(request.body[...]) ?? request.body),
                    cause: request.cause)), stamp)
        counts.requests.asked(request.id, at: stamp.time)
        exchange.timeout = configuration.requestTimeout
        exchange.maximumBody = configuration.session.limits.body
        connection.uploads.insert(request.id)
        loop.fill(exchange, request.call) { [weak self] filled in
            self?.assumeIsolated { $0.send(filled, request.id) }
        }
    }

    /// Sends a request whose files are filled in, unless it was cancelled meanwhile.
    private func send(_ filled: Result<HTTPRequest, TextFile.Problem>, _ request: Int) {
        guard connection.uploads.remove(request) != nil else { return }
        switch filled {
        case .success(let exchange):
            connection.exchanges[request] = http.send(exchange) { [weak self] result in
                self?.assumeIsolated { $0.answered(request, result) }
            }
        case .failure(let problem):
            counts.requests.answered(request, failure: "file", at: loop.now)
            take(Answer(problem), to: request, nil)
        }
    }

    private func answered(_ request: Int, _ result: Result<HTTPResponse, HTTPFailure>) {
        connection.exchanges[request] = nil
        if case .failure(let failure) = result, failure.kind == .cancelled { return }
        switch result {
        case .success(let response): counts.requests.answered(request, status: response.status, at: loop.now)
        case .failure(let failure): counts.requests.answered(request, failure: failure.kind.rawValue, at: loop.now)
        }
        if configuration.otlp != nil, case .success(let response) = result {
            connection.traceparents[request] = response.headers.first { $0.name == "traceparent" }?.value
        }
        take(Answer(result), to: request, (try? result.get())?.hold)
    }

    /// Reports why a token was not renewed, and schedules the next renewal.
    private func note(_ freshness: TokenSource.Freshness) {
        guard case .running = phase else { return }
        if let problem = freshness.problem { tellNotice(Notice(.warning, problem)) }
        limits.renewal?.cancel()
        guard let next = freshness.next else { return }
        let wait = Duration.microseconds(max(next * 1_000_000 - MachineClock.wall, 0))
        limits.renewal = loop.schedule(at: loop.now + wait) { [weak self] in
            self?.assumeIsolated { $0.renewToken(insteadOf: nil, isAsked: false) }
        }
    }

    /// Resolves the token's reference again, which may renew the token. A different token is used from then on.
    /// `refused` is the token that the server refused; `nil` if none was known or its time to renew has come. If
    /// `isAsked` is true, the session waits for the answer.
    func renewToken(insteadOf refused: Secret?, isAsked: Bool) {
        let former = connection.token
        connection.renewing = loop.ask(configuration.tokens, insteadOf: refused) {
            [weak self] renewed, services, freshness in
            self?.assumeIsolated { tail in
                tail.note(freshness)
                if let renewed { tail.adopt(renewed) }
                let areOthers = services.map { tail.connection.serviceTokens != $0 } ?? false
                if let services, areOthers {
                    tail.connection.serviceTokens = services
                    tail.pending += services.all.map { .redact($0) }
                }
                // A connect may have resolved the new token meanwhile.
                let changed = areOthers || tail.connection.token != former
                if isAsked || changed { tail.feed(.tokenRenewed(tail.connection.token, changed: changed)) }
            }
        }
    }
}

/// The transport of one connection's realtime protocol. All calls and callbacks are on the loop's thread.
enum RealtimeSocket {
    case engineIO(EngineIOSocket)
    case webSocket(WebSocketClient)
    case longPolling(LongPollingSocket)

    /// Starts to open a connection.
    ///
    /// - Parameters:
    ///   - opening: The kind of connection to open.
    ///   - query: The query of each of the connection's requests; empty for none.
    ///   - fellBack: As in `WebSocketRequest`.
    ///   - upgrading: As in `EngineIORequest`.
    ///   - handler: Called on the loop, never before this initializer returns.
    init(
        on loop: EventLoop, http: HTTPClient, _ opening: ConnectionRequest.Opening, to server: URLParts, target: String,
        query: String, access: Access, framing: WebSocketFraming, limits: Limits,
        fellBack: @escaping @Sendable () -> Void,
        upgrading: @escaping @Sendable (WebSocketMessage, _ isSent: Bool) -> Void,
        handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) {
        let suffix = query.isEmpty ? "" : "?" + query
        switch opening {
        case .engineIO(let path, let transport, let revision, let detectsRevision):
            var request = EngineIORequest(
                url: server.with(scheme: server.scheme, target: path + suffix), transport: transport,
                revision: revision,
                detectsRevision: detectsRevision, access: access, maximumMessage: limits.message)
            request.framing = framing
            request.fellBack = fellBack
            request.upgrading = upgrading
            self = .engineIO(EngineIOSocket(on: loop, http: http, request, handler: handler))
        case .webSocket, .messages:
            let url = server.with(scheme: server.isSecure ? "wss" : "ws", target: target + suffix)
            var request = WebSocketRequest(url: url, access: access, maximumMessage: limits.message)
            request.framing = framing
            request.fellBack = fellBack
            self = .webSocket(WebSocketClient(on: loop, request, handler: handler))
        case .nothing: preconditionFailure("a session of services alone opens no socket")
        case .longPolling:
            let url = server.with(scheme: server.isSecure ? "https" : "http", target: target + suffix)
            self = .longPolling(
                LongPollingSocket(
                    on: loop, http: http, url, access: access, maximumMessage: limits.message, handler: handler))
        }
    }

    func send(_ message: WebSocketMessage) {
        switch self {
        case .engineIO(let socket): socket.send(message)
        case .webSocket(let socket): socket.send(message)
        case .longPolling(let socket): socket.send(message)
        }
    }

    func close(_ close: WebSocketClose) {
        switch self {
        case .engineIO(let socket): socket.close(close)
        case .webSocket(let socket): socket.close(close)
        case .longPolling(let socket): socket.close(close)
        }
    }

    func setReading(_ reading: Bool) {
        switch self {
        case .engineIO(let socket): socket.setReading(reading)
        case .webSocket(let socket): socket.setReading(reading)
        case .longPolling(let socket): socket.setReading(reading)
        }
    }

    /// Whether the messages currently use a WebSocket.
    var isOnWebSocket: Bool {
        switch self {
        case .engineIO(let socket): socket.isOnWebSocket
        case .webSocket: true
        case .longPolling: false
        }
    }
}
