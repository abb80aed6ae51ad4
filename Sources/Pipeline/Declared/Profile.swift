import JSONText

/// A chat backend, declared: what its events, rooms, entities and REST reads are. A file says it (`Profile(parsing:)`, described by
/// `schemas/profile.schema.json`), or Swift does.
///
/// A name alone is a profile: every event is shown then. What is known under a name is what Weir knows it as: the entity `channel` names rooms,
/// `account` people, an entity's field `name`, `title` or `text` is what its row is called, and its field `mentions` has the users that
/// it mentions.
public struct Profile: Hashable, Sendable {
    /// How the backend is called: a letter, then letters, digits, `_` and `-`.
    public var name = ""
    /// The connection.
    public var realtime = Realtime()
    /// The REST services; the first is meant where a read names none.
    public var services: [Service] = []
    /// What rows are made of, by kind.
    public var entities: [Entity] = []
    /// What can be joined.
    public var rooms: Rooms?
    /// What each event means; of those with one name the first counts whose condition holds.
    public var events: [EventRule] = []
    /// What is asked of the services.
    public var reads: [Read] = []
    /// What the user can have done.
    public var writes: [Write] = []
    /// What the user can have done in several steps.
    public var procedures: [Procedure] = []
    /// The reads that are asked once connected.
    public var start: [String] = []
    /// The read that says whose the token is: the key of its first row is the user's id.
    public var account: String?
    /// How a token is had for a name and a password; nil where that is not how.
    public var login: Login?

    /// A profile of that name, which shows every event.
    public init(name: String) { self.name = name }
    init() {}
}

extension Profile {
    /// The realtime connection.
    public struct Realtime: Hashable, Sendable {
        /// What is spoken.
        public enum Transport: String, Hashable, Sendable, CaseIterable {
            case socketio
            /// Rooms are channels.
            case bayeux
            /// A plain WebSocket of JSON messages.
            case websocket
            /// Nothing: what is to be known is read from the services.
            case none
        }
        /// What is spoken.
        public var transport = Transport.socketio
        /// The path on the server; nil for `/socket.io/`, `/faye` of Bayeux, and `/` of a plain WebSocket.
        public var path: String?
        /// The namespace.
        public var namespace = "/"
        /// What CONNECT carries, or, as its `ext`, what is subscribed to and published by Bayeux; nil for `{"token": "{token}"}` where there is a
        /// token.
        public var auth: JSONTemplate?
        /// Channels of Bayeux beside the rooms, such as the user's own.
        public var subscribe: [Template] = []
        /// What is emitted once connected, in order.
        public var emit: [Emission] = []
        /// What the server says first, of a plain WebSocket; nil where it is not waited for.
        public var hello: ProfileCondition?
        /// What says whose the connection is, of a plain WebSocket.
        public var identify: JSONTemplate?
        /// Where a message of a plain WebSocket, or of a channel, says what it is.
        public var message: Message?
        /// Where the server says what the session is called, for resuming it.
        public var session: ProfilePath?
        /// How the session of a lost connection is gone on with.
        public var resume: Resume?
        /// How a plain WebSocket is kept alive.
        public var heartbeat: Heartbeat?
        /// A message by which the server asks for another connection.
        public var restart: ProfileCondition?
        /// What the codes of a close mean; any other is tried again.
        public var close = Close()
        /// The usual connection.
        public init() {}
    }

    /// The parts of a message of a plain WebSocket, or of a channel.
    public struct Message: Hashable, Sendable {
        /// Where its name is; nil for `type` of what was published on a channel.
        public var name: ProfilePath?
        /// Where what it carries is; nil for all of it.
        public var data: ProfilePath?
        /// Where its number is, for resuming.
        public var sequence: ProfilePath?
        /// A message without parts.
        public init() {}
    }

    /// How a session is gone on with.
    public struct Resume: Hashable, Sendable {
        /// What asks for it, with the places {session} and {sequence}.
        public var send = try! JSONTemplate(.null)
        /// What an answer that refuses it is like; any other message takes it.
        public var refused: ProfileCondition?
        /// A resume of nothing.
        public init() {}
    }

