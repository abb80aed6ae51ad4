import WeirNetwork
import WeirWire

/// Values that were not typed, from the environment, the context and the config file.
extension Arguments {
    /// The sources of values, the strongest first.
    enum Origin: Equatable {
        case flag
        case variable(String)
        /// The file as shown, the line, and the setting's name.
        case context(file: String, line: Int, name: String)
        case config(file: String, line: Int, name: String)

        /// Returns the name of the source for error messages.
        func label(_ flag: String) -> String {
            switch self {
            case .flag: flag
            case .variable(let name): name
            case .context(let file, let line, let name), .config(let file, let line, let name):
                "\(file):\(line): \(name)"
            }
        }

        /// The name of the source for lists of settings.
        var place: String {
            switch self {
            case .flag: "command line"
            case .variable(let name): name
            case .context(let file, let line, _), .config(let file, let line, _): "\(file):\(line)"
            }
        }

        /// The priority of the source. Rank 0 prevails.
        var rank: Int {
            switch self {
            case .flag: 0
            case .variable: 1
            case .context: 2
            case .config: 3
            }
        }
    }

    /// The values of one option, and their source.
    struct Setting {
        var values: [String]
        var origin: Origin
    }

    /// Adds settings for the options that were not typed. Throws an error if the number of words does not fit the
    /// command.
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

    /// Returns the meaning of the common words for yes and no; `nil` for anything else.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }

    /// Returns an error's message with the source of the value in front if the value was not typed. Such messages begin
    /// with the option's flag.
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
            throw error("\(found.origin.label(option.flag)): invalid value \(value); write yes or no")
        }
        return isOn ? Setting(values: [], origin: found.origin) : nil
    }

    /// Drops untyped settings that a stronger setting excludes, or that depend on a missing option.
    private mutating func dropNeedless() {
        for first in Option.allCases {
            guard let second = first.row.excludes, let a = setting(of: first)?.origin.rank,
                let b = setting(of: second)?.origin.rank, a != b
            else { continue }
            set(a < b ? second : first, to: nil)
        }
        // Run twice: a dropped setting may be one that another setting needs.
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

extension Arguments {
    /// Whether a word is a server's address, not a channel's name or a text.
    static func isURL(_ word: String) -> Bool {
        ["http://", "https://", "ws://", "wss://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// The URL among the words; `nil` if none was typed.
    var typedURL: String? {
        guard let index = command.urlIndex(in: positionals), positionals.indices.contains(index) else { return nil }
        return Arguments.isURL(positionals[index]) ? positionals[index] : nil
    }

    /// Whether a running tail performs the command. The tail knows its server.
    var speaksToRunning: Bool {
        has(.on) && typedURL == nil && (Command.actions.contains(command) || command == .watch || command == .emit)
    }

    /// Returns the context that applies to these arguments.
    ///
    /// A token belongs to its server, so a context for another server than the typed URL does not apply. Such a context
    /// is an error if it was typed as well.
    func chosenContext(for command: Command) throws(UsageError) -> Context? {
        // A running tail has its own server.
        if speaksToRunning { return nil }
        if command == .watch, typedURL == nil, !positionals.isEmpty { return nil }
        guard command.takesContext, let choice = ContextChoice.current(self[.ctx]) else { return nil }
        let context: Context
        do throws(ContextFolder.Problem) {
            context = try ContextFolder.context(choice.name, choice: choice)
        } catch {
            throw self.error("\(choice.label): \(error.message)")
        }
        guard let typed = typedURL else { return context }
        let isSame = context.url.map { Arguments.isSameServer($0, typed) } ?? true
        if isSame { return context }
        guard choice.origin == .flag else { return nil }
        throw error("--ctx: the context '\(context.name)' is for another server; omit the URL or --ctx")
    }

    private static func isSameServer(_ first: String, _ second: String) -> Bool {
        guard let first = try? URLParts(parsing: first), let second = try? URLParts(parsing: second) else {
            return false
        }
        return first.isSecure == second.isSecure && first.host.lowercased() == second.host.lowercased()
            && first.port == second.port
    }

    /// Refuses actions that others would see if the context is guarded.
    func checkGuard() throws(UsageError) {
        guard command.isSeenByOthers(self), !has(.yes) else { return }
        let context = speaksToRunning ? self[.on].flatMap { RunningProcess(name: $0).context } : context
        guard let context, context.isGuarded else { return }
        throw error(
            "the context '\(context.name)' is guarded, and others can see the effect of 'weir \(command.name)';"
                + " add --yes to confirm")
    }
}
