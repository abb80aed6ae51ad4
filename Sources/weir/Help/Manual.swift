import Glibc
import WeirLive
import WeirTerminal

/// Manual pages in man(7) format, generated from the tables that parse the arguments.
enum Manual {
    /// Returns the name of a command's page, such as `weir-file-grep`.
    static func name(of command: Command?) -> String {
        guard let command else { return "weir" }
        return "weir-" + command.name.split(separator: " ").joined(separator: "-")
    }

    /// All pages. `nil` means the page of the program itself.
    static var pages: [Command?] { [nil] + Command.table }

    static func page(of command: Command?) -> String {
        guard let command else { return overview }
        var roff = Roff(title: name(of: command))
        roff.section("NAME")
        roff.text(name(of: command) + " \\- ", isRaw: true, then: command.summary)
        roff.section("SYNOPSIS")
        if command.verbs.isEmpty {
            roff.text(
                (["weir", command.name] + command.positionals.map(\.usage)).joined(separator: " ") + " [OPTIONS]")
        } else {
            roff.text("weir \(command.name) VERB … [OPTIONS]")
        }
        if !command.details.isEmpty {
            roff.section("DESCRIPTION")
            roff.paragraphs(command.details)
        }
        if command.verbs.isEmpty {
            roff.section("OPTIONS")
            for option in Option.shown(for: command) { add(option, command, to: &roff) }
        } else {
            roff.section("VERBS")
            for verb in command.verbs { roff.item(name(of: verb) + "(1)", verb.summary) }
        }
        roff.section("EXAMPLES")
        roff.literally(command.examples)
        addExitStatus(to: &roff)
        roff.section("SEE ALSO")
        roff.text("weir(1)")
        return roff.page
    }

    private static func add(_ option: Option, _ command: Command, to roff: inout Roff) {
        let usage =
            (option.letter.map { "-\($0), " } ?? "") + option.flag
            + (option.placeholder(for: command).map { " " + $0 } ?? "")
            + (option.isRepeatable(for: command) ? " …" : "")
        let variable = command.takesSettings && option.isVariable ? " [\(option.variable)]" : ""
        roff.item(usage, option.meaning(for: command) + variable)
    }

    private static var overview: String {
        var roff = Roff(title: "weir")
        roff.section("NAME")
        roff.text("weir \\- ", isRaw: true, then: "a realtime event pipeline for chat backends")
        roff.section("SYNOPSIS")
        roff.text("weir COMMAND [OPTIONS]")
        roff.section("COMMANDS")
        for command in Command.topLevel { roff.item(name(of: command) + "(1)", command.summary) }
        roff.section("ENVIRONMENT")
        roff.text(
            "Every option has a variable: WEIR_ and its name in capital letters, with _ for -. Several values are separated by newlines."
        )
        roff.item(
            "NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether to use colours, if --color is not given")
        roff.item(
            "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR",
            "folders of the settings, the store and the control sockets")
        roff.section("FILES")
        roff.item("~/.config/weir/config", "settings; see weir-config(1)")
        roff.item("~/.config/weir/contexts/NAME", "contexts; see weir-ctx(1)")
        roff.item("~/.local/state/weir/store.sqlite", "the store of rows, rooms and drafts")
        addExitStatus(to: &roff)
        return roff.page
    }

    private static func addExitStatus(to roff: inout Roff) {
        roff.section("EXIT STATUS")
        for code in ExitCode.allCases { roff.item(String(code.rawValue), code.meaning) }
    }
}

/// Writes man(7) pages. Text is escaped so that no line becomes a request.
struct Roff {
    private(set) var page: String

    init(title: String) {
        page =
            ".TH \(Roff.escaped(title.uppercased())) 1 \"\(Help.released)\" \"\(Help.version)\" \"Weir\"\n.nh\n.ad l\n"
    }

    mutating func section(_ name: String) { page += ".SH \(name)\n" }

    mutating func text(_ text: String, isRaw: Bool = false, then rest: String = "") {
        page += (isRaw ? text : Roff.line(text)) + Roff.escaped(rest) + "\n"
    }

    mutating func item(_ tag: String, _ text: String) { page += ".TP\n\(Roff.line(tag))\n\(Roff.line(text))\n" }

