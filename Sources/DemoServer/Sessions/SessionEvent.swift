import Wire

/// A session of an endpoint, numbered in the order of opening.
struct SessionID: Hashable, Comparable, Sendable {
    var number: Int

    static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// What a session's handshake settled.
struct SessionOpening: Hashable, Sendable {
    var revision: EngineIO.Revision
    var sid: String
    /// The transports the client may change to.
    var upgrades: [String]
}

/// What happened to the sessions of an endpoint.
enum SessionEvent: Sendable {
    /// A client opened a session; the open packet is to be sent.
    case opened(SessionID, SessionOpening)
    /// A packet of the session's stream came.
    case received(SessionID, WebSocketMessage)
    /// A session is over. Not told of one that was dropped.
    case closed(SessionID)
}
