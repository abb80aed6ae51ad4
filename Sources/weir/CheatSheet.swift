/// A topic of `weir cheat`, with commands to copy.
struct CheatSheet {
    var topic: String
    var title: String
    /// The commands, each with its purpose.
    var lines: [(command: String, meaning: String)]

    static let all = [
        CheatSheet(
            topic: "tail", title: "watch a backend",
            lines: [
                ("weir tail URL --token env:TOKEN", "events and changes of everything you are in"),
                ("weir ctx add work URL --token file:token; weir ctx use work", "from then on without URL and token"),
                ("weir tail --format json | jq .kind", "for programs: one object a line"),
                (
                    "weir tail --join '#general' --count 10 --duration 1m",
                    "ten events of a room; 8 when they do not come"
                ),
                ("weir tail --until-match '/deploy/' --duration 5m", "wait for a line; 8 when it does not come"),
                ("weir tail URL --backend socketio --emit 'message \"hello\"'", "any Socket.IO server"),
                ("weir tail URL --backend socketio --ack 'ask=true'", "answer what asks for an acknowledgement"),
                ("weir emit URL message-with-ack '\"hello\"'", "one event, and what it is acknowledged with"),
                ("weir tail --schema", "the JSON Schema of --format json"),
            ]),
        CheatSheet(
            topic: "record", title: "keep what happens",
            lines: [
                ("weir tail --record day.weir.jsonl", "and see it, too"),
                ("weir record URL day.weir.jsonl --token file:token --rotate 64M --keep 10", "in segments"),
                ("weir tail URL --share nats://localhost/team", "divide the rooms with other tails; weir help stream"),
                ("weir tail --report today.html", "and, at the end, a page of what passed"),
                ("weir tail --flight-recorder 10m", "the last ten minutes; kill -USR2 writes them to a file"),
                ("weir file doctor --secrets day.weir.jsonl", "is anything in it that should not be?"),
            ]),
        CheatSheet(
            topic: "replay", title: "play it again",
            lines: [
                ("weir replay day.weir.jsonl --speed 10", "ten times as fast; ? tells the keys"),
                ("weir replay day.weir.jsonl --start mark:deploy --step", "event by event"),
                ("weir replay day.weir.jsonl --speed max --verify --quiet", "is it whole, and still the same?"),
                ("weir file diff a.weir.jsonl b.weir.jsonl", "the first record after which they differ"),
            ]),
        CheatSheet(
            topic: "file", title: "look into recordings, cut and convert them",
            lines: [
                ("weir file info day.weir.jsonl", "what is in it"),
                ("weir file grep -i deploy day.weir.jsonl --around 2s", "find records"),
                ("weir file cut day.weir.jsonl --start +2s --end +5s -o part.weir.jsonl", "a part of it"),
                ("weir file report day.weir.jsonl -o day.html", "a page of what passed, to look at"),
                ("weir file convert chat.har --to weir -o chat.weir.jsonl", "of Chrome's archive"),
            ]),
        CheatSheet(
            topic: "rooms", title: "steer a running tail",
            lines: [
                ("weir rooms ls", "what is wanted and what is joined"),
                ("weir rooms join '#general' --on work", "from another shell"),
            ]),
        CheatSheet(
            topic: "ctx", title: "servers under names",
            lines: [
                ("weir ctx add prod URL --token cmd:'pass show chat' --guard", "a context, guarded"),
                ("weir ctx use prod; weir tail", "for all shells"),
                ("eval \"$(weir ctx use prod --shell)\"", "for this shell"),
                ("weir ctx check prod", "which step on the way fails?"),
                ("weir config show tail", "which settings apply, and from where"),
            ]),
        CheatSheet(
            topic: "send", title: "say and change something",
            lines: [
                ("weir send URL '#general' 'Good morning' --token file:token", "once, whatever the network does"),
                ("weir login URL --user ana.lima --save token", "asks for the password"),
            ]),
        CheatSheet(
            topic: "shell", title: "completions, manuals, exit codes",
            lines: [
                ("eval \"$(weir completion bash)\"", "or zsh, or: weir completion fish | source"),
                ("weir man tail | man -l -", "the manual of a command"),
                ("weir man --all ~/.local/share/man/man1", "all of them, for man"),
                ("weir explain message", "what an event holds, and what it sets off"),
                ("weir help", "the commands and the exit codes"),
            ]),
    ]

    var text: String {
        let width = lines.map(\.command.count).max() ?? 0
        return "\(topic): \(title)\n"
            + lines.map { line in
                "  " + line.command + String(repeating: " ", count: width - line.command.count + 2) + line.meaning
                    + "\n"
            }.joined()
    }
}
