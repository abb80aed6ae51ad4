// The keys of a profile. These tables drive reading, writing and the JSON schema.

extension Profile: ProfileObject {
    static let keys: [ProfileKey<Profile>] = [
        .init("name", \.name, "The name of the backend, as in --backend.", isRequired: true),
        .init("realtime", \.realtime, "The realtime connection."),
        .init(
            "services", named: \.services,
            "The REST services by name; a read that names none uses the first one."),
        .init(
            "entities", named: \.entities,
            "The types of rows by kind: message, channel, account, or any other word."),
        .init("rooms", \.rooms, "The rooms that can be joined."),
        .init(
            "events", \.events,
            "The rules for events; of several with the same name, the first whose condition holds applies."),
        .init("reads", named: \.reads, "The requests that read from the services, by name."),
        .init(
            "writes", named: \.writes,
            "The requests that write for the user: send, edit, delete, react, read, or a step of an action."),
        .init("actions", named: \.procedures, "The actions of 'weir do', each a list of steps, by name."),
        .init("start", \.start, "The reads to run once connected.", names: .read),
        .init(
            "account", \.account,
            "The read that identifies the user of the token: the key of its row is the user's id.",
            names: .read),
        .init("login", \.login, "How to get a token for a name and a password, and how to renew it."),
    ]
}

extension Profile.Realtime: ProfileObject {
    static let places: [String]? = ["token", "user", "session", "sequence"]
    static let keys: [ProfileKey<Self>] = [
        .init("protocol", \.transport, "The protocol of the connection."),
        .init("path", \.path, "The path on the server."),
        .init("namespace", \.namespace, "The Socket.IO namespace."),
        .init(
            "auth", \.auth,
            "The payload of CONNECT or of a Bayeux subscription; default {\"token\": \"{token}\"} if there is a token."
        ),
        .init("subscribe", \.subscribe, "Bayeux channels in addition to the rooms, such as /user/{user}."),
        .init("emit", \.emit, "The events to emit once connected, in order."),
        .init("hello", \.hello, "The first message of a plain WebSocket server: a condition on payload."),
        .init("identify", \.identify, "The message that identifies the user of the connection, with {token}."),
        .init(
            "message", \.message,
            "Where a message of a plain WebSocket or of a channel contains its event name and data."),
        .init("session", \.session, "Where the server sends the id of the session, for resuming it."),
        .init("resume", \.resume, "How to resume the session of a lost connection."),
        .init("heartbeat", \.heartbeat, "How a plain WebSocket is kept alive."),
        .init(
            "restart", \.restart, "The message with which the server requests a new connection: a condition on payload."
        ),
        .init("close", \.close, "The meaning of close codes; any other code causes a retry."),
    ]
}
extension Profile.Realtime.Transport: ProfileWord {}

extension Profile.Message: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("name", \.name, "Where the event name is."),
        .init("data", \.data, "Where the data is; default the whole message."),
        .init("sequence", \.sequence, "Where the sequence number is, for resuming."),
    ]
}

extension Profile.Resume: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init(
            "send", \.send, "The message that requests it, with {session}, {sequence} and {token}.", isRequired: true),
        .init("refused", \.refused, "The answer that refuses it: a condition on payload."),
    ]
}

extension Profile.Heartbeat: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("send", \.send, "The message to send, with {sequence}.", isRequired: true),
        .init("every", \.every, "The interval, if the server sends none."),
        .init("interval", \.interval, "Where the hello contains the interval, in milliseconds."),
        .init("answer", \.answer, "The answer: a condition on payload."),
    ]
}

extension Profile.Close: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("refused", \.refused, "Codes that mean that the token is refused."),
        .init("anew", \.anew, "Codes that mean that the session has ended: a new one begins."),
    ]
}

extension Profile.Emission: ProfileObject {
    static var shortKey: String? { "event" }
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name of the event."),
        .init("message", \.message, "The message for a plain WebSocket: JSON with placeholders such as {room}."),
        .init("arguments", \.arguments, "The arguments of the event: JSON with placeholders such as {room}."),
    ]
}

extension Profile.Service: NamedProfileObject {
    static var shortKey: String? { "url" }
    static let keys: [ProfileKey<Self>] = [
        .init(
            "url", \.url,
            "The prefix of the paths of its reads: a path at the server of the connection, or https://HOST/PATH."),
        .init("header", \.header, "The header that contains the token; default Authorization: Bearer."),
        .init("token", \.token, "Whether its requests include the token."),
        .init("rate", \.rate, "The maximum number of requests per second."),
    ]
}

