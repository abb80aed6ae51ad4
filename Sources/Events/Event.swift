public import JSONText

/// What a backend said, one case per backend.
public enum Event: Hashable, Sendable {
    /// A Twake backend's event.
    case twake(Twake.Event)
    /// An event of a Socket.IO server of which no schema is known.
    case socketIO(UntypedEvent)

    /// The case's name as printed and filtered on: `message`, `channel_activity`, `typing`, `unknown`…
    public var kind: String { fatalError("stub") }
    /// The room it was sent to, when it says.
    public var room: String? { fatalError("stub") }
    /// Who did it, when it says: a display name or an id.
    public var actor: String? { fatalError("stub") }
    /// One line for people. Untrusted text.
    public var summary: String { fatalError("stub") }
    /// False for events of unknown name, type or action.
    public var isKnown: Bool { fatalError("stub") }
    /// The server's time of it, when it says.
    public var serverTime: Timestamp? { fatalError("stub") }
}

/// An event with no known schema.
public struct UntypedEvent: Hashable, Sendable {
    /// The wire name.
    public var name: String
    /// The arguments, each JSON text.
    public var arguments: [RawJSON]
    /// An event.
    public init(name: String, arguments: [RawJSON]) {
        self.name = name
        self.arguments = arguments
    }
}
