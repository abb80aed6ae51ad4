import Live
import Terminal

/// The text of a config file or a context: `option = value` lines, `[command]` sections, lists by repetition. Pure.
///
/// A value is what stands behind the first `=`, without the blanks around it: nothing is quoted, and `#` begins a comment only at
/// the beginning of a line, since it begins the names of channels, too.
struct SettingsFile {
    /// What is written in such a file.
    enum Kind {
        case config, context
    }

    /// One line.
    struct Entry {
        /// The command it is for, or the word in front of its verbs; nil for all.
        var section: String?
        var key: Key
        var value: String
        /// Counted from 1.
        var line: Int
    }

    /// What a line sets.
    enum Key: Hashable {
        /// The server's address, which no option names. In contexts only.
        case url
        case option(Option)

        var name: String {
            switch self {
            case .url: "url"
            case .option(let option): option.name
            }
        }
    }

    /// A line that says nothing.
    struct Problem {
        var line: Int
        var message: String
    }

    let kind: Kind
    private(set) var entries: [Entry] = []
    /// In the order of the lines.
    private(set) var problems: [Problem] = []

    init(_ text: String, kind: Kind) {
        self.kind = kind
        var section: String?
        // What a section nobody knows holds is not complained about line by line.
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

    /// The entries of a key that a command sees: those of its own section before those of its family's, and these before those of all.
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
                throw Malformed(message: "\(name): \(UsageError.quoted(value)) is neither yes nor no")
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
