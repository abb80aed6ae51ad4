// The functions of this extension block until the store's thread has answered.
extension Store {
    /// Returns what the store remembers of an account, or `nil` when the account is unknown. Blocks.
    ///
    /// When `user` is `nil`, the result describes the account of the server that was used last.
    public func remembered(of server: String, user: String? = nil, view: String = "") throws(StoreError) -> Remembered?
    {
        try perform { (database) throws(StoreError) in
            try database.remembered(server: server, user: user, view: view)
        }
    }

    /// Returns the accounts that the store knows, the most recently used first. Blocks.
    public func accounts() throws(StoreError) -> [StoreAccount] {
        try perform { (database) throws(StoreError) in try database.accountList() }
    }

    /// Returns the outbox of an account, oldest entry first. Blocks.
    public func outbox(of account: StoreAccount) throws(StoreError) -> [(id: String, entry: [UInt8])] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [] }
            return try database.outbox(of: number)
        }
    }

    /// Returns all notes of an account. Blocks.
    public func notes(of account: StoreAccount) throws(StoreError) -> [StoreNote: String] {
        try perform { (database) throws(StoreError) in
            guard let number = try database.number(of: account) else { return [:] }
            return try database.notes(of: number)
        }
    }

    /// Removes all data of an account. Blocks.
    ///
    /// Another process that still writes to the account gets `StoreError.loggedOut`, so it cannot bring the data back.
    ///
    /// - Returns: Whether the account was known.
    @discardableResult
    public func forget(_ account: StoreAccount) throws(StoreError) -> Bool {
        try perform { (database) throws(StoreError) in try database.forget(account) }
    }

    /// Writes `writes` after everything submitted before, and returns once they are committed. Blocks.
    ///
    /// - Parameter now: The current time in milliseconds since 1970.
    public func commit(_ writes: [StoreWrite], of scope: StoreScope, at now: Int64) throws(StoreError) {
        try perform { (database) throws(StoreError) in
            try database.commit([Store.Keeping(writes: writes, scope: scope, now: now)])
        }
    }
}
