/// The one table of options: what each is called, takes, means, and which commands know it.
enum Option: String, CaseIterable {
    case backend, path, namespace, query, eio, transport, token, auth, header, ca, cert, key
    case keyPass = "key-pass"
    case pin, proxy
    case proxyAuth = "proxy-auth"
    case company, workspace, join
    case autoAdopt = "auto-adopt"
    case maxRooms = "max-rooms"
    case emit
    case emitAck = "emit-ack"
    case noAck = "no-ack"
    case ack, history
    case catchUp = "catch-up"
    case members
    case framing
    case format, template, fields, schema, time, zone
    case roomWidth = "room-width"
    case spacer
    case summary, view
    case noStatus = "no-status"
    case hook, notify, forward
    case filter, kind
    case notKind = "not-kind"
    case room
    case notRoom = "not-room"
    case from
    case notFrom = "not-from"
    case grep, exclude, highlight, sample
    case explainFilter = "explain-filter"
    case count
    case untilMatch = "until-match"
    case failOn = "fail-on"
    case duration
    case idleTimeout = "idle-timeout"
    case maxAttempts = "max-attempts"
    case maxRetryAfter = "max-retry-after"
    case reconnect
    case maxMessage = "max-message"
    case maxBody = "max-body"
    case maxBinary = "max-binary"
    case maxAttachments = "max-attachments"
    case maxDepth = "max-depth"
    case record, rotate, keep, compress, fsync
    case recordFilter = "record-filter"
    case onWriteError = "on-write-error"
    case noStates = "no-states"
    case keepSecrets = "keep-secrets"
    case flightRecorder = "flight-recorder"
    case store
    case diffLog = "diff-log"
    case diffLogReversible = "diff-log-reversible"
    case speed, rate
    case idleLimit = "idle-limit"
    case span = "for"
    case loop, follow, step
    case refetch, verify, serve
    case listen, scenario, seed
    case pingInterval = "ping-interval"
    case pingTimeout = "ping-timeout"
    case connectTimeout = "connect-timeout"
    case recovery, era
    case maxPayload = "max-payload"
    case thread, draft, image, visibility, icon, description, rename, member
    case user, password, save, json
    case output, force, secrets
    case event
    case notEvent = "not-event"
    case direction = "dir"
    case connection = "conn"
    case notConnection = "not-conn"
    case start, end, ripple
    case fixedStrings = "fixed-strings"
    case ignoreCase = "ignore-case"
    case invertMatch = "invert-match"
    case countOnly = "count-only"
    case raw
    case after, before, context, around
    case set, at
    case size, every, records, marks, connections
    case rule, replace
    case keepLength = "keep-length"
    case to, decompress
    case on, name, all, since
    case noControl = "no-ctl"
    case allowEmit = "allow-emit"
    case dynamicPins = "dynamic-pins"
    case recordDir = "record-dir"
    case timeout
    case quiet
    case ctx, yes, label, shell, unset
    case guarded = "guard"
    case color, config, help

    /// As typed.
    var flag: String { "--" + rawValue }

    /// The short form, where there is one that people know from other programs.
    var letter: Character? { Self.letters[self] }

    private static let letters: [Option: Character] = [
        .output: "o", .fixedStrings: "F", .ignoreCase: "i", .invertMatch: "v", .countOnly: "c", .after: "A",
        .before: "B", .context: "C", .decompress: "d",
    ]

    /// Whether it may be given more than once.
    var isRepeatable: Bool { Self.repeatable.contains(self) }

    private static let repeatable: Set<Option> = [
        .hook, .notify, .join, .filter, .failOn, .grep, .exclude, .highlight, .from, .notFrom, .room, .emit, .ack,
        .namespace,
        .query, .header,
        .pin, .image,
        .member, .kind,
        .notKind, .event, .notEvent, .notRoom, .connection,
        .notConnection, .rule, .rotate, .label, .unset,
    ]

    /// The line of the help of `command`.
    func meaning(for command: CommandName) -> String {
        if CommandName.actions.contains(command), self == .backend { return "what the server speaks (default twake)" }
        if command == .explain, self == .backend { return "whose events (default of all)" }
        if command == .demo, self == .backend { return "whose world is played (default twake)" }
        if command.takesRules, self == .on { return command.meaningOfOn }
        if command == .emit, self == .backend { return "what the server speaks (default socketio)" }
        if command == .man, self == .all { return "write every page into the folder DIR" }
        return command.fileMeaning(of: self) ?? command.roomsMeaning(of: self) ?? commonMeaning
    }

    /// Whether it may be given more than once to `command`.
    func isRepeatable(for command: CommandName) -> Bool {
        isRepeatable && !(command == .fileConvert && [.from, .namespace].contains(self))
            || self == .on && command.takesRules
    }

    /// The options of a command, in the order of the table.
    static func of(_ command: CommandName) -> [Option] { allCases.filter { $0.isKnown(to: command) } }

    /// Those that its help tells: of a context's, only what no other command has.
    static func shown(for command: CommandName) -> [Option] {
        of(command).filter { !command.writesContext || $0.commands.contains(command) }
    }

    /// Whether a command knows the option.
    func isKnown(to command: CommandName) -> Bool {
        commands.contains(command) || (command == .watch && Self.ofWatch.contains(self))
            || (command.writesContext && isContextual)
    }
}
