// The keys of a profile. These tables drive reading, writing and the JSON schema.

extension Profile: ProfileObject {
    static let keys: [ProfileKey<Profile>] = [
        .init("name", \.name, "How the backend is called, as in --backend.", isRequired: true),
        .init("realtime", \.realtime, "The realtime connection."),
        .init(
            "services", named: \.services,
            "The REST services, each by a name of its own; the first is meant where a read names none."),
        .init(
            "entities", named: \.entities,
            "What rows are made of, by kind: message, channel, account, or any other word."),
        .init("rooms", \.rooms, "What can be joined."),
        .init(
            "events", \.events, "What each event means; of those with one name the first counts whose condition holds."),
        .init("reads", named: \.reads, "What is asked of the services, each by a name of its own."),
        .init(
            "writes", named: \.writes,
            "What the user can have done: send, edit, delete, react, read, or a step of an action."),
        .init("actions", named: \.procedures, "What weir do has done, step by step, each by a name of its own."),
        .init("start", \.start, "The reads that are asked once connected.", names: .read),
        .init(
            "account", \.account, "The read that says whose the token is: the key of its row is the user's id.",
            names: .read),
        .init("login", \.login, "How a token is had for a name and a password, and another one once it ends."),
    ]
}

extension Profile.Realtime: ProfileObject {
    static let places: [String]? = ["token", "user", "session", "sequence"]
    static let keys: [ProfileKey<Self>] = [
        .init("protocol", \.transport, "What is spoken."),
        .init("path", \.path, "The path on the server."),
        .init("namespace", \.namespace, "The Socket.IO namespace."),
        .init(
            "auth", \.auth,
            "What CONNECT, or a subscription of Bayeux, carries; {\"token\": \"{token}\"} where nothing is said and there is a token."
        ),
        .init("subscribe", \.subscribe, "Channels of Bayeux beside the rooms, such as /user/{user}."),
        .init("emit", \.emit, "What is emitted once connected, in order."),
        .init("hello", \.hello, "What a plain WebSocket's server says first: a condition on payload."),
        .init("identify", \.identify, "The message that says whose the connection is, with {token}."),
        .init("message", \.message, "Where a message of a plain WebSocket, or of a channel, says what it is."),
        .init("session", \.session, "Where the server says what the session is called, for resuming it."),
        .init("resume", \.resume, "How the session of a lost connection is gone on with."),
        .init("heartbeat", \.heartbeat, "How a plain WebSocket is kept alive."),
        .init(
            "restart", \.restart, "A message by which the server asks for another connection: a condition on payload."),
        .init("close", \.close, "What the codes of a close mean; any other is tried again."),
    ]
}
extension Profile.Realtime.Transport: ProfileWord {}

extension Profile.Message: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("name", \.name, "Where its name is."),
        .init("data", \.data, "Where what it carries is; all of it where nothing is said."),
        .init("sequence", \.sequence, "Where its number is, for resuming."),
    ]
}

extension Profile.Resume: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("send", \.send, "What asks for it, with {session}, {sequence} and {token}.", isRequired: true),
        .init("refused", \.refused, "What an answer that refuses it is like: a condition on payload."),
    ]
}

extension Profile.Heartbeat: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("send", \.send, "What is sent, with {sequence}.", isRequired: true),
        .init("every", \.every, "How often, where the server does not say."),
        .init("interval", \.interval, "Where the hello says how often, in milliseconds."),
        .init("answer", \.answer, "What an answer is like: a condition on payload."),
    ]
}

extension Profile.Close: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("refused", \.refused, "Codes that mean that the token is refused."),
        .init("anew", \.anew, "Codes that mean that the session is over: another one begins."),
    ]
}

extension Profile.Emission: ProfileObject {
    static var shortKey: String? { "event" }
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name of the event."),
        .init("message", \.message, "What is sent on a plain WebSocket: JSON with places such as {room}."),
        .init("arguments", \.arguments, "Its arguments: JSON with places such as {room}."),
    ]
}

extension Profile.Service: NamedProfileObject {
    static var shortKey: String? { "url" }
    static let keys: [ProfileKey<Self>] = [
        .init(
            "url", \.url,
            "What the paths of its reads begin with: a path at the server of the connection, or https://HOST/PATH."),
        .init("header", \.header, "The header that carries the token; Authorization: Bearer where nothing is said."),
        .init("token", \.token, "Whether the token goes with its requests."),
        .init("rate", \.rate, "Requests in a second at most."),
    ]
}

