import Live
import Terminal

/// A command: what the help says of it, and what it does. Each is one row, which stands with its kin in a file of its own; the options it
/// has are said by theirs.
final class Command: Sendable {
    /// The commands, in the order of the help. One that is not here is none.
    static let table: [Command] = [
        demo, serve, tail, watch, record, replay, ps, attach, ctl, notify,
        rooms, roomsLs, roomsResolve, roomsJoin, roomsLeave, roomsOnly, roomsReset, roomsSelect, roomsPin, roomsUnpin,
        roomsMute, roomsUnmute, roomsSet, roomsWho, roomsHistory, roomsWatch,
        file, fileInfo, fileDoctor, fileRepair, fileIndex, fileCat, fileGrep, fileFilter, fileCut, fileMerge, fileSplit,
        fileMark, fileRedact, fileCompress, fileConvert, fileDiff, filePublish,
        stream, streamCreate, streamLs, streamInfo, streamRm,
        emit, send, edit, react, delete, read, perform, channel, workspace, account, draft, download, login, logout,
        whoami,
        ctx, ctxAdd, ctxEdit, ctxCopy, ctxRename, ctxRemove, ctxList, ctxUse, ctxUnuse, ctxPrevious, ctxShow, ctxCheck,
        config, configShow, configPath, configCheck, profile, profileCheck, profileInfer, profileFromAsyncAPI,
        profileSchema, completion, man, cheat, explain, help,
    ]

    /// Those that want something done in a company.
    static let actions: [Command] = [send, edit, react, delete, read, perform, channel, workspace, account]
    /// Those that do something by REST, without a realtime connection.
    static let errands: [Command] = actions + [draft, login, logout, whoami, download]
    /// The verbs of `rooms`.
    static let roomVerbs: [Command] = rooms.verbs

    /// Does it, and says how that went.
    typealias Run = @Sendable (Arguments) async throws(UsageError) -> ExitCode

    /// What gives values to its options besides the command line.
    enum Inheritance {
        /// Nothing, where settings themselves are looked after or explained, which must work when they are wrong.
        case nothing
        /// The environment and the config file.
        case files
        /// A context, too: it goes to a server.
        case context
    }

    /// As typed: one word, or the word of a family and the verb.
    let name: String
    /// What it takes besides options.
    let positionals: [Positional]
    /// One line for the list of commands.
    let summary: String
    /// What stands below the usage.
    let details: [String]
    let examples: [String]
    private let inheritance: Inheritance
    /// Nil for what has verbs: each is a command of its own, with its own options and help.
    let run: Run?

    /// `usage` are the words besides options, as a usage line has them: `URL [NAME] [PATTERN…]`.
    init(
        _ name: String, _ usage: String, _ summary: String, run: Run? = nil, inherits inheritance: Inheritance = .files,
        details: String = "", examples: String...
    ) {
        self.name = name
        positionals = usage.split(separator: " ").map(Positional.init)
        self.summary = summary
        self.details =
            details.isEmpty ? [] : details.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.examples = examples
        self.inheritance = inheritance
        self.run = run
    }

    /// What is done at once: nothing is waited for.
    static func atOnce(_ run: @escaping @Sendable (Arguments) throws(UsageError) -> ExitCode) -> Run {
        { arguments throws(UsageError) in try run(arguments) }
    }

    /// What is done with the options that are read from the arguments.
    static func reading<Options>(
        _ read: @escaping @Sendable (Arguments) throws(UsageError) -> Options,
        _ run: @escaping @Sendable (Options) async -> ExitCode
    ) -> Run {
        { arguments throws(UsageError) in await run(try read(arguments)) }
    }

    /// A word that is not an option.
    struct Positional {
        /// As it stands in a usage line.
        let usage: String
        let name: String
        let isRequired: Bool
        let isRepeatable: Bool

        init(_ usage: Substring) {
            self.usage = String(usage)
            isRequired = !usage.hasPrefix("[")
            let word = isRequired ? usage : usage.dropFirst().dropLast()
            isRepeatable = word.hasSuffix("…")
            name = String(isRepeatable ? word.dropLast() : word)
        }

        /// Whether it is the name of a file.
        var isFile: Bool { ["FILE", "A", "B"].contains(name) }
    }

    /// What the word at `index` is; nil when there may be none.
    func positional(at index: Int) -> Positional? {
        if index < positionals.count { return positionals[index] }
        return positionals.last.flatMap { $0.isRepeatable ? $0 : nil }
    }
}

extension Command: Hashable {
    static func == (a: Command, b: Command) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Command {
    /// Those that are typed as one word.
    static var topLevel: [Command] { table.filter { !$0.name.contains(" ") } }

    /// The commands behind this word, when there are any.
    var verbs: [Command] { Self.table.filter { $0.name.hasPrefix(name + " ") } }

    /// The last word of the name.
    var verb: String { String(name.split(separator: " ").last ?? "") }

    /// The command's first word.
    var family: String { String(name.prefix { $0 != " " }) }

    /// Whether the environment and the config file are asked for its options.
    var takesSettings: Bool { inheritance != .nothing }

    /// Whether it goes to a server, so that a context can say to which.
    var takesContext: Bool { inheritance == .context }

    /// Whether its options may become those of a context.
    var writesContext: Bool { self == .ctxAdd || self == .ctxEdit }

    /// Whether words that begin with a dash may be patterns: what is left out.
    var takesPatterns: Bool { family == "rooms" }

    /// The words after `members`; of a workspace's members `ls` may be left out.
    static let memberVerbs = ["ls", "add", "remove"]

    /// Where among its words the server's URL stands.
    func urlIndex(in words: [String]) -> Int? {
        guard takesContext, self != .explain else { return nil }
        if self == .channel { return words.first == "members" ? 2 : 1 }
        if self == .workspace, words.first == "members", Self.memberVerbs.contains(words.dropFirst().first ?? "") {
            return 2
        }
        return positionals.firstIndex { $0.name == "URL" } ?? 0
    }

    /// Whether what it does with these arguments is seen by others.
    func isSeenByOthers(_ arguments: Arguments) -> Bool {
        Self.actions.contains(self) && !arguments.wantsLook || self == .emit || arguments.has(.emit)
            || arguments.has(.ack)
    }

    /// Takes a command's words from the front; of a command with verbs, the command alone when help is asked for.
    static func take(_ words: inout ArraySlice<String>) throws(UsageError) -> Command {
        guard let first = words.popFirst() else { throw UsageError.bare }
        guard let command = topLevel.first(where: { $0.name == first }) else {
            let kind = first.hasPrefix("-") ? "option" : "command"
            let candidates = topLevel.map(\.name) + ["--version", "--help"]
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
}
