import Pipeline

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
        case .hello: Row([.tail, .replay], "who answers: tool, version of the protocol, methods")
        case .status: Row([.tail, .replay], "what it does and how it stands")
        case .stats: Row([.tail, .replay], "what it has counted since it began")
        case .metrics: Row([.tail], "what it has measured, as text of OpenMetrics")
        case .globals: Row([.tail], "what the user looks at: company, workspace, channel, thread, and whose it is")
        case .roomsList:
            Row(
                [.tail], "the rooms that are wanted, and what is known of each",
                [
                    .optional("rooms", .texts, "patterns of those to tell of"),
                    .optional("all", .flag, "also of those that nobody wants"),
                ])
        case .roomsResolve: Row([.tail], "what would be joined, and by which pattern", [.rooms])
        case .roomsJoin: Row([.tail], "want rooms", [.rooms, .lasting, .wait])
        case .roomsLeave: Row([.tail], "want rooms no more", [.rooms, .lasting, .wait])
        case .roomsOnly: Row([.tail], "want these rooms and no others", [.rooms, .wait])
        case .roomsReset: Row([.tail], "want what was wanted at the start, and what is pinned", [.wait])
        case .roomsPin: Row([.tail], "want rooms now and at every start", [.rooms, .wait])
        case .roomsUnpin: Row([.tail], "take back pins, by the same patterns", [.rooms])
        case .roomsMute: Row([.tail], "show nothing of rooms, which stay joined", [.rooms, .lasting])
        case .roomsUnmute: Row([.tail], "show rooms again", [.rooms, .lasting])
        case .roomsWho: Row([.tail], "who is in a room, where the backend can say", [.rooms, .wait])
        case .roomsHistory:
            Row(
                [.tail], "what was said in a room last, where the backend can say",
                [
                    .rooms, .wait, .optional("since_ms", .integer(0 ... .max), "of that time on; ms since 1970"),
                    .optional("older", .flag, "the page before the oldest message that is shown"),
                ])
        case .roomsContext: Row([.tail], "the store of its sets and pins, and whose they are")
        case .roomsSelect:
            Row([.tail], "select a company, workspace, channel or thread, by title, room or message; none", [.rooms])
        case .act: Row([.tail], "do an action, and answer once it is done, refused or delayed", ControlParameter.action)
        case .draftGet: Row([.tail], "the text that waits for a channel or thread", [.channel, .thread])
        case .draftSet:
            Row(
                [.tail], "keep a text for a channel or thread until it is sent",
                [.channel, .thread, .optional("text", .text, "the text; without it none waits any more")])
        case .push:
            Row(
                [.tail], "take a notification of a push service as an event, and fetch what it is about",
                [.required("payload", .json, "the notification, as the service has it")])
        case .mark: Row([.tail, .replay], "mark this place", [.optional("label", .text, "what the mark is called")])
        case .attach: Row([.tail], "make this connection a stream of the recording, from here on")
        case .observe:
            Row(
                [.tail, .replay], "hear of properties when they change",
                [
                    .required("properties", .texts, "names: " + ControlObservations.names),
                    .optional("once", .flag, "end with the first change"),
                    .optional("timeout", .span, "end after this time"),
                    .optional("after", .integer(0...Int64.max), "go on behind the change of this number"),
                    .optional("run", .text, "whose change it was, as the first answer said"),
                ])
        case .unobserve:
            Row(
                [.tail, .replay], "end an observation",
                [.required("observation", .integer(1...Int64.max), "its number")])
        case .pause: Row([.tail, .replay], "pause the view of a tail, or a replay; what is recorded goes on")
        case .resume: Row([.tail, .replay], "go on; of what waited too long a gap is told")
        case .refetch:
            Row(
                [.tail],
                "ask the server again for what rooms are about, or for resources by name; for all without either",
                [
                    .optional("rooms", .texts, "patterns of joined rooms"),
                    .optional("resources", .texts, "names, as this method answers them"),
                ])
        case .cancel:
            Row(
                [.tail], "cancel the actions, and the polling of rows, that run under a tag of the profile",
                [.required("tag", .text, "the tag")])
        case .position: Row([.replay], "how far it is, how fast, and whether it is paused")
        case .seek:
            Row(
                [.replay], "go to a place, forward or back, and show what stands there",
                [.required("to", .text, "+90s, n:812, mark:NAME, or a time such as 2026-01-02T03:04:05Z")])
        case .step:
            Row(
                [.replay], "show so many events more, and pause",
                [
                    .optional("count", .integer(1...1_000_000), "how many (default 1)"),
                    .optional("back", .flag, "go back by them instead"),
                ])
        case .speed:
            Row(
                [.replay], "play so fast from here on",
                [.required("to", .text, "0.01 to 1000, such as 2; 20/s; or max")])
        case .loop:
            Row(
                [.replay], "play so often in all",
                [.optional("rounds", .integer(1...1_000_000), "how often; without it, until somebody ends it")])
        case .viewSet:
            Row(
                [.tail], "print otherwise from here on",
                [.required("format", .choice(OutputFormat.allCases.map(\.rawValue)), "the format")])
        case .filterGet: Row([.tail], "what is shown: the filter, and how many others were pushed aside")
        case .filterSet:
            Row([.tail], "show this from here on", [.optional("filter", .text, "the expression; everything without")])
        case .filterPush:
            Row([.tail], "show only what this holds of, too", [.required("filter", .text, "the expression")])
        case .filterPop: Row([.tail], "show again what was shown before the last filter.push")
        case .logLevel:
            Row(
                [.tail], "what is told on standard error",
                [.required("level", .choice(["info", "warning", "error"]), "the least that matters")])
        case .recordStart:
            Row(
                [.tail], "begin a recording here, in the folder for recordings",
                [.required("name", .text, "name of the file, without a folder")])
        case .recordStop: Row([.tail], "end the recording; the tail goes on")
        case .recordRotate: Row([.tail], "begin the recording's next segment")
        case .recordStatus: Row([.tail], "what is recorded, and where recordings may be begun")
        case .snapshotDump: Row([.tail], "write what the flight recorder has to a new file")
        case .modelSections: Row([.tail], "the model's sections, with the number of rows of each")
        case .modelGet:
            Row(
                [.tail], "rows of a section",
                [
                    .required("section", .integer(0...Int64(Int32.max)), "its place in model.sections, from 0"),
                    .optional("offset", .integer(0...Int64(Int32.max)), "the first row (default 0)"),
                    .optional("limit", .integer(1...500), "rows at most (default 50)"),
                ])
        case .modelItem:
            Row(
                [.tail], "the row of an id, of a name, or of the beginning of an id",
                [.required("id", .text, "its id or name")])
        case .emit:
            Row(
                [.tail], "send an event to the server; needs --allow-emit",
                [
                    .required("event", .text, "its name"), .arguments, .binary, .namespace,
                    .optional("wait", .span, "ask for an acknowledgement, and wait so long for it"),
                ])
        case .ack:
            Row(
                [.tail], "answer an event that asks for an acknowledgement; needs --allow-emit",
                [.required("id", .integer(0...Int64.max), "the acknowledgement's"), .arguments, .binary, .namespace])
        case .reconnect: Row([.tail], "close the connection and open another")
        case .quit: Row([.tail, .replay], "end in order")
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
                .optional("run", .json, "of one of the profile: an object of its parameters"),
                .optional("company", .text, "where it is"), .optional("workspace", .text, "where it is"),
            ]
    }()

    static let channel = required("channel", .text, "its id, or # and its name")
    static let thread = optional("thread", .text, "the head of the thread")
    static let rooms = required("rooms", .texts, "names of rooms, or patterns")
    static let lasting = optional("for", .span, "how long; for ever when it does not say")
    static let arguments = optional("arguments", .json, "a list of its arguments, or one that is no list")
    static let binary = optional(
        "binary", .texts, "base64 of what {\"_placeholder\":true,\"num\":0} and so on stand for in the arguments")
    static let namespace = optional("namespace", .text, "its namespace (default the first)")
    static let wait = optional("wait", .span, "how long the server's answers are waited for, 60 s at most")
}
