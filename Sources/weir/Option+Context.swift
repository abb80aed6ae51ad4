extension Option {
    /// Whether a context may say it: what `tail` and `record` know, who one is, and what is said of the context itself.
    var isContextual: Bool {
        switch self {
        case .help, .config, .ctx, .yes, .on: false
        case .guarded, .label, .user, .password, .save: true
        default: commands.contains(.tail) || commands.contains(.record)
        }
    }
}

extension CommandName {
    /// Whether its options may become those of a context.
    var writesContext: Bool { self == .ctxAdd || self == .ctxEdit }

    /// Whether it goes to a server, so that a context can say to which.
    var takesContext: Bool { takesRules || self == .emit || Self.errands.contains(self) }

    /// Whether it says by itself what `--emit` and `--ack` ask for.
    var takesRules: Bool { self == .tail || self == .watch || self == .record }

    /// What `--on` is to it.
    var meaningOfOn: String {
        self == .watch
            ? "running tail to watch; or EXPR, as weir tail has it"
            : "do the --emit or --ack behind it for what EXPR holds of"
    }

    /// Where among its words the server's URL stands.
    func urlIndex(in words: [String]) -> Int? {
        guard takesContext else { return nil }
        switch self {
        case .channel: return words.first == "members" ? 2 : 1
        case .workspace, .download: return 1
        default: return 0
        }
    }

    /// Whether what it does with these arguments is seen by others.
    func isSeenByOthers(_ arguments: Arguments) -> Bool {
        Self.actions.contains(self) || self == .emit || arguments.has(.emit) || arguments.has(.ack)
    }
}
