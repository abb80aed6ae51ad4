import WeirLive
import WeirTerminal

/// Arguments split into words and options. Each option is known to the command; the values are not checked yet.
/// `settle` adds the settings that were not typed.
struct Arguments {
    /// The command that receives the arguments.
    let command: Command
    /// The words that are not options.
    var positionals: [String] = []
    /// The context that applies. `hasContextsURL` records whether the URL came from it.
    private(set) var context: Context?
    private var hasContextsURL = false
    /// Whether `--help` was typed. Nothing else matters then.
    private(set) var wantsHelp = false
    private var settings: [Option: Setting] = [:]
    /// The typed options and values, in order.
    private(set) var typed: [(option: Option, value: String)] = []
    /// The options switched off on the command line, which overrides all settings.
    private var switchedOff: Set<Option> = []

    /// Creates empty arguments, for `settle` to fill.
    init(for command: Command) { self.command = command }

    /// Splits the arguments after the command's name. `settle` checks the number of words.
    init(parsing arguments: [String], for command: Command) throws(UsageError) {
        self.command = command
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                positionals.append(contentsOf: rest)
                break
            }
            if argument == "-h" || argument == "--help" {
                wantsHelp = true
                return
            }
            if argument.hasPrefix("--") {
                try take(option: argument, &rest)
                // As with 'weir rooms join', several patterns can follow.
                while argument == Option.join.flag, let word = rest.first, isFurtherPattern(word) {
                    rest.removeFirst()
                    append(word, to: .join)
                }
            } else if argument.hasPrefix("-"), argument != "-", !command.takesPatterns, !isNegative(argument) {
                try take(letters: argument, &rest)
            } else {
                positionals.append(argument)
            }
        }
    }

    /// Returns the last value of an option.
    subscript(option: Option) -> String? { settings[option]?.values.last }

    /// Returns all values of a repeatable option, in order.
    func all(_ option: Option) -> [String] { settings[option]?.values ?? [] }

    /// Whether an option is set, with or without a value.
    func has(_ option: Option) -> Bool { settings[option] != nil }

    /// Whether an option was typed, and is not an inherited setting.
    func isTyped(_ option: Option) -> Bool { settings[option]?.origin == .flag }

    /// Returns the setting of an option, with its source.
    func setting(of option: Option) -> Setting? { settings[option] }

    /// Sets an option, or removes it for `nil`.
    mutating func set(_ option: Option, to setting: Setting?) {
        settings[option] = switchedOff.contains(option) ? nil : setting
    }

    private mutating func take(option argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try known(parts[0])
        let isGiven = settings[option] != nil || switchedOff.contains(option)
        if isGiven, !option.isRepeatable(for: command) { throw error("\(option.flag) is given twice") }
        guard let placeholder = option.placeholder(for: command) else {
            return try take(option, parts.dropFirst().first)
        }
        if parts.count > 1 {
            append(parts[1], to: option)
        } else if let value = rest.first, !isOption(value) {
            rest.removeFirst()
            append(value, to: option)
        } else {
            throw error("\(option.flag) needs a value: \(option.flag) \(placeholder)")
        }
    }

    private mutating func append(_ value: String, to option: Option) {
        settings[option] = Setting(values: all(option) + [value], origin: .flag)
        typed.append((option, value))
    }

    /// Takes an option without a value. `=no` switches off a setting of the environment or of a file.
    private mutating func take(_ option: Option, _ text: String?) throws(UsageError) {
        guard let isOn = Arguments.truth(text ?? "yes") else {
            throw error("\(option.flag) accepts only yes or no as a value")
        }
        if isOn {
            settings[option] = Setting(values: [], origin: .flag)
        } else {
            switchedOff.insert(option)
        }
    }

    /// Whether a word after a pattern is another pattern. A server's URL is not, and neither is the file of a command
    /// that writes one.
    private func isFurtherPattern(_ word: String) -> Bool {
        if word.hasPrefix("-") || word.contains("://") { return false }
        return command == .tail || word.hasPrefix("#") || word.hasPrefix("@")
    }

    /// Whether a word is a negative number. No option has a digit as its letter.
    private func isNegative(_ word: String) -> Bool { word.dropFirst().first.map { ("0"..."9").contains($0) } ?? false }

    /// Takes one or several one-letter options. A value follows in the same word (`-A3`) or in the next one.
    private mutating func take(letters argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = argument.dropFirst()
        let mine = Option.of(command)
        while let letter = letters.popFirst() {
            guard let option = mine.first(where: { $0.letter == letter }) else {
                throw error("unknown option \(UsageError.quoted(letters.isEmpty ? "-\(letter)" : argument))")
            }
            if option.placeholder == nil || letters.isEmpty {
                try take(option: option.flag, &rest)
            } else {
                try take(option: option.flag + "=" + letters, &rest)
                return
            }
        }
    }

    private func known(_ flag: String) throws(UsageError) -> Option {
        let mine = Option.of(command)
        if let option = mine.first(where: { $0.flag == flag }) { return option }
        let text = UsageError.quoted(flag)
        if let option = Option.allCases.first(where: { $0.flag == flag }) {
            let others = option.row.scope.commands.map(\.name).joined(separator: ", ")
            throw error("\(text) is not an option of 'weir \(command.name)' (it belongs to: \(others))")
        }
        throw error("unknown option \(text)" + Suggestion.phrase(for: flag, among: mine.map(\.flag)))
    }

    /// Whether a word is an option of this command, and therefore not the value of the preceding option.
    private func isOption(_ word: String) -> Bool {
        word == "--"
            || Option.of(command).contains {
                word == $0.flag || word.hasPrefix($0.flag + "=") || $0.letter.map { word == "-\($0)" } ?? false
            }
    }

    /// Applies a context. Its URL takes the place of the command's URL if none was typed.
    mutating func adopt(_ context: Context?) {
        self.context = context
        guard let url = context?.url, typedURL == nil, let index = command.urlIndex(in: positionals),
            index <= positionals.count
        else { return }
        positionals.insert(url, at: index)
        hasContextsURL = true
    }

    /// The name of the URL in error messages.
    var urlLabel: String { hasContextsURL ? context?.urlLabel ?? "URL" : "URL" }

    /// Checks that the number of words fits the command.
    func checkPositionals() throws(UsageError) {
        let expected = command.positionals.filter { $0.name != "URL" || !speaksToRunning }
        let required = expected.filter(\.isRequired)
        if positionals.count < required.count, !has(.explainFilter) {
            throw error(missing(required[positionals.count].name))
        }
        if positionals.count > expected.count, expected.last?.isRepeatable != true {
            let extra = UsageError.quoted(positionals[expected.count])
            let hint = isTyped(.emit) ? "; --emit takes one argument: --emit '\(self[.emit] ?? "EVENT") ARG…'" : ""
            throw error("unexpected argument \(extra)\(hint)")
        }
    }

    /// Checks that no file or folder name is empty, as in `weir replay "$FILE"` with an unset variable.
    func checkFileNames() throws(UsageError) {
        for option in Option.of(command) where all(option).contains("") {
            if option.takesFile(for: command) { throw error("\(option.flag): the name of the file is empty") }
            if option == .recordDir { throw error("\(option.flag): the name of the folder is empty") }
        }
        for (index, word) in positionals.enumerated() where word.isEmpty {
            guard let positional = command.positional(at: index), positional.isFile else { continue }
            throw error("\(positional.name): the name of the file is empty")
        }
    }

    private func missing(_ name: String) -> String {
        guard name == "URL", command.takesContext else { return "\(name) is missing" }
        var message = "URL is missing"
        let contexts = ContextFolder.names
        if !contexts.isEmpty {
            message +=
                ", and no context is selected; 'weir ctx use NAME' selects one of " + contexts.joined(separator: ", ")
        }
        let tails = RunningProcess.all.map(\.name)
        if !tails.isEmpty { message += "; 'weir attach NAME' shows a running tail: " + tails.joined(separator: ", ") }
        return message
    }

    /// Creates an error about these arguments. If the message begins with a flag whose value was not typed, the
    /// environment variable or the line of the file replaces the flag.
    func error(_ message: String) -> UsageError { UsageError(sourced(message), command: command) }
}

/// An error in the arguments: one sentence, and the command whose help describes them.
struct UsageError: Error, Hashable {
    /// The sentence. Quoted arguments are escaped.
    var message: String
    /// The command of the arguments; `nil` if it is unknown.
    var command: Command?
    /// Lines that show the position of the error, safe for a terminal.
    var details: [String] = []

    init(_ message: String, command: Command? = nil) {
        self.message = message
        self.command = command
    }

    /// The error for a missing command, with suggestions.
    static var bare: Self {
        var error = Self("a command is missing; try one of these:")
        error.details = [
            "weir demo                          a demo chat: nothing to set up",
            "weir tail URL --token env:TOKEN    your server, live",
            "weir cheat                         commands to copy",
        ]
        return error
    }

    /// Returns the message for a word that is not in a closed list, with a suggestion.
    static func unlisted(_ word: String, among words: [String]) -> String {
        "\(quoted(word)) is not one of \(words.joined(separator: ", "))" + Suggestion.phrase(for: word, among: words)
    }

    /// Returns an argument as quoted in messages.
    static func quoted(_ argument: some StringProtocol) -> String {
        "'" + TerminalText.truncated(String(argument), to: 80) + "'"
    }
}
