import Pipeline

extension Database {
    /// The maximum size of the rows in one `Memory`, in bytes. A single row that is longer gets a part of its own.
    private static var memoryBytes: Int { 1 << 20 }

    /// Returns what the store remembers of an account, or `nil` when the account is unknown.
    ///
    /// When `user` is `nil`, the result describes the account of the server that was used last.
    mutating func remembered(
        server: String, user: String?, view: String
    ) throws(StoreError) -> Remembered? {
        var found: (number: Int64, user: String, used: Int64)?
        let newest = "SELECT number, user, used FROM account WHERE server = ?1 AND (?2 IS NULL OR user = ?2)"
        try each(newest + " ORDER BY used DESC, number DESC LIMIT 1", .text(server), user.map { .text($0) } ?? .null) {
            found = ($0.integer(0), $0.text(1), $0.integer(2))
        }
        guard let (number, user, used) = found else { return nil }
        var remembered = Remembered(
            scope: StoreScope(StoreAccount(server: server, user: user), view: view), lastUsed: used, memories: [],
            rows: 0, rooms: [], checkpoints: [], notes: try notes(of: number), outbox: try outbox(of: number))
        (remembered.memories, remembered.rows) = try memories(of: number, user: user, view: view)
        try each(
            "SELECT name, source FROM room WHERE account = ? AND view = ? ORDER BY number", .integer(number),
            .text(view)
        ) { remembered.rooms.append(($0.text(0), $0.text(1))) }
        try each(
            "SELECT resource, fetched FROM checkpoint WHERE account = ? AND view = ? ORDER BY resource",
            .integer(number), .text(view)
        ) { remembered.checkpoints.append(($0.text(0), $0.integer(1))) }
        return remembered
    }

    private mutating func memories(
        of account: Int64, user: String, view: String
    ) throws(StoreError) -> ([Memory], rows: Int) {
        var memories: [Memory] = []
        var part = Memory(user: user)
        var rows = 0
        try each(
            "SELECT row FROM item WHERE account = ? AND view = ? ORDER BY id", .integer(account), .text(view)
        ) { row in
            let bytes = row.bytes(0)
            rows += 1
            if part.rows.count + bytes.count > Self.memoryBytes, !part.rows.isEmpty {
                memories.append(part)
                part.rows = []
            }
            part.append(row: bytes)
        }
        if !part.rows.isEmpty { memories.append(part) }
        return (memories, rows)
    }

    mutating func notes(of account: Int64) throws(StoreError) -> [StoreNote: String] {
        var notes: [StoreNote: String] = [:]
        try each("SELECT kind, key, value FROM note WHERE account = ?", .integer(account)) { row in
            if let note = StoreNote(kind: row.text(0), key: row.text(1)) { notes[note] = row.text(2) }
        }
        return notes
    }

    mutating func outbox(of account: Int64) throws(StoreError) -> [(id: String, entry: [UInt8])] {
        var outbox: [(id: String, entry: [UInt8])] = []
        try each("SELECT id, entry FROM outbox WHERE account = ? ORDER BY number", .integer(account)) {
            outbox.append(($0.text(0), $0.bytes(1)))
        }
        return outbox
    }

    /// Returns the known accounts, the most recently used first.
    mutating func accountList() throws(StoreError) -> [StoreAccount] {
        var list: [StoreAccount] = []
        try each("SELECT server, user FROM account ORDER BY used DESC, number DESC") {
            list.append(StoreAccount(server: $0.text(0), user: $0.text(1)))
        }
        return list
    }

    /// Removes all data of an account from the file and from its write-ahead log.
    ///
    /// - Returns: Whether the account was known.
    mutating func forget(_ account: StoreAccount) throws(StoreError) -> Bool {
        try run("DELETE FROM account WHERE server = ? AND user = ?", .text(account.server), .text(account.user))
        let wasKnown = changes > 0
        accounts[account] = nil
        // `secure_delete` overwrites the deleted pages. The checkpoint also removes earlier copies from the log.
        try run("PRAGMA wal_checkpoint(TRUNCATE)")
        return wasKnown
    }

    /// Returns the bytes of an immutable thing, or `nil` when the store does not hold it.
    mutating func thing(_ thing: StoreThing, of account: StoreAccount) throws(StoreError) -> [UInt8]? {
        guard let number = try number(of: account) else { return nil }
        var found: [UInt8]?
        try each(
            "SELECT bytes FROM thing WHERE account = ? AND kind = ? AND key = ?", .integer(number),
            .text(thing.kind.rawValue), .text(thing.key)
        ) { found = $0.bytes(0) }
        return found
    }

    /// Stores an immutable thing, and evicts the oldest things until the rest fits into `thingBudget`.
    ///
    /// A thing that is already stored stays as it is. Nothing is stored when the account was logged out in the
    /// meantime.
    ///
    /// - Throws: `StoreError.full` when the thing alone exceeds `thingBudget`.
    mutating func keep(_ thing: StoreThing, _ bytes: [UInt8], of account: StoreAccount) throws(StoreError) {
        guard let number = try number(of: account) else { return }
        guard bytes.count <= thingBudget else { throw .full(path: path) }
        try run(
            "INSERT OR IGNORE INTO thing (account, kind, key, bytes) VALUES (?, ?, ?, ?)", .integer(number),
            .text(thing.kind.rawValue), .text(thing.key), .bytes(bytes))
        // Things can be downloaded again; other data cannot. So things are evicted first.
        try run(
            """
            DELETE FROM thing WHERE rowid IN (
                SELECT number FROM (
                    SELECT rowid AS number, sum(length(bytes)) OVER (ORDER BY rowid DESC) AS total FROM thing
                ) WHERE total > ?
            )
            """, .integer(Int64(thingBudget)))
    }
}
