/// The help texts, generated from the tables.
enum Help {
    /// The version in the form that `weir --version` prints.
    static let version = "weir 0.9.0"

    /// The release date of the version, for the manual pages.
    static let released = "2026-11-28"

    /// The text of `weir help`.
    static var overview: String {
        var lines = [
            "weir: a realtime event pipeline for chat backends", "",
            "Usage: weir COMMAND [OPTIONS]", "       weir help [COMMAND], weir COMMAND --help, weir --version", "",
            "Commands:",
        ]
        for command in Command.topLevel { lines.append("  " + padded(command.name, 10) + command.summary) }
        lines += ["", "Exit codes:"]
        for code in ExitCode.allCases { lines.append("  " + padded(String(code.rawValue), 10) + code.meaning) }
        lines += [
            "",
            "Options can also be set by environment variables (WEIR_MAX_ATTEMPTS for --max-attempts), in a",
            "context or in the config file: 'weir help ctx', 'weir help config'. Typed options take precedence.",
            "",
            "Colours are used only on a terminal, and not if NO_COLOR is set; --color, FORCE_COLOR and",
            "CLICOLOR override this, and --theme and --style select the colours. Text from a peer is shown with",
            "control, escape, bidirectional and zero-width characters escaped, except by --format raw into a",
            "pipe or file.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the text of `weir help COMMAND`.
    static func text(of command: Command) -> String {
        if !command.verbs.isEmpty { return text(ofVerbsOf: command) }
        let words = (["weir", command.name] + command.positionals.map(\.usage)).joined(separator: " ")
        var lines = ["weir \(command.name): \(command.summary)", "", "Usage: \(words) [OPTIONS]"]
        if !command.details.isEmpty { lines += [""] + command.details }
        lines += ["", "Options:"]
        for option in Option.shown(for: command) {
            let usage =
                "  " + (option.letter.map { "-\($0), " } ?? "") + option.flag
                + (option.placeholder(for: command).map { " " + $0 } ?? "")
                + (option.isRepeatable(for: command) ? " …" : "")
            let fits = usage.count <= indent - 2
            if !fits { lines.append(usage) }
            lines.append(padded(fits ? usage : "", indent) + option.meaning(for: command))
        }
        if command.takesSettings, let option = Option.of(command).first(where: { $0.isInherited(by: command) }) {
            lines += [
                "",
                "Options can also be set in the environment or the config file: \(option.variable) is \(option.flag).",
            ]
        }
        lines += ["", command.examples.count == 1 ? "Example:" : "Examples:"]
        lines += command.examples.map { "  " + $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(ofVerbsOf command: Command) -> String {
        var lines = ["weir \(command.name): \(command.summary)", ""]
        lines.append("Usage: weir \(command.name) VERB … [OPTIONS]")
        if !command.details.isEmpty { lines += [""] + command.details }
        lines += ["", "Verbs:"]
        let width = max(10, (command.verbs.map(\.verb.count).max() ?? 0) + 2)
        for verb in command.verbs { lines.append("  " + padded(verb.verb, width) + verb.summary) }
        lines += ["", "Each has its own help: weir help \(command.name) VERB", "", "Examples:"]
        lines += command.examples.map { "  " + $0 }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let indent = 34

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

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
                ("weir tail URL --token env:TOKEN", "events and changes of all your channels"),
                ("weir ctx add work URL --token file:token; weir ctx use work", "later commands need no URL and token"),
                ("weir tail --format json | jq .kind", "for programs: one JSON object per line"),
                (
                    "weir tail --join '#general' --count 10 --duration 1m",
                    "ten events of a room; exits with 8 on a timeout"
                ),
                ("weir tail --until-match '/deploy/' --duration 5m", "wait for a line; exits with 8 on a timeout"),
                ("weir tail URL --backend socketio --emit 'message \"hello\"'", "any Socket.IO server"),
                ("weir tail URL --backend socketio --ack 'ask=true'", "acknowledge events that request it"),
                ("weir emit URL message-with-ack '\"hello\"'", "send one event and print its acknowledgement"),
                ("weir tail --schema", "the JSON Schema of --format json"),
            ]),
        CheatSheet(
            topic: "record", title: "keep what happens",
            lines: [
                ("weir tail --record day.weir.jsonl", "record events and print them"),
                ("weir record URL day.weir.jsonl --token file:token --rotate 64M --keep 10", "in segments"),
                ("weir tail URL --token file:token --share nats://localhost/team", "share the rooms"),
                ("weir tail --report today.html", "and, at the end, a page of what passed"),
                ("weir tail --flight-recorder 10m", "the last ten minutes; kill -USR2 writes them to a file"),
                ("weir file doctor --secrets day.weir.jsonl", "check a recording for secrets"),
            ]),
        CheatSheet(
            topic: "replay", title: "play it again",
            lines: [
                ("weir replay day.weir.jsonl --speed 10", "ten times as fast; ? shows the keys"),
                ("weir replay day.weir.jsonl --start mark:deploy --step", "event by event"),
                (
                    "weir replay day.weir.jsonl --speed max --verify --quiet",
                    "verify that a recording is complete and unchanged"
                ),
                ("weir file diff a.weir.jsonl b.weir.jsonl", "the first record after which they differ"),
            ]),
        CheatSheet(
            topic: "file", title: "inspect, cut and convert recordings",
            lines: [
                ("weir file info day.weir.jsonl", "show what it contains"),
                ("weir file grep -i deploy day.weir.jsonl --around 2s", "find records"),
                ("weir file cut day.weir.jsonl --start +2s --end +5s -o part.weir.jsonl", "keep a part of it"),
                ("weir file report day.weir.jsonl -o day.html", "make a page about it"),
                ("weir file convert chat.har --to weir -o chat.weir.jsonl", "import Chrome's HTTP archive"),
            ]),
        CheatSheet(
            topic: "rooms", title: "steer a running tail",
            lines: [
                ("weir rooms ls", "list the wanted and joined rooms"),
                ("weir rooms join '#general' --on work", "from another shell"),
            ]),
        CheatSheet(
            topic: "ctx", title: "named servers",
            lines: [
                ("weir ctx add prod URL --token cmd:'pass show chat' --guard", "a context, guarded"),
                ("weir ctx use prod; weir tail", "for all shells"),
                ("eval \"$(weir ctx use prod --shell)\"", "for this shell"),
                ("weir ctx check prod", "find the step that fails"),
                ("weir config show tail", "show the settings and their sources"),
            ]),
        CheatSheet(
            topic: "send", title: "send messages and change things",
            lines: [
                ("weir send URL '#general' 'Good morning' --token file:token", "sent once, even if the network fails"),
                ("weir login URL --user ana.lima --save token", "asks for the password"),
            ]),
        CheatSheet(
            topic: "shell", title: "completions, manuals, exit codes",
            lines: [
                ("eval \"$(weir completion bash)\"", "or zsh, or: weir completion fish | source"),
                ("weir man tail | man -l -", "the manual of a command"),
                ("weir man --all ~/.local/share/man/man1", "all of them, for man"),
                ("weir explain message", "show an event's fields and effects"),
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
