import Glibc

// The tables. Everything belongs to an account, and goes with it.
enum Schema {
    /// `WEIR`, in the header of every file that is ours.
    static let application: Int64 = 0x5745_4952

    /// The version this program writes. Another one needs statements that lead to it from this one: no store is thrown away.
    static let version = 1

    // An account's number is never given again: a session goes on with the number it knows, and sees that the account is gone.
    static let tables = """
        CREATE TABLE account (
            number INTEGER PRIMARY KEY AUTOINCREMENT, server TEXT NOT NULL, user TEXT NOT NULL, used INTEGER NOT NULL,
            UNIQUE (server, user)
        ) STRICT;
        CREATE TABLE item (
            account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, view TEXT NOT NULL, id TEXT NOT NULL, row TEXT NOT NULL,
            PRIMARY KEY (account, view, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE room (
            number INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, view TEXT NOT NULL,
            name TEXT NOT NULL, source TEXT NOT NULL,
            UNIQUE (account, view, name)
        ) STRICT;
        CREATE TABLE checkpoint (
            account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, view TEXT NOT NULL, resource TEXT NOT NULL,
            fetched INTEGER NOT NULL,
            PRIMARY KEY (account, view, resource)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE note (
            account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (account, kind, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
            id TEXT NOT NULL, entry BLOB NOT NULL,
            UNIQUE (account, id)
        ) STRICT;
        CREATE TABLE thing (
            account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, kind TEXT NOT NULL, key TEXT NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (account, kind, key)
        ) STRICT;
        """
}

extension Database {
    /// Sets the connection up and makes the tables where there are none. Throws `damaged` for what is no sound database.
    mutating func settle(patience: Duration, maximumBytes: Int) throws(StoreError) -> Store.Opening {
        // The first statement that reads the file finds out whether it is a database at all.
        guard try isOurs() else { throw .foreign(path: path) }
        try beginLog(patience: patience)
        try execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        // What was deleted is to be gone; what is sorted need not be on the disk.
        try execute("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON")
        let pageSize = try integer("PRAGMA page_size") ?? 4096
        try execute("PRAGMA max_page_count = \(max(1, Int64(maximumBytes) / max(1, pageSize)))")
        try checkSoundness()
        return try makeTables()
    }

    /// SQLite does not wait for others when it goes over to the log, as several that create a file at the same time do.
    private mutating func beginLog(patience: Duration) throws(StoreError) {
        let pause = Duration.milliseconds(10)
        var waited = Duration.zero
        while true {
            do throws(StoreError) {
                return try execute("PRAGMA journal_mode = WAL")
            } catch {
                guard case .busy = error, waited < patience else { throw error }
                usleep(10_000)
                waited += pause
            }
        }
    }

    private mutating func isOurs() throws(StoreError) -> Bool {
        // In this order: another process may fill the file in between, and gives it tables and name in one step.
        let tables = try integer("SELECT count(*) FROM sqlite_schema")
        let application = try integer("PRAGMA application_id")
        return application == Schema.application || application == 0 && tables == 0
    }

    private mutating func checkSoundness() throws(StoreError) {
        var problem: String?
        try each("PRAGMA quick_check(1)") { row in problem = problem ?? row.text(0) }
        if let problem, problem != "ok" { throw .damaged(path: path, message: problem) }
    }

    /// Another process may do the same at the same time, so the version is read under the write lock.
    private mutating func makeTables() throws(StoreError) -> Store.Opening {
        if try version() == Schema.version { return .found }
        return try transaction { (database) throws(StoreError) in
            let found = try database.version()
            guard found <= Schema.version else { throw .newer(path: database.path, version: found) }
            if found == Schema.version { return .found }
            try database.execute(Schema.tables)
            try database.execute(
                "PRAGMA application_id = \(Schema.application); PRAGMA user_version = \(Schema.version)")
            return .created
        }
    }

    private mutating func version() throws(StoreError) -> Int {
        let version = Int(try integer("PRAGMA user_version") ?? 0)
        guard version >= 0 else { throw .damaged(path: path, message: "its version is \(version)") }
        return version
    }
}
