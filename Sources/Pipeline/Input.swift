package import Events
package import JSONText
package import Wire

/// Everything that can happen to a session. A recording is the list of these. What is about a connection or request
/// that is over, or that the session did not ask for, is passed over.
package enum Input: Sendable {
    /// The session begins.
    case start
    /// The WebSocket of that connection opened; the token's reference was resolved for it. `auth` is the JSON object that authenticates a
    /// Socket.IO connection, where it is not the backend's to make.
    case opened(connection: Int, token: Secret?, auth: Secret? = nil)
    /// The WebSocket of that connection did not open.
    case failed(connection: Int, ConnectFailure)
    /// A message arrived on that connection.
    case message(connection: Int, WebSocketMessage)
    /// The WebSocket of that connection, which had opened, is gone.
    case closed(connection: Int, WebSocketClose)
    /// From here on what the server sends is read, or not: while it is not, nothing that the server did not say counts against it.
    case reading(SocketReading)
    /// A request was answered, or was not.
    case answered(request: Int, Answer)
    /// The token's reference was resolved again, as `Effect.renewToken` asked; `changed` when it gave another token: this one, but for a
    /// replay, which has none.
    case tokenRenewed(Secret? = nil, changed: Bool)
    /// The user wants something done.
    case act(Action)
    /// The user takes back what is not done yet, or drops what failed.
    case dropAction(EntityID)
    /// The user wants no more of what goes on under a tag: actions, and reads of one row.
    case cancel(tag: String)
    /// The user wants a message that failed sent again.
    case retryAction(EntityID)
    /// What an earlier session left undone, in its order.
    case restoreOutbox([OutboxEntry])
    /// Somebody wants these rooms, from outside: each is a `RoomExpression`. With `lasting`, for that time only.
    case want(rooms: [String], source: RoomSource, lasting: Duration? = nil)
    /// Somebody does not want these rooms, from now on or for that time.
    case unwant(rooms: [String], lasting: Duration? = nil)
    /// Somebody wants these rooms and no others: a `RoomExpression`.
    case only(rooms: String)
    /// The rooms are those that were wanted at the start, and what is pinned.
    case resetRooms
    /// What was wished of exactly these patterns by that source is taken back.
    case withdraw(rooms: String, source: RoomSource)
    /// Somebody wants to know this of a room: the server is asked, for messages back to that time.
    case look(room: String, part: Session.RoomPart, since: Timestamp? = nil)
    /// Somebody wants the server asked again for what a room is about, for the resource of that name, or, with nothing named, for what
    /// all joined rooms are about.
    case refetch(String)
    /// The user looks at something else, named by its room, or a thread, named by the message that heads it; empty for no channel. Of another
    /// workspace or company, what belongs to the old one is left at once.
    case select(String)
    /// The user says something to the server.
    indirect case emit(Emit)
    /// A push service delivered a notification, which a client of the control socket hands on: JSON, as the service has it.
    case pushed(RawJSON)
    /// What was remembered of an earlier session fills the model, until the server has spoken. Comes soon after `start`; a large
    /// memory comes in several parts.
    case remembered(Memory)
    /// The session ends: leave in order.
    case stop
}

/// Who asked for a room.
package enum RoomSource: String, Hashable, Sendable {
    /// The command line.
    case cli
    /// The backend's list, or the templates of its era.
    case list
    /// The control socket.
    case ctl
    /// What is pinned: wanted at every start.
    case pin
}

/// The end of one REST exchange.
package enum Answer: Hashable, Sendable {
    /// An HTTP response; `retryAfter` in seconds, when the server said so.
    case response(status: Int, body: ArraySlice<UInt8>, retryAfter: Int?)
    /// No response: a kind from a closed list (`resolve`, `connect`, `lost`, `tls`, `proxy`, `timeout`, `cancelled`, `tooLarge`, `protocolError`) and one line.
    case failure(kind: String, message: String)
}
