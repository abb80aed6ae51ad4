import Glibc
import WeirJSON
import WeirLive
import WeirNetwork
import WeirTerminal

/// The verbs of `weir ctx`.
enum ContextCommand {
    /// Returns a function that runs a verb. A problem with the arguments becomes a usage error.
    static func verb(
        _ body: @escaping @Sendable (Arguments) throws(ContextFolder.Problem) -> ExitCode
    ) -> Command.Run {
        { arguments throws(UsageError) in
            do throws(ContextFolder.Problem) {
                return try body(arguments)
            } catch {
                guard error.code != .usage else { throw arguments.error(error.message) }
                return Console.fail(CommandError(error.message, error.code))
            }
        }
    }

    static func check(_ arguments: Arguments) async throws(UsageError) -> ExitCode {
        let context: Context
        do throws(ContextFolder.Problem) {
            context = try named(arguments)
        } catch {
            throw arguments.error(error.message)
        }
        return try await ContextCheck.run(context, arguments)
    }

    /// Returns the named context, or the one that applies here.
    private static func named(_ arguments: Arguments) throws(ContextFolder.Problem) -> Context {
        if let name = arguments.positionals.first { return try ContextFolder.context(name) }
        guard let choice = ContextChoice.current(nil) else {
            throw ContextFolder.Problem(message: "no context is selected; name one, or select it with 'weir ctx use'")
        }
        do throws(ContextFolder.Problem) {
            return try ContextFolder.context(choice.name, choice: choice)
        } catch {
            throw ContextFolder.Problem(message: "\(choice.label): \(error.message)", code: error.code)
        }
    }

    static func copy(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let (name, new) = (arguments.positionals[0], arguments.positionals[1])
        let text = try ContextFolder.text(of: name).text
        try ContextEditing.checkNew(new)
        try ContextFolder.write(text, to: new)
        Console.note("context \(new)")
        return .done
    }

    static func rename(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let (name, new) = (arguments.positionals[0], arguments.positionals[1])
        let text = try ContextFolder.text(of: name).text
        try ContextEditing.checkNew(new)
        try ContextFolder.write(text, to: new)
        try ContextFolder.rename(name, to: new)
        try ContextFolder.remove(name)
        Console.note("context \(name) renamed to \(new)")
        return .done
    }

    static func remove(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let names = arguments.positionals
        // Remove all or none: check the names before removing anything.
        for name in names where !ContextFolder.has(name) { _ = try ContextFolder.text(of: name) }
        for name in names {
            try ContextFolder.remove(name)
            try ContextFolder.rename(name, to: nil)
            Console.note("context \(name) removed")
        }
        return .done
    }

    static func use(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let name = arguments.positionals[0]
        let context = try ContextFolder.context(name)
        // The name contains no characters with a meaning for a shell.
        if arguments.has(.shell) { return Console.print("export \(Option.ctx.variable)=\(context.name)\n") }
        try ContextFolder.select(name)
        Console.note("context \(context.name)" + (context.url.map { ": \($0)" } ?? ""))
        warnOfOther(than: name)
        return .done
    }

    static func unuse(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        if arguments.has(.shell) {
            let isFish = Environment.value("SHELL")?.hasSuffix("/fish") ?? false
            return Console.print((isFish ? "set -e " : "unset ") + Option.ctx.variable + "\n")
        }
        try ContextFolder.select(nil)
        Console.note("no context is selected")
        return .done
    }

    static func usePrevious(_: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        guard let name = ContextFolder.selected.previous else {
            throw ContextFolder.Problem(message: "no context was selected before")
        }
        _ = try ContextFolder.context(name)
        try ContextFolder.select(name)
        Console.note("context \(name)")
        warnOfOther(than: name)
        return .done
    }

    /// Warns that a stronger choice than the selection applies here.
    private static func warnOfOther(than name: String) {
        guard let choice = ContextChoice.current(nil), choice.origin != .selected, choice.name != name else { return }
        Console.note("warning: \(choice.label) overrides the selection here with \(TerminalText.escaped(choice.name))")
    }
}

