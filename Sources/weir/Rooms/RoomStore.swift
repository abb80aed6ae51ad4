import WeirJSON
import WeirLive
import WeirPipeline
import WeirStore
import WeirTerminal

/// The sets and pins of an account in a store.
struct RoomStore {
    private let path: String
    /// The account; `nil` for the last used one.
    private let account: StoreAccount?

    /// Creates access to the store of a running tail, for the tail's account.
    init(of client: RoomsClient) throws(CommandError) {
        let context = try client.ask("rooms.context", RoomsClient.Params())
        guard case .string(let path)? = context["store"], case .string(let server)? = context["server"],
            case .string(let user)? = context["user"]
        else { throw CommandError("the tail's answer does not name its store") }
        self.path = path
        account = StoreAccount(server: server, user: user)
    }

    /// Creates access to a store file, for its last used account.
    init(path: String) {
        self.path = path
        account = nil
    }

    /// Creates access to the store of the options: the named file, that of a running tail, or the user's store.
    init(_ options: RoomsOptions) throws(CommandError) {
        if let store = options.store {
            self.init(path: store)
        } else if options.name != nil {
            try self.init(of: try RoomsClient(options.name))
        } else if let client = try? RoomsClient(nil), let store = try? RoomStore(of: client) {
            self = store
        } else if let path = StateFolder.storePath {
            self.init(path: path)
        } else {
            throw CommandError("there is no store: name one with --store")
        }
    }

    /// Opens the store and calls `body` with it and the account.
    func use<Result>(_ body: (Store, StoreAccount) throws -> Result) throws(CommandError) -> Result {
        let store: Store
        do { store = try Store(opening: path, now: WallTime.milliseconds) } catch { throw CommandError("\(error)") }
        defer { store.close() }
        do {
            guard let account = try account ?? store.accounts().first else {
                throw CommandError("\(path) contains no account")
            }
            return try body(store, account)
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns the stored rows of an account, from sessions without further settings, for the first backend that has
    /// any.
    static func remembered(in store: Store, of account: StoreAccount) throws(StoreError) -> Remembered? {
        var first: Remembered?
        for backend in Configuration.BackendKind.allCases {
            guard
                let found = try store.remembered(of: account.server, user: account.user, view: backend.usualView)
            else { continue }
            if found.rows > 0 || !found.rooms.isEmpty { return found }
            first = first ?? found
        }
        return first
    }

    /// Returns the sets by name.
    func sets() throws(CommandError) -> [String: RoomExpression] {
        try use { store, account in
            var sets: [String: RoomExpression] = [:]
            for (note, text) in try store.notes(of: account) {
                if case .roomSet(let name) = note { sets[name] = RoomExpression(recorded: text) }
            }
            return sets
        }
    }

    /// Stores a set, or removes it if `expression` is `nil`.
    func save(_ expression: RoomExpression?, as name: String) throws(CommandError) {
        try use { store, account in
            try store.commit(
                [.note(.roomSet(name: name), expression?.description)], of: StoreScope(account),
                at: WallTime.milliseconds)
        }
    }

    /// Patterns with the names of sets replaced by their content.
    struct Expanded {
        /// The patterns, as the user typed them.
        var typed: RoomExpression
        /// The patterns with the content of the sets.
        var expanded: RoomExpression
        /// The expanded patterns, each as a separate text.
        var terms: [String] { expanded.terms.map { ($0.isExcluded ? "-" : "") + $0.pattern.description } }
    }

    /// Parses patterns that were checked before, and expands the sets of the tail's account.
    static func expanding(_ words: [String], for client: RoomsClient) throws(CommandError) -> Expanded {
        try expanding(words) { () throws(CommandError) in try RoomStore(of: client) }
    }

    static func expanding(_ words: [String], in store: () throws(CommandError) -> RoomStore) throws(CommandError)
        -> Expanded
    {
        do throws(RoomPatternError) {
            let typed = try RoomExpression(words: words)
            guard !typed.setNames.isEmpty else { return Expanded(typed: typed, expanded: typed) }
            let sets = try Result { () throws(CommandError) in try store().sets() }.mapError {
                RoomPatternError($0.sentence)
            }.get()
            return Expanded(typed: typed, expanded: try typed.expanding(sets))
        } catch {
            throw CommandError(error.sentence)
        }
    }
}

/// The command `weir rooms --store FILE`: the rooms of the last tailed account, in the state that the next start uses.
enum RememberedRooms {
    static func run(_ options: RoomsOptions, store path: String) throws(CommandError) -> ExitCode {
        let file = RoomStore(path: path)
        let expanded = try RoomStore.expanding(options.words) { file }
        return try file.use { store, account in
            guard let remembered = try RoomStore.remembered(in: store, of: account) else {
                throw CommandError("\(path) contains no account")
            }
            return try act(options, expanded, on: store, remembered)
        }
    }

    private static func act(
        _ options: RoomsOptions, _ expanded: RoomStore.Expanded, on store: Store, _ remembered: Remembered
    ) throws -> ExitCode {
        let names = expanded.typed.terms.compactMap(\.pattern.exactName)
        switch options.command {
        case .roomsJoin, .roomsLeave:
            guard names.count == expanded.typed.terms.count, !expanded.typed.terms.contains(where: \.isExcluded) else {
                throw CommandError("--store accepts only the names of rooms; pin a pattern in a running tail", .usage)
            }
        default: return list(remembered, expanded, asJSON: options.json)
        }
        if options.command == .roomsJoin {
            let rooms = names.map { StoreWrite.room(name: $0, source: RoomSource.ctl.rawValue) }
            try store.commit(rooms, of: remembered.scope, at: WallTime.milliseconds)
            for room in names { Console.note("+ room \(room) at the next start") }
        } else {
            if let other = names.first(where: { room in !remembered.rooms.contains { $0.name == room } }) {
                let near = Suggestion.phrase(for: other, among: remembered.rooms.map(\.name))
                throw CommandError("\(other) is not a stored room" + near)
            }
            try store.commit(names.map { .roomLeft(name: $0) }, of: remembered.scope, at: WallTime.milliseconds)
            for room in names { Console.note("- room \(room)") }
        }
        return .done
    }

    private static func list(_ remembered: Remembered, _ expanded: RoomStore.Expanded, asJSON: Bool) -> ExitCode {
        var rows = remembered.rooms.map { room in
            RoomRow(room: room.name, source: room.source, state: "remembered")
        }
        let pins = remembered.notes.keys.compactMap { if case .pin(let pattern) = $0 { pattern } else { nil } }
        rows += pins.sorted().map { RoomRow(room: $0, source: RoomSource.pin.rawValue, state: "pinned") }
        if !expanded.typed.terms.isEmpty {
            rows = rows.filter { expanded.typed.matches(RoomFacts(name: $0.room)) }
        }
        return RoomTable.print(rows, asJSON: asJSON)
    }
}
