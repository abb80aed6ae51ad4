extension CommandName {
    /// What the help says of the commands about sessions, and of `help`; of other commands, nothing.
    var sessionText: Text {
        switch self {
        case .demo:
            Text(
                summary: "start the embedded backend and tail it",
                details: [
                    "Starts the embedded backend on a loopback port the system chose, connects the pipeline to it",
                    "over a real WebSocket and real HTTP, and tails a scripted Twake workspace; with --backend groupme",
                    "scripted people who talk in groups and directs, by Bayeux. Ends with a summary of the model.",
                ],
                examples: ["weir demo --duration 5s --format json", "weir demo --backend groupme"])
        case .serve:
            Text(
                summary: "run the embedded backend, or an echo server, alone; prints its URL and a token",
                details: [
                    "Runs until interrupted. The same seed gives the same history. Engine.IO 3 and 4, over polling,",
                    "WebSocket and the upgrade between them, with the answers of the JavaScript server. A client that",
                    "does not read is cut off when 8 MiB, or four of the largest messages, wait for it; at most 3000",
                    "sessions are served at once.",
                    "",
                    "--scenario echo is a Socket.IO server without a token: it says `auth` and the auth payload to who",
                    "joins / or /custom, answers `message` by `message-back` with the same arguments, and acknowledges",
                    "`message-with-ack` with them. --scenario engine-echo is a bare Engine.IO server at /engine.io/ that",
                    "sends every message back as it came. --scenario groupme is a GroupMe backend: pushes by Bayeux at",
                    "/faye, REST at /v3, and people who talk in groups and directs.",
                ],
                examples: [
                    "weir serve --listen 127.0.0.1:8080 --seed 7",
                    "weir serve --scenario echo --ping-interval 300 --ping-timeout 200 --connect-timeout 1s",
                ])
        case .tail:
            Text(
                positionals: [Positional(name: "URL")],
                summary: "watch a live backend as events and as changes of a model",
                details: [
                    "Events, changes of the model and gaps go to standard output, everything else to standard error.",
                    "After a lost connection the tail connects again, joins every room and fetches again what it may",
                    "have missed. A reader that closes the pipe ends it quietly.",
                    "",
                    "An EXPR is made of FIELD OPERATOR VALUE, and, or, not and parentheses. Fields: type, kind, room,",
                    "actor, event, namespace, dir, size, lag, known, text, payload.KEY, diff.op, diff.section,",
                    "diff.kind, diff.id, diff.field. Operators: = != < <= > >=, ~ and !~ with a /regular expression/ as",
                    "RE2 and Go have it, like with *, ? and […], in (…), not in (…), exists. /RE/ alone looks in the",
                    "line. A change has the fields of the event that caused it. Gaps are always shown, and what is",
                    "recorded is complete, whatever is shown.",
                    "",
                    "Without --company, --workspace and --join it looks where the account looked last, if that is still",
                    "there; 'weir rooms select' looks elsewhere. Messages that are remembered are shown at once and not",
                    "asked for again page by page; the full look, every five minutes, finds what changed in them.",
                    "",
                    "--emit sends 'EVENT ARG ARG…': JSON values, @FILE for the bytes of a file, quotes around a name with",
                    "spaces. An event marked #5? asks for an acknowledgement; --ack 'EVENT=ARG…' answers each of them.",
                    "--on EXPR --emit … sends when an event comes that EXPR holds of, at most 20 a second; --on EXPR",
                    "--ack 'ARG…' answers such events. A recording has what was sent, and a replay sends nothing.",
                ],
                examples: [
                    "weir tail https://chat.example.com --token env:TOKEN",
                    "weir tail https://chat.example.com --token env:TOKEN --kind message --not-from 'bot*'",
                    "weir tail http://127.0.0.1:3000 --backend socketio --emit 'join \"lobby\"' --format json --count 100",
                    "weir tail http://127.0.0.1:3000 --backend socketio --emit 'join \"lobby\"' --emit-ack --ack 'ask=1'",
                ])
        case .watch:
            Text(
                positionals: [Positional(name: "URL|FILE", isRequired: false)],
                summary: "watch a live backend, a running tail or a recording on the whole screen",
                details: [
                    "The sections of the model on the left, the log, and below it what is selected: its fields, its raw",
                    "frame, what it changed. ? tells the keys: space pauses, / searches, f filters by an expression as",
                    "it is typed ('weir help tail' tells of EXPR), r lists the rooms (join, leave, hide), > emits, a",
                    "answers an event that asks for it, m marks, y copies, q ends. A recording has a bar to go through",
                    "it. The mouse selects, scrolls and goes.",
                    "",
                    "With --on it is the view of a tail that runs: what it keeps is not asked of the server again, rooms",
                    "are joined, left and hidden by the tail, for all who look on, and q ends the view alone.",
                    "",
                    "It needs a terminal (2 without one). However it ends the terminal is as it was; the summary follows.",
                ],
                examples: [
                    "weir watch https://chat.example.com --token env:TOKEN --record day.weir",
                    "weir watch --on work --kind message",
                    "weir watch day.weir --idle-limit 2s",
                ])
        case .record:
            Text(
                positionals: [Positional(name: "URL"), Positional(name: "FILE")],
                summary: "write a live backend to an event file, printing no events",
                details: [
                    "The recording is complete: every message in both directions, every REST exchange, never a token.",
                    "A process that is killed loses what came in its last milliseconds, and the last two seconds with",
                    "--compress live. What a power cut may cost, --fsync says: two seconds (interval), one (chunk), as",
                    "much as a kill (always), or what the system has not written yet (never).",
                    "FILE may be - for standard output: it ends in order when its reader goes away.",
                ],
                examples: [
                    "weir record https://chat.example.com day.weir --token file:token --duration 1h",
                    "ssh host weir record URL - --compress live >day.weir.zst",
                ])
        case .replay:
            Text(
                positionals: [Positional(name: "FILE", isRepeatable: true)],
                summary: "play an event file through the same pipeline",
                details: [
                    "FILE may be - for standard input. The diff log of a replay is that of the live run, byte for byte.",
                    "What passes a filter is shown as the tail would have shown it; 'weir help tail' tells of EXPR.",
                    "Files of one recording are its segments; others are merged by their wall clocks, each with a session",
                    "and a model of its own. A POSITION is +90s (since the recording began), n:812 (a record's number),",
                    "mark:NAME, or a time such as 2026-01-02T03:04:05Z.",
                    "",
                    "On a terminal keys go through the recording: space pauses, . and , step on and back, left and right",
                    "move by 5 s (with shift by 60 s), up and down change the speed, [ and ] go to the marks before and",
                    "behind, / searches, g goes to a POSITION, m marks the place (in FILE.marks), ? tells these keys, q",
                    "ends. From another shell 'weir ctl NAME' does the same: seek, step, speed, loop, pause, mark.",
                ],
                examples: [
                    "weir replay day.weir --speed max --diff-log day.diff",
                    "weir replay day.weir --name day",
                ])
        case .help:
            Text(
                positionals: [
                    Positional(name: "COMMAND", isRequired: false), Positional(name: "VERB", isRequired: false),
                ],
                summary: "explain a command",
                examples: ["weir help tail", "weir help file repair"])
        default: Text(summary: "", examples: [])
        }
    }
}
