import Wire

/// The identifier of a session: its number in the order of opening.
struct SessionID: Hashable, Comparable, Sendable {
    var number: Int

    static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// The result of a session's handshake.
struct SessionOpening: Hashable, Sendable {
    var revision: EngineIO.Revision
    var sid: String
    /// The transports to which the client may upgrade.
    var upgrades: [String]
}

/// An event of an endpoint's sessions.
enum SessionEvent: Sendable {
    /// A client opened a session, and the open packet must be sent.
    case opened(SessionID, SessionOpening)
    /// A packet of the session's stream arrived.
    case received(SessionID, WebSocketMessage)
    /// A session ended. There is no such event for a session that the owner dropped.
    case closed(SessionID)
}
