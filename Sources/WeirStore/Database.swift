import CWeirSQLite
import Glibc

/// A connection to SQLite and its prepared statements. Only one thread may use it at a time.
struct Database: ~Copyable {
    /// A value to bind to a statement's parameter.
    enum Value {
        case integer(Int64)
        case text(String)
        /// UTF-8 text, bound without creating a `String`.
        case utf8([UInt8])
        case bytes([UInt8])
        case null
    }

    let path: String
    private let connection: OpaquePointer
    private var prepared: [String: OpaquePointer] = [:]
    /// The accounts that were written through this connection, with their row numbers in the `account` table.
    var accounts: [StoreAccount: Int64] = [:]
    /// The maximum size of all immutable things together, in bytes. The oldest are evicted first.
    var thingBudget = Int.max

    /// Opens an existing file.
    ///
    /// - Parameter patience: The longest wait for a lock of another process.
    init(opening path: String, patience: Duration) throws(StoreError) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let error = Self.error(code, connection, path, "open")
            // SQLite returns a connection even when opening fails.
            sqlite3_close_v2(connection)
            throw error
        }
        self.path = path
        self.connection = connection
        let (seconds, attoseconds) = patience.components
        sqlite3_busy_timeout(connection, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
        // A damaged or foreign file must not run code: its schema may not call unsafe functions, and the internal
        // tables are read-only.
        _ = weir_sqlite_configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = weir_sqlite_configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    deinit {
        for statement in prepared.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// Runs one or more statements that have no parameters, and ignores their rows.
    mutating func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(connection, sql, nil, nil, nil), sql)
    }

    /// Runs one statement to its end, and ignores its rows.
    mutating func run(_ sql: String, _ values: Value...) throws(StoreError) {
        try step(sql, values) { _ in }
    }

    /// Runs one statement and calls `body` with each row.
    mutating func each(_ sql: String, _ values: Value..., body: (Row) -> Void) throws(StoreError) {
        try step(sql, values, body)
    }

    /// Returns the first column of the first row as an integer, or `nil` when there is no row.
    mutating func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
        var found: Int64?
        try step(sql, values) { row in if found == nil { found = row.integer(0) } }
        return found
    }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(connection)) }

    /// Runs `body` in a transaction, which is rolled back when `body` throws.
    ///
    /// The transaction takes the write lock at the start, so it cannot fail half-way because another process holds the
    /// lock.
    mutating func transaction<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body(&self)
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already rolled the transaction back.
            if sqlite3_get_autocommit(connection) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private mutating func step(_ sql: String, _ values: [Value], _ body: (Row) -> Void) throws(StoreError) {
        let statement = try statement(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: statement, Int32(index) + 1) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw Self.error(code, connection, path, sql) }
            body(Row(statement: statement))
        }
    }

    private mutating func statement(_ sql: String) throws(StoreError) -> OpaquePointer {
        if let statement = prepared[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil), sql)
        guard let statement else {
            throw .database(operation: sql, path: path, message: "not a statement")
        }
        prepared[sql] = statement
        return statement
    }

    private func bind(_ value: Value, to statement: OpaquePointer, _ index: Int32) throws(StoreError) {
        let code: Int32 =
            switch value {
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .null: sqlite3_bind_null(statement, index)
            case .text(let text):
                Array(text.utf8).withUnsafeBytes {
                    weir_sqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                }
            case .utf8(let bytes):
                bytes.withUnsafeBytes {
                    weir_sqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                }
            case .bytes(let bytes):
                bytes.withUnsafeBytes {
                    weir_sqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count))
                }
            }
        try check(code, "bind a value")
    }

    private func check(_ code: Int32, _ operation: String) throws(StoreError) {
        guard code == SQLITE_OK else { throw Self.error(code, connection, path, operation) }
    }

    /// Converts a result code to a `StoreError`. The low byte is the primary code (<https://sqlite.org/rescode.html>).
    private static func error(
        _ code: Int32, _ connection: OpaquePointer?, _ path: String, _ operation: String
    ) -> StoreError {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
        case SQLITE_FULL: return .full(path: path)
        // SQLite reports a damaged format number in the header as a plain `SQLITE_ERROR`.
        case SQLITE_ERROR where message == "unsupported file format": return .damaged(path: path, message: message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, message: message)
        default: return .database(operation: operation, path: path, message: message)
        }
    }
}

/// The current row of a statement. It is valid only inside the `body` closure of `each`.
struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] {
        // Read the pointer before the length: `sqlite3_column_bytes` must not convert the value again
        // (sqlite.org/c3ref/column_blob.html).
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}

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

/// The C library of this room with its version.
package enum StoreLibraries {
    /// The library with the version that runs, for `weir --version`.
    package static var versions: [(name: String, version: String)] {
        [("sqlite", String(cString: sqlite3_libversion()))]
    }
}
