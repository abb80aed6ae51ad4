package import Wire

/// What a session wants done, in this order. One reference, as the report that it nearly always is.
package enum Effect: Sendable {
    /// Open a connection; `Input.opened` or `Input.failed` follows.
    indirect case connect(ConnectionRequest)
    /// Send a message.
    indirect case send(connection: Int, WebSocketMessage)
    /// Close a WebSocket; `Input.closed` follows.
    indirect case close(connection: Int, WebSocketClose)
    /// Ask the REST service; `Input.answered` follows.
    indirect case request(FetchRequest)
    /// The answer to this request is not wanted any more; none needs to follow.
    case cancel(request: Int)
    /// Resolve the token's reference again; `Input.tokenRenewed` follows.
    case renewToken
    /// Something that is worth remembering besides the model's batches, which are reported.
    indirect case remember(Fact)
    /// Tell whoever watches.
    case report(Report)
    /// The session is over; no effect follows and no input is heeded.
    indirect case finish(Ending)
}

/// What a session found out and another one may like to know.
package enum Fact: Hashable, Sendable {
    /// Whose session it is: the server's id of the user. From here on the model is that user's.
    case account(user: String)
    /// What the user looks at from now on.
    case globals(Globals)
    /// A resource, named by its request, was fetched and applied now.
    case checkpoint(resource: String)
}

/// A connection to open.
package struct ConnectionRequest: Hashable, Sendable {
    /// Number of the connection in the session, from 1.
    package var connection: Int
    /// Number of the attempt since the last success, from 1.
    package var attempt: Int
    /// The path and query of its first request, to be put behind the server's address and shown.
    package var target: String
    /// What is opened.
    package var opening: Opening

    /// What carries the realtime protocol.
    package enum Opening: Hashable, Sendable {
        /// An Engine.IO session at that path, over these transports; `detectsRevision` where the revision is a guess.
        case engineIO(
            path: String, transport: EngineIO.TransportChoice, revision: EngineIO.Revision, detectsRevision: Bool)
        /// A WebSocket, whose text messages are frames of Bayeux.
        case webSocket
        /// A WebSocket, whose text messages are JSON.
        case messages
        /// Long-polling: each frame of Bayeux is a POST, and each answer is one.
        case longPolling
        /// Nothing: there are services only. The tail finds the token and says `opened`.
        case nothing
    }

    /// Whether its first request asks for a WebSocket.
    package var isWebSocket: Bool {
        switch opening {
        case .engineIO(_, let transport, _, _): transport == .auto || transport == .websocket
        case .webSocket, .messages: true
        case .longPolling, .nothing: false
        }
    }

    /// What will be spoken, if the server agrees.
    package var spoken: RealtimeProtocol {
        switch opening {
        case .engineIO(_, _, let revision, _): .socketIO(revision)
        case .webSocket, .longPolling: .bayeux
        case .messages: .json
        case .nothing: .rest
        }
    }
}

/// A REST request of a session.
package struct FetchRequest: Hashable, Sendable {
    /// Number of the request in the session, from 1.
    package var id: Int
    /// What is asked.
    package var call: RESTCall
    /// Number of the record that caused it.
    package var cause: Int

    /// The method.
    package var method: String { call.method.rawValue }
    /// Path and query, to be put behind the service's address.
    package var target: String { call.target }
    /// JSON text, or empty.
    package var body: [UInt8] { call.body }
    /// Whether the user's token goes with it.
    package var carriesToken: Bool { call.carriesToken }

    /// A request that sends `call`.
    init(id: Int, _ call: RESTCall, cause: Int) { (self.id, self.call, self.cause) = (id, call, cause) }
}

/// How a session ended.
package enum Ending: Hashable, Sendable {
    /// It was told to stop.
    case stopped
    /// The server refused the token and there is no other, or it refused the namespace; the server's words, untrusted.
    case refused(String)
    /// There never was a connection.
    case cannotConnect(ConnectFailure)
    /// There was a connection, and the allowed attempts to have it again failed.
    case gaveUp(attempts: Int, ConnectFailure)
}