extension Profile.Login: ProfileObject {
    static let places: [String]? = ["user", "password", "refresh"]
    static let keys: [ProfileKey<Self>] = [
        .init("call", \.call, "The request for a token, with {user} and {password}.", isRequired: true),
        .init("token", \.token, "Where the token is in the answer."),
        .init("refresh", \.refresh, "Where the refresh token is."),
        .init("expires", \.expires, "Where the expiry of the token is: a time, or seconds from now."),
        .init(
            "renew", \.renew,
            "The request for a new token, with {refresh}; without that placeholder the refresh token replaces the token."
        ),
        .init("logout", \.logout, "The request that ends the login."),
    ]
}

extension Profile.Login.Call: ProfileObject {
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("path", \.path, "The path, after that of the first service.", isRequired: true),
        .init("body", \.body, "The body: JSON with placeholders such as {user}."),
    ]
}

extension Profile.Entity: NamedProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("key", \.key, "Where the id of the row is."),
        .init("fields", named: \.fields, "The fields to keep: names, each with one or more paths."),
        .init("newer", \.newer, "The field that decides which of two states is newer: the one with the greater value."),
        .init("section", \.section, "The section of its rows; default the name of the entity."),
        .init("parent", \.parent, "Where the id of the section's owner is, such as the room of a message."),
        .init("sort", \.sort, "The field to sort its rows by; '-' before it for the greatest first."),
        .init("once", \.once, "Whether a row never changes: an existing row is neither fetched nor replaced."),
        .init("unique", \.unique, "The fields with unique values, which the server ensures."),
    ]
}

extension Profile.Field: NamedProfileObject {
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("path", \.path, "Where the value is; default the name of the field."),
        .init("type", \.type, "The type of the value."),
        .init("required", \.required, "Whether a row without it is left out and reported."),
    ]
}
extension Profile.Field.Kind: ProfileWord {}

extension Profile.Rooms: ProfileObject {
    static let places: [String]? = ["room", "id", "user", "token"]
    static let keys: [ProfileKey<Self>] = [
        .init("name", \.name, "The name of a room, made from the id of its subject; for Bayeux its channel."),
        .init("join", \.join, "How to join a room; without it the server sends all events without a join."),
        .init("leave", \.leave, "How to leave a room."),
        .init("list", \.list, "The read that lists the rooms: each row is a room.", names: .read),
        .init(
            "reads", \.reads, "The reads to run when a room is joined, and again after a reconnect.",
            names: .read),
        .init("history", \.history, "The read of the messages of a room.", names: .read),
        .init("who", \.who, "The read of the members of a room.", names: .read),
    ]
}

extension Profile.Join: ProfileObject {
    static var shortKey: String? { "event" }
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name of the event that requests it."),
        .init(
            "message", \.message,
            "The request on a plain WebSocket: JSON with the placeholders {room}, {id}, {user} and {token}."),
        .init(
            "arguments", \.arguments,
            "The arguments of the event: JSON with the placeholders {room}, {id}, {user} and {token}."),
        .init(
            "answer", \.answer,
            "How the server confirms it: none, its ack, or an event that says joined or refused."),
        .init("refused", \.refused, "The acknowledgement that refuses it: a condition on payload."),
        .init("why", \.why, "Where such an acknowledgement contains the reason."),
    ]
}
extension Profile.Join.Answer: ProfileWord {}

extension Profile.EventRule: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("event", \.event, "The name on the wire.", isRequired: true),
        .init("when", \.when, "The events with that name to which the rule applies: a condition on payload."),
        .init("kind", \.kind, "The kind for printing and filtering; default the name."),
        .init("says", \.says, "The meaning of the event for the connection or for a room."),
        .init("room", \.room, "Where the id of the event's room is."),
        .init("actor", \.actor, "Where the name, or otherwise the id, of the event's author is."),
        .init("actor_id", \.actorID, "Where the author's id is, if actor is a name."),
        .init("text", \.text, "Where the text for people is."),
        .init(
            "mentions", \.mentions,
            "Where the ids or names of the mentioned users are; default the field mentions of its entity."
        ),
        .init("time", \.time, "Where the server's time of the event is."),
        .init("why", \.why, "Where the reason for a refusal is."),
        .init("entity", \.entity, "The entity that the event contains.", names: .entity),
        .init("at", \.at, "Where that entity is, one or a list; default the whole payload."),
        .init(
            "then", \.then,
            "What to do with the row: apply, remove, fetch or nothing, or one of them by the known state."
        ),
        .init("reads", \.reads, "The reads to run again.", names: .read),
    ]
}
extension Profile.EventRule.Saying: ProfileWord {}
extension Profile.EventRule.Treatment: ProfileWord {}

