import Glibc
import JSONText
import Live
import Terminal

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
