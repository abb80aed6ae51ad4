import Network
import Pipeline
import Wire

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
