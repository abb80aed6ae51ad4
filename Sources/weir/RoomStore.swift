import JSONText
import Live
import Pipeline
import Store
import Terminal

/// The sets and pins of an account, in a store.
struct RoomStore {
    private let path: String
    /// The account; nil for the one that was used last.
    private let account: StoreAccount?

    /// That of a running tail.
    init(of client: RoomsClient) throws(Trouble) {
        let context = try client.ask("rooms.context", RoomsClient.Params())
        guard case .string(let path)? = context["store"], case .string(let server)? = context["server"],
            case .string(let user)? = context["user"]
        else { throw Trouble("the tail does not say where its store is") }
        self.path = path
        account = StoreAccount(server: server, user: user)
    }

    /// That of a file, of the account that was used last.
    init(path: String) {
        self.path = path
        account = nil
    }

    /// That of whom is spoken to: the file that was named, a running tail, or the store of this user.
    init(_ options: RoomsOptions) throws(Trouble) {
        if let store = options.store {
            self.init(path: store)
        } else if options.name != nil {
            try self.init(of: try RoomsClient(options.name))
        } else if let client = try? RoomsClient(nil), let store = try? RoomStore(of: client) {
            self = store
        } else if let path = StateFolder.storePath {
            self.init(path: path)
        } else {
            throw Trouble("there is no store: name one with --store")
        }
    }

    /// Opens the store and does something with it and the account.
    func use<Result>(_ body: (Store, StoreAccount) throws -> Result) throws(Trouble) -> Result {
        let store: Store
        do { store = try Store(opening: path, now: WallTime.milliseconds) } catch { throw Trouble("\(error)") }
        defer { store.close() }
        do {
            guard let account = try account ?? store.accounts().first else {
                throw Trouble("\(path) remembers no account")
            }
            return try body(store, account)
        } catch {
            throw Trouble(error)
        }
    }

    /// What is remembered of the account, of sessions that were told no more than where the server is, whichever backend it is of.
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

    /// The sets, by name.
    func sets() throws(Trouble) -> [String: RoomExpression] {
        try use { store, account in
            var sets: [String: RoomExpression] = [:]
            for (note, text) in try store.notes(of: account) {
                if case .roomSet(let name) = note { sets[name] = RoomExpression(recorded: text) }
            }
            return sets
        }
    }

    /// Keeps a set, or with nil removes it.
    func save(_ expression: RoomExpression?, as name: String) throws(Trouble) {
        try use { store, account in
            try store.commit(
                [.note(.roomSet(name: name), expression?.description)], of: StoreScope(account),
                at: WallTime.milliseconds)
        }
    }

    /// Patterns with what sets hold in the place of their names.
    struct Expanded {
        /// As they were typed.
        var typed: RoomExpression
        /// With what the sets hold.
        var expanded: RoomExpression
        /// The patterns of that, each by itself.
        var terms: [String] { expanded.terms.map { ($0.isExcluded ? "-" : "") + $0.pattern.description } }
    }

    /// Reads patterns, which were looked at already, and puts the sets of the tail's account in.
    static func expanding(_ words: [String], for client: RoomsClient) throws(Trouble) -> Expanded {
        try expanding(words) { () throws(Trouble) in try RoomStore(of: client) }
    }

    static func expanding(_ words: [String], in store: () throws(Trouble) -> RoomStore) throws(Trouble) -> Expanded {
        do throws(RoomPatternError) {
            let typed = try RoomExpression(words: words)
            guard !typed.setNames.isEmpty else { return Expanded(typed: typed, expanded: typed) }
            let sets = try Result { () throws(Trouble) in try store().sets() }.mapError {
                RoomPatternError($0.sentence)
            }.get()
            return Expanded(typed: typed, expanded: try typed.expanding(sets))
        } catch {
            throw Trouble(error.sentence)
        }
    }
}
