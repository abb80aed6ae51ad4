extension CommandName {
    /// Those that do something by REST, without a realtime connection.
    static let errands: [CommandName] = [
        .send, .edit, .react, .delete, .read, .channel, .workspace, .login, .logout, .whoami, .download,
    ]
    /// Those of them that want something done in a company.
    static let actions: [CommandName] = [.send, .edit, .react, .delete, .read, .channel, .workspace]
}

/// The commands, and what each takes besides options.
enum CommandName: String, CaseIterable {
    case demo, serve, tail, record, replay, rooms
    case file
    case fileInfo = "file info"
    case fileDoctor = "file doctor"
    case fileRepair = "file repair"
    case fileIndex = "file index"
    case fileCat = "file cat"
    case fileGrep = "file grep"
    case fileFilter = "file filter"
    case fileCut = "file cut"
    case fileMerge = "file merge"
    case fileSplit = "file split"
    case fileMark = "file mark"
    case fileRedact = "file redact"
    case fileCompress = "file compress"
    case fileConvert = "file convert"
    case fileDiff = "file diff"
    case send, edit, react, delete, read, channel, workspace, download, login, logout, whoami
    case help

    /// A word that is not an option.
    struct Positional {
        var name: String
        var isRequired = true
        var isRepeatable = false

        /// As it stands in a usage line.
        var usage: String {
            let text = isRepeatable ? name + "…" : name
            return isRequired ? text : "[\(text)]"
        }
    }

    /// Those that are typed as one word.
    static var topLevel: [CommandName] { allCases.filter { !$0.rawValue.contains(" ") } }

    /// The commands behind this word, when there are any: each is a command of its own, with its own options and help.
    var verbs: [CommandName] { Self.allCases.filter { $0.rawValue.hasPrefix(rawValue + " ") } }

    /// The last word of the name.
    var verb: String { String(rawValue.split(separator: " ").last ?? "") }

    /// Takes a command's words from the front; of a command with verbs, the command alone when help is asked for.
    static func take(_ words: inout ArraySlice<String>) throws(UsageError) -> CommandName {
        guard let first = words.popFirst() else { throw UsageError("a command is missing") }
        guard let command = topLevel.first(where: { $0.rawValue == first }) else {
            let kind = first.hasPrefix("-") ? "option" : "command"
            let candidates = topLevel.map(\.rawValue) + ["--version", "--help"]
            throw UsageError(
                "unknown \(kind) \(UsageError.quoted(first))" + Suggestion.phrase(for: first, among: candidates))
        }
        if command.verbs.isEmpty { return command }
        let names = command.verbs.map(\.verb)
        guard let word = words.first else {
            throw UsageError("a verb is missing: one of \(names.joined(separator: ", "))", command: command)
        }
        if ["-h", "--help"].contains(word) { return command }
        guard let verb = command.verbs.first(where: { $0.verb == word }) else {
            throw UsageError(
                "unknown verb \(UsageError.quoted(word))" + Suggestion.phrase(for: word, among: names),
                command: command)
        }
        words.removeFirst()
        return verb
    }

    private var url: Positional { Positional(name: "URL") }

