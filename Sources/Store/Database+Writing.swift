import JSONText
import Pipeline
import SectionedModel

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
