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
