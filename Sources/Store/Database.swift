import CSQLite

/// One connection to SQLite, and its prepared statements. For one thread at a time.
struct Database: ~Copyable {
    /// A value of a column.
    enum Value {
        case integer(Int64)
        case text(String)
        /// UTF-8 that need not become a `String` first.
        case utf8([UInt8])
        case bytes([UInt8])
        case null
    }

    let path: String
    private let connection: OpaquePointer
    private var prepared: [String: OpaquePointer] = [:]
    /// The accounts that were written to through this connection, and their numbers in the file.
    var accounts: [StoreAccount: Int64] = [:]
    /// How many bytes of immutable things are kept: those that were kept first go for newer ones.
    var thingBudget = Int.max

    /// Opens the file, which is there. `patience` bounds how long another process's lock is waited for.
    init(opening path: String, patience: Duration) throws(StoreError) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            let error = Self.error(code, connection, path, "open")
            // A connection is given even when it cannot be used.
            sqlite3_close_v2(connection)
            throw error
        }
        self.path = path
        self.connection = connection
        let (seconds, attoseconds) = patience.components
        sqlite3_busy_timeout(connection, Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000))
        // What a damaged or foreign file holds must not run: no functions from its schema, no writes to its own tables.
        _ = weir_sqlite_configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = weir_sqlite_configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    deinit {
        for statement in prepared.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// Runs statements that give nothing back and take no values.
    mutating func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(connection, sql, nil, nil, nil), sql)
    }

    /// Runs one statement to its end; what it gives is passed over.
    mutating func run(_ sql: String, _ values: Value...) throws(StoreError) {
        try step(sql, values) { _ in }
    }

    /// Runs one statement and calls `body` with each of its rows.
    mutating func each(_ sql: String, _ values: Value..., body: (Row) -> Void) throws(StoreError) {
        try step(sql, values, body)
    }

    /// The first column of the first row as a number; nil when there is no row.
    mutating func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
        var found: Int64?
        try step(sql, values) { row in if found == nil { found = row.integer(0) } }
        return found
    }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes64(connection)) }

    /// Does all of `body` or, when it throws, nothing. Takes the write lock first, so that it cannot fail half-way for want of it.
    mutating func transaction<Result>(
        _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body(&self)
            try run("COMMIT")
            return result
        } catch {
            // Some errors have rolled it back already; then there is nothing left to do.
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

    /// What a result code means here (<https://sqlite.org/rescode.html>); the low byte is the primary one.
    private static func error(
        _ code: Int32, _ connection: OpaquePointer?, _ path: String, _ operation: String
    ) -> StoreError {
        let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
        case SQLITE_FULL: return .full(path: path)
        // A header whose format number was damaged comes as an error of its own kind.
        case SQLITE_ERROR where message == "unsupported file format": return .damaged(path: path, message: message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, message: message)
        default: return .database(operation: operation, path: path, message: message)
        }
    }
}

/// The row a statement stands on; only while `body` of `each` runs.
struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] {
        // The bytes first: asking for their number may not convert the value again (sqlite.org/c3ref/column_blob.html).
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
