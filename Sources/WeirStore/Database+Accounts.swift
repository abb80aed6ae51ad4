import WeirJSON
import WeirModel
import WeirPipeline

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

extension Database {
    /// Writes all batches in order, in one transaction.
    mutating func commit(_ gathered: [Store.Keeping]) throws(StoreError) {
        // Rows can be fetched again from the server, but a user's write cannot. Only the latter needs an `fsync`.
        let mustReachDisk = gathered.contains { Self.mustReachDisk($0.writes) }
        if mustReachDisk { try execute("PRAGMA synchronous = FULL") }
        defer { if mustReachDisk { try? execute("PRAGMA synchronous = NORMAL") } }
        let known = accounts
        do {
            try transaction { (database) throws(StoreError) in
                for keeping in gathered { try database.keep(keeping) }
            }
        } catch {
            // The rollback also undoes the accounts that this transaction inserted.
            accounts = known
            throw error
        }
    }

    private mutating func keep(_ keeping: Store.Keeping) throws(StoreError) {
        let account = try account(keeping.scope.account, at: keeping.now)
        for write in keeping.writes { try keep(write, of: account, view: keeping.scope.view, at: keeping.now) }
    }

    /// Whether the writes change the outbox, whose entries must survive a crash of the machine once accepted.
    private static func mustReachDisk(_ writes: [StoreWrite]) -> Bool {
        writes.contains { write in
            switch write {
            case .enqueue, .dequeue: true
            case .model, .batch, .room, .roomLeft, .checkpoint, .note: false
            }
        }
    }

    /// Returns the number of an account, and inserts the account when it is unknown.
    ///
    /// - Throws: `StoreError.loggedOut` when this connection wrote to the account before and another connection removed
    ///   it.
    mutating func account(_ account: StoreAccount, at now: Int64) throws(StoreError) -> Int64 {
        if let number = accounts[account] {
            guard try integer("SELECT 1 FROM account WHERE number = ?", .integer(number)) != nil else {
                throw .loggedOut(server: account.server, user: account.user)
            }
            return number
        }
        try run(
            "INSERT INTO account (server, user, used) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", .text(account.server),
            .text(account.user), .integer(now))
        guard let number = try number(of: account) else {
            throw .damaged(path: path, message: "an account that was written cannot be found")
        }
        accounts[account] = number
        return number
    }

    /// Returns the number of an account, or `nil` when the account is unknown.
    mutating func number(of account: StoreAccount) throws(StoreError) -> Int64? {
        try integer(
            "SELECT number FROM account WHERE server = ? AND user = ?", .text(account.server), .text(account.user))
    }

    private mutating func keep(
        _ write: StoreWrite, of account: Int64, view: String, at now: Int64
    ) throws(StoreError) {
        switch write {
        case .model(let snapshot):
            try run("UPDATE account SET used = ? WHERE number = ?", .integer(now), .integer(account))
            try replaceItems(with: snapshot, of: account, view: view)
        case .batch(let batch):
            for deletion in batch.deletions { try remove(deletion.element.id, of: account, view: view) }
            for insertion in batch.insertions { try put(insertion.element, of: account, view: view) }
            for change in batch.moves { try put(change.new, of: account, view: view) }
            for change in batch.updates { try put(change.new, of: account, view: view) }
        case .room(let name, let source):
            try run(
                "INSERT INTO room (account, view, name, source) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET source = excluded.source",
                .integer(account), .text(view), .text(name), .text(source))
        case .roomLeft(let name):
            try run(
                "DELETE FROM room WHERE account = ? AND view = ? AND name = ?", .integer(account), .text(view),
                .text(name))
        case .checkpoint(let resource, let at):
            try run(
                "INSERT OR REPLACE INTO checkpoint (account, view, resource, fetched) VALUES (?, ?, ?, ?)",
                .integer(account), .text(view), .text(resource), .integer(at))
        case .note(let note, let value): try keep(note, value, of: account)
        case .enqueue(let id, let entry):
            try run(
                "INSERT INTO outbox (account, id, entry) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET entry = excluded.entry",
                .integer(account), .text(id), .bytes(entry))
        case .dequeue(let id):
            try run("DELETE FROM outbox WHERE account = ? AND id = ?", .integer(account), .text(id))
        }
    }

    private mutating func keep(_ note: StoreNote, _ value: String?, of account: Int64) throws(StoreError) {
        let (kind, key) = note.columns
        if let value {
            try run(
                "INSERT OR REPLACE INTO note (account, kind, key, value) VALUES (?, ?, ?, ?)", .integer(account),
                .text(kind), .text(key), .text(value))
        } else {
            try run(
                "DELETE FROM note WHERE account = ? AND kind = ? AND key = ?", .integer(account), .text(kind),
                .text(key))
        }
    }

    /// Makes the stored rows of a view equal to `snapshot`. Only differing rows are written: shortly after a start
    /// these are few.
    private mutating func replaceItems(
        with snapshot: SectionedSnapshot<Item>, of account: Int64, view: String
    ) throws(StoreError) {
        var kept: [String: [UInt8]] = [:]
        try each("SELECT id, row FROM item WHERE account = ? AND view = ?", .integer(account), .text(view)) { row in
            kept[row.text(0)] = row.bytes(1)
        }
        try snapshot.forEachElement { (_, item) throws(StoreError) in
            let (id, row) = Self.columns(of: item)
            if kept.removeValue(forKey: id) == row || item.delivery != nil { return }
            try put(id, row, of: account, view: view)
        }
        for id in kept.keys { try removeItem(id, of: account, view: view) }
    }

    /// Writes a row, unless it shows an action that is still pending. The outbox remembers that action; the stored row
    /// keeps the server's state.
    private mutating func put(_ item: Item, of account: Int64, view: String) throws(StoreError) {
        guard item.delivery == nil else { return }
        let (id, row) = Self.columns(of: item)
        try put(id, row, of: account, view: view)
    }

    private mutating func put(_ id: String, _ row: [UInt8], of account: Int64, view: String) throws(StoreError) {
        try run(
            "INSERT OR REPLACE INTO item (account, view, id, row) VALUES (?, ?, ?, ?)", .integer(account), .text(view),
            .text(id), .utf8(row))
    }

    private mutating func remove(_ id: Item.ID, of account: Int64, view: String) throws(StoreError) {
        try removeItem(Self.text(of: id), of: account, view: view)
    }

    private mutating func removeItem(_ id: String, of account: Int64, view: String) throws(StoreError) {
        try run(
            "DELETE FROM item WHERE account = ? AND view = ? AND id = ?", .integer(account), .text(view), .text(id))
    }

    private static func columns(of item: Item) -> (id: String, row: [UInt8]) {
        var writer = JSONWriter()
        item.encode(into: &writer)
        return (text(of: item.id), writer.bytes)
    }

    private static func text(of id: Item.ID) -> String {
        var writer = JSONWriter()
        id.encode(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
