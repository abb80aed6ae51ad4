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
    package var realtime = Realtime()
    /// The REST services. The first one is the default of reads and writes.
    package var services: [Service] = []
    /// The entities, which define the fields of rows by kind.
    package var entities: [Entity] = []
    /// The declaration of rooms; `nil` for a backend without rooms.
    package var rooms: Rooms?
    /// The rules for events. Among the rules for one name, the first whose condition holds applies.
    package var events: [EventRule] = []
    /// The GET requests to the services.
    package var reads: [Read] = []
    /// The user actions that consist of one request, and the requests of procedures.
    package var writes: [Write] = []
    /// The user actions that consist of several steps.
    package var procedures: [Procedure] = []
    /// The names of the reads that are fetched after connecting.
    package var start: [String] = []
    /// The name of the read that identifies the token's user. The key of its first row is the user's id.
    package var account: String?
    /// The login with a name and a password; `nil` when the server has none.
    package var login: Login?

    /// Creates a profile that only has a name and shows every event.
    public init(name: String) { self.name = name }
    init() {}
}

extension Profile {
    /// The settings of the realtime connection.
    package struct Realtime: Hashable, Sendable {
        /// The protocols of the realtime connection.
        package enum Transport: String, Hashable, Sendable, CaseIterable {
            case socketio
            /// Bayeux, whose channels are the rooms.
            case bayeux
            /// A plain WebSocket with JSON messages.
            case websocket
            /// No connection: all data comes from the services.
            case none
        }
        /// The protocol of the connection.
        package var transport = Transport.socketio
        /// The path on the server. `nil` means `/socket.io/` for Socket.IO, `/faye` for Bayeux, and `/` for a plain
        /// WebSocket.
        package var path: String?
        /// The namespace of Socket.IO; unused by other protocols.
        package var namespace = "/"
        /// The payload of CONNECT or, for Bayeux, the `ext` of subscriptions and publications. `nil` means
        /// `{"token": "{token}"}` if there is a token.
        package var auth: JSONTemplate?
        /// The Bayeux channels to subscribe to in addition to the rooms, such as the user's own.
        package var subscribe: [Template] = []
        /// The events or messages to send after connecting, in order.
        package var emit: [Emission] = []
        /// The condition that recognises the server's first message on a plain WebSocket; `nil` when the client does
        /// not wait for one.
        package var hello: ProfileCondition?
        /// The message that authenticates the client on a plain WebSocket.
        package var identify: JSONTemplate?
        /// The paths of the name and data in messages of a plain WebSocket or a Bayeux channel.
        package var message: Message?
        /// The path of the session identifier in the server's messages, for resuming the session.
        package var session: ProfilePath?
        /// The request that resumes the session of a lost connection; `nil` when sessions cannot be resumed.
        package var resume: Resume?
        /// The heartbeat of a plain WebSocket; `nil` for none.
        package var heartbeat: Heartbeat?
        /// The condition that recognises a message by which the server asks the client to reconnect.
        package var restart: ProfileCondition?
        /// The meanings of close codes. The client reconnects after any other code.
        package var close = Close()
        /// Creates the settings of a Socket.IO connection on the default path.
        package init() {}
    }

    /// The paths into a message of a plain WebSocket or a Bayeux channel.
    package struct Message: Hashable, Sendable {
        /// The path of the name. For a Bayeux channel, `nil` means `type` in the published data.
        package var name: ProfilePath?
        /// The path of the data; `nil` for the whole message.
        package var data: ProfilePath?
        /// The path of the sequence number, for resuming the session.
        package var sequence: ProfilePath?
        /// Creates a description of messages without a name.
        package init() {}
    }

    /// The request that resumes a session.
    package struct Resume: Hashable, Sendable {
        /// The message to send, with the places `{session}`, `{sequence}` and `{token}`.
        package var send = try! JSONTemplate(.null)
        /// The condition that recognises a refusal. Any other message means that the session was resumed.
        package var refused: ProfileCondition?
        /// Creates a resume request whose message is null.
        package init() {}
    }

    /// The heartbeat of a plain WebSocket.
    package struct Heartbeat: Hashable, Sendable {
        /// The message to send, with the place `{sequence}`.
        package var send = try! JSONTemplate(.null)
        /// The interval, unless the server sends one.
        package var every: Duration?
        /// The path of the interval, in milliseconds, in the server's hello.
        package var interval: ProfilePath?
        /// The condition that recognises an answer; `nil` when the server sends none. If a heartbeat is unanswered when
        /// the next one is due, the client closes the connection.
        package var answer: ProfileCondition?
        /// Creates a heartbeat whose message is null.
        package init() {}
    }

