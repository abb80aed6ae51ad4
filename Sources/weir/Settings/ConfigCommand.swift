import WeirJSON
import WeirLive
import WeirRecording
import WeirTerminal
import WeirWire

/// The command `weir config`: the settings that apply, and their sources.
enum ConfigCommand {
    static func path(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        guard let path = Settings.configPath(arguments) else {
            throw arguments.error("no config file: neither HOME nor XDG_CONFIG_HOME is set")
        }
        return Console.print(path + "\n")
    }

    /// A setting in the form that is shown.
    private struct Row {
        var command: String
        var name: String
        var value: String
        var source: String
    }

    static func show(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let commands = try commands(arguments)
        let settings = try Settings.read(
            for: arguments, command: commands.first(where: \.takesContext) ?? commands[0])
        var rows: [Row] = []
        for command in commands {
            for option in Option.of(command) {
                guard option.isInherited(by: command), let found = settings.find(option, for: command) else { continue }
                for value in found.values {
                    rows.append(
                        Row(
                            command: command.name, name: option.name,
                            value: option.isSecret ? Fingerprints.shown(value) : value,
                            source: found.origin.place))
                }
            }
        }
        if arguments.has(.json) { return Console.print(rows.map(json).joined()) }
        rows =
            commands.count > 1
            ? merged(rows) : rows.map { Row(command: "", name: $0.name, value: $0.value, source: $0.source) }
        return Console.print(table(rows))
    }

    /// Merges equal settings of several commands into one row without a command.
    private static func merged(_ rows: [Row]) -> [Row] {
        var merged: [Row] = []
        for row in rows {
            let twin = { (other: Row) in (other.name, other.value, other.source) == (row.name, row.value, row.source) }
            if let index = merged.firstIndex(where: twin) {
                merged[index].command = ""
            } else {
                merged.append(row)
            }
        }
        return merged
    }

    private static func table(_ rows: [Row]) -> String {
        let names = rows.map { ($0.command.isEmpty ? "" : "[\($0.command)] ") + $0.name + " = " + $0.value }
        let escaped = names.map { TerminalText.escaped($0) }
        let width = escaped.map(\.count).max() ?? 0
        return zip(escaped, rows).map { name, row in
            name + String(repeating: " ", count: width - name.count + 2) + TerminalText.escaped(row.source) + "\n"
        }.joined()
    }

    private static func json(_ row: Row) -> String {
        let value = JSONValue.fields([
            "command": .string(row.command), "option": .string(row.name), "value": .string(row.value),
            "source": .string(row.source),
        ])
        return value.raw.description + "\n"
    }

    private static func commands(_ arguments: Arguments) throws(UsageError) -> [Command] {
        let all = Command.table.filter { $0.takesSettings && $0.verbs.isEmpty }
        guard !arguments.positionals.isEmpty else { return all }
        var words = arguments.positionals[...]
        let command = try Command.take(&words)
        if let word = words.first { throw arguments.error("unexpected argument \(UsageError.quoted(word))") }
        guard command.takesSettings else { throw arguments.error("'weir \(command.name)' takes no settings") }
        return [command]
    }

    static func check(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        var problems: [String] = []
        var notes: [String] = []
        if let path = Settings.configPath(arguments) {
            let shown = ConfigFolder.shown(path)
            switch ConfigFolder.read(path, forEyes: .anybody) {
            case .success(nil): notes.append("\(shown): not found")
            case .success(let text?):
                let file = SettingsFile(text, kind: .config)
                problems += file.problems.map { "\(shown):\($0.line): \($0.message)" }
                problems += wrongChoices(in: file, shown)
                notes.append("\(shown): \(file.entries.count) settings")
            case .failure(let problem): problems.append("\(shown): \(problem.message)")
            }
        }
        let names = Option.allCases.filter(\.isVariable).map(\.variable)
        for name in Environment.names(startingWith: Option.prefix) where !names.contains(name) {
            problems.append("\(name): no option has this variable" + Suggestion.phrase(for: name, among: names))
        }
        for line in problems { Console.note("weir: " + line) }
        guard problems.isEmpty else { return .usage }
        return Console.print(notes.map { TerminalText.escaped($0) + "\n" }.joined())
    }

    private static func wrongChoices(in file: SettingsFile, _ shown: String) -> [String] {
        file.entries.compactMap { entry in
            guard case .option(let option) = entry.key, !option.choices.isEmpty, !option.choices.contains(entry.value)
            else { return nil }
            return "\(shown):\(entry.line): \(option.name): "
                + UsageError.unlisted(entry.value, among: option.choices)
        }
    }
}

/// Replacements for secrets in output.
enum Fingerprints {
    /// Returns a value in which a secret is replaced by a fingerprint. A reference keeps its place, followed by a
    /// fingerprint of the current secret. A command is not run; only its first word is shown, since the others may be
    /// the secret.
    static func shown(_ value: String) -> String {
        guard let (before, kind, rest) = parts(of: value) else { return of(value) }
        switch kind {
        case "env": return before + "env:\(rest) " + of(.environment(rest))
        case "file": return before + "file:\(rest) " + of(.file(rest))
        default:
            let words = rest.split(separator: " ")
            return before + "cmd:" + (words.first.map(String.init) ?? "") + (words.count > 1 ? " …" : "")
        }
    }

    /// Returns a fingerprint of a text, which is enough to compare two secrets.
    static func of(_ text: String) -> String { "(fingerprint \(Fingerprint.of(text)))" }

    private static func of(_ reference: TokenReference) -> String {
        do throws(TokenError) {
            return of(try reference.resolve().reveal())
        } catch {
            return "(missing)"
        }
    }

    /// Splits a value into the text before a reference (a header's name, a word such as Bearer), the kind of the
    /// reference, and the rest.
    private static func parts(of value: String) -> (before: String, kind: String, rest: String)? {
        for kind in ["env", "file", "cmd"] {
            if value.hasPrefix(kind + ":") { return ("", kind, String(value.dropFirst(kind.count + 1))) }
        }
        guard let colon = value.firstIndex(of: ":") else { return nil }
        let name = value[...colon]
        let text = value[value.index(after: colon)...].drop { $0 == " " }
        for kind in ["env", "file", "cmd"] {
            if text.hasPrefix(kind + ":") { return (name + " ", kind, String(text.dropFirst(kind.count + 1))) }
            guard let space = text.firstIndex(of: " ") else { continue }
            let rest = text[space...].drop { $0 == " " }
            if rest.hasPrefix(kind + ":") {
                return (name + " " + text[..<space] + " ", kind, String(rest.dropFirst(kind.count + 1)))
            }
        }
        return nil
    }
}
