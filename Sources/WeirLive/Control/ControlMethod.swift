import WeirPipeline

/// The methods of a running tail or replay: the only table of the control protocol. Requests are checked against it,
/// and `weir ctl` derives its arguments from it. No method runs a command or reads a file of the caller's choice.
package enum ControlMethod: String, CaseIterable, Sendable {
    case hello, status, stats, metrics, globals
    case roomsList = "rooms.list"
    case roomsJoin = "rooms.join"
    case roomsLeave = "rooms.leave"
    case roomsSelect = "rooms.select"
    case roomsResolve = "rooms.resolve"
    case roomsOnly = "rooms.only"
    case roomsReset = "rooms.reset"
    case roomsPin = "rooms.pin"
    case roomsUnpin = "rooms.unpin"
    case roomsMute = "rooms.mute"
    case roomsUnmute = "rooms.unmute"
    case roomsWho = "rooms.who"
    case roomsHistory = "rooms.history"
    case roomsContext = "rooms.context"
    case draftGet = "draft.get"
    case draftSet = "draft.set"
    case act, push, mark, attach, observe, unobserve, pause, resume
    case refetch, cancel
    case position, seek, step, speed, loop
    case viewSet = "view.set"
    case filterGet = "filter.get"
    case filterSet = "filter.set"
    case filterPush = "filter.push"
    case filterPop = "filter.pop"
    case logLevel = "log.level"
    case recordStart = "record.start"
    case recordStop = "record.stop"
    case recordRotate = "record.rotate"
    case recordStatus = "record.status"
    case snapshotDump = "snapshot.dump"
    case modelSections = "model.sections"
    case modelGet = "model.get"
    case modelItem = "model.item"
    case emit, ack
    case reconnect, quit

    /// The kinds of processes that answer a method.
    package enum Server: String, Sendable {
        case tail, replay
    }

    /// A row of the method table.
    package struct Row: Sendable {
        /// The kinds of processes that answer the method.
        package var servers: [Server]
        /// A description for the help, in one line.
        package var summary: String
        /// The parameters, in the order of positional arguments.
        package var parameters: [ControlParameter]

        fileprivate init(_ servers: [Server], _ summary: String, _ parameters: [ControlParameter] = []) {
            self.servers = servers
            self.summary = summary
            self.parameters = parameters
        }
    }

    /// Returns the methods that a server answers, in the order of the table.
    package static func of(_ server: Server) -> [ControlMethod] { allCases.filter { $0.row.servers.contains(server) } }

    /// The method's row of the table.
    package var row: Row {
        switch self {
        case .hello: Row([.tail, .replay], "identify the process: tool, protocol version, methods")
        case .status: Row([.tail, .replay], "current state of the process")
        case .stats: Row([.tail, .replay], "counters since the start")
        case .metrics: Row([.tail], "the measurements, as OpenMetrics text")
        case .globals: Row([.tail], "the user's selection: company, workspace, channel, thread and user")
        case .roomsList:
            Row(
                [.tail], "the wanted rooms with their state",
                [
                    .optional("rooms", .texts, "patterns of the rooms to list"),
                    .optional("all", .flag, "also list rooms that are not wanted"),
                ])
        case .roomsResolve: Row([.tail], "the rooms that would be joined, and the pattern for each", [.rooms])
        case .roomsJoin: Row([.tail], "join rooms", [.rooms, .lasting, .wait])
        case .roomsLeave: Row([.tail], "leave rooms", [.rooms, .lasting, .wait])
        case .roomsOnly: Row([.tail], "join these rooms and leave all others", [.rooms, .wait])
        case .roomsReset: Row([.tail], "return to the rooms at the start and the pinned ones", [.wait])
        case .roomsPin: Row([.tail], "join rooms now and at every start", [.rooms, .wait])
        case .roomsUnpin: Row([.tail], "remove pins, given by the same patterns", [.rooms])
        case .roomsMute: Row([.tail], "hide rooms, which stay joined", [.rooms, .lasting])
        case .roomsUnmute: Row([.tail], "show hidden rooms again", [.rooms, .lasting])
        case .roomsWho: Row([.tail], "the members of a room, if the backend supports it", [.rooms, .wait])
        case .roomsHistory:
            Row(
                [.tail], "the latest messages of a room, if the backend supports it",
                [
                    .rooms, .wait, .optional("since_ms", .integer(0 ... .max), "oldest time, in ms since 1970"),
                    .optional("older", .flag, "fetch the page before the oldest known message"),
                ])
        case .roomsContext: Row([.tail], "the store and the account of the sets and pins")
        case .roomsSelect:
            Row([.tail], "select a company, workspace, channel or thread by title, room or message; or none", [.rooms])
        case .act:
            Row([.tail], "perform an action; answers once it is done, refused or delayed", ControlParameter.action)
        case .draftGet: Row([.tail], "the draft for a channel or thread", [.channel, .thread])
        case .draftSet:
            Row(
                [.tail], "store the draft for a channel or thread until it is sent",
                [.channel, .thread, .optional("text", .text, "the text; without it the draft is removed")])
        case .push:
            Row(
                [.tail], "handle a notification of a push service as an event, and fetch its subject",
                [.required("payload", .json, "the notification in the service's format")])
        case .mark: Row([.tail, .replay], "add a mark at this place", [.optional("label", .text, "name of the mark")])
        case .attach: Row([.tail], "turn this connection into a stream of the recording from here on")
        case .observe:
            Row(
                [.tail, .replay], "get notified of property changes",
                [
                    .required("properties", .texts, "names: " + ControlObservations.names),
                    .optional("once", .flag, "end with the first change"),
                    .optional("timeout", .span, "end after this time"),
                    .optional("after", .integer(0...Int64.max), "continue after the change with this number"),
                    .optional("run", .text, "the run from the first answer"),
                ])
        case .unobserve:
            Row(
                [.tail, .replay], "end an observation",
                [.required("observation", .integer(1...Int64.max), "its number")])
        case .pause: Row([.tail, .replay], "pause the view of a tail, or a replay; recording continues")
        case .resume: Row([.tail, .replay], "resume; a gap reports what was dropped")
        case .refetch:
            Row(
                [.tail],
                "refetch the resources of rooms, or resources by name; all without either",
                [
                    .optional("rooms", .texts, "patterns of joined rooms"),
                    .optional("resources", .texts, "names, as in the answer of this method"),
                ])
        case .cancel:
            Row(
                [.tail], "cancel the actions and the polling that run under a tag of the profile",
                [.required("tag", .text, "the tag")])
        case .position: Row([.replay], "position, speed and pause of the replay")
        case .seek:
            Row(
                [.replay], "go to a place, forward or back, and show it",
                [.required("to", .text, "+90s, n:812, mark:NAME, or a time such as 2026-01-02T03:04:05Z")])
        case .step:
            Row(
                [.replay], "show further events and pause",
                [
                    .optional("count", .integer(1...1_000_000), "number of events (default 1)"),
                    .optional("back", .flag, "go back instead"),
                ])
        case .speed:
            Row(
                [.replay], "set the speed from here on",
                [.required("to", .text, "0.01 to 1000, such as 2; 20/s; or max")])
        case .loop:
            Row(
                [.replay], "set the total number of rounds",
                [.optional("rounds", .integer(1...1_000_000), "number of rounds; unlimited without it")])
        case .viewSet:
            Row(
                [.tail], "set the output format from here on",
                [.required("format", .choice(OutputFormat.allCases.map(\.rawValue)), "the format")])
        case .filterGet: Row([.tail], "the filter of the view, and the number of pushed filters")
        case .filterSet:
            Row(
                [.tail], "set the filter from here on",
                [.optional("filter", .text, "the expression; without it everything is shown")])
        case .filterPush:
            Row([.tail], "restrict the filter further", [.required("filter", .text, "the expression")])
        case .filterPop: Row([.tail], "restore the filter before the last filter.push")
        case .logLevel:
            Row(
                [.tail], "set the level of notices on standard error",
                [.required("level", .choice(["info", "warning", "error"]), "the minimum level")])
        case .recordStart:
            Row(
                [.tail], "begin a recording here, in the folder for recordings",
                [.required("name", .text, "file name without a folder")])
        case .recordStop: Row([.tail], "end the recording; the tail continues")
        case .recordRotate: Row([.tail], "begin the next segment of the recording")
        case .recordStatus: Row([.tail], "the current recording, and the folder for recordings")
        case .snapshotDump: Row([.tail], "write the flight recorder's content to a new file")
        case .modelSections: Row([.tail], "the model's sections, with the number of rows of each")
        case .modelGet:
            Row(
                [.tail], "rows of a section",
                [
                    .required("section", .integer(0...Int64(Int32.max)), "its place in model.sections, from 0"),
                    .optional("offset", .integer(0...Int64(Int32.max)), "the first row (default 0)"),
                    .optional("limit", .integer(1...500), "maximum number of rows (default 50)"),
                ])
        case .modelItem:
            Row(
                [.tail], "the row with an id, a name or a prefix of an id",
                [.required("id", .text, "its id or name")])
        case .emit:
            Row(
                [.tail], "send an event to the server; needs --allow-emit",
                [
                    .required("event", .text, "its name"), .arguments, .binary, .namespace,
                    .optional("wait", .span, "request an acknowledgement and wait this long for it"),
                ])
        case .ack:
            Row(
                [.tail], "acknowledge an event that requests it; needs --allow-emit",
                [
                    .required("id", .integer(0...Int64.max), "id of the acknowledgement"), .arguments, .binary,
                    .namespace,
                ])
        case .reconnect: Row([.tail], "close the connection and open another")
        case .quit: Row([.tail, .replay], "end the process in order")
        }
    }
}