extension Profile.Login: ProfileObject {
    static let places: [String]? = ["user", "password", "refresh"]
    static let keys: [ProfileKey<Self>] = [
        .init("call", \.call, "Asks for a token, with {user} and {password}.", isRequired: true),
        .init("token", \.token, "Where the token is in the answer."),
        .init("refresh", \.refresh, "Where the refresh token is."),
        .init("expires", \.expires, "Where it says when the token ends: a time, or seconds from now."),
        .init(
            "renew", \.renew,
            "Asks for another token, with {refresh}; without that place the refresh token goes in the token's place."),
        .init("logout", \.logout, "Ends the login."),
    ]
}

extension Profile.Login.Call: ProfileObject {
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("path", \.path, "The path, after that of the first service.", isRequired: true),
        .init("body", \.body, "What is sent: JSON with places such as {user}."),
    ]
}

extension Profile.Entity: NamedProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("key", \.key, "Where its id is."),
        .init("fields", named: \.fields, "What is kept of it: names, each with a path or more."),
        .init("newer", \.newer, "The field that says which of two states is newer: the greater one."),
        .init("section", \.section, "The section its rows stand in; its name where nothing is said."),
        .init("parent", \.parent, "Where the id of what the section belongs to is, such as a message's room."),
        .init("sort", \.sort, "The field its rows are sorted by; '-' before it for the greatest first."),
        .init("once", \.once, "Whether it never changes: a row that is there is neither asked for nor replaced."),
        .init("unique", \.unique, "The fields of which no two rows have the same value, as the server sees to."),
    ]
}

extension Profile.Field: NamedProfileObject {
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("path", \.path, "Where its value is; its name where nothing is said."),
        .init("type", \.type, "What its value is read as."),
        .init("required", \.required, "Whether a row without it is left out, and said so."),
    ]
}
extension Profile.Field.Kind: ProfileWord {}

extension Profile.Rooms: ProfileObject {
    static let places: [String]? = ["room", "id", "user", "token"]
    static let keys: [ProfileKey<Self>] = [
        .init("name", \.name, "The name of a room, by the id of what it is of; of Bayeux its channel."),
        .init("join", \.join, "How a room is joined; without it the server says everything unasked."),
        .init("leave", \.leave, "How a room is left."),
        .init("list", \.list, "The read that lists rooms: each row is one.", names: .read),
        .init(
            "reads", \.reads, "The reads that are asked when a room is joined, and again after a reconnect.",
            names: .read),
        .init("history", \.history, "The read of what was said in a room.", names: .read),
        .init("who", \.who, "The read of who is in a room.", names: .read),
    ]
}

extension Profile.Join: ProfileObject {
    static var shortKey: String? { "event" }
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name of the event that asks."),
        .init(
            "message", \.message,
            "What asks on a plain WebSocket: JSON with the places {room}, {id}, {user} and {token}."),
        .init("arguments", \.arguments, "Its arguments: JSON with the places {room}, {id}, {user} and {token}."),
        .init(
            "answer", \.answer,
            "What says that the server took it: none, its ack, or an event that says joined or refused."),
        .init("refused", \.refused, "What an acknowledgement that refuses is like: a condition on payload."),
        .init("why", \.why, "Where such an acknowledgement says why."),
    ]
}
extension Profile.Join.Answer: ProfileWord {}

extension Profile.EventRule: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name on the wire.", isRequired: true),
        .init("when", \.when, "Which of the events with that name are meant: a condition on payload."),
        .init("kind", \.kind, "What it is printed and filtered as; its name where nothing is said."),
        .init("says", \.says, "What it says of the connection or of a room."),
        .init("room", \.room, "Where the id of its room is."),
        .init("actor", \.actor, "Where the name, or else the id, of the user that it comes from is."),
        .init("actor_id", \.actorID, "Where that user's id is, when actor is a name."),
        .init("text", \.text, "Where the text that people read is."),
        .init(
            "mentions", \.mentions,
            "Where the users are that it mentions, by their ids or names; the field mentions of its entity where nothing is said."
        ),
        .init("time", \.time, "Where the server's time of it is."),
        .init("why", \.why, "Where it says why something was refused."),
        .init("entity", \.entity, "What it carries.", names: .entity),
        .init("at", \.at, "Where that is, one or a list; the whole payload where nothing is said."),
        .init(
            "then", \.then, "What becomes of the row: apply, remove, fetch or nothing, or one of them by what is known."
        ),
        .init("reads", \.reads, "What is asked again.", names: .read),
    ]
}
extension Profile.EventRule.Saying: ProfileWord {}
extension Profile.EventRule.Treatment: ProfileWord {}

