import Network
import Pipeline

/// Where those stand who asked for a thing.
typealias DownloadDesk = DownloadBook<OwnedThing, @Sendable (Result<[UInt8], StoreError>) -> Void>

/// A thing and whose it is.
struct OwnedThing: Hashable, Sendable {
    var account: StoreAccount
    var thing: StoreThing
}

// Immutable things: had from the store, or downloaded once however many ask.
extension Store {
    /// Gives `completion` the bytes of a thing: those that are kept, or else those that `download` gives to its argument, which are kept
    /// from then on. `download` is called once for all who ask while it is under way; when it fails they all fail, and whoever asks next
    /// tries again. Another process that downloads the same is waited for. Both are called on any thread. `now` is in milliseconds since 1970.
    public func get(
        _ thing: StoreThing, of account: StoreAccount, at now: Int64,
        download: @escaping @Sendable (@escaping @Sendable (Result<[UInt8], StoreError>) -> Void) -> Void,
        completion: @escaping @Sendable (Result<[UInt8], StoreError>) -> Void
    ) {
        let owned = OwnedThing(account: account, thing: thing)
        guard downloads.change({ $0.ask(for: owned, completion) }) else { return }
        do {
            try start { [self] database in
                // What cannot be read can still be downloaded.
                _ = try? database.account(account, at: now)
                let found = (try? database.thing(thing, of: account)) ?? nil
                looked(for: owned, found, download)
            }
        } catch {
            looked(for: owned, nil, download)
        }
    }

    /// The bytes of a thing that is kept; nil when it is not. Waits.
    public func kept(_ thing: StoreThing, of account: StoreAccount) throws(StoreError) -> [UInt8]? {
        try perform { (database) throws(StoreError) in try database.thing(thing, of: account) }
    }

    private func looked(
        for owned: OwnedThing, _ found: [UInt8]?,
        _ download: @escaping @Sendable (@escaping @Sendable (Result<[UInt8], StoreError>) -> Void) -> Void
    ) {
        if let found { return answer(owned, .success(found)) }
        // Waiting for another process must not keep the store's thread.
        runOnThread(named: "weir-download") { [self] in
            let turn = DownloadTurn(for: owned, of: path)
            if let found = (try? kept(owned.thing, of: owned.account)) ?? nil {
                turn?.end()
                return answer(owned, .success(found))
            }
            download { [self] result in downloaded(owned, result, turn) }
        }
    }

    /// Kept first, told then: whoever is told may look at once.
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
