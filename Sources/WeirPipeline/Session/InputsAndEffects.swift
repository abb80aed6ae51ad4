package import WeirEvents
package import WeirJSON
package import WeirWire

/// Everything that can happen to a session. A recording is a list of inputs.
///
/// The session ignores an input about a connection or request that has ended, or that it never started.
package enum Input: Sendable {
    /// The driver starts the session.
    case start
    /// The WebSocket of the connection opened, and the token's reference was resolved for it. `auth` is the JSON object
    /// that authenticates a Socket.IO connection in place of the backend's own payload.
    case opened(connection: Int, token: Secret?, auth: Secret? = nil)
    /// The WebSocket of the connection failed to open.
    case failed(connection: Int, ConnectFailure)
    /// A message arrived on the connection.
    case message(connection: Int, WebSocketMessage)
    /// The WebSocket of the connection was open and has closed.
    case closed(connection: Int, WebSocketClose)
    /// The driver pauses or resumes reading the socket. During a pause, the server's silence does not count against it.
    case reading(SocketReading)
    /// A request ended, with or without a response.
    case answered(request: Int, Answer)
    /// The driver resolved the token's reference again, as `Effect.renewToken` requested. `changed` is `true` if the
    /// result is a different token. The input carries that token, except in a replay, which has none.
    case tokenRenewed(Secret? = nil, changed: Bool)
    /// The user requests an action.
    case act(Action)
    /// The user withdraws an action that is not done yet, or drops one that failed.
    case dropAction(EntityID)
    /// The user cancels everything that runs under a tag: actions, and reads of a single row.
    case cancel(tag: String)
    /// The user retries a message that failed.
    case retryAction(EntityID)
    /// An earlier session left these actions undone. They are in their original order.
    case restoreOutbox([OutboxEntry])
    /// A client wants these rooms, each a `RoomExpression`. With `lasting`, the wish ends after that time.
    case want(rooms: [String], source: RoomSource, lasting: Duration? = nil)
    /// A client no longer wants these rooms, permanently or for the time `lasting`.
    case unwant(rooms: [String], lasting: Duration? = nil)
    /// A client wants exactly the rooms of this `RoomExpression`.
    case only(rooms: String)
    /// The wishes return to those of the start, plus the pinned rooms.
    case resetRooms
    /// The group gave the session these rooms; other members hold the rest. `missing` is how long the new rooms may have had no holder;
    /// `nil` if none was without one.
    case share(RoomShare, missing: Duration? = nil)
    /// A source withdraws its wishes for exactly these patterns.
    case withdraw(rooms: String, source: RoomSource)
    /// A client asks for a part of a room. The session fetches it from the server; messages are fetched back to
    /// `since`.
    case look(room: String, part: Session.RoomPart, since: Timestamp? = nil)
    /// A client requests a refetch. The text names a room, for all its resources, or a single resource. If it is empty, the resources of
    /// all joined rooms are fetched.
    case refetch(String)
    /// The user selects a channel or place by its room, or a thread by its first message. An empty name clears the
    /// channel. After a change of workspace or company, the session leaves everything that belongs to the old one at
    /// once.
    case select(String)
    /// The user sends an event, publishes on a channel, or answers an event of the server.
    indirect case emit(Emit)
    /// A push service delivered a notification, and a client of the control socket passed it on: JSON in the format of
    /// that service.
    case pushed(RawJSON)
    /// Rows of an earlier session fill the model until the server has answered. The driver sends this soon after
    /// `start`, and splits a large memory into several parts.
    case remembered(Memory)
    /// The session ends in an orderly way.
    case stop
}

/// The origin of a wish for a room.
package enum RoomSource: String, Hashable, Sendable {
    /// A room expression of the configuration, usually from the command line.
    case cli
    /// The backend's list of rooms, or the room templates of its era.
    case list
    /// A client of the control socket.
    case ctl
    /// A pinned room, which is wanted at every start.
    case pin
}

/// The end of one REST exchange.
package enum Answer: Hashable, Sendable {
    /// An HTTP response. `retryAfter` is the server's Retry-After in seconds, if it sent one.
    case response(status: Int, body: ArraySlice<UInt8>, retryAfter: Int?)
    /// No response. `kind` is one of `resolve`, `connect`, `lost`, `tls`, `proxy`, `timeout`, `cancelled`, `tooLarge`
    /// and `protocolError`; `message` is one line.
    case failure(kind: String, message: String)
}

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