extension Profile.EventRule.Treatments: ProfileObject {
    static var shortKey: String? { "each" }
    static let keys: [ProfileKey<Self>] = [
        .init("each", \.each, "The effect in all cases."),
        .init("unknown", \.unknown, "The effect if the row is unknown."),
        .init("older", \.older, "The effect if the event is older than the known row."),
        .init("same", \.same, "The effect if the event is as old as the known row."),
        .init("newer", \.newer, "The effect if the event is newer than the known row, or the order is unknown."),
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
        .init("service", \.service, "The service; default the first one.", names: .service),
        .init("query", named: \.query, "Parameters of the query."),
        .init("rows", \.rows, "Where the rows are; default the whole answer."),
        .init("entity", \.entity, "The entity of a row.", names: .entity),
        .init(
            "replaces", \.replaces,
            "The rows that an answer replaces: none, all of the section, or those from its first row on."),
        .init("pages", \.pages, "How to request further pages."),
        .init("every", \.every, "The interval at which it is repeated while it is needed."),
        .init(
            "each", \.each, "The entity whose rows are fetched one by one, by {ENTITY.id}, once each exists.",
            names: .entity),
        .init(
            "until", \.until,
            "The row that ends the polling: a condition on its fields, payload.FIELD."),
        .init("tag", \.tag, "The tag of the polling of one row, for weir ctl NAME cancel tag=TAG."),
        .init("missing", \.missing, "The meaning of a 404: nothing, or that its rows were deleted."),
        .init("why", \.why, "Where a refusal contains the reason."),
    ]
}
extension Profile.Read.Replacing: ProfileWord {}
extension Profile.Read.Missing: ProfileWord {}

extension Profile.Write: NamedProfileObject {
    static let places: [String]? = ["room", "id", "user", "text", "thread", "message", "action"]
    static var shortKey: String? { "path" }
    static let keys: [ProfileKey<Self>] = [
        .init("method", \.method, "The HTTP method."),
        .init("path", \.path, "The path, after that of the service.", isRequired: true),
        .init("service", \.service, "The service; default the first one.", names: .service),
        .init("body", \.body, "The body: JSON with placeholders such as {text}."),
        .init("entity", \.entity, "The entity that it creates or changes.", names: .entity),
        .init("at", \.at, "Where that entity is in the answer; default the whole answer."),
        .init("shows", named: \.shows, "The fields to show before the server has answered."),
        .init("echo", \.echo, "The field that contains {action}, which identifies the server's echo."),
        .init("why", \.why, "Where a refusal contains the reason."),
        .init("reads", \.reads, "The reads to run again afterwards.", names: .read),
    ]
}
extension Profile.Write.Method: ProfileWord {}

extension Profile.Procedure: NamedProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("parameters", \.parameters, "The parameters: placeholders of the templates of its steps."),
        .init("json", \.json, "Further parameters with JSON values: true or 12 is inserted as such, not as a text."),
        .init(
            "files", \.files,
            "Further parameters, each the path of a file: its content is inserted in base64."),
        .init(
            "tag", \.tag,
            "A tag that only one action has at a time: a newer action with the same tag replaces an older one."),
        .init("steps", \.steps, "The steps, in order.", isRequired: true),
    ]
}

extension Profile.Step: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("read", \.read, "The read to run; with a write, to find an existing row first.", names: .read),
        .init("write", \.write, "The write to run; with a read, only if the read finds no row.", names: .write),
        .init("row", \.row, "The name of the found or created row in later steps: {NAME.id}, {NAME.FIELD}."),
        .init("each", \.each, "Rows of an earlier step: the read is run for each of them, {NAME.id}."),
    ]
}

extension Profile.Parameter: NamedProfileObject {
    static var shortKey: String? { "value" }
    static let keys: [ProfileKey<Self>] = [.init("value", \.value, "Its value.", isRequired: true)]
}

extension Profile.Pages: ProfileObject {
    static let keys: [ProfileKey<Self>] = [
        .init("query", \.query, "The parameter that names a page."),
        .init("next", \.next, "Where an answer contains the name of the next page."),
        .init("last", \.last, "Where the last row contains it, for servers that page by the id of a row."),
        .init("from", \.from, "The number of the first page, for servers that count them."),
        .init("most", \.most, "The maximum number of pages."),
    ]
}
