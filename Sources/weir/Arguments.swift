import Live

/// Arguments split into words and options, each option known to the command; values are not looked at yet.
struct Arguments {
    /// The command they are for.
    let command: CommandName
    /// The words that are not options, as many as the command takes.
    private(set) var positionals: [String] = []
    /// Whether `--help` was asked for; nothing else matters then.
    private(set) var wantsHelp = false
    private var values: [Option: [String]] = [:]

    /// Splits the arguments behind the command's name.
    init(parsing arguments: [String], for command: CommandName) throws(UsageError) {
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
            } else if argument.hasPrefix("-"), argument != "-" {
                try take(letters: argument, &rest)
            } else {
                positionals.append(argument)
            }
        }
        try checkPositionals()
    }

    /// The last value of an option.
    subscript(option: Option) -> String? { values[option]?.last }

    /// All values of a repeatable option, in order.
    func all(_ option: Option) -> [String] { values[option] ?? [] }

    /// Whether an option without a value was given.
    func has(_ option: Option) -> Bool { values[option] != nil }

    private mutating func take(option argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try known(parts[0])
        if values[option] != nil, !option.isRepeatable { throw error("\(option.flag) is given twice") }
        guard let placeholder = option.placeholder else {
            if parts.count > 1 { throw error("\(option.flag) takes no value") }
            values[option] = []
            return
        }
        if parts.count > 1 {
            values[option, default: []].append(parts[1])
        } else if let value = rest.first, !isOption(value) {
            rest.removeFirst()
            values[option, default: []].append(value)
        } else {
            throw error("\(option.flag) needs a value: \(option.flag) \(placeholder)")
        }
    }

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
            let others = option.commands.map(\.rawValue).joined(separator: ", ")
            throw error("\(text) is not an option of 'weir \(command.rawValue)' (it is one of: \(others))")
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

    private func checkPositionals() throws(UsageError) {
        let expected = command.positionals
        let required = expected.filter(\.isRequired)
        if positionals.count < required.count { throw error("\(required[positionals.count].name) is missing") }
        if positionals.count > expected.count, expected.last?.isRepeatable != true {
            throw error("unexpected argument \(UsageError.quoted(positionals[expected.count]))")
        }
    }

    /// An error about these arguments.
    func error(_ message: String) -> UsageError { UsageError(message, command: command) }
}