    /// How a plain WebSocket is kept alive.
    public struct Heartbeat: Hashable, Sendable {
        /// What is sent, with the place {sequence}.
        public var send = try! JSONTemplate(.null)
        /// How often, where the server does not say.
        public var every: Duration?
        /// Where the hello says how often, in milliseconds.
        public var interval: ProfilePath?
        /// What an answer is like; nil where none comes. A heartbeat that was not answered when the next is due ends the connection.
        public var answer: ProfileCondition?
        /// A heartbeat of nothing.
        public init() {}
    }

    /// What the codes of a close mean.
    public struct Close: Hashable, Sendable {
        /// The token is refused.
        public var refused: [Int] = []
        /// The session is over: another one begins.
        public var anew: [Int] = []
        /// None of them.
        public init() {}
    }

    /// An event to the server, or a message of a plain WebSocket.
    public struct Emission: Hashable, Sendable {
        /// Its name.
        public var event = ""
        /// What is sent on a plain WebSocket.
        public var message: JSONTemplate?
        /// Its arguments.
        public var arguments: [JSONTemplate] = []
        /// An event without a name.
        public init() {}
    }

    /// A REST service.
    public struct Service: Hashable, Sendable {
        /// Its name.
        public var name = ""
        /// What the paths of its reads begin with: a path at the server of the connection, or an address of its own. A service with an
        /// address of its own is sent the token of its name (`--token NAME=env:…`), and never the server's.
        public var url = ""
        /// The header that carries the token; nil for `Authorization: Bearer`.
        public var header: String?
        /// Whether the token goes with its requests.
        public var token = true
        /// Requests in a second at most.
        public var rate: Int?
        /// A service at the root.
        public init() {}
    }

    /// How a token is had, and how another one once it ends.
    public struct Login: Hashable, Sendable {
        /// A request of the first service, POST.
        public struct Call: Hashable, Sendable {
            /// The path, after that of the service.
            public var path = try! Template("/")
            /// What is sent.
            public var body: JSONTemplate?
            /// A request of nothing.
            public init() {}
        }
        /// Asks for a token, with the places {user} and {password}; the user's token does not go with it.
        public var call = Call()
        /// Where the token is in the answer.
        public var token = ProfilePath("token")!
        /// Where the refresh token is; nil where the server gives none.
        public var refresh: ProfilePath?
        /// Where it says when the token ends: a time, or seconds from now.
        public var expires: ProfilePath?
        /// Asks for another token, with the place {refresh}; where it has none, the refresh token goes in the token's place. The answer is
        /// like that to a login; a refresh token that it does not have stays.
        public var renew: Call?
        /// Ends the login.
        public var logout: Call?
        /// A login at the root.
        public init() {}
    }

    /// What a row is made of.
    public struct Entity: Hashable, Sendable {
        /// The kind of the rows: its name.
        public var name = ""
        /// Where its id is.
        public var key = ProfilePath("id")! { didSet { paths = waysOfFields } }
        /// What is kept of it, in this order.
        public var fields: [Field] = [] { didSet { paths = waysOfFields } }
        /// The field that says which of two states is newer: the greater one; nil where the later word counts.
        public var newer: String?
        /// The section its rows stand in; nil for its name.
        public var section: String?
        /// Where the id of what the section belongs to is, such as a message's room; nil for one section of all.
        public var parent: ProfilePath? { didSet { paths = waysOfFields } }
        /// The field its rows are sorted by, a time or a whole number; `-` before it for the greatest first.
        public var sort: String?
        /// Whether it never changes: a row that is there is neither asked for nor replaced.
        public var once = false
        /// The fields of which no two rows have the same value, as the server sees to.
        public var unique: [String] = []
        /// Where the key, the parent and each field are: made once, read for every row.
        private(set) var paths: [JSONPath?] = []
        /// An entity without fields.
        public init() { paths = waysOfFields }

        private var waysOfFields: [JSONPath?] {
            [key.inValue, parent?.inValue] + fields.map { $0.path?.inValue ?? JSONPath(key: $0.name) }
        }
    }