    var positionals: [Positional] {
        switch self {
        case .demo, .serve: []
        case .tail: [Positional(name: "URL")]
        case .record: [Positional(name: "URL"), Positional(name: "FILE")]
        case .replay: [Positional(name: "FILE", isRepeatable: true)]
        case .rooms:
            [Positional(name: "ls|join|leave|select"), Positional(name: "ROOM", isRequired: false, isRepeatable: true)]
        case .file, .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut,
            .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            fileText.positionals
        case .send: [url, Positional(name: "CHANNEL"), Positional(name: "TEXT", isRequired: false)]
        case .edit:
            [
                url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE"),
                Positional(name: "TEXT", isRequired: false),
            ]
        case .react:
            [
                url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE"),
                Positional(name: "EMOJI", isRequired: false, isRepeatable: true),
            ]
        case .delete: [url, Positional(name: "CHANNEL"), Positional(name: "MESSAGE")]
        case .read: [url, Positional(name: "CHANNEL")]
        case .channel: [Positional(name: "create|edit|delete|members"), Positional(name: "WORD", isRepeatable: true)]
        case .workspace: [Positional(name: "create"), url, Positional(name: "NAME")]
        case .download: [Positional(name: "file|picture"), url, Positional(name: "ID", isRequired: false)]
        case .login, .logout, .whoami: [url]
        case .help: [Positional(name: "COMMAND", isRequired: false), Positional(name: "VERB", isRequired: false)]
        }
    }

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .demo: "start the embedded backend and tail it"
        case .serve: "run the embedded backend, or an echo server, alone; prints its URL and a token"
        case .tail: "watch a live backend as events and as changes of a model"
        case .record: "write a live backend to an event file, printing no events"
        case .replay: "play an event file through the same pipeline"
        case .rooms: "list, join and leave the rooms of a running tail"
        case .file, .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut,
            .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            fileText.summary
        case .send: "send a message"
        case .edit: "replace the text of a message"
        case .react: "react to a message"
        case .delete: "delete a message"
        case .read: "mark a channel as read"
        case .channel: "create, edit or delete a channel, add or remove its members"
        case .workspace: "create a workspace"
        case .download: "download a file of a message, or a user's picture, once"
        case .login: "log in and write the token to a file"
        case .logout: "log out and remove the file with the token"
        case .whoami: "say whose token it is"
        case .help: "explain a command"
        }
    }

    /// What the help of the command says below its usage.
    var details: [String] {
        switch self {
        case .demo:
            [
                "Starts the embedded backend on a loopback port the system chose, connects the pipeline to it",
                "over a real WebSocket and real HTTP, and tails a scripted Twake workspace. Ends with a summary",
                "of the model.",
            ]
        case .serve:
            [
                "Runs until interrupted. The same seed gives the same history. Engine.IO 3 and 4, over polling,",
                "WebSocket and the upgrade between them, with the answers of the JavaScript server. A client that",
                "does not read is cut off when 8 MiB, or four of the largest messages, wait for it; at most 3000",
                "sessions are served at once.",
                "",
                "--scenario echo is a Socket.IO server without a token: it says `auth` and the auth payload to who",
                "joins / or /custom, answers `message` by `message-back` with the same arguments, and acknowledges",
                "`message-with-ack` with them. --scenario engine-echo is a bare Engine.IO server at /engine.io/ that",
                "sends every message back as it came.",
            ]
        case .tail:
            [
                "Events, changes of the model and gaps go to standard output, everything else to standard error.",
                "After a lost connection the tail connects again, joins every room and fetches again what it may",
                "have missed. A reader that closes the pipe ends it quietly.",
                "",
                "Without --company, --workspace and --room it looks where the account looked last, if that is still",
                "there; 'weir rooms select' looks elsewhere. Messages that are remembered are shown at once and not",
                "asked for again page by page; the full look, every five minutes, finds what changed in them.",
            ]
        case .record:
            ["The recording is complete: every message in both directions, every REST exchange, never a token."]
        case .replay:
            [
                "FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte.",
                "Files of one recording are its segments; others are merged by their wall clocks, each with a session",
                "and a model of its own. A POSITION is +90s (since the recording began), n:812 (a record's number),",
                "mark:NAME, or a time such as 2026-01-02T03:04:05Z.",
                "",
                "On a terminal keys go through the recording: space pauses, . and , step on and back, left and right",
                "move by 5 s (with shift by 60 s), up and down change the speed, [ and ] go to the marks before and",
                "behind, / searches, g goes to a POSITION, m marks the place (in FILE.marks), ? tells these keys, q",
                "ends.",
            ]
        case .rooms:
            [
                "Speaks to the control socket of a running tail. --on may be left out when just one is running.",
                "select leaves the tail's workspace for the one whose list of channels ROOM is.",
                "With --store no tail is spoken to: what FILE remembers of the account that was tailed last is",
                "listed, and changed for the next start.",
            ]
        case .file, .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut,
            .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            fileText.details
        case .send:
            [
                "CHANNEL is an id, or '#' and a name. Without TEXT, or with -, the text is read from standard input.",
                "The message is sent once: when no answer comes, it is looked for before it is sent again. Prints the",
                "new message's id. Exits with 4 when the server refuses: then the text is kept as a draft. Exits with",
                "5 when the server cannot be reached: then the message waits in the store, and the next command or",
                "tail of the account sends it: first what waits, in its order, then what is new.",
            ]
        case .edit:
            [
                "Without TEXT, or with -, the text is read from standard input. A reply that is not among the newest",
                "messages needs --thread.",
            ]
        case .react:
            ["The reactions given replace yours; without one they are taken away. Era A servers take one."]
        case .delete: ["A reply that is not among the newest messages needs --thread."]
        case .read: ["CHANNEL is an id, or '#' and a name."]
        case .channel:
            [
                "weir channel create URL NAME [--visibility public|private|direct] [--icon EMOJI]",
                "                             [--description TEXT] [--member USER …]",
                "weir channel edit URL CHANNEL [--rename NAME] [--icon EMOJI] [--description TEXT]",
                "weir channel delete URL CHANNEL",
                "weir channel members add|remove URL CHANNEL USER…",
                "",
                "CHANNEL is an id, or '#' and a name; USER is an id. A direct is made without a NAME, and found",
                "again when there is one. Prints the ids of what was made or changed, one a line.",
            ]
        case .workspace: ["Prints the new workspace's id."]
        case .download:
            [
                "weir download file URL FILE",
                "weir download picture URL [USER]",
                "",
                "FILE is a file's id: its external_id where a message has one. Without USER the picture is your own.",
                "The bytes go to standard output, or to the file that --output names, which is there whole or not at",
                "all. They are kept in the store: what is kept is not downloaded again, and a file that is kept needs",
                "no server. 64 MiB at most.",
            ]
        case .login:
            [
                "The password is never an argument: it is asked for on the terminal, or read from where --password",
                "says. The file is readable by you only; its first line is the token, for --token file:FILE.",
            ]
        case .logout: ["Removes the FILE of --token file:FILE, once the server was told where it wants to be."]
        case .whoami: ["Prints the id and the name of the user, and whether the server is of era a or b."]
        case .help:
            []
        }
    }

    var examples: [String] {
        switch self {
        case .demo: ["weir demo --duration 5s --format json"]
        case .serve:
            [
                "weir serve --listen 127.0.0.1:8080 --seed 7",
                "weir serve --scenario echo --ping-interval 300 --ping-timeout 200 --connect-timeout 1s",
            ]
        case .tail:
            [
                "weir tail https://chat.example.com --token env:TOKEN",
                "weir tail http://127.0.0.1:3000 --backend socketio --emit 'join \"lobby\"' --format json --count 100",
            ]
        case .record: ["weir record https://chat.example.com day.weir --token file:token --duration 1h"]
        case .replay: ["weir replay day.weir --speed max --diff-log day.diff"]
        case .rooms: ["weir rooms join /companies/C/workspaces/W/channels/CH/feed"]
        case .file, .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut,
            .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            fileText.examples
        case .send:
            [
                "weir send https://chat.example.com '#general' 'Good morning' --token file:token",
                "uptime | weir send https://chat.example.com 2982dc0a-65aa-47ae-a13c-082b2e3cc2a9 --token env:TOKEN",
            ]
        case .edit: ["weir edit https://chat.example.com '#general' MESSAGE 'Good evening' --token file:token"]
        case .react: ["weir react https://chat.example.com '#general' MESSAGE 👍 --token file:token"]
        case .delete: ["weir delete https://chat.example.com '#general' MESSAGE --token file:token"]
        case .read: ["weir read https://chat.example.com '#general' --token file:token"]
        case .channel:
            [
                "weir channel create https://chat.example.com Releases --icon 🚀 --token file:token",
                "weir channel members add https://chat.example.com '#releases' USER --token file:token",
            ]
        case .workspace: ["weir workspace create https://chat.example.com Sales --token file:token"]
        case .download:
            [
                "weir download file https://chat.example.com FILE --output plan.pdf --token file:token",
                "weir download picture https://chat.example.com --token file:token > me.png",
            ]
        case .login: ["weir login https://chat.example.com --user ann --password cmd:'pass show chat' --save token"]
        case .logout: ["weir logout https://chat.example.com --token file:token"]
        case .whoami: ["weir whoami https://chat.example.com --token file:token --json"]
        case .help: ["weir help tail", "weir help file repair"]
        }
    }
}