    /// The meanings of close codes.
    package struct Close: Hashable, Sendable {
        /// The codes that mean that the token was refused.
        package var refused: [Int] = []
        /// The codes that end the session. The next connection begins a new one.
        package var anew: [Int] = []
        /// Creates a value in which no code has a special meaning.
        package init() {}
    }

    /// An event to the server, or a message of a plain WebSocket.
    package struct Emission: Hashable, Sendable {
        /// The event's name; unused on a plain WebSocket.
        package var event = ""
        /// The message to send on a plain WebSocket; `nil` for Socket.IO.
        package var message: JSONTemplate?
        /// The event's arguments, in order.
        package var arguments: [JSONTemplate] = []
        /// Creates an event without a name and arguments.
        package init() {}
    }

    /// A REST service of the backend, with its own path or address.
    package struct Service: Hashable, Sendable {
        /// The service's name, unique within the profile.
        package var name = ""
        /// The prefix of the paths of its requests: a path on the connection's server, or the service's own address.
        ///
        /// A service with its own address gets the token for its name (`--token NAME=env:…`), never the server's token.
        package var url = ""
        /// The header that carries the token; `nil` for `Authorization: Bearer`.
        package var header: String?
        /// Whether requests carry the token.
        package var token = true
        /// The maximum number of requests per second; `nil` for no limit.
        package var rate: Int?
        /// Creates a service at the root of the connection's server.
        package init() {}
    }

    /// The calls that obtain and renew a token.
    package struct Login: Hashable, Sendable {
        /// A POST request to the first service.
        package struct Call: Hashable, Sendable {
            /// The path, relative to the service's path.
            package var path = try! Template("/")
            /// The JSON body; `nil` for an empty one.
            package var body: JSONTemplate?
            /// Creates a call of the service's root without a body.
            package init() {}
        }
        /// The call that obtains a token, with the places `{user}` and `{password}`. It carries no token.
        package var call = Call()
        /// The path of the token in the answer.
        package var token = ProfilePath("token")!
        /// The path of the refresh token; `nil` when the server sends none.
        package var refresh: ProfilePath?
        /// The path of the token's expiry in the answer: a time, or a number of seconds from now.
        package var expires: ProfilePath?
        /// The call that renews the token, with the place `{refresh}`. Without that place, the refresh token replaces
        /// the token in the header.
        ///
        /// The answer has the same form as that to a login. If it contains no refresh token, the old one stays valid.
        package var renew: Call?
        /// The call that ends the login; `nil` when the server has none.
        package var logout: Call?
        /// Creates a login at the root of the first service.
        package init() {}
    }

    /// The fields and the identity of one kind of rows.
    package struct Entity: Hashable, Sendable {
        /// The kind of the rows, which is the entity's name.
        package var name = ""
        /// The path of the row's id.
        package var key = ProfilePath("id")! { didSet { paths = waysOfFields } }
        /// The fields that rows keep, in the order of writing.
        package var fields: [Field] = [] { didSet { paths = waysOfFields } }
        /// The field that orders two versions of a row: the greater value is newer. `nil` means that the last one
        /// received wins.
        package var newer: String?
        /// The section of the rows; `nil` for the entity's name.
        package var section: String?
        /// The path of the id of the section's parent, such as a message's room; `nil` for a single section without a
        /// parent.
        package var parent: ProfilePath? { didSet { paths = waysOfFields } }
        /// The field by which rows are sorted, a time or an integer. A leading `-` sorts the greatest first.
        package var sort: String?
        /// Whether rows are immutable: a row that exists is neither fetched nor replaced.
        package var once = false
        /// The fields whose values are unique across rows. The server enforces this.
        package var unique: [String] = []
        /// The paths of the key, the parent and each field. They are computed once and used for every row.
        private(set) var paths: [JSONPath?] = []
        /// Creates an entity with the key `id` and without fields.
        package init() { paths = waysOfFields }

        private var waysOfFields: [JSONPath?] {
            [key.inValue, parent?.inValue] + fields.map { $0.path?.inValue ?? JSONPath(key: $0.name) }
        }
    }

    /// A field of an entity.
    package struct Field: Hashable, Sendable {
        /// The types of fields, which define how values are checked and stored.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
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
        package var name = ""
        /// The path of the value; `nil` when it equals the name.
        package var path: ProfilePath?
        /// The type of the value; a row with another type is left out.
        package var type = Kind.any
        /// Whether a row without the field is left out and reported.
        package var required = false
        /// Creates a field of type `any`.
        package init() {}
    }

