public import JSONText

/// The Twake backend's vocabulary: what its servers of 2021 to 2023 send. Section numbers are those of the protocol's sheet.
public enum Twake {
    /// Everything a Twake server sends over the socket; one reference, whatever it is.
    public enum Event: BackendEvent, Hashable, Sendable {
        /// `authenticated`: rooms may be joined now.
        case authenticated
        /// `unauthorized`: the token was refused; the server's words, or its whole payload when it has none (1.4).
        indirect case unauthorized(message: String)
        /// `realtime:join:success`.
        indirect case joined(room: String)
        /// `realtime:join:error`; the message is empty when the server gives none.
        indirect case joinRefused(room: String, message: String)
        /// `realtime:leave:success`.
        indirect case left(room: String)
        /// `realtime:leave:error`; the message is empty when the server gives none.
        indirect case leaveRefused(room: String, message: String)
        /// `realtime:event`.
        indirect case event(SocketIOEvent)
        /// `realtime:event:error`; the message is empty when the server gives none.
        indirect case eventRefused(room: String, message: String)
        /// `realtime:resource`.
        case resource(SocketIOResource)
        /// Any other name; its arguments kept.
        indirect case unknown(UntypedEvent)
    }

    /// `realtime:event`: something in a room, by ids only (3.1, 1.6).
    public struct SocketIOEvent: Hashable, Sendable {
        /// The room, the wire's `name`.
        public var room: String
        /// What happened.
        public var data: EventData
    }

    /// The payload of a `realtime:event`.
    public enum EventData: Hashable, Sendable {
        /// Era A: a message was created or changed (`update`) or removed (`remove`). The wire's empty or null thread, a head
        /// message, is given as the message's own id (3.1).
        case message(action: MessageAction, message: EntityID, thread: EntityID?)
        /// Somebody writes, or stopped (1.6). The thread is nil in the channel itself; the name is empty when not sent.
        case typing(channel: EntityID, thread: EntityID?, user: EntityID, name: String, isWriting: Bool)
        /// Anything else, kept as text; also a message event without an id, as ephemeral messages have (3.1).
        case unknown(RawJSON)
    }

    /// The action of an era A message event.
    public enum MessageAction: Hashable, Sendable {
        /// Created, edited, reacted to or pinned; the wire does not say which.
        case update
        /// Deleted.
        case remove
    }

    /// `realtime:resource`: an entity was created, changed or deleted (3.2). Its `fields` can be read as if they were its own; they are behind
    /// one reference, since an event is handed on many times and seldom looked at.
    @dynamicMemberLookup
    public struct SocketIOResource: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// What a resource event says.
        public struct Fields: Hashable, Sendable {
            /// What was done.
            public var action: ResourceAction
            /// The room it was sent to; opaque (`RoomName` reads it).
            public var room: String
            /// The wire's `type`.
            public var type: ResourceType
            /// A REST-like path, JSON text as it came, nil for `event` actions; not usable as a URL (3.3). Nothing is decided by it, so no
            /// string is made of it.
            public var path: RawJSON?
            /// The entity, as far as it was sent.
            public var resource: Resource
        }

        /// A resource event of these fields.
        init(_ fields: Fields) { shared = Shared(fields) }

        /// A resource event.
        public init(action: ResourceAction, room: String, type: ResourceType, path: RawJSON?, resource: Resource) {
            self.init(Fields(action: action, room: room, type: type, path: path, resource: resource))
        }

        /// What it says.
        @inlinable
        public var fields: Fields { shared.value }

        /// Calls `body` with what it says, read where it lies: to take it out, or a part of it, is to count its references.
        package func withFields<Result>(_ body: (borrowing Fields) -> Result) -> Result { body(shared.value) }

        /// One of its fields.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}
