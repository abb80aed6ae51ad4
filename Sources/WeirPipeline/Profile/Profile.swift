import WeirJSON

/// The declaration of a chat backend: its connection, events, rooms, entities and REST calls. It comes from a file
/// (`Profile(parsing:)`, described by `schemas/profile.schema.json`) or from Swift code.
///
/// A name alone is a complete profile, which shows every event. Some names have a meaning for Weir: rows of the entity
/// `channel` name rooms, and rows of `account` name people. An entity's field `name`, `title` or `text` is the
/// displayed name of its row, and its field `mentions` contains the mentioned users.
public struct Profile: Hashable, Sendable {
    /// The backend's name: a letter, then letters, digits, `_` and `-`.
    public var name = ""
    /// The settings of the realtime connection.
    public var realtime = Realtime()
    /// The REST services. The first one is the default of reads and writes.
    public var services: [Service] = []
    /// The entities, which define the fields of rows by kind.
    public var entities: [Entity] = []
    /// The declaration of rooms; `nil` for a backend without rooms.
    public var rooms: Rooms?
    /// The rules for events. Among the rules for one name, the first whose condition holds applies.
    public var events: [EventRule] = []
    /// The GET requests to the services.
    public var reads: [Read] = []
    /// The user actions that consist of one request, and the requests of procedures.
    public var writes: [Write] = []
    /// The user actions that consist of several steps.
    public var procedures: [Procedure] = []
    /// The names of the reads that are fetched after connecting.
    public var start: [String] = []
    /// The name of the read that identifies the token's user. The key of its first row is the user's id.
    public var account: String?
    /// The login with a name and a password; `nil` when the server has none.
    public var login: Login?

    /// Creates a profile that only has a name and shows every event.
    public init(name: String) { self.name = name }
    init() {}
}

extension Profile {
    /// The settings of the realtime connection.
    public struct Realtime: Hashable, Sendable {
        /// The protocols of the realtime connection.
        public enum Transport: String, Hashable, Sendable, CaseIterable {
            case socketio
            /// Bayeux, whose channels are the rooms.
            case bayeux
            /// A plain WebSocket with JSON messages.
            case websocket
            /// No connection: all data comes from the services.
            case none
        }
        /// The protocol of the connection.
        public var transport = Transport.socketio
        /// The path on the server. `nil` means `/socket.io/` for Socket.IO, `/faye` for Bayeux, and `/` for a plain
        /// WebSocket.
        public var path: String?
        /// The namespace of Socket.IO; unused by other protocols.
        public var namespace = "/"
        /// The payload of CONNECT or, for Bayeux, the `ext` of subscriptions and publications. `nil` means
        /// `{"token": "{token}"}` if there is a token.
        public var auth: JSONTemplate?
        /// The Bayeux channels to subscribe to in addition to the rooms, such as the user's own.
        public var subscribe: [Template] = []
        /// The events or messages to send after connecting, in order.
        public var emit: [Emission] = []
        /// The condition that recognises the server's first message on a plain WebSocket; `nil` when the client does
        /// not wait for one.
        public var hello: ProfileCondition?
        /// The message that authenticates the client on a plain WebSocket.
        public var identify: JSONTemplate?
        /// The paths of the name and data in messages of a plain WebSocket or a Bayeux channel.
        public var message: Message?
        /// The path of the session identifier in the server's messages, for resuming the session.
        public var session: ProfilePath?
        /// The request that resumes the session of a lost connection; `nil` when sessions cannot be resumed.
        public var resume: Resume?
        /// The heartbeat of a plain WebSocket; `nil` for none.
        public var heartbeat: Heartbeat?
        /// The condition that recognises a message by which the server asks the client to reconnect.
        public var restart: ProfileCondition?
        /// The meanings of close codes. The client reconnects after any other code.
        public var close = Close()
        /// Creates the settings of a Socket.IO connection on the default path.
        public init() {}
    }