    /// The declaration of rooms: their names, joins and reads.
    package struct Rooms: Hashable, Sendable {
        /// The name of a room, with the place `{id}`.
        package var name = try! Template("{id}")
        /// The request that joins a room; `nil` when the server sends everything without one.
        package var join: Join?
        /// The request that leaves a room; `nil` for none.
        package var leave: Emission?
        /// The name of the read that lists rooms. Each of its rows is a room.
        package var list: String?
        /// The names of the reads to fetch when a room is joined, and again after a reconnect.
        package var reads: [String] = []
        /// The name of the read of a room's messages.
        package var history: String?
        /// The name of the read of a room's members.
        package var who: String?
        /// Creates a declaration of rooms that need no join.
        package init() {}
    }

    /// The request that joins a room.
    package struct Join: Hashable, Sendable {
        /// The ways in which a server confirms a join.
        package enum Answer: String, Hashable, Sendable, CaseIterable {
            /// No confirmation: the room counts as joined once the request is sent.
            case none
            /// The acknowledgement of the event.
            case ack
            /// An event whose rule `says` joined or refused.
            case event
        }
        /// The name of the event to send.
        package var event = ""
        /// The message to send on a plain WebSocket.
        package var message: JSONTemplate?
        /// The event's arguments, in order.
        package var arguments: [JSONTemplate] = []
        /// The way in which the server confirms the join.
        package var answer = Answer.none
        /// The condition that recognises an acknowledgement that refuses the join.
        package var refused: ProfileCondition?
        /// The path of the reason in such an acknowledgement.
        package var why: ProfilePath?
        /// Creates a join without an event.
        package init() {}
    }

