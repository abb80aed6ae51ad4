/// The commands, and what each takes besides options.
enum CommandName: String, CaseIterable {
    case demo, serve, tail, record, replay, rooms, help

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

    var positionals: [Positional] {
        switch self {
        case .demo, .serve: []
        case .tail: [Positional(name: "URL")]
        case .record: [Positional(name: "URL"), Positional(name: "FILE")]
        case .replay: [Positional(name: "FILE")]
        case .rooms:
            [Positional(name: "ls|join|leave|select"), Positional(name: "ROOM", isRequired: false, isRepeatable: true)]
        case .help: [Positional(name: "COMMAND", isRequired: false)]
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
            ]
        case .record:
            ["The recording is complete: every message in both directions, every REST exchange, never a token."]
        case .replay:
            ["FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte."]
        case .rooms:
            [
                "Speaks to the control socket of a running tail. --on may be left out when just one is running.",
                "select leaves the tail's workspace for the one whose list of channels ROOM is.",
            ]
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
        case .help: ["weir help tail"]
        }
    }
}