    /// The paths into a message of a plain WebSocket or a Bayeux channel.
    public struct Message: Hashable, Sendable {
        /// The path of the name. For a Bayeux channel, `nil` means `type` in the published data.
        public var name: ProfilePath?
        /// The path of the data; `nil` for the whole message.
        public var data: ProfilePath?
        /// The path of the sequence number, for resuming the session.
        public var sequence: ProfilePath?
        /// Creates a description of messages without a name.
        public init() {}
    }

    /// The request that resumes a session.
    public struct Resume: Hashable, Sendable {
        /// The message to send, with the places `{session}`, `{sequence}` and `{token}`.
        public var send = try! JSONTemplate(.null)
        /// The condition that recognises a refusal. Any other message means that the session was resumed.
        public var refused: ProfileCondition?
        /// Creates a resume request whose message is null.
        public init() {}
    }

    /// The heartbeat of a plain WebSocket.
    public struct Heartbeat: Hashable, Sendable {
        /// The message to send, with the place `{sequence}`.
        public var send = try! JSONTemplate(.null)
        /// The interval, unless the server sends one.
        public var every: Duration?
        /// The path of the interval, in milliseconds, in the server's hello.
        public var interval: ProfilePath?
        /// The condition that recognises an answer; `nil` when the server sends none. If a heartbeat is unanswered when
        /// the next one is due, the client closes the connection.
        public var answer: ProfileCondition?
        /// Creates a heartbeat whose message is null.
        public init() {}
    }

    /// The meanings of close codes.
    public struct Close: Hashable, Sendable {
        /// The codes that mean that the token was refused.
        public var refused: [Int] = []
        /// The codes that end the session. The next connection begins a new one.
        public var anew: [Int] = []
        /// Creates a value in which no code has a special meaning.
        public init() {}
    }

    /// An event to the server, or a message of a plain WebSocket.
    public struct Emission: Hashable, Sendable {
        /// The event's name; unused on a plain WebSocket.
        public var event = ""
        /// The message to send on a plain WebSocket; `nil` for Socket.IO.
        public var message: JSONTemplate?
        /// The event's arguments, in order.
        public var arguments: [JSONTemplate] = []
        /// Creates an event without a name and arguments.
        public init() {}
    }

    /// A REST service of the backend, with its own path or address.
    public struct Service: Hashable, Sendable {
        /// The service's name, unique within the profile.
        public var name = ""
        /// The prefix of the paths of its requests: a path on the connection's server, or the service's own address.
        ///
        /// A service with its own address gets the token for its name (`--token NAME=env:…`), never the server's token.
        public var url = ""
        /// The header that carries the token; `nil` for `Authorization: Bearer`.
        public var header: String?
        /// Whether requests carry the token.
        public var token = true
        /// The maximum number of requests per second; `nil` for no limit.
        public var rate: Int?
        /// Creates a service at the root of the connection's server.
        public init() {}
    }

    /// The calls that obtain and renew a token.
    public struct Login: Hashable, Sendable {
        /// A POST request to the first service.
        public struct Call: Hashable, Sendable {
            /// The path, relative to the service's path.
            public var path = try! Template("/")
            /// The JSON body; `nil` for an empty one.
            public var body: JSONTemplate?
            /// Creates a call of the service's root without a body.
            public init() {}
        }
        /// The call that obtains a token, with the places `{user}` and `{password}`. It carries no token.
        public var call = Call()
        /// The path of the token in the answer.
        public var token = ProfilePath("token")!
        /// The path of the refresh token; `nil` when the server sends none.
        public var refresh: ProfilePath?
        /// The path of the token's expiry in the answer: a time, or a number of seconds from now.
        public var expires: ProfilePath?
        /// The call that renews the token, with the place `{refresh}`. Without that place, the refresh token replaces
        /// the token in the header.
        ///
        /// The answer has the same form as that to a login. If it contains no refresh token, the old one stays valid.
        public var renew: Call?
        /// The call that ends the login; `nil` when the server has none.
        public var logout: Call?
        /// Creates a login at the root of the first service.
        public init() {}
    }

