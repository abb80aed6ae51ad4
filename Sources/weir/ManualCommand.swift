import Glibc
import Live
import Terminal

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