extension Profile.EventRule.Treatments: ProfileObject {
    static var shortKey: String? { "each" }
    static let keys: [ProfileKey<Self>] = [
        .init("each", \.each, "All of them."),
        .init("unknown", \.unknown, "Nothing is known of the row."),
        .init("older", \.older, "What is known is newer."),
        .init("same", \.same, "What is known is as old."),
        .init("newer", \.newer, "What is known is older, or nothing says which is newer."),
    ]

    /// Sets all treatments with one word. Older rows are still ignored, unless the word is `remove`.
    private var each: Profile.EventRule.Treatment {
        get { .apply }
        set {
            (unknown, older, same, newer) = (newValue, newValue == .remove ? newValue : .nothing, newValue, newValue)
        }
    }
}

extension Profile.Read: NamedProfileObject {
    static let places: [String]? = ["room", "id", "user"]
    static var shortKey: String? { "get" }
    static let keys: [ProfileKey<Self>] = [
        .init("get", \.get, "The path, after that of the service.", isRequired: true),
        .init("service", \.service, "The service; the first one where nothing is said.", names: .service),
        .init("query", named: \.query, "Parameters of the query."),
        .init("rows", \.rows, "Where the rows are; the whole answer where nothing is said."),
        .init("entity", \.entity, "What a row is.", names: .entity),
        .init(
            "replaces", \.replaces,
            "What it says of rows that it does not list: nothing, all of the section, or those from its first row on."),
        .init("pages", \.pages, "How further pages are asked for."),
        .init("every", \.every, "How often it is asked while it is of use."),
        .init(
            "each", \.each, "The entity of which each row is asked for by itself, {ENTITY.id}, once it is there.",
            names: .entity),
        .init(
            "until", \.until,
            "What a row is like that is not asked for any more: a condition on its fields, payload.FIELD."),
        .init("tag", \.tag, "What names the polling of one row, for weir ctl NAME cancel tag=TAG."),
        .init("missing", \.missing, "What a 404 means: nothing, or that its rows are gone."),
        .init("why", \.why, "Where an answer that refuses says why."),
    ]
}
extension Profile.Read.Replacing: ProfileWord {}
extension Profile.Read.Missing: ProfileWord {}

extension Profile.Write: NamedProfileObject {
    static let places: [String]? = ["room", "id", "user", "text", "thread", "message", "action"]
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("method", \.method, "How it is asked."),
        .init("path", \.path, "The path, after that of the service.", isRequired: true),
        .init("service", \.service, "The service; the first one where nothing is said.", names: .service),
        .init("body", \.body, "What is sent: JSON with places such as {text}."),
        .init("entity", \.entity, "What it makes or changes.", names: .entity),
        .init("at", \.at, "Where that is in the answer; all of it where nothing is said."),
        .init("shows", named: \.shows, "The fields that are shown before the server has answered."),
        .init("echo", \.echo, "The field that holds {action}, by which the server's echo is known."),
        .init("why", \.why, "Where an answer that refuses says why."),
        .init("reads", \.reads, "What is asked again once it is done.", names: .read),
    ]
}
extension Profile.Write.Method: ProfileWord {}

extension Profile.Procedure: NamedProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("parameters", \.parameters, "What it is told: places of its steps' templates."),
        .init("json", \.json, "More parameters, each JSON: true or 12 stands in a body as that, not as a text."),
        .init(
            "files", \.files,
            "More parameters, each the path of a file: its content, in base64, takes the place in a body."),
        .init(
            "tag", \.tag, "What there is one of at a time: a newer action of the same tag takes an older one's place."),
        .init("steps", \.steps, "What is done, in this order.", isRequired: true),
    ]
}

extension Profile.Step: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("read", \.read, "The read that is asked; with a write, to find what else is made.", names: .read),
        .init("write", \.write, "The write that is done; with a read, only where that gives no row.", names: .write),
        .init("row", \.row, "What the row that was found or made is called in later steps: {NAME.id}, {NAME.FIELD}."),
        .init("each", \.each, "Rows of an earlier step: the read is asked for each of them, {NAME.id}."),
    ]
}

extension Profile.Parameter: NamedProfileObject {
    static var shortKey: String? { "value" }
    static let keys: [ProfileKey<Self>] = [.init("value", \.value, "Its value.", isRequired: true)]
}

extension Profile.Pages: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("query", \.query, "The parameter that names a page."),
        .init("next", \.next, "Where an answer says what the next page is called."),
        .init("last", \.last, "Where the last row says it, for servers that page by the id of a row."),
        .init("from", \.from, "The number of the first page, for servers that count them."),
        .init("most", \.most, "Pages at most."),
    ]
}