    /// The fields and the identity of one kind of rows.
    public struct Entity: Hashable, Sendable {
        /// The kind of the rows, which is the entity's name.
        public var name = ""
        /// The path of the row's id.
        public var key = ProfilePath("id")! { didSet { paths = waysOfFields } }
        /// The fields that rows keep, in the order of writing.
        public var fields: [Field] = [] { didSet { paths = waysOfFields } }
        /// The field that orders two versions of a row: the greater value is newer. `nil` means that the last one
        /// received wins.
        public var newer: String?
        /// The section of the rows; `nil` for the entity's name.
        public var section: String?
        /// The path of the id of the section's parent, such as a message's room; `nil` for a single section without a
        /// parent.
        public var parent: ProfilePath? { didSet { paths = waysOfFields } }
        /// The field by which rows are sorted, a time or an integer. A leading `-` sorts the greatest first.
        public var sort: String?
        /// Whether rows are immutable: a row that exists is neither fetched nor replaced.
        public var once = false
        /// The fields whose values are unique across rows. The server enforces this.
        public var unique: [String] = []
        /// The paths of the key, the parent and each field. They are computed once and used for every row.
        private(set) var paths: [JSONPath?] = []
        /// Creates an entity with the key `id` and without fields.
        public init() { paths = waysOfFields }

        private var waysOfFields: [JSONPath?] {
            [key.inValue, parent?.inValue] + fields.map { $0.path?.inValue ?? JSONPath(key: $0.name) }
        }
    }

