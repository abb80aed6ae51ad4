import Network
import Pipeline

/// The callers that wait for each thing.
typealias DownloadDesk = DownloadBook<OwnedThing, @Sendable (Result<[UInt8], StoreError>) -> Void>

/// A thing together with the account that owns it.
struct OwnedThing: Hashable, Sendable {
    var account: StoreAccount
    var thing: StoreThing
}

// Immutable things. They are read from the store, or downloaded once for all callers.
extension Store {
    /// Delivers the bytes of a thing, from the store or else from `download`, whose result is stored.
    ///
    /// Concurrent callers share one download. When it fails, all of them get the error, and the next call tries again.
    /// While another process downloads the same thing, this one waits for it.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - download: Starts the download and passes the result to its argument. Called on any thread.
    ///   - completion: Called on any thread.
    public func get(
        _ thing: StoreThing, of account: StoreAccount, at now: Int64,
        download: @escaping @Sendable (@escaping @Sendable (Result<[UInt8], StoreError>) -> Void) -> Void,
        completion: @escaping @Sendable (Result<[UInt8], StoreError>) -> Void
    ) {
        let owned = OwnedThing(account: account, thing: thing)
        guard downloads.change({ $0.ask(for: owned, completion) }) else { return }
        do {
            try start { [self] database in
                // A store that cannot be read must not prevent the download.
                _ = try? database.account(account, at: now)
                let found = (try? database.thing(thing, of: account)) ?? nil
                looked(for: owned, found, download)
            }
        } catch {
            looked(for: owned, nil, download)
        }
    }

    /// Returns the stored bytes of a thing, or `nil` when the store does not hold it. Blocks.
    public func kept(_ thing: StoreThing, of account: StoreAccount) throws(StoreError) -> [UInt8]? {
        try perform { (database) throws(StoreError) in try database.thing(thing, of: account) }
    }

    private func looked(
        for owned: OwnedThing, _ found: [UInt8]?,
        _ download: @escaping @Sendable (@escaping @Sendable (Result<[UInt8], StoreError>) -> Void) -> Void
    ) {
        if let found { return answer(owned, .success(found)) }
        // The wait for another process must not block the store's thread.
        runOnThread(named: "weir-download") { [self] in
            let turn = DownloadTurn(for: owned, of: path)
            if let found = (try? kept(owned.thing, of: owned.account)) ?? nil {
                turn?.end()
                return answer(owned, .success(found))
            }
            download { [self] result in downloaded(owned, result, turn) }
        }
    }

    /// Stores a downloaded thing before it answers the callers, because a caller may look into the store at once.
    private func downloaded(_ owned: OwnedThing, _ result: Result<[UInt8], StoreError>, _ turn: DownloadTurn?) {
        guard case .success(let bytes) = result else { return end(owned, result, turn) }
        do {
            try start { [self] database in
                do throws(StoreError) {
                    try database.keep(owned.thing, bytes, of: owned.account)
                } catch {
                    state.change { $0.handlers.onTrouble }(error)
                }
                end(owned, result, turn)
            }
        } catch {
            end(owned, result, turn)
        }
    }

    private func end(_ owned: OwnedThing, _ result: Result<[UInt8], StoreError>, _ turn: DownloadTurn?) {
        turn?.end()
        answer(owned, result)
    }

    private func answer(_ owned: OwnedThing, _ result: Result<[UInt8], StoreError>) {
        for completion in downloads.change({ $0.settle(owned) }) { completion(result) }
    }
}
