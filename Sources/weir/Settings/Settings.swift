import Glibc
import WeirLive
import WeirTerminal

/// The settings of the environment and of the user's files at the start of a command.
struct Settings {
    /// A file of settings, with its displayed path.
    struct File {
        var path: String
        var file: SettingsFile
    }

    /// The context that applies; `nil` for none.
    var context: Context?
    /// The config file; `nil` if it does not exist.
    var config: File?

    /// Returns an inherited setting of an option: from the environment, the context or the config file, in this order.
    func find(_ option: Option, for command: Command) -> Arguments.Setting? {
        if option.isVariable, let text = Environment.value(option.variable) {
            // The values of a list are separated by newlines, since headers, JSON arguments and expressions contain all
            // other separators.
            let values = option.isRepeatable ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
            return Arguments.Setting(values: values, origin: .variable(option.variable))
        }
        if command.takesContext, let source = context?.source,
            let found = Settings.find(option, for: command, in: source)
        {
            return Arguments.Setting(
                values: found.values, origin: .context(file: source.path, line: found.line, name: option.name))
        }
        if let config, let found = Settings.find(option, for: command, in: config) {
            return Arguments.Setting(
                values: found.values, origin: .config(file: config.path, line: found.line, name: option.name))
        }
        return nil
    }

    /// Reads the settings for a command. A file with an error is refused as a whole, since it would be unclear what
    /// applies.
    static func read(for arguments: Arguments, command: Command? = nil) throws(UsageError) -> Settings {
        guard (command ?? arguments.command).takesSettings else { return Settings() }
        var settings = Settings()
        settings.context = try arguments.chosenContext(for: command ?? arguments.command)
        settings.config = try config(arguments)
        return settings
    }

    /// Returns the path of the config file, even if the file does not exist; `nil` for none.
    static func configPath(_ arguments: Arguments) -> String? {
        let named = arguments[.config] ?? Environment.value(Option.config.variable)
        return named == "none" ? nil : named ?? ConfigFolder.config
    }

    private static func config(_ arguments: Arguments) throws(UsageError) -> File? {
        let named = arguments[.config] ?? Environment.value(Option.config.variable)
        guard let path = configPath(arguments) else { return nil }
        let shown = ConfigFolder.shown(path)
        let text: String
        switch ConfigFolder.read(path, forEyes: .anybody) {
        case .success(let found?): text = found
        case .success(nil):
            guard let named else { return nil }
            let label = arguments[.config] == nil ? Option.config.variable : Option.config.flag
            throw arguments.error("\(label): the file \(UsageError.quoted(named)) does not exist")
        case .failure(let problem): throw arguments.error("\(shown): \(problem.message)")
        }
        let file = SettingsFile(text, kind: .config)
        if let problem = file.problems.first {
            throw arguments.error("\(shown):\(problem.line): \(problem.message)")
        }
        return File(path: shown, file: file)
    }

    private static func find(
        _ option: Option, for command: Command, in file: File
    ) -> (values: [String], line: Int)? {
        guard option.isSetting(in: file.file.kind) else { return nil }
        let entries = file.file.entries(of: .option(option), for: command)
        guard let last = entries.last else { return nil }
        return (entries.map(\.value), last.line)
    }
}

/// The environment variables of the process.
enum Environment {
    /// Returns the value of a variable; `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        TerminalDevice.variable(name)
    }

    /// Returns the names of the variables with a prefix, sorted.
    static func names(startingWith prefix: String) -> [String] {
        var names: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix(prefix) { names.append(String(name)) }
            entry += 1
        }
        return names.sorted()
    }
}

/// The content of a config file or a context: `option = value` lines, `[command]` sections, lists by repetition. Pure.
///
/// A value is the text after the first `=`, without surrounding blanks. It has no quotes. `#` begins a comment only at
/// the beginning of a line, since the names of channels begin with it as well.
struct SettingsFile {
    /// The kinds of settings files.
    enum Kind {
        case config, context
    }

    /// A line that sets a value.
    struct Entry {
        /// The command of the section, or the word of its family; `nil` for all commands.
        var section: String?
        var key: Key
        var value: String
        /// The line number, counted from 1.
        var line: Int
    }

