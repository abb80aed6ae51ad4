import Live
import Terminal

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