    /// Appends lines that are wrapped for a terminal. An empty line begins a paragraph; an indented line stays as it
    /// is.
    mutating func paragraphs(_ lines: [String]) {
        var isPrevious = false
        for line in lines {
            let literal = line.hasPrefix(" ") || line.hasPrefix("weir ")
            if line.isEmpty {
                page += ".PP\n"
            } else if literal {
                page += (isPrevious ? ".br\n" : "") + Roff.line(line.trimmingBlanks) + "\n"
            } else {
                page += Roff.line(line) + "\n"
            }
            isPrevious = literal
        }
    }

    mutating func literally(_ lines: [String]) {
        page += ".nf\n" + lines.map { Roff.line($0) + "\n" }.joined() + ".fi\n"
    }

    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "…": escaped += "..."
            case "\"": escaped += "\\(dq"
            default:
                // An emoji has no name in roff, but every formatter knows its number.
                for scalar in character.unicodeScalars {
                    if scalar.isASCII {
                        escaped.unicodeScalars.append(scalar)
                    } else {
                        let digits = String(scalar.value, radix: 16, uppercase: true)
                        escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
                    }
                }
            }
        }
        return escaped
    }
}

extension String {
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }) }
}

/// The commands `weir help`, `weir man` and `weir cheat`.
enum ManualCommand {
    static func help(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard !arguments.positionals.isEmpty else { return Pager.show(Help.overview) }
        return Pager.show(Help.text(of: try arguments.namedCommand()))
    }

    static func man(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        if arguments.has(.all) {
            guard arguments.positionals.count == 1 else {
                throw arguments.error("--all needs one folder: weir man --all DIR")
            }
            return writeAll(arguments.positionals[0])
        }
        guard !arguments.positionals.isEmpty else { return Pager.show(Manual.page(of: nil), asManual: true) }
        return Pager.show(Manual.page(of: try arguments.namedCommand()), asManual: true)
    }

    private static func writeAll(_ folder: String) -> ExitCode {
        if mkdir(folder, 0o777) != 0, errno != EEXIST {
            return Console.fail(
                CommandError("cannot create \(folder): \(String(cString: strerror(errno)))", .cannotWrite))
        }
        for command in Manual.pages {
            let path = "\(folder)/\(Manual.name(of: command)).1"
            if let problem = WholeFile.write(Array(Manual.page(of: command).utf8), to: path, mode: 0o644) {
                return Console.fail(CommandError("\(path) cannot be written: \(problem)", .cannotWrite))
            }
        }
        Console.note("\(Manual.pages.count) pages in \(folder)")
        return .done
    }

    static func cheat(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard let topic = arguments.positionals.first else {
            return Console.print(CheatSheet.all.map(\.text).joined(separator: "\n"))
        }
        guard let sheet = CheatSheet.all.first(where: { $0.topic == topic }) else {
            let topics = CheatSheet.all.map(\.topic)
            throw arguments.error(
                "unknown topic \(UsageError.quoted(topic)); topics: \(topics.joined(separator: ", "))"
                    + Suggestion.phrase(for: topic, among: topics))
        }
        return Console.print(sheet.text)
    }
}

/// Shows a long text page by page, with `$PAGER`, otherwise less. Output to a file or a pipe is printed directly.
enum Pager {
    /// Shows a text. A manual page is formatted by `man`.
    static func show(_ text: String, asManual: Bool = false) -> ExitCode {
        let rows = TerminalDevice.height(of: 1) ?? 0
        let isLong = text.utf8.count { $0 == UInt8(ascii: "\n") } >= rows
        guard isatty(0) == 1, isatty(1) == 1, rows > 0, isLong || asManual else { return Console.print(text) }
        let pager = getenv("PAGER").map { String(cString: $0) } ?? "less -FRX"
        // The pager may contain options; man uses its own.
        guard !pager.isEmpty, let stream = popen(asManual ? "man -l -" : pager, "w") else { return Console.print(text) }
        signal(SIGPIPE, SIG_IGN)
        fputs(text, stream)
        // Exit code 127: the shell found no such program.
        return pclose(stream) >> 8 == 127 ? Console.print(text) : .done
    }
}

extension Arguments {
    /// Returns the named command. The word of a family without a verb names the family.
    func namedCommand() throws(UsageError) -> Command {
        var words = positionals[...]
        if words.count == 1, let command = Command.table.first(where: { $0.name == words[0] }) { return command }
        let command = try Command.take(&words)
        if let word = words.first { throw error("unexpected argument \(UsageError.quoted(word))") }
        return command
    }
}