    /// The meaning of an event.
    package struct EventRule: Hashable, Sendable {
        /// The effects of an event on the connection or a room.
        package enum Saying: String, Hashable, Sendable, CaseIterable {
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
        package enum Treatment: String, Hashable, Sendable, CaseIterable {
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
        package struct Treatments: Hashable, Sendable {
            /// The treatment of a row that is not known.
            package var unknown = Treatment.apply
            /// The treatment of a row that is older than the known one.
            package var older = Treatment.nothing
            /// The treatment of a row that is as old as the known one.
            package var same = Treatment.apply
            /// The treatment of a row that is newer than the known one, or that cannot be compared.
            package var newer = Treatment.apply
            /// Creates the default treatments: older rows are ignored, all others applied.
            package init() {}
        }
        /// The event's name on the wire.
        package var event = ""
        /// The condition that selects among the events with that name; `nil` for all.
        package var when: ProfileCondition?
        /// The kind for printing and filtering; `nil` for the event's name.
        package var kind: String?
        /// The effect on the connection or a room; `nil` for none.
        package var says: Saying?
        /// The path of the room's id.
        package var room: ProfilePath?
        /// The path of the acting user's name, or else of the user's id.
        package var actor: ProfilePath?
        /// The path of the acting user's id, when `actor` is a name.
        package var actorID: ProfilePath?
        /// The path of the displayed text.
        package var text: ProfilePath?
        /// The path of the mentioned users, by id or name; `nil` for the field `mentions` of the event's rows.
        package var mentions: ProfilePath?
        /// The path of the server's time.
        package var time: ProfilePath?
        /// The path of the reason for a refusal.
        package var why: ProfilePath?
        /// The entity of the event's rows; `nil` when no rows are kept.
        package var entity: String?
        /// The path of the row or the list of rows; `nil` for the whole payload.
        package var at: ProfilePath?
        /// The treatment of each row.
        package var then = Treatments()
        /// The names of the reads to fetch.
        package var reads: [String] = []
        /// Creates a rule without an event name.
        package init() {}
    }

    /// A GET request to a service.
    package struct Read: Hashable, Sendable {
        /// The conclusions about rows that an answer does not list.
        package enum Replacing: String, Hashable, Sendable, CaseIterable {
            /// Nothing is known about the other rows.
            case none
            /// The other rows of the section are gone.
            case all
            /// The other rows of the section are gone, if they follow the first listed row.
            case window
        }
        /// The meanings of a 404.
        package enum Missing: String, Hashable, Sendable, CaseIterable {
            /// A 404 leaves the rows as they are.
            case ignore
            /// A 404 removes the rows of the read.
            case remove
        }
        /// The read's name, unique within the profile.
        package var name = ""
        /// The path, relative to the service's path.
        package var get = try! Template("/")
        /// The name of the service; `nil` for the first one.
        package var service: String?
        /// The parameters of the query.
        package var query: [Parameter] = []
        /// The path of the rows in the answer; `nil` for the whole answer. A value that is not a list is a single row.
        package var rows: ProfilePath?
        /// The entity of the rows; `nil` when the answer contains none.
        package var entity: String?
        /// The conclusion about rows that the answer does not list.
        package var replaces = Replacing.none
        /// The paging of the answer; `nil` when one answer is complete.
        package var pages: Pages?
        /// The polling interval; `nil` for a read that does not repeat by itself.
        package var every: Duration?
        /// The entity whose rows are fetched one by one, as soon as they exist, with the place `{ENTITY.id}`; `nil` for
        /// a read that is not about single rows.
        package var each: String?
        /// The condition on a row's fields that ends its polling.
        package var until: ProfileCondition?
        /// The name of one row's polling, for cancelling it.
        package var tag: Template?
        /// The meaning of a 404.
        package var missing = Missing.ignore
        /// The path of the reason in an answer that reports an error.
        package var why: ProfilePath?
        /// Creates a read of the service's root, without rows.
        package init() {}
    }

    /// A request that changes something: the action `send`, `edit`, `delete`, `react` or `read`, or a step of a
    /// procedure.
    package struct Write: Hashable, Sendable {
        /// The HTTP methods of writes.
        package enum Method: String, Hashable, Sendable, CaseIterable {
            case post, put, patch, delete
        }
        /// The name of the user action, or a name that a procedure's step refers to.
        package var name = ""
        /// The HTTP method of the request.
        package var method = Method.post
        /// The path, relative to the service's path.
        package var path = try! Template("/")
        /// The name of the service; `nil` for the first one.
        package var service: String?
        /// The JSON body; `nil` for an empty one.
        package var body: JSONTemplate?
        /// The entity of the row that the write creates or changes.
        package var entity: String?
        /// The path of that row in the answer; `nil` for the whole answer.
        package var at: ProfilePath?
        /// The fields to show before the server answers.
        package var shows: [Parameter] = []
        /// The field that contains the action's id, which identifies the echo. The server must ignore a repeated id.
        package var echo: String?
        /// The path of the reason in an answer that reports an error.
        package var why: ProfilePath?
        /// The names of the reads to fetch afterwards.
        package var reads: [String] = []
        /// Creates a POST request to the service's root.
        package init() {}
    }

    /// An action of several steps, for `weir do`. Its progress is stored, so a restarted process continues with the
    /// next step.
    package struct Procedure: Hashable, Sendable {
        /// The action's name, as in `weir do`.
        package var name = ""
        /// The text parameters, which fill places in the templates of its steps.
        package var parameters: [String] = []
        /// The JSON parameters: `true` or `12` enters a body as that value, not as a text.
        package var json: [String] = []
        /// The file parameters: the content of the file at the given path enters a body in base64.
        package var files: [String] = []
        /// The tag that excludes others: a newer action with the same tag replaces an older one.
        package var tag: Template?
        /// The steps, in the order of execution.
        package var steps: [Step] = []
        /// Creates an action without steps.
        package init() {}
    }

    /// A step of an action.
    ///
    /// With only a read, it fetches; with only a write, it writes. With both, it finds or creates: the write is done
    /// when the read returns no row, and if the server answers that the row exists (409), the read is repeated. A read
    /// whose row already exists and is immutable is skipped; the last place of its path identifies the row.
    package struct Step: Hashable, Sendable {
        /// The name of the read; `nil` for a step that only writes.
        package var read: String?
        /// The name of the write; `nil` for a step that only reads.
        package var write: String?
        /// The name for the found or created row in later steps: `{NAME.id}`, `{NAME.FIELD}`.
        package var row: String?
        /// The name of an earlier step's rows. The read is fetched for each of them in turn, with the place
        /// `{NAME.id}`.
        package var each: String?
        /// Creates a step without a read and a write.
        package init() {}
    }

    /// A named template: a query parameter, or a field that a write shows.
    package struct Parameter: Hashable, Sendable {
        /// The name of the parameter or field.
        package var name = ""
        /// The template of its value.
        package var value = try! Template("")
        /// Creates an empty parameter without a name.
        package init() {}
    }

    /// The paging of a read. Exactly one of `next`, `last` and `from` is set.
    package struct Pages: Hashable, Sendable {
        /// The query parameter that selects a page.
        package var query = "page"
        /// The path of the next page's name in the answer. A missing or null value ends the list.
        package var next: ProfilePath?
        /// The path of the next page's name in the last row, for servers that page by row id.
        package var last: ProfilePath?
        /// The number of the first page, for servers that number pages. A page without rows ends the list.
        package var from: Int?
        /// The maximum number of pages.
        package var most = 100
        /// Creates a paging with the parameter `page` and at most 100 pages.
        package init() {}
    }
}