    /// A field of an entity.
    public struct Field: Hashable, Sendable {
        /// The types of fields, which define how values are checked and stored.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Any JSON value, stored unchanged.
            case any
            case text, integer, number, boolean
            /// An ISO 8601 date, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970. It is
            /// stored as milliseconds.
            case time
            /// A text or a number, stored as a text.
            case id
        }
        /// The name of the field in rows.
        public var name = ""
        /// The path of the value; `nil` when it equals the name.
        public var path: ProfilePath?
        /// The type of the value; a row with another type is left out.
        public var type = Kind.any
        /// Whether a row without the field is left out and reported.
        public var required = false
        /// Creates a field of type `any`.
        public init() {}
    }

    /// The declaration of rooms: their names, joins and reads.
    public struct Rooms: Hashable, Sendable {
        /// The name of a room, with the place `{id}`.
        public var name = try! Template("{id}")
        /// The request that joins a room; `nil` when the server sends everything without one.
        public var join: Join?
        /// The request that leaves a room; `nil` for none.
        public var leave: Emission?
        /// The name of the read that lists rooms. Each of its rows is a room.
        public var list: String?
        /// The names of the reads to fetch when a room is joined, and again after a reconnect.
        public var reads: [String] = []
        /// The name of the read of a room's messages.
        public var history: String?
        /// The name of the read of a room's members.
        public var who: String?
        /// Creates a declaration of rooms that need no join.
        public init() {}
    }

    /// The request that joins a room.
    public struct Join: Hashable, Sendable {
        /// The ways in which a server confirms a join.
        public enum Answer: String, Hashable, Sendable, CaseIterable {
            /// No confirmation: the room counts as joined once the request is sent.
            case none
            /// The acknowledgement of the event.
            case ack
            /// An event whose rule `says` joined or refused.
            case event
        }
        /// The name of the event to send.
        public var event = ""
        /// The message to send on a plain WebSocket.
        public var message: JSONTemplate?
        /// The event's arguments, in order.
        public var arguments: [JSONTemplate] = []
        /// The way in which the server confirms the join.
        public var answer = Answer.none
        /// The condition that recognises an acknowledgement that refuses the join.
        public var refused: ProfileCondition?
        /// The path of the reason in such an acknowledgement.
        public var why: ProfilePath?
        /// Creates a join without an event.
        public init() {}
    }

    /// The meaning of an event.
    public struct EventRule: Hashable, Sendable {
        /// The effects of an event on the connection or a room.
        public enum Saying: String, Hashable, Sendable, CaseIterable {
            /// The connection is usable, so rooms can be joined.
            case ready
            /// The server refused the token.
            case unauthorized
            /// The room was joined, refused or left.
            case joined, refused, left
            /// A room exists and can be joined.
            case room
            /// A room no longer exists.
            case gone
        }
        /// The treatments of a row in an event.
        public enum Treatment: String, Hashable, Sendable, CaseIterable {
            /// The row is updated; fields that the event lacks keep their values.
            case apply
            /// The row is removed from the model.
            case remove
            /// The reads of the rule are fetched.
            case fetch
            /// The row is ignored; nothing is fetched.
            case nothing
        }
        /// The treatments of a row, by its relation to the known version.
        public struct Treatments: Hashable, Sendable {
            /// The treatment of a row that is not known.
            public var unknown = Treatment.apply
            /// The treatment of a row that is older than the known one.
            public var older = Treatment.nothing
            /// The treatment of a row that is as old as the known one.
            public var same = Treatment.apply
            /// The treatment of a row that is newer than the known one, or that cannot be compared.
            public var newer = Treatment.apply
            /// Creates the default treatments: older rows are ignored, all others applied.
            public init() {}
        }
        /// The event's name on the wire.
        public var event = ""
        /// The condition that selects among the events with that name; `nil` for all.
        public var when: ProfileCondition?
        /// The kind for printing and filtering; `nil` for the event's name.
        public var kind: String?
        /// The effect on the connection or a room; `nil` for none.
        public var says: Saying?
        /// The path of the room's id.
        public var room: ProfilePath?
        /// The path of the acting user's name, or else of the user's id.
        public var actor: ProfilePath?
        /// The path of the acting user's id, when `actor` is a name.
        public var actorID: ProfilePath?
        /// The path of the displayed text.
        public var text: ProfilePath?
        /// The path of the mentioned users, by id or name; `nil` for the field `mentions` of the event's rows.
        public var mentions: ProfilePath?
        /// The path of the server's time.
        public var time: ProfilePath?
        /// The path of the reason for a refusal.
        public var why: ProfilePath?
        /// The entity of the event's rows; `nil` when no rows are kept.
        public var entity: String?
        /// The path of the row or the list of rows; `nil` for the whole payload.
        public var at: ProfilePath?
        /// The treatment of each row.
        public var then = Treatments()
        /// The names of the reads to fetch.
        public var reads: [String] = []
        /// Creates a rule without an event name.
        public init() {}
    }

    /// A GET request to a service.
    public struct Read: Hashable, Sendable {
        /// The conclusions about rows that an answer does not list.
        public enum Replacing: String, Hashable, Sendable, CaseIterable {
            /// Nothing is known about the other rows.
            case none
            /// The other rows of the section are gone.
            case all
            /// The other rows of the section are gone, if they follow the first listed row.
            case window
        }
        /// The meanings of a 404.
        public enum Missing: String, Hashable, Sendable, CaseIterable {
            /// A 404 leaves the rows as they are.
            case ignore
            /// A 404 removes the rows of the read.
            case remove
        }
        /// The read's name, unique within the profile.
        public var name = ""
        /// The path, relative to the service's path.
        public var get = try! Template("/")
        /// The name of the service; `nil` for the first one.
        public var service: String?
        /// The parameters of the query.
        public var query: [Parameter] = []
        /// The path of the rows in the answer; `nil` for the whole answer. A value that is not a list is a single row.
        public var rows: ProfilePath?
        /// The entity of the rows; `nil` when the answer contains none.
        public var entity: String?
        /// The conclusion about rows that the answer does not list.
        public var replaces = Replacing.none
        /// The paging of the answer; `nil` when one answer is complete.
        public var pages: Pages?
        /// The polling interval; `nil` for a read that does not repeat by itself.
        public var every: Duration?
        /// The entity whose rows are fetched one by one, as soon as they exist, with the place `{ENTITY.id}`; `nil` for
        /// a read that is not about single rows.
        public var each: String?
        /// The condition on a row's fields that ends its polling.
        public var until: ProfileCondition?
        /// The name of one row's polling, for cancelling it.
        public var tag: Template?
        /// The meaning of a 404.
        public var missing = Missing.ignore
        /// The path of the reason in an answer that reports an error.
        public var why: ProfilePath?
        /// Creates a read of the service's root, without rows.
        public init() {}
    }

    /// A request that changes something: the action `send`, `edit`, `delete`, `react` or `read`, or a step of a
    /// procedure.
    public struct Write: Hashable, Sendable {
        /// The HTTP methods of writes.
        public enum Method: String, Hashable, Sendable, CaseIterable {
            case post, put, patch, delete
        }
        /// The name of the user action, or a name that a procedure's step refers to.
        public var name = ""
        /// The HTTP method of the request.
        public var method = Method.post
        /// The path, relative to the service's path.
        public var path = try! Template("/")
        /// The name of the service; `nil` for the first one.
        public var service: String?
        /// The JSON body; `nil` for an empty one.
        public var body: JSONTemplate?
        /// The entity of the row that the write creates or changes.
        public var entity: String?
        /// The path of that row in the answer; `nil` for the whole answer.
        public var at: ProfilePath?
        /// The fields to show before the server answers.
        public var shows: [Parameter] = []
        /// The field that contains the action's id, which identifies the echo. The server must ignore a repeated id.
        public var echo: String?
        /// The path of the reason in an answer that reports an error.
        public var why: ProfilePath?
        /// The names of the reads to fetch afterwards.
        public var reads: [String] = []
        /// Creates a POST request to the service's root.
        public init() {}
    }

    /// An action of several steps, for `weir do`. Its progress is stored, so a restarted process continues with the
    /// next step.
    public struct Procedure: Hashable, Sendable {
        /// The action's name, as in `weir do`.
        public var name = ""
        /// The text parameters, which fill places in the templates of its steps.
        public var parameters: [String] = []
        /// The JSON parameters: `true` or `12` enters a body as that value, not as a text.
        public var json: [String] = []
        /// The file parameters: the content of the file at the given path enters a body in base64.
        public var files: [String] = []
        /// The tag that excludes others: a newer action with the same tag replaces an older one.
        public var tag: Template?
        /// The steps, in the order of execution.
        public var steps: [Step] = []
        /// Creates an action without steps.
        public init() {}
    }

    /// A step of an action.
    ///
    /// With only a read, it fetches; with only a write, it writes. With both, it finds or creates: the write is done
    /// when the read returns no row, and if the server answers that the row exists (409), the read is repeated. A read
    /// whose row already exists and is immutable is skipped; the last place of its path identifies the row.
    public struct Step: Hashable, Sendable {
        /// The name of the read; `nil` for a step that only writes.
        public var read: String?
        /// The name of the write; `nil` for a step that only reads.
        public var write: String?
        /// The name for the found or created row in later steps: `{NAME.id}`, `{NAME.FIELD}`.
        public var row: String?
        /// The name of an earlier step's rows. The read is fetched for each of them in turn, with the place
        /// `{NAME.id}`.
        public var each: String?
        /// Creates a step without a read and a write.
        public init() {}
    }

    /// A named template: a query parameter, or a field that a write shows.
    public struct Parameter: Hashable, Sendable {
        /// The name of the parameter or field.
        public var name = ""
        /// The template of its value.
        public var value = try! Template("")
        /// Creates an empty parameter without a name.
        public init() {}
    }

    /// The paging of a read. Exactly one of `next`, `last` and `from` is set.
    public struct Pages: Hashable, Sendable {
        /// The query parameter that selects a page.
        public var query = "page"
        /// The path of the next page's name in the answer. A missing or null value ends the list.
        public var next: ProfilePath?
        /// The path of the next page's name in the last row, for servers that page by row id.
        public var last: ProfilePath?
        /// The number of the first page, for servers that number pages. A page without rows ends the list.
        public var from: Int?
        /// The maximum number of pages.
        public var most = 100
        /// Creates a paging with the parameter `page` and at most 100 pages.
        public init() {}
    }
}
