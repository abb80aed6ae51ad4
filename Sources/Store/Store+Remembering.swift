// What waits for an answer.
extension Store {
    /// What is remembered of a server's account: of the one that was used last, when no user is named. Nil when none is known. Waits.
    public func remembered(of server: String, user: String? = nil, view: String = "") throws(StoreError) -> Remembered?
    {
        try perform { (database) throws(StoreError) in
            try database.remembered(server: server, user: user, view: view)
        }
    }

    /// The accounts of which something is kept, the one used last first. Waits.
    public func accounts() throws(StoreError) -> [StoreAccount] {
        try perform { (database) throws(StoreError) in try database.accountList() }
    }

    /// What waits in an account's outbox, oldest first. Waits.
    public func outbox(of account: StoreAccount) throws(StoreError) -> [(id: String, entry: [UInt8])] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [] }
            return try database.outbox(of: number)
        }
    }

    /// What is noted of an account. Waits.
    public func notes(of account: StoreAccount) throws(StoreError) -> [StoreNote: String] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [:] }
            return try database.notes(of: number)
        }
    }

    /// Removes everything of an account, and lets nobody else keep anything of it: a session that goes on with it is told so. False when
    /// there was nothing. Waits.
    @discardableResult
    public func forget(_ account: StoreAccount) throws(StoreError) -> Bool {
        try perform { (database) throws(StoreError) in try database.forget(account) }
    }

    /// Keeps `writes` behind all that was handed over; when it returns they are kept. Waits. `now` is in milliseconds since 1970.
    public func commit(_ writes: [StoreWrite], of scope: StoreScope, at now: Int64) throws(StoreError) {
        try perform { (database) throws(StoreError) in
            try database.commit([Store.Keeping(writes: writes, scope: scope, now: now)])
        }
    }
}
