/// What was not typed: values of the environment, of the context and of the config file.
extension Arguments {
    /// Where a value came from, the strongest first.
    enum Origin: Equatable {
        case flag
        case variable(String)
        /// A file as shown, the line, and what it sets.
        case context(file: String, line: Int, name: String)
        case config(file: String, line: Int, name: String)

        /// How an error names it.
        func label(_ flag: String) -> String {
            switch self {
            case .flag: flag
            case .variable(let name): name
            case .context(let file, let line, let name), .config(let file, let line, let name):
                "\(file):\(line): \(name)"
            }
        }

        /// How a list of settings names it.
        var place: String {
            switch self {
            case .flag: "command line"
            case .variable(let name): name
            case .context(let file, let line, _), .config(let file, let line, _): "\(file):\(line)"
            }
        }

        /// 0 for what prevails.
        var rank: Int {
            switch self {
            case .flag: 0
            case .variable: 1
            case .context: 2
            case .config: 3
            }
        }
    }

    /// Values of one option with where they came from.
    struct Setting {
        var values: [String]
        var origin: Origin
    }

    /// Takes from the settings what was not typed. Throws also where too few or too many words are left for the command.
    mutating func settle(_ settings: Settings) throws(UsageError) {
        adopt(settings.context)
        for option in Option.of(command) where setting(of: option) == nil && option.isInherited(by: command) {
            guard command.takesSettings || option == .color else { continue }
            guard let found = settings.find(option, for: command) else { continue }
            set(option, to: try checked(found, for: option))
        }
        dropNeedless()
        try checkPositionals()
        try checkFileNames()
        try checkGuard()
    }

    /// `yes` and `no` in the forms people know.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    /// An error's words with the place that a value came from in front, when it was not typed: errors begin with the flag they are about.
    func sourced(_ message: String) -> String {
        let candidates = Option.allCases.filter { message.hasPrefix($0.flag) }
        guard let option = candidates.max(by: { $0.flag.count < $1.flag.count }),
            let origin = setting(of: option)?.origin, origin != .flag
        else { return message }
        let rest = message.dropFirst(option.flag.count)
        switch rest.first {
        case ":": return origin.label(option.flag) + rest
        case " ": return origin.label(option.flag) + ": " + message
        default: return message
        }
    }

    private func checked(_ found: Setting, for option: Option) throws(UsageError) -> Setting? {
        guard option.placeholder == nil else { return found }
        guard let text = found.values.last, let isOn = Arguments.truth(text) else {
            let value = UsageError.quoted(found.values.last ?? "")
            throw error("\(found.origin.label(option.flag)): \(value) is neither yes nor no")
        }
        return isOn ? Setting(values: [], origin: found.origin) : nil
    }

    /// What was not typed gives way: to what excludes it and prevails, and where what it is about is missing.
    private mutating func dropNeedless() {
        for first in Option.allCases {
            guard let second = first.row.excludes, let a = setting(of: first)?.origin.rank,
                let b = setting(of: second)?.origin.rank, a != b
            else { continue }
            set(a < b ? second : first, to: nil)
        }
        // Twice: what is dropped may be what another needs.
        for _ in 0..<2 {
            for option in Option.of(command) {
                guard let needed = option.needs(for: command), let origin = setting(of: option)?.origin else {
                    continue
                }
                if origin != .flag, setting(of: needed) == nil { set(option, to: nil) }
            }
        }
    }
}
