import Live
import Terminal

/// Arguments split into words and options, each option known to the command; values are not looked at yet. What was not
/// typed is added by `settle`.
struct Arguments {
    /// The command they are for.
    let command: Command
    /// The words that are not options, as many as the command takes.
    var positionals: [String] = []
    /// The context that applies, and whether the URL is its.
    private(set) var context: Context?
    private var hasContextsURL = false
    /// Whether `--help` was asked for; nothing else matters then.
    private(set) var wantsHelp = false
    private var settings: [Option: Setting] = [:]
    /// The values that were typed, in their order.
    private(set) var typed: [(option: Option, value: String)] = []
    /// What was switched off on the command line, whatever else says that it is on.
    private var switchedOff: Set<Option> = []

    /// No arguments, for `settle` to add what applies.
    init(for command: Command) { self.command = command }

    /// Splits the arguments behind the command's name. How many words there may be is checked by `settle`.
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
                // As with 'weir rooms join': one pattern after the other.
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

    /// The last value of an option.
    subscript(option: Option) -> String? { settings[option]?.values.last }

    /// All values of a repeatable option, in order.
    func all(_ option: Option) -> [String] { settings[option]?.values ?? [] }

    /// Whether an option without a value was given.
    func has(_ option: Option) -> Bool { settings[option] != nil }

    /// Whether an option was typed, and is not a setting that applies wherever it can.
    func isTyped(_ option: Option) -> Bool { settings[option]?.origin == .flag }

    /// What is known of an option, with where it came from.
    func setting(of option: Option) -> Setting? { settings[option] }

    /// Sets an option, or takes it away.
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

    /// An option without a value is on; `=no` is for what is on by the environment or a file.
    private mutating func take(_ option: Option, _ text: String?) throws(UsageError) {
        guard let isOn = Arguments.truth(text ?? "yes") else {
            throw error("\(option.flag) takes no value but yes or no")
        }
        if isOn {
            settings[option] = Setting(values: [], origin: .flag)
        } else {
            switchedOff.insert(option)
        }
    }

    /// Whether a word after a pattern is one more: neither a server nor, of what writes one, a file.
    private func isFurtherPattern(_ word: String) -> Bool {
        if word.hasPrefix("-") || word.contains("://") { return false }
        return command == .tail || word.hasPrefix("#") || word.hasPrefix("@")
    }

    /// Whether a word is a number less than 0: no option has a digit as its letter.
    private func isNegative(_ word: String) -> Bool { word.dropFirst().first.map { ("0"..."9").contains($0) } ?? false }

    /// Options of one letter, one or several: a value follows in the same word (`-A3`) or in the next.
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
            throw error("\(text) is not an option of 'weir \(command.name)' (it is one of: \(others))")
        }
        throw error("unknown option \(text)" + Suggestion.phrase(for: flag, among: mine.map(\.flag)))
    }

    /// Whether a word is an option of this command, and so not a value somebody forgot to give.
    private func isOption(_ word: String) -> Bool {
        word == "--"
            || Option.of(command).contains {
                word == $0.flag || word.hasPrefix($0.flag + "=") || $0.letter.map { word == "-\($0)" } ?? false
            }
    }

    /// Lets a context apply: the URL it has stands where the command's would, when none was typed.
    mutating func adopt(_ context: Context?) {
        self.context = context
        guard let url = context?.url, typedURL == nil, let index = command.urlIndex(in: positionals),
            index <= positionals.count
        else { return }
        positionals.insert(url, at: index)
        hasContextsURL = true
    }

    /// How an error names the URL.
    var urlLabel: String { hasContextsURL ? context?.urlLabel ?? "URL" : "URL" }

    /// Whether there are as many words as the command takes.
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

    /// Whether every file and folder has a name. `weir replay "$FILE"` in a script where nobody set it has none.
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
        if !tails.isEmpty { message += "; 'weir attach NAME' shows what runs: " + tails.joined(separator: ", ") }
        return message
    }

    /// An error about these arguments. One that begins with a flag names the environment variable or the line of a file instead, when
    /// the value came from there.
    func error(_ message: String) -> UsageError { UsageError(sourced(message), command: command) }
}
