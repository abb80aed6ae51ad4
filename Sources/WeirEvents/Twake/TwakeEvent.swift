public import WeirJSON

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

extension Twake.Event {
    /// Decodes one Socket.IO event from its whole array, name first. The array need not be checked before: all of it is
    /// read. Text that is not JSON throws, as a known event of the wrong shape does.
    public init(array: ArraySlice<UInt8>) throws(DecodingFailure) {
        // Nearly every event is a resource. If decoding it fails, the general path below finds
        // the error and reports it.
        if let event = try? Self.resource(array) {
            self = event
            return
        }
        let parts = try Self.parts(of: array)
        try self.init(name: parts.name, arguments: parts.arguments)
    }

    /// Reads the array of a `realtime:resource` to its end; returns `nil` for any other event.
    private static func resource(_ array: ArraySlice<UInt8>) throws(Mismatch) -> Self? {
        var reader = JSONReader(array.span)
        guard try reader.openListIfAny(), try reader.another(), try reader.kind() == .string else { return nil }
        guard reader.matches(try reader.textRange(), "realtime:resource"), try reader.another() else { return nil }
        var fields = Twake.SocketIOResource.Fields.unread
        try fields.take(from: &reader, of: array)
        while try reader.another() { try reader.pass() }
        try reader.finish()
        return .resource(Twake.SocketIOResource(fields))
    }

    /// Splits an event's array into name and arguments, and checks all of it.
    private static func parts(
        of array: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> (name: String, arguments: [RawJSON]) {
        try decoded(array, as: "event") { (reader) throws(Mismatch) in
            guard try reader.openListIfAny(), try reader.another() else {
                throw Mismatch(.unusable("the event has no name"), at: 0)
            }
            let name = try reader.kind() == .number ? RawJSON(array, try reader.pass()).description : try reader.text()
            var arguments: [RawJSON] = []
            while try reader.another() { arguments.append(RawJSON(array, try reader.pass())) }
            return (name, arguments)
        }
    }

    /// Decodes one Socket.IO event from its name and arguments, each known to be JSON. Unknown names, types and actions
    /// decode to `unknown`; a known event of the wrong shape throws.
    public init(name: String, arguments: [RawJSON]) throws(DecodingFailure) {
        switch name {
        case "realtime:resource":
            self = .resource(
                try Self.first(of: arguments, name) { (reader, payload) throws(Mismatch) in
                    var fields = Twake.SocketIOResource.Fields.unread
                    try fields.take(from: &reader, of: payload)
                    return Twake.SocketIOResource(fields)
                })
        case "realtime:event":
            self = .event(try Self.first(of: arguments, name, Twake.SocketIOEvent.init(reading:of:)))
        case "realtime:join:success":
            self = .joined(room: try Self.first(of: arguments, name, RoomAnswer.init(reading:of:)).room)
        case "realtime:join:error":
            let answer = try Self.first(of: arguments, name, RoomAnswer.init(reading:of:))
            self = .joinRefused(room: answer.room, message: answer.message)
        case "realtime:leave:success":
            self = .left(room: try Self.first(of: arguments, name, RoomAnswer.init(reading:of:)).room)
        case "realtime:leave:error":
            let answer = try Self.first(of: arguments, name, RoomAnswer.init(reading:of:))
            self = .leaveRefused(room: answer.room, message: answer.message)
        case "realtime:event:error":
            let answer = try Self.first(of: arguments, name, RoomAnswer.init(reading:of:))
            self = .eventRefused(room: answer.room, message: answer.message)
        case "authenticated": self = .authenticated
        case "unauthorized": self = .unauthorized(message: Self.refusal(in: arguments.first))
        default: self = .unknown(UntypedEvent(name: name, arguments: arguments))
        }
    }

    /// Decodes the first argument, which must be one JSON value. Further arguments have no
    /// known meaning and are ignored.
    private static func first<Value>(
        of arguments: [RawJSON], _ subject: String,
        _ decode: (inout JSONReader, ArraySlice<UInt8>) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value {
        guard let payload = arguments.first?.bytes else {
            throw DecodingFailure(subject: subject, message: "the event has no argument", offset: 0)
        }
        return try decoded(payload, as: subject) { (reader) throws(Mismatch) in try decode(&reader, payload) }
    }

    /// Returns the server's text in either form of `unauthorized` (Twake TW-9). A refusal must not get lost, whatever
    /// its form: without a text, the payload itself is returned.
    private static func refusal(in argument: RawJSON?) -> String {
        guard let argument else { return "" }
        var reader = JSONReader(argument.bytes.span)
        if let words = try? reader.refusal() { return words }
        return argument.excerpt
    }
}

extension JSONReader {
    /// Reads the text of a refusal: `{"message":…}` of 2021, `{"err":{"message":…}}` and `{"err":"…"}` of 2022, or a
    /// bare string. Returns the first text found.
    fileprivate mutating func refusal() throws(Mismatch) -> String? {
        switch try kind() {
        case .string:
            let words = try text()
            return words.isEmpty ? nil : words
        case .object: _ = try open()
        case .array, .number, .bool, .null: return nil
        }
        while let key = try field() {
            if isNamed(key, "message") || isNamed(key, "err") {
                if let words = try refusal() { return words }
            } else {
                try pass()
            }
        }
        return nil
    }
}

/// Decodes all of `text`, which must be one JSON value.
func decoded<Value>(
    _ text: ArraySlice<UInt8>, as subject: String, _ decode: (inout JSONReader) throws(Mismatch) -> Value
) throws(DecodingFailure) -> Value {
    var reader = JSONReader(text.span)
    do {
        let value = try decode(&reader)
        try reader.finish()
        return value
    } catch {
        var fresh = JSONReader(text.span)
        throw error.failure(of: subject, in: &fresh)
    }
}

/// The answer of the server about a room (Twake TW-11).
private struct RoomAnswer {
    var room: String
    /// The text of an error. The server's documentation calls the field `error`, its code `message`.
    var message: String

    init(reading reader: inout JSONReader, of payload: ArraySlice<UInt8>) throws(Mismatch) {
        var room: String?
        var message: String?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                room = try reader.textIfAny()
            } else if reader.isNamed(key, "message") || reader.isNamed(key, "error") {
                message = try reader.textIfAny() ?? message
            } else {
                try reader.pass()
            }
        }
        self.room = try room.required("name", at: start)
        self.message = message ?? ""
    }
}

