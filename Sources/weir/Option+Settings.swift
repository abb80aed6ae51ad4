/// Where an option's value may stand besides the command line.
extension Option {
    /// The environment variable that sets it: `WEIR_MAX_ATTEMPTS` for `--max-attempts`.
    var variable: String {
        Self.prefix + String(rawValue.map { $0 == "-" ? "_" : $0 }).uppercased()
    }

    /// What all of them begin with.
    static let prefix = "WEIR_"

    /// Whether the environment may set it: help is for who types.
    var isVariable: Bool { ![.help, .shell, .unset, .guarded, .label].contains(self) }

    /// Whether such a file may set it. Where the files are is not said in them, and what somebody is to be asked for each time is not
    /// answered in advance.
    func isSetting(in kind: SettingsFile.Kind) -> Bool {
        switch self {
        case .guarded, .label: kind == .context
        default: kind == .config ? ![.help, .config, .ctx, .yes, .shell, .unset].contains(self) : isContextual
        }
    }

    /// Whether a value that was not typed is for this command, too. `weir rooms --store` looks into a file instead of asking a running
    /// tail: where the store is does not say that. Nor does the tail that is spoken to say when a tail emits.
    func isInherited(by command: CommandName) -> Bool {
        !(self == .store && command.family == "rooms") && !(self == .on && [.tail, .record, .emit].contains(command))
    }

    /// What the option is of no use without.
    func needs(for command: CommandName) -> Option? {
        switch self {
        case .rotate, .compress, .onWriteError, .recordFilter: command == .record ? nil : .record
        case .keep: .rotate
        case .diffLogReversible: .diffLog
        case .key, .keyPass: .cert
        case .proxyAuth: .proxy
        case .timeout: command.takesRules ? .emitAck : nil
        default: nil
        }
    }

    /// Pairs of which one only can be had.
    static let exclusive: [(Option, Option)] = [(.rate, .speed), (.follow, .loop)]

    /// The words of a closed list, as the usage line has them; empty when the value is free.
    var choices: [String] {
        guard let placeholder else { return [] }
        let words = placeholder.split(separator: "|").map(String.init)
        let isWord = { (word: String) in word.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
        return words.count > 1 && words.allSatisfy(isWord) ? words : []
    }

    /// Whether its value is where a secret is, or may hold one.
    var isSecret: Bool {
        switch self {
        case .token, .auth, .query, .keyPass, .proxyAuth, .password, .header: true
        default: false
        }
    }
}

extension CommandName {
    /// The command's first word.
    var family: String { String(rawValue.prefix { $0 != " " }) }

    /// Whether the environment and the config file are asked for its options: not where settings themselves are looked after or
    /// explained, which must work when they are wrong.
    var takesSettings: Bool {
        switch self {
        case .help, .config, .configShow, .configPath, .configCheck, .ctx, .ctxAdd, .ctxEdit, .ctxCopy, .ctxRename,
            .ctxRemove, .ctxList, .ctxUse, .ctxUnuse, .ctxPrevious, .ctxShow, .ctxCheck, .completion, .man, .cheat,
            .explain:
            false
        default: true
        }
    }
}