// The output of `weir ctx ls` and `weir ctx show`.
extension ContextCommand {
    static func list(_ arguments: Arguments) -> ExitCode {
        let choice = ContextChoice.current(nil)
        var code = ExitCode.done
        var rows: [(mark: String, name: String, url: String, more: String)] = []
        var lines: [String] = []
        for name in ContextFolder.names {
            let isCurrent = choice?.name == name
            let context: Context
            do throws(ContextFolder.Problem) {
                context = try ContextFolder.context(name)
            } catch {
                Console.note("weir: " + error.message)
                code = .usage
                continue
            }
            var more = context.isGuarded ? ["guarded"] : []
            more += context.labels
            if isCurrent, let choice { more.append("(\(choice.label))") }
            rows.append((isCurrent ? "*" : " ", name, context.url ?? "", more.joined(separator: " ")))
            lines.append(json(context, isCurrent ? choice : nil))
        }
        if arguments.has(.json) { return ending(Console.print(lines.joined()), code) }
        let widths = (rows.map(\.name.count).max() ?? 0, rows.map(\.url.count).max() ?? 0)
        let text = rows.map { row in
            let name = row.name + String(repeating: " ", count: widths.0 - row.name.count)
            let url = row.url + String(repeating: " ", count: widths.1 - row.url.count)
            let line = TerminalText.escaped("\(row.mark) \(name)  \(url)  \(row.more)")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        return ending(Console.print(text.joined()), code)
    }

    private static func ending(_ printed: ExitCode, _ code: ExitCode) -> ExitCode { code == .done ? printed : code }

    private static func json(_ context: Context, _ choice: ContextChoice?) -> String {
        let value = JSONValue.fields([
            "name": .string(context.name), "url": context.url.map { .string($0) } ?? .null,
            "guarded": .bool(context.isGuarded), "labels": .array(context.labels.map { .string($0) }),
            "current": .bool(choice != nil), "chosen_by": choice.map { .string($0.label) } ?? .null,
        ])
        return value.raw.description + "\n"
    }

    static func show(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let context = try named(arguments)
        let fields = context.source.file.entries.map { entry in
            var value = entry.value
            if case .option(let option) = entry.key, option.isSecret { value = Fingerprints.shown(value) }
            return (entry.section, entry.key.name, value)
        }
        if arguments.has(.json) { return Console.print(fields.map(json).joined()) }
        var lines = ["# \(context.name), \(context.source.path)" + (context.choice.map { ", by \($0.label)" } ?? "")]
        var section: String?
        for (itsSection, name, value) in fields {
            if let itsSection, itsSection != section { lines.append("[\(itsSection)]") }
            section = itsSection
            lines.append("\(name) = \(value)")
        }
        return Console.print(lines.map { TerminalText.escaped($0) + "\n" }.joined())
    }

    private static func json(_ section: String?, _ name: String, _ value: String) -> String {
        let value = JSONValue.fields([
            "command": section.map { .string($0) } ?? .null, "option": .string(name), "value": .string(value),
        ])
        return value.raw.description + "\n"
    }
}

/// The commands `weir ctx add` and `weir ctx edit`. They write typed options as lines of a context's file, after
/// checking them.
enum ContextEditing {
    static func add(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let (name, url) = (arguments.positionals[0], arguments.positionals[1])
        try checkNew(name)
        try check(arguments, url: url)
        try ContextFolder.write((["url = \(url)"] + lines(arguments)).joined(separator: "\n") + "\n", to: name)
        Console.note("context \(name); 'weir ctx use \(name)' selects it")
        return .done
    }

    static func edit(_ arguments: Arguments) throws(ContextFolder.Problem) -> ExitCode {
        let name = arguments.positionals[0]
        let url = arguments.positionals.count > 1 ? arguments.positionals[1] : nil
        let (path, text) = try ContextFolder.text(of: name)
        let new = lines(arguments)
        let unset = try keys(arguments)
        guard url != nil || !new.isEmpty || !unset.isEmpty else { return try editByHand(name, text) }
        try check(arguments, url: url)
        let replaced = Set(Option.of(arguments.command).filter { arguments.has($0) }.map(\.name) + unset)
        var kept = withoutLines(of: url == nil ? replaced : replaced.union(["url"]), in: text)
        let place = kept.firstIndex { $0.drop { $0 == " " }.hasPrefix("[") } ?? kept.endIndex
        kept.insert(contentsOf: (url.map { ["url = \($0)"] } ?? []) + new, at: place)
        let result = kept.joined(separator: "\n") + "\n"
        try checkText(result, path)
        try ContextFolder.write(result, to: name)
        Console.note("context \(name)")
        return .done
    }

