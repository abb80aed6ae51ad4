import Pipeline

// Remembering, and forgetting.
extension Database {
    /// How many bytes of rows one part of a memory holds at most, unless a single row is longer.
    private static var memoryBytes: Int { 1 << 20 }

    /// What is remembered of a server's account, of the one that was used last when no user is named; nil when none is known.
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

    /// The accounts, the one used last first.
    mutating func accountList() throws(StoreError) -> [StoreAccount] {
        var list: [StoreAccount] = []
        try each("SELECT server, user FROM account ORDER BY used DESC, number DESC") {
            list.append(StoreAccount(server: $0.text(0), user: $0.text(1)))
        }
        return list
    }

    /// Removes everything of an account, from the file and its log; false when there was nothing.
    mutating func forget(_ account: StoreAccount) throws(StoreError) -> Bool {
        try run("DELETE FROM account WHERE server = ? AND user = ?", .text(account.server), .text(account.user))
        let wasKnown = changes > 0
        accounts[account] = nil
        // Deleted pages are overwritten (`secure_delete`), and this takes what was written before out of the log.
        try run("PRAGMA wal_checkpoint(TRUNCATE)")
        return wasKnown
    }

    /// The bytes of an immutable thing; nil when it was never kept.
    mutating func thing(_ thing: StoreThing, of account: StoreAccount) throws(StoreError) -> [UInt8]? {
        guard let number = try number(of: account) else { return nil }
        var found: [UInt8]?
        try each(
            "SELECT bytes FROM thing WHERE account = ? AND kind = ? AND key = ?", .integer(number),
            .text(thing.kind.rawValue), .text(thing.key)
        ) { found = $0.bytes(0) }
        return found
    }

    /// Keeps an immutable thing; one that is there stays, and one of an account that was logged out meanwhile is not kept.
    mutating func keep(_ thing: StoreThing, _ bytes: [UInt8], of account: StoreAccount) throws(StoreError) {
        guard let number = try number(of: account) else { return }
        guard bytes.count <= thingBudget else { throw .full(path: path) }
        try run(
            "INSERT OR IGNORE INTO thing (account, kind, key, bytes) VALUES (?, ?, ?, ?)", .integer(number),
            .text(thing.kind.rawValue), .text(thing.key), .bytes(bytes))
        // What can be downloaded again may not take the place of what cannot.
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
