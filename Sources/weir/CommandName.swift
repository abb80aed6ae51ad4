import Live

extension CommandName {
    /// Those that do something by REST, without a realtime connection.
    static let errands: [CommandName] = [
        .send, .edit, .react, .delete, .read, .channel, .workspace, .login, .logout, .whoami, .download,
    ]
    /// Those of them that want something done in a company.
    static let actions: [CommandName] = [.send, .edit, .react, .delete, .read, .channel, .workspace]
}

/// The commands, and what each takes besides options.
enum CommandName: String, CaseIterable {
    case demo, serve, tail, watch, record, replay, ps, attach, ctl, rooms
    case roomsLs = "rooms ls"
    case roomsResolve = "rooms resolve"
    case roomsJoin = "rooms join"
    case roomsLeave = "rooms leave"
    case roomsOnly = "rooms only"
    case roomsReset = "rooms reset"
    case roomsSelect = "rooms select"
    case roomsPin = "rooms pin"
    case roomsUnpin = "rooms unpin"
    case roomsMute = "rooms mute"
    case roomsUnmute = "rooms unmute"
    case roomsSet = "rooms set"
    case roomsWho = "rooms who"
    case roomsHistory = "rooms history"
    case roomsWatch = "rooms watch"
    case file
    case fileInfo = "file info"
    case fileDoctor = "file doctor"
    case fileRepair = "file repair"
    case fileIndex = "file index"
    case fileCat = "file cat"
    case fileGrep = "file grep"
    case fileFilter = "file filter"
    case fileCut = "file cut"
    case fileMerge = "file merge"
    case fileSplit = "file split"
    case fileMark = "file mark"
    case fileRedact = "file redact"
    case fileCompress = "file compress"
    case fileConvert = "file convert"
    case fileDiff = "file diff"
    case emit
    case send, edit, react, delete, read, channel, workspace, download, login, logout, whoami
    case ctx
    case ctxAdd = "ctx add"
    case ctxEdit = "ctx edit"
    case ctxCopy = "ctx cp"
    case ctxRename = "ctx rename"
    case ctxRemove = "ctx rm"
    case ctxList = "ctx ls"
    case ctxUse = "ctx use"
    case ctxUnuse = "ctx unuse"
    case ctxPrevious = "ctx prev"
    case ctxShow = "ctx show"
    case ctxCheck = "ctx check"
    case config
    case configShow = "config show"
    case configPath = "config path"
    case configCheck = "config check"
    case completion, man, cheat, explain
    case help

    /// A word that is not an option.
    struct Positional {
        var name: String
        var isRequired = true
        var isRepeatable = false

        /// As it stands in a usage line.
        var usage: String {
            let text = isRepeatable ? name + "…" : name
            return isRequired ? text : "[\(text)]"
        }

        /// Whether it is the name of a file.
        var isFile: Bool { ["FILE", "A", "B"].contains(name) }
    }

    /// What the word at `index` is; nil when there may be none.
    func positional(at index: Int) -> Positional? {
        let expected = positionals
        if index < expected.count { return expected[index] }
        return expected.last.flatMap { $0.isRepeatable ? $0 : nil }
    }

    /// Those that are typed as one word.
    static var topLevel: [CommandName] { allCases.filter { !$0.rawValue.contains(" ") } }

    /// The commands behind this word, when there are any: each is a command of its own, with its own options and help.
    var verbs: [CommandName] { Self.allCases.filter { $0.rawValue.hasPrefix(rawValue + " ") } }

    /// The last word of the name.
    var verb: String { String(rawValue.split(separator: " ").last ?? "") }

    /// Takes a command's words from the front; of a command with verbs, the command alone when help is asked for.
    static func take(_ words: inout ArraySlice<String>) throws(UsageError) -> CommandName {
        guard let first = words.popFirst() else { throw UsageError("a command is missing") }
        guard let command = topLevel.first(where: { $0.rawValue == first }) else {
            let kind = first.hasPrefix("-") ? "option" : "command"
            let candidates = topLevel.map(\.rawValue) + ["--version", "--help"]
            throw UsageError(
                "unknown \(kind) \(UsageError.quoted(first))" + Suggestion.phrase(for: first, among: candidates))
        }
        if command.verbs.isEmpty { return command }
        let names = command.verbs.map(\.verb)
        guard let word = words.first else {
            throw UsageError("a verb is missing: one of \(names.joined(separator: ", "))", command: command)
        }
        if ["-h", "--help"].contains(word) { return command }
        guard let verb = command.verbs.first(where: { $0.verb == word }) else {
            throw UsageError(
                "unknown verb \(UsageError.quoted(word))" + Suggestion.phrase(for: word, among: names),
                command: command)
        }
        words.removeFirst()
        return verb
    }

    /// What the help says of a command.
    struct Text {
        var positionals: [Positional] = []
        /// One line for the list of commands.
        var summary: String
        /// What stands below the usage.
        var details: [String] = []
        var examples: [String]
    }

    var text: Text {
        switch self {
        case .demo, .serve, .tail, .watch, .record, .replay, .help: sessionText
        case .ps, .attach, .ctl, .emit: controlText
        case .rooms, .roomsLs, .roomsResolve, .roomsJoin, .roomsLeave, .roomsOnly, .roomsReset, .roomsSelect,
            .roomsPin, .roomsUnpin, .roomsMute, .roomsUnmute, .roomsSet, .roomsWho, .roomsHistory, .roomsWatch:
            roomsText
        case .file, .fileInfo, .fileDoctor, .fileRepair, .fileIndex, .fileCat, .fileGrep, .fileFilter, .fileCut,
            .fileMerge, .fileSplit, .fileMark, .fileRedact, .fileCompress, .fileConvert, .fileDiff:
            fileText
        case .send, .edit, .react, .delete, .read, .channel, .workspace, .download, .login, .logout, .whoami: errandText
        case .ctx, .ctxAdd, .ctxEdit, .ctxCopy, .ctxRename, .ctxRemove, .ctxList, .ctxUse, .ctxUnuse, .ctxPrevious,
            .ctxShow, .ctxCheck:
            contextText
        case .config, .configShow, .configPath, .configCheck, .completion, .man, .cheat, .explain:
            shellText
        }
    }

    var positionals: [Positional] { text.positionals }
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

    /// Whether its options may become those of a context.
    var writesContext: Bool { self == .ctxAdd || self == .ctxEdit }

    /// Whether it goes to a server, so that a context can say to which.
    var takesContext: Bool { [.tail, .watch, .record, .emit].contains(self) || Self.errands.contains(self) }

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
