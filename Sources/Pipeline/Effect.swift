package import Wire

/// An effect that a session requests. The driver performs effects in order.
///
/// The enum is the size of one reference, like the report that it nearly always carries.
package enum Effect: Sendable {
    /// Open a connection; `Input.opened` or `Input.failed` follows.
    indirect case connect(ConnectionRequest)
    /// Send a message on the connection.
    indirect case send(connection: Int, WebSocketMessage)
    /// Close the WebSocket of the connection; `Input.closed` follows.
    indirect case close(connection: Int, WebSocketClose)
    /// Send a REST request; `Input.answered` follows.
    indirect case request(FetchRequest)
    /// Abandon a request. Its answer is no longer needed and may be left out.
    case cancel(request: Int)
    /// Resolve the token's reference again; `Input.tokenRenewed` follows.
    case renewToken
    /// Store a fact for later sessions. The model's batches, which are reported, are stored as well.
    indirect case remember(Fact)
    /// Pass a report to the observers of the session.
    case report(Report)
    /// End the session. No effect follows, and the session ignores further inputs.
    indirect case finish(Ending)
}

/// A fact that is worth storing for a later session.
package enum Fact: Hashable, Sendable {
    /// The server's id of the user. From here on the model contains that user's rows.
    case account(user: String)
    /// The user's new selection of company, workspace and channel.
    case globals(Globals)
    /// A resource, named by its request, was just fetched and applied.
    case checkpoint(resource: String)
}

/// A request to open a realtime connection.
package struct ConnectionRequest: Hashable, Sendable {
    /// The number of the connection in the session, counted from 1.
    package var connection: Int
    /// The number of the attempt since the last success, counted from 1.
    package var attempt: Int
    /// The path and query of the first request. The driver appends it to the server's address and shows it.
    package var target: String
    /// The transport of the connection to open.
    package var opening: Opening

    /// The transport that carries the realtime protocol.
    package enum Opening: Hashable, Sendable {
        /// An Engine.IO session at that path over these transports. `detectsRevision` is `true` if the revision is a
        /// guess.
        case engineIO(
            path: String, transport: EngineIO.TransportChoice, revision: EngineIO.Revision, detectsRevision: Bool)
        /// A WebSocket whose text messages are Bayeux frames.
        case webSocket
        /// A WebSocket whose text messages are JSON.
        case messages
        /// Bayeux over long-polling: each frame is sent as a POST, and each response is a frame.
        case longPolling
        /// No connection: the backend has REST services only. The tail resolves the token and sends `opened`.
        case nothing
    }

    /// Whether the first request asks for a WebSocket.
    package var isWebSocket: Bool {
        switch opening {
        case .engineIO(_, let transport, _, _): transport == .auto || transport == .websocket
        case .webSocket, .messages: true
        case .longPolling, .nothing: false
        }
    }

    /// The protocol to speak if the server agrees.
    package var spoken: RealtimeProtocol {
        switch opening {
        case .engineIO(_, _, let revision, _): .socketIO(revision)
        case .webSocket, .longPolling: .bayeux
        case .messages: .json
        case .nothing: .rest
        }
    }
}

/// A REST request that the session sends.
package struct FetchRequest: Hashable, Sendable {
    /// The number of the request in the session, counted from 1.
    package var id: Int
    /// The REST call that the request sends.
    package var call: RESTCall
    /// The number of the record that caused the request.
    package var cause: Int

    /// The HTTP method, such as `GET`.
    package var method: String { call.method.rawValue }
    /// The path and query, to be appended to the service's address.
    package var target: String { call.target }
    /// The JSON text of the body; empty for no body.
    package var body: [UInt8] { call.body }
    /// Whether the request carries the user's token.
    package var carriesToken: Bool { call.carriesToken }

    /// Creates a request that sends `call`.
    init(id: Int, _ call: RESTCall, cause: Int) { (self.id, self.call, self.cause) = (id, call, cause) }
}

/// The way in which a session ended.
package enum Ending: Hashable, Sendable {
    /// The session was stopped by `Input.stop`.
    case stopped
    /// The server refused the token and no other is available, or it refused the namespace. Contains the server's
    /// words, which are untrusted.
    case refused(String)
    /// No connection was ever established.
    case cannotConnect(ConnectFailure)
    /// A connection was established, and all allowed attempts to reconnect failed.
    case gaveUp(attempts: Int, ConnectFailure)
}