    /// Checks that a name is valid and not in use.
    static func checkNew(_ name: String) throws(ContextFolder.Problem) {
        guard ContextFolder.isName(name) else {
            throw ContextFolder.Problem(
                message: "invalid name \(UsageError.quoted(name)); use up to 64 letters, digits, '.', '_' and '-'")
        }
        if ContextFolder.has(name) {
            throw ContextFolder.Problem(message: "the context '\(name)' already exists; change it with 'weir ctx edit'")
        }
    }

    /// Returns the typed options as lines of the file.
    private static func lines(_ arguments: Arguments) -> [String] {
        Option.of(arguments.command).filter { $0.isSetting(in: .context) && arguments.has($0) }.flatMap { option in
            option.placeholder == nil
                ? ["\(option.name) = yes"] : arguments.all(option).map { "\(option.name) = \($0)" }
        }
    }

    /// Returns the names of the options to remove.
    private static func keys(_ arguments: Arguments) throws(ContextFolder.Problem) -> [String] {
        let known = Option.allCases.filter { $0.isSetting(in: .context) }.map(\.name)
        for word in arguments.all(.unset) where !known.contains(word) {
            throw ContextFolder.Problem(
                message: "--unset: unknown option \(UsageError.quoted(word))"
                    + Suggestion.phrase(for: word, among: known))
        }
        return arguments.all(.unset)
    }

    /// Refuses values that every use would refuse: an invalid URL, a secret that is not a reference, an unlisted
    /// choice.
    private static func check(_ arguments: Arguments, url: String?) throws(ContextFolder.Problem) {
        do throws(UsageError) {
            if let url {
                let parts = try arguments.url(url)
                _ = try arguments.access(to: parts)
                _ = try arguments.query(of: parts)
            }
            _ = try arguments.auth()
            for option in [Option.token, .keyPass, .proxyAuth] { _ = try arguments.secret(option, option.name) }
            for option in Option.allCases where arguments.has(option) && !option.choices.isEmpty {
                let value = arguments[option] ?? ""
                guard option.choices.contains(value) else {
                    throw arguments.error("\(option.flag): " + UsageError.unlisted(value, among: option.choices))
                }
            }
        } catch {
            throw ContextFolder.Problem(message: error.message)
        }
        for option in Option.of(arguments.command) {
            if arguments.all(option).contains(where: { $0.contains(where: \.isNewline) || $0.isEmpty }) {
                throw ContextFolder.Problem(message: "\(option.flag): the value is empty or has several lines")
            }
        }
    }

    private static func checkText(_ text: String, _ path: String) throws(ContextFolder.Problem) {
        let file = SettingsFile(text, kind: .context)
        if let problem = file.problems.first {
            throw ContextFolder.Problem(message: "\(path):\(problem.line): \(problem.message)")
        }
    }

