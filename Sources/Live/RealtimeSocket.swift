import Network
import Pipeline
import Wire

/// What carries the realtime protocol of one connection. All calls and callbacks are on the loop's thread.
enum RealtimeSocket {
    case engineIO(EngineIOSocket)
    case webSocket(WebSocketClient)
    case longPolling(LongPollingSocket)

    /// Begins to open what was asked for, `query` with each of its requests; `handler` is called on the loop, never before this returns; `fellBack` as
    /// `WebSocketRequest` says, `upgrading` as `EngineIORequest` says.
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

    /// Whether the messages come by a WebSocket now.
    var isOnWebSocket: Bool {
        switch self {
        case .engineIO(let socket): socket.isOnWebSocket
        case .webSocket: true
        case .longPolling: false
        }
    }
}