extension Twake.SocketIOEvent {
    init(reading reader: inout JSONReader, of payload: ArraySlice<UInt8>) throws(Mismatch) {
        var room: String?
        var data: Twake.EventData?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "name") {
                room = try reader.textIfAny()
            } else if reader.isNamed(key, "data") {
                data = try Twake.EventData(reading: &reader, of: payload)
            } else {
                try reader.pass()
            }
        }
        self.init(room: try room.required("name", at: start), data: try data.required("data", at: start))
    }
}

extension Twake.EventData {
    /// Reads the data of an event. Any client may publish anything here (Twake TW-12), so data of
    /// unknown form is kept, not refused.
    init(reading reader: inout JSONReader, of payload: ArraySlice<UInt8>) throws(Mismatch) {
        _ = try reader.kind()
        let start = reader.offset
        let range = try reader.pass()
        let end = reader.offset
        defer { reader.seek(to: end) }
        reader.seek(to: start)
        let known: Self? =
            switch try reader.eventForm() {
            case .message(let action): try Self.message(reading: &reader, from: start, action)
            case .writing: try Self.writing(reading: &reader, from: start)
            case .other: nil
            }
        self = known ?? .unknown(RawJSON(payload, range))
    }

    /// Reads a message event (Twake TW-23). Returns `nil` for one without an id, because nothing could be fetched for
    /// it.
    private static func message(
        reading reader: inout JSONReader, from start: Int, _ action: Twake.MessageAction
    ) throws(Mismatch) -> Self? {
        var message: EntityID?
        var thread: EntityID?
        reader.seek(to: start)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "message_id") {
                message = try reader.idIfAny()
            } else if reader.isNamed(key, "thread_id") {
                thread = try reader.idIfAny()
            } else {
                try reader.pass()
            }
        }
        guard let message else { return nil }
        return .message(action: action, message: message, thread: thread ?? message)
    }

    /// Reads a typing event, `{"type":"writing","event":{…}}` (Twake TW-22).
    private static func writing(reading reader: inout JSONReader, from start: Int) throws(Mismatch) -> Self? {
        var typing: Self?
        reader.seek(to: start)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "event") {
                typing = try Self.typing(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        return try typing.required("event", at: start)
    }

    private static func typing(reading reader: inout JSONReader) throws(Mismatch) -> Self {
        var channel: EntityID?
        var thread: EntityID?
        var user: EntityID?
        var name: String?
        var isWriting: Bool?
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "channel_id") {
                channel = try reader.idIfAny()
            } else if reader.isNamed(key, "thread_id") {
                thread = try reader.idIfAny()
            } else if reader.isNamed(key, "user_id") {
                user = try reader.idIfAny()
            } else if reader.isNamed(key, "name") {
                name = try reader.textIfAny()
            } else if reader.isNamed(key, "is_writing") {
                isWriting = try reader.flagIfAny()
            } else {
                try reader.pass()
            }
        }
        return .typing(
            channel: try channel.required("channel_id", at: start), thread: thread,
            user: try user.required("user_id", at: start), name: name ?? "",
            isWriting: try isWriting.required("is_writing", at: start))
    }
}

/// The form of a `realtime:event`'s data, as its `action` or `type` indicates.
private enum EventForm {
    case message(Twake.MessageAction)
    case writing
    case other
}

extension JSONReader {
    fileprivate mutating func eventForm() throws(Mismatch) -> EventForm {
        guard try kind() == .object else { return .other }
        _ = try open()
        while let key = try field() {
            guard isNamed(key, "action") || isNamed(key, "type"), try kind() == .string else {
                try pass()
                continue
            }
            let contents = try textRange()
            if isNamed(key, "action"), matches(contents, "update") { return .message(.update) }
            if isNamed(key, "action"), matches(contents, "remove") { return .message(.remove) }
            if isNamed(key, "type"), matches(contents, "writing") { return .writing }
        }
        return .other
    }
}
