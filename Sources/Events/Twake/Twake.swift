public import JSONText

/// The vocabulary of the Twake backend: what its servers of 2021 to 2023 send. Section numbers
/// refer to the protocol's sheet.
public enum Twake {
    /// An event that a Twake server sends over the socket. Every case is one reference in size.
    public enum Event: BackendEvent, Hashable, Sendable {
        /// `authenticated`: the socket may join rooms now.
        case authenticated
        /// `unauthorized`: the server refused the token. The message is the server's text, or its whole
        /// payload if it has no text (Twake TW-9).
        indirect case unauthorized(message: String)
        /// `realtime:join:success`: the server accepted the subscription to a room.
        indirect case joined(room: String)
        /// `realtime:join:error`: the server refused the subscription. The message is empty if the server gives none.
        indirect case joinRefused(room: String, message: String)
        /// `realtime:leave:success`: the subscription to a room ended.
        indirect case left(room: String)
        /// `realtime:leave:error`: the server refused to end the subscription. The message is
        /// empty if the server gives none.
        indirect case leaveRefused(room: String, message: String)
        /// `realtime:event`: something happened in a room.
        indirect case event(SocketIOEvent)
        /// `realtime:event:error`: the server refused an event that the client published. The message is
        /// empty if the server gives none.
        indirect case eventRefused(room: String, message: String)
        /// `realtime:resource`: an entity was created, changed or deleted.
        case resource(SocketIOResource)
        /// An event of any other name, with its arguments.
        indirect case unknown(UntypedEvent)
    }

    /// `realtime:event`: something that happened in a room, described by ids only (Twake TW-23, TW-22).
    public struct SocketIOEvent: Hashable, Sendable {
        /// The name of the room, called `name` on the wire.
        public var room: String
        /// The payload, called `data` on the wire.
        public var data: EventData
    }

    /// The payload of a `realtime:event`.
    public enum EventData: Hashable, Sendable {
        /// Era A: a message was created or changed (`update`) or removed (`remove`). The wire's empty or null thread
        /// marks a head message; `thread` is then the message's own id (Twake TW-24).
        case message(action: MessageAction, message: EntityID, thread: EntityID?)
        /// A user types, or stopped typing (Twake TW-22). The thread is `nil` in the channel itself;
        /// the name is empty when not sent.
        case typing(channel: EntityID, thread: EntityID?, user: EntityID, name: String, isWriting: Bool)
        /// Any other payload, kept as text. Includes message events without an id, which come
        /// from ephemeral messages (Twake TW-23).
        case unknown(RawJSON)
    }

    /// The action of an era A message event.
    public enum MessageAction: Hashable, Sendable {
        /// A message was created, edited, reacted to or pinned; the wire does not distinguish these.
        case update
        /// A message was deleted, `remove` on the wire.
        case remove
    }

    /// `realtime:resource`: an entity was created, changed or deleted (Twake TW-26). Its `fields` can be read as
    /// properties of the event. They are stored in one shared object, because an event is passed on many times and
    /// rarely inspected.
    @dynamicMemberLookup
    public struct SocketIOResource: Hashable, Sendable {
        @usableFromInline private(set) var shared: Shared<Fields>

        /// The contents of a resource event.
        public struct Fields: Hashable, Sendable {
            /// The operation on the entity, called `action` on the wire.
            public var action: ResourceAction
            /// The room that the event was sent to. Opaque; `RoomName` parses it.
            public var room: String
            /// The type of the entity, called `type` on the wire.
            public var type: ResourceType
            /// A REST-like path, kept as JSON text; `nil` for `event` actions. It is not usable as a URL (Twake TW-28).
            /// Nothing depends on it, so it is not converted to a string.
            public var path: RawJSON?
            /// The entity, as far as the server sent it.
            public var resource: Resource
        }

        init(_ fields: Fields) { shared = Shared(fields) }

        /// Creates a resource event from its fields.
        public init(action: ResourceAction, room: String, type: ResourceType, path: RawJSON?, resource: Resource) {
            self.init(Fields(action: action, room: room, type: type, path: path, resource: resource))
        }

        /// The fields of the event as one value.
        @inlinable
        public var fields: Fields { shared.value }

        /// Calls `body` with the fields in place. Copying the fields, or a part of them, counts
        /// each reference in the copy.
        package func withFields<Result>(_ body: (borrowing Fields) -> Result) -> Result { body(shared.value) }

        /// One field of the event, by key path.
        @inlinable
        public subscript<Value>(dynamicMember field: KeyPath<Fields, Value>) -> Value { shared.value[keyPath: field] }
    }
}