    /// A field of a row.
    public struct Field: Hashable, Sendable {
        /// What a value is read as.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Any JSON value, as it came.
            case any
            case text, integer, number, boolean
            /// A date of ISO 8601, or seconds or milliseconds since 1970; kept as milliseconds.
            case time
            /// A text or a number, kept as a text.
            case id
        }
        /// Its name.
        public var name = ""
        /// Where its value is; nil for its name.
        public var path: ProfilePath?
        /// What its value is.
        public var type = Kind.any
        /// Whether a row without it is left out, and said so.
        public var required = false
        /// A field of any value.
        public init() {}
    }

    /// What can be joined.
    public struct Rooms: Hashable, Sendable {
        /// The name of a room, by the id of what it is of.
        public var name = try! Template("{id}")
        /// How one is joined; nil where the server says everything unasked.
        public var join: Join?
        /// How one is left.
        public var leave: Emission?
        /// The read that lists them: each row is a room.
        public var list: String?
        /// The reads that are asked when a room is joined, and again after a reconnect.
        public var reads: [String] = []
        /// The read of what was said in a room.
        public var history: String?
        /// The read of who is in a room.
        public var who: String?
        /// Rooms that are joined at once.
        public init() {}
    }

    /// How a room is joined.
    public struct Join: Hashable, Sendable {
        /// What says that the server took it.
        public enum Answer: String, Hashable, Sendable, CaseIterable {
            /// Nothing: it is joined once it was asked for.
            case none
            /// The acknowledgement of the event.
            case ack
            /// An event that `says` joined or refused.
            case event
        }
        /// The name of the event that asks.
        public var event = ""
        /// What asks on a plain WebSocket.
        public var message: JSONTemplate?
        /// Its arguments.
        public var arguments: [JSONTemplate] = []
        /// What says that the server took it.
        public var answer = Answer.none
        /// What an acknowledgement that refuses is like.
        public var refused: ProfileCondition?
        /// Where such an acknowledgement says why.
        public var why: ProfilePath?
        /// A join without an event.
        public init() {}
    }

    /// What an event means.
    public struct EventRule: Hashable, Sendable {
        /// What an event says of the connection or of a room.
        public enum Saying: String, Hashable, Sendable, CaseIterable {
            /// The connection can be used.
            case ready
            /// The token is refused.
            case unauthorized
            /// The room is joined, was refused, or is left.
            case joined, refused, left
            /// There is such a room.
            case room
            /// There is no such room any more.
            case gone
        }
        /// What becomes of the row that an event carries.
        public enum Treatment: String, Hashable, Sendable, CaseIterable {
            /// The row is as the event says; what the event does not mention stays.
            case apply
            /// The row goes.
            case remove
            /// The rule's reads are asked.
            case fetch
            /// Nothing.
            case nothing
        }
        /// The treatment by what is known of the row.
        public struct Treatments: Hashable, Sendable {
            /// Nothing is known of it.
            public var unknown = Treatment.apply
            /// What is known is newer.
            public var older = Treatment.nothing
            /// What is known is as old.
            public var same = Treatment.apply
            /// What is known is older, or nothing says which is newer.
            public var newer = Treatment.apply
            /// The usual ones.
            public init() {}
        }
        /// The name on the wire.
        public var event = ""
        /// Which of the events with that name are meant; nil for all.
        public var when: ProfileCondition?
        /// What it is printed and filtered as; nil for its name.
        public var kind: String?
        /// What it says of the connection or of a room.
        public var says: Saying?
        /// Where the id of its room is.
        public var room: ProfilePath?
        /// Where the name, or else the id, of the user that it comes from is.
        public var actor: ProfilePath?
        /// Where that user's id is, when `actor` is a name.
        public var actorID: ProfilePath?
        /// Where the text that people read is.
        public var text: ProfilePath?
        /// Where the users that it mentions are, by their ids or names; nil for the field `mentions` of what it carries.
        public var mentions: ProfilePath?
        /// Where the server's time of it is.
        public var time: ProfilePath?
        /// Where it says why something was refused.
        public var why: ProfilePath?
        /// What it carries; nil for nothing that is kept.
        public var entity: String?
        /// Where that is, one or a list; nil for the whole payload.
        public var at: ProfilePath?
        /// What becomes of it.
        public var then = Treatments()
        /// What is asked again.
        public var reads: [String] = []
        /// A rule without a name.
        public init() {}
    }

    /// A question to a service.
    public struct Read: Hashable, Sendable {
        /// What an answer says of rows that it does not list.
        public enum Replacing: String, Hashable, Sendable, CaseIterable {
            /// Nothing.
            case none
            /// None of its section is there.
            case all
            /// None is there from its first row on, in the order of the section.
            case window
        }
        /// What a 404 means.
        public enum Missing: String, Hashable, Sendable, CaseIterable {
            /// Nothing.
            case ignore
            /// Its rows are gone.
            case remove
        }
        /// Its name.
        public var name = ""
        /// The path, after that of the service.
        public var get = try! Template("/")
        /// The service; nil for the first one.
        public var service: String?
        /// Parameters of the query.
        public var query: [Parameter] = []
        /// Where the rows are; nil for the whole answer. One that is no list is one row.
        public var rows: ProfilePath?
        /// What a row is.
        public var entity: String?
        /// What it says of rows that it does not list.
        public var replaces = Replacing.none
        /// How further pages are asked for; nil where an answer is all.
        public var pages: Pages?
        /// How often it is asked while it is of use; nil for only when something asks for it.
        public var every: Duration?
        /// The entity of which each row is asked for by itself, {ENTITY.id}, once the row is there; nil for a read that is asked for all at once.
        public var each: String?
        /// What a row is like that is not asked for any more.
        public var until: ProfileCondition?
        /// What names the polling of one row, for stopping it.
        public var tag: Template?
        /// What a 404 means.
        public var missing = Missing.ignore
        /// Where an answer that refuses says why.
        public var why: ProfilePath?
        /// A read of nothing.
        public init() {}
    }

    /// Something the user can have done: `send`, `edit`, `delete`, `react` or `read`, by its name.
    public struct Write: Hashable, Sendable {
        /// How it is asked.
        public enum Method: String, Hashable, Sendable, CaseIterable {
            case post, put, patch, delete
        }
        /// Which action it is.
        public var name = ""
        /// How it is asked.
        public var method = Method.post
        /// The path, after that of the service.
        public var path = try! Template("/")
        /// The service; nil for the first one.
        public var service: String?
        /// What is sent.
        public var body: JSONTemplate?
        /// What it makes or changes.
        public var entity: String?
        /// Where that is in the answer; nil for all of it.
        public var at: ProfilePath?
        /// The fields that are shown before the server has answered.
        public var shows: [Parameter] = []
        /// The field that holds the action's id, by which its echo is known; the server makes nothing twice for one.
        public var echo: String?
        /// Where an answer that refuses says why.
        public var why: ProfilePath?
        /// What is asked again once it is done.
        public var reads: [String] = []
        /// A write of nothing.
        public init() {}
    }

    /// An action of several steps, which `weir do` has done. It is kept how far it is: a process that is killed goes on with the next step.
    public struct Procedure: Hashable, Sendable {
        /// Its name.
        public var name = ""
        /// What it is told: places of its steps' templates.
        public var parameters: [String] = []
        /// More parameters, each JSON: `true` or `12` stands in a body as that, not as a text.
        public var json: [String] = []
        /// More parameters, each the path of a file: its content stands in a body, as base64.
        public var files: [String] = []
        /// What there is one of at a time: a newer action of the same tag takes the place of an older one.
        public var tag: Template?
        /// What is done, in this order.
        public var steps: [Step] = []
        /// An action of nothing.
        public init() {}
    }

    /// A step of an action.
    ///
    /// With a read alone it asks; with a write alone it writes. With both it finds or else makes: the write is done where the read gives no
    /// row, and where the server answers that the row is there (409), the read is asked again. A read whose row is there already, of an
    /// entity that never changes, is not asked: the row is named by the last place of its path.
    public struct Step: Hashable, Sendable {
        /// The read that is asked.
        public var read: String?
        /// The write that is done.
        public var write: String?
        /// What the row that was found or made is called in later steps: {NAME.id}, {NAME.FIELD}.
        public var row: String?
        /// The rows of an earlier step: the read is asked for each of them, {NAME.id}, one after the other.
        public var each: String?
        /// A step of nothing.
        public init() {}
    }

    /// A parameter of a query.
    public struct Parameter: Hashable, Sendable {
        /// Its name.
        public var name = ""
        /// Its value.
        public var value = try! Template("")
        /// A parameter without a name.
        public init() {}
    }

    /// How further pages of an answer are asked for.
    public struct Pages: Hashable, Sendable {
        /// The parameter that names a page.
        public var query = "page"
        /// Where an answer says what the next page is called; nothing there, or null, is the end.
        public var next: ProfilePath?
        /// Where the last row says it, for servers that page by the id of a row.
        public var last: ProfilePath?
        /// The number of the first page, for servers that count them; a page without rows is the end.
        public var from: Int?
        /// Pages at most.
        public var most = 100
        /// Pages that are counted.
        public init() {}
    }
}