/// A parameter of a control method.
package struct ControlParameter: Sendable {
    /// The kinds of parameter values.
    package enum Kind: Sendable, Hashable {
        /// A string that is not empty, unless `mayBeEmpty` allows it.
        case text
        /// A list of non-empty strings. It has at least one element, unless `mayBeEmpty` allows none.
        case texts
        /// A whole number in the given range.
        case integer(ClosedRange<Int64>)
        /// A number greater than 0.
        case number
        case flag
        /// A time span: a number of seconds, or text such as `500ms`, `15s`, `2m`, `1h`.
        case span
        /// One of the given words.
        case choice([String])
        /// Any JSON value, in the client's spelling.
        case json
    }

    /// The key of the parameter in `params`.
    package var name: String
    /// The kind of its value.
    package var kind: Kind
    /// Whether a request without the parameter is refused.
    package var isRequired: Bool
    /// A description for the help and for error messages.
    package var meaning: String
    /// Whether the text or the list may be empty, which clears the current value.
    package var mayBeEmpty = false

    /// Creates a parameter that every request must contain.
    static func required(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
        Self(name: name, kind: kind, isRequired: true, meaning: meaning)
    }

    /// Creates a parameter that a request may omit.
    static func optional(_ name: String, _ kind: Kind, _ meaning: String) -> Self {
        Self(name: name, kind: kind, isRequired: false, meaning: meaning)
    }

    /// The parameters of `act`: the name of the action and the members of all actions.
    static let action: [ControlParameter] = {
        let known = Action.Operation.members
        var seen: Set<String> = []
        let members = known.flatMap(\.value).filter { seen.insert($0).inserted }
        return [.required("do", .text, known.map(\.key).joined(separator: ", ") + ", or one of the profile")]
            + members.map { name in
                let kind: Kind = ["names", "members"].contains(name) ? .texts : .text
                var member = optional(
                    name, kind, "of " + known.filter { $0.value.contains(name) }.map(\.key).joined(separator: ", "))
                member.mayBeEmpty = ["names", "members", "icon", "description", "text"].contains(name)
                return member
            } + [
                .optional("run", .json, "for an action of the profile: an object with its parameters"),
                .optional("company", .text, "its company"), .optional("workspace", .text, "its workspace"),
            ]
    }()

    static let channel = required("channel", .text, "its id, or # and its name")
    static let thread = optional("thread", .text, "first message of the thread")
    static let rooms = required("rooms", .texts, "names of rooms, or patterns")
    static let lasting = optional("for", .span, "how long; unlimited without it")
    static let arguments = optional("arguments", .json, "a list of its arguments, or a single one that is not a list")
    static let binary = optional(
        "binary", .texts,
        "base64 of the bytes that {\"_placeholder\":true,\"num\":0} and so on refer to in the arguments")
    static let namespace = optional("namespace", .text, "its namespace (default: the first one)")
    static let wait = optional("wait", .span, "how long to wait for the server's answers, 60 s at most")
}
