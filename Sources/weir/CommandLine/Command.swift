import WeirLive
import WeirTerminal

/// A command: its help text and its function. Each command is one row, in a file with related commands. The options
/// list their commands themselves.
final class Command: Sendable {
    /// All commands, in the order of the help.
    static let table: [Command] = [
        demo, serve, tail, watch, record, replay, ps, attach, ctl, notify,
        rooms, roomsLs, roomsResolve, roomsJoin, roomsLeave, roomsOnly, roomsReset, roomsSelect, roomsPin, roomsUnpin,
        roomsMute, roomsUnmute, roomsSet, roomsWho, roomsHistory, roomsWatch,
        file, fileInfo, fileDoctor, fileRepair, fileIndex, fileCat, fileGrep, fileFilter, fileCut, fileMerge, fileSplit,
        fileMark, fileRedact, fileCompress, fileConvert, fileDiff, fileReport, filePublish,
        stream, streamCreate, streamLs, streamInfo, streamRm,
        emit, send, edit, react, delete, read, perform, channel, workspace, account, draft, download, login, logout,
        whoami,
        ctx, ctxAdd, ctxEdit, ctxCopy, ctxRename, ctxRemove, ctxList, ctxUse, ctxUnuse, ctxPrevious, ctxShow, ctxCheck,
        config, configShow, configPath, configCheck, profile, profileCheck, profileInfer, profileFromAsyncAPI,
        profileSchema, completion, man, cheat, explain, help,
    ]

    /// The commands that perform actions.
    static let actions: [Command] = [send, edit, react, delete, read, perform, channel, workspace, account]
    /// The commands that use REST without a realtime connection.
    static let oneShots: [Command] = actions + [draft, login, logout, whoami, download]
    /// The verbs of `weir rooms`.
    static let roomVerbs: [Command] = rooms.verbs

    /// Runs the command and returns its exit code.
    typealias Run = @Sendable (Arguments) async throws(UsageError) -> ExitCode

    /// The sources of option values in addition to the command line.
    enum Inheritance {
        /// No source, for commands that inspect or explain settings and must work when those are wrong.
        case nothing
        /// The environment and the config file.
        case files
        /// The environment, the config file and a context, for commands that contact a server.
        case context
    }

    /// The name as typed: one word, or a family's word and a verb.
    let name: String
    /// The arguments other than options.
    let positionals: [Positional]
    /// One line for the list of commands.
    let summary: String
    /// The paragraphs below the usage.
    let details: [String]
    let examples: [String]
    private let inheritance: Inheritance
    /// The function; `nil` for a command with verbs, each of which is a command with its own options and help.
    let run: Run?

    /// Creates a command. `usage` contains the arguments other than options, as in a usage line: `URL [NAME]
    /// [PATTERN…]`.
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

    /// Returns a function that runs without waiting.
    static func atOnce(_ run: @escaping @Sendable (Arguments) throws(UsageError) -> ExitCode) -> Run {
        { arguments throws(UsageError) in try run(arguments) }
    }

    /// Returns a function that runs with the options read from the arguments.
    static func reading<Options>(
        _ read: @escaping @Sendable (Arguments) throws(UsageError) -> Options,
        _ run: @escaping @Sendable (Options) async -> ExitCode
    ) -> Run {
        { arguments throws(UsageError) in await run(try read(arguments)) }
    }

    /// An argument that is not an option.
    struct Positional {
        /// The form in a usage line.
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

        /// Whether the argument is the name of a file.
        var isFile: Bool { ["FILE", "A", "B"].contains(name) }
    }

    /// Returns the argument at `index`; `nil` if the command takes no such argument.
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
    /// The commands that consist of one word.
    static var topLevel: [Command] { table.filter { !$0.name.contains(" ") } }

    /// The commands that begin with this command's word; empty for a command without verbs.
    var verbs: [Command] { Self.table.filter { $0.name.hasPrefix(name + " ") } }

    /// The last word of the name.
    var verb: String { String(name.split(separator: " ").last ?? "") }

    /// The first word of the name.
    var family: String { String(name.prefix { $0 != " " }) }

    /// Whether the environment and the config file provide values for its options.
    var takesSettings: Bool { inheritance != .nothing }

    /// Whether it contacts a server, which a context can select.
    var takesContext: Bool { inheritance == .context }

    /// Whether its options may become settings of a context.
    var writesContext: Bool { self == .ctxAdd || self == .ctxEdit }

    /// Whether words that begin with a dash may be patterns, which exclude rooms.
    var takesPatterns: Bool { family == "rooms" }

    /// The words after `members`. For a workspace's members `ls` may be omitted.
    static let memberVerbs = ["ls", "add", "remove"]

    /// Returns the index of the server's URL among the words.
    func urlIndex(in words: [String]) -> Int? {
        guard takesContext, self != .explain else { return nil }
        if self == .channel { return words.first == "members" ? 2 : 1 }
        if self == .workspace, words.first == "members", Self.memberVerbs.contains(words.dropFirst().first ?? "") {
            return 2
        }
        return positionals.firstIndex { $0.name == "URL" } ?? 0
    }

    /// Whether others see the effect of the command with these arguments.
    func isSeenByOthers(_ arguments: Arguments) -> Bool {
        Self.actions.contains(self) && !arguments.wantsLook || self == .emit || arguments.has(.emit)
            || arguments.has(.ack)
    }

    /// Takes the words of a command from the front. Returns a command with verbs only if its help is requested.
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