    /// The keys that a line can set.
    enum Key: Hashable {
        /// The server's address, which is not an option. Only in contexts.
        case url
        case option(Option)

        var name: String {
            switch self {
            case .url: "url"
            case .option(let option): option.name
            }
        }
    }

    /// A line that is not a valid setting.
    struct Problem {
        var line: Int
        var message: String
    }

    let kind: Kind
    private(set) var entries: [Entry] = []
    /// The problems, in the order of the lines.
    private(set) var problems: [Problem] = []

    init(_ text: String, kind: Kind) {
        self.kind = kind
        var section: String?
        // Lines in an unknown section are not reported one by one.
        var isKnown = true
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = Self.trimmed(line)
            guard let first = words.first, first != "#" else { continue }
            do throws(Malformed) {
                if first == "[" {
                    isKnown = false
                    section = try self.section(words)
                    isKnown = true
                } else if isKnown {
                    try take(words, section: section, line: index + 1)
                }
            } catch {
                problems.append(Problem(line: index + 1, message: error.message))
            }
        }
    }

    /// Returns the entries of a key for a command: those of its section, otherwise those of its family's section,
    /// otherwise those without a section.
    func entries(of key: Key, for command: Command) -> [Entry] {
        let mine = entries.filter { $0.key == key }
        for section in [command.name, command.family] {
            let own = mine.filter { $0.section == section }
            if !own.isEmpty { return own }
        }
        return mine.filter { $0.section == nil }
    }

    private struct Malformed: Error {
        var message: String
    }

    private func section(_ line: String) throws(Malformed) -> String {
        guard line.hasSuffix("]") else { throw Malformed(message: "a section ends with ]: [tail]") }
        let name = Self.trimmed(line.dropFirst().dropLast())
        let names = Command.table.filter(\.takesSettings).map(\.name)
        let families = Command.topLevel.filter { !$0.verbs.isEmpty && $0.verbs[0].takesSettings }.map(\.name)
        guard names.contains(name) || families.contains(name) else {
            throw Malformed(
                message: "there is no command \(UsageError.quoted(name))"
                    + Suggestion.phrase(for: name, among: names + families))
        }
        return name
    }

    private mutating func take(_ line: String, section: String?, line number: Int) throws(Malformed) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = Self.trimmed(parts[0])
        let key = try key(name, section: section)
        guard parts.count == 2 else { throw Malformed(message: "expected \(name) = VALUE") }
        let value = Self.trimmed(parts[1])
        if case .option(let option) = key {
            if !option.isRepeatable, let other = entries.first(where: { $0.key == key && $0.section == section }) {
                throw Malformed(message: "\(name) is given twice, first in line \(other.line)")
            }
            if option.placeholder == nil, Arguments.truth(value) == nil {
                throw Malformed(message: "\(name): invalid value \(UsageError.quoted(value)); write yes or no")
            }
        } else if let other = entries.first(where: { $0.key == key }) {
            throw Malformed(message: "\(name) is given twice, first in line \(other.line)")
        }
        if value.isEmpty { throw Malformed(message: "\(name): the value is missing") }
        entries.append(Entry(section: section, key: key, value: value, line: number))
    }

    private func key(_ name: String, section: String?) throws(Malformed) -> Key {
        if name == Key.url.name, kind == .context, section == nil { return .url }
        let known = Option.allCases.filter { $0.isSetting(in: kind) }
        guard let option = known.first(where: { $0.name == name }) else {
            if Option.allCases.contains(where: { $0.name == name }) {
                throw Malformed(message: "\(name) cannot be set in a \(kind == .config ? "config file" : "context")")
            }
            let names = known.map(\.name) + (kind == .context ? [Key.url.name] : [])
            throw Malformed(
                message: "unknown option \(UsageError.quoted(name))" + Suggestion.phrase(for: name, among: names))
        }
        guard let section else { return .option(option) }
        let commands = Command.table.filter { $0.name == section || $0.family == section }
        guard commands.contains(where: { option.isKnown(to: $0) }) else {
            throw Malformed(message: "\(name) is not an option of 'weir \(section)'")
        }
        return .option(option)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        let tail = text.drop(while: isBlank)
        guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(tail[...last])
    }
}
