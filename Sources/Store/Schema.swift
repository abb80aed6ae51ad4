import Glibc

// The tables of the store. Every row belongs to an account and is deleted with it.
enum Schema {
    /// The SQLite application id of every store file: `WEIR` in ASCII.
    static let application: Int64 = 0x5745_4952

    /// The schema version that this program writes. A new version must add statements that migrate this one: a store is
    /// never discarded.
    static let version = 1

    // AUTOINCREMENT never reuses an account's number. A session that still uses the number of a deleted account
    // therefore notices the deletion.
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
    /// Configures the connection and creates missing tables.
    ///
    /// - Parameters:
    ///   - patience: The longest wait for a lock of another process.
    ///   - maximumBytes: The maximum size of the file.
    /// - Throws: `StoreError.damaged` when the file is not a sound database, `StoreError.foreign` when it belongs to
    ///   another program, `StoreError.newer` when a newer version wrote it.
    mutating func settle(patience: Duration, maximumBytes: Int) throws(StoreError) -> Store.Opening {
        // This is the first statement that reads the file, so it also detects a file that is not a database.
        guard try isOurs() else { throw .foreign(path: path) }
        try beginLog(patience: patience)
        try execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        // Deleted data must leave no trace in the file, and sorting must not write user data to temporary files.
        try execute("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON")
        let pageSize = try integer("PRAGMA page_size") ?? 4096
        try execute("PRAGMA max_page_count = \(max(1, Int64(maximumBytes) / max(1, pageSize)))")
        try checkSoundness()
        return try makeTables()
    }

    /// Switches the database to write-ahead logging. SQLite does not apply the busy timeout to this statement, so
    /// several processes that create a file at the same time need a loop.
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
        // The order matters. Another process may fill the file between the two reads, and it commits the tables and the
        // application id together.
        let tables = try integer("SELECT count(*) FROM sqlite_schema")
        let application = try integer("PRAGMA application_id")
        return application == Schema.application || application == 0 && tables == 0
    }

    private mutating func checkSoundness() throws(StoreError) {
        var problem: String?
        try each("PRAGMA quick_check(1)") { row in problem = problem ?? row.text(0) }
        if let problem, problem != "ok" { throw .damaged(path: path, message: problem) }
    }

    /// Creates the tables, unless another process did so first: the version is read again under the write lock.
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