    /// Returns the lines of a text without those that set the given options for all commands. Comments and sections
    /// stay.
    private static func withoutLines(of names: Set<String>, in text: String) -> [String] {
        let file = SettingsFile(text, kind: .context)
        let gone = Set(file.entries.filter { $0.section == nil && names.contains($0.key.name) }.map(\.line))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { !gone.contains($0.offset + 1) }.map { String($0.element) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Opens the user's editor on a copy. A valid copy replaces the file; an invalid one is kept for the user.
    private static func editByHand(_ name: String, _ text: String) throws(ContextFolder.Problem) -> ExitCode {
        guard let editor = Environment.value("VISUAL") ?? Environment.value("EDITOR") else {
            throw ContextFolder.Problem(message: "nothing to change: give an option, or set EDITOR")
        }
        guard let path = ContextFolder.path(of: name).map({ $0 + ".edited~" }) else { return .runtimeError }
        if let problem = WholeFile.write(Array(text.utf8), to: path) {
            throw ContextFolder.Problem(message: "\(path) cannot be written: \(problem)", code: .cannotWrite)
        }
        // The editor may contain arguments. The path is passed as a parameter, so that the shell does not interpret it.
        guard Subprocess.run(["/bin/sh", "-c", editor + " \"$1\"", "sh", path]) == 0 else {
            unlink(path)
            throw ContextFolder.Problem(message: "the editor failed; the context is unchanged", code: .runtimeError)
        }
        let edited: String
        switch ConfigFolder.read(path, forEyes: .owner) {
        case .success(let text?): edited = text
        case .success(nil): throw ContextFolder.Problem(message: "\(path) no longer exists", code: .runtimeError)
        case .failure(let problem): throw ContextFolder.Problem(message: "\(path): \(problem.message)")
        }
        try checkText(edited, path)
        try ContextFolder.write(edited, to: name)
        unlink(path)
        Console.note("context \(name)")
        return .done
    }
}

/// Runs another program in this program's terminal.
enum Subprocess {
    /// Runs a program and returns its exit status; `nil` if it could not be started or was killed.
    static func run(_ words: [String]) -> Int32? {
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, words[0], nil, nil, &argv, environ) == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }
}

/// The command `weir ctx check`. It prints a line for each step of the connection to the server.
enum ContextCheck {
    static func run(_ context: Context, _ arguments: Arguments) async throws(UsageError) -> ExitCode {
        var tail = Arguments(for: .tail)
        var settings = try Settings.read(for: arguments, command: .tail)
        settings.context = context
        try tail.settle(settings)
        let options = try TailOptions(tail)
        let configuration: TailConfiguration
        do { configuration = try TailCommand.configuration(options) } catch { return Console.fail(error) }
        var code = ExitCode.done
        let isJSON = arguments.has(.json)
        await ServerCheck.run(configuration, wallClock: { WallTime.milliseconds }) { result in
            if case .failed(let failure, _) = result.outcome, code == .done { code = Self.code(of: failure) }
            let printed = Console.print(isJSON ? json(result) : line(result))
            if code == .done { code = printed }
        }
        return code
    }

    private static func code(of failure: ServerCheck.Failure) -> ExitCode {
        switch failure {
        case .unreachable: .noConnection
        case .refused: .refused
        case .late: .timeout
        case .clock: .runtimeError
        }
    }

    private static func line(_ result: ServerCheck.Result) -> String {
        var buffer = TerminalBuffer(TerminalDevice.theme(of: 1))
        let (word, style, words, isTimed): (String, TerminalStyle, String, Bool) =
            switch result.outcome {
            case .passed(let words): ("pass", .good, words, true)
            case .failed(_, let words): ("FAIL", .bad, words, true)
            case .skipped(let words): ("skip", .faint, words, false)
            }
        buffer.append(word, style)
        let name = result.step.rawValue
        buffer.append("  " + name + String(repeating: " ", count: max(0, 16 - name.count)))
        let time = isTimed ? "\(milliseconds(result.duration)) ms" : ""
        buffer.append(String(repeating: " ", count: max(0, 9 - time.count)) + time + "  ", .faint)
        buffer.append(words)
        buffer.endLine()
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { max(0, Int64(duration / .milliseconds(1))) }

    private static func json(_ result: ServerCheck.Result) -> String {
        let (outcome, why, words) =
            switch result.outcome {
            case .passed(let words): ("pass", JSONValue.null, words)
            case .failed(let failure, let words): ("fail", JSONValue.string(failure.rawValue), words)
            case .skipped(let words): ("skip", JSONValue.null, words)
            }
        let value = JSONValue.fields([
            "step": .string(result.step.rawValue), "outcome": .string(outcome), "failure": why,
            "ms": .integer(milliseconds(result.duration)), "detail": .string(words),
        ])
        return value.raw.description + "\n"
    }
}
