import Glibc
import WeirNetwork
import WeirPipeline
import WeirThreads

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
    package func get(
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
    package func kept(_ thing: StoreThing, of account: StoreAccount) throws(StoreError) -> [UInt8]? {
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

/// An immutable object that is downloaded at most once.
package struct StoreThing: Hashable, Sendable {
    /// The kinds of immutable objects.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The picture of an account.
        case picture
        /// The contents of a file.
        case file
    }

    /// The kind of the object; keys are unique within a kind.
    package var kind: Kind
    /// The identifier within the kind, such as the path it is downloaded from.
    package var key: String
    /// Creates the name of an immutable object.
    package init(_ kind: Kind, _ key: String) {
        self.kind = kind
        self.key = key
    }
}

/// The exclusive right, across processes, to download one thing of a store.
///
/// The right is a lock on one byte of the file `STORE.downloads`; the thing's hash selects the byte. The kernel
/// releases the lock when its process ends, however it ends.
struct DownloadTurn: Sendable {
    /// `F_OFD_SETLKW` of linux/fcntl.h. The C library declares it only under `_GNU_SOURCE`.
    private static let lockAndWait: Int32 = 38

    private let descriptor: Int32

    /// Waits for the lock. Fails without waiting when the lock file cannot be opened; the caller then downloads without
    /// a turn.
    init?(for owned: OwnedThing, of store: String) {
        let descriptor = open(store + ".downloads", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { return nil }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(Self.place(of: owned))
        lock.l_len = 1
        // The lock belongs to the open file description, not to the process, so two stores of one process exclude each
        // other too.
        while fcntl(descriptor, Self.lockAndWait, &lock) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                return nil
            }
        }
        self.descriptor = descriptor
    }

    /// Releases the lock, so that a waiting process can download.
    func end() { close(descriptor) }

    /// Returns the byte to lock: an FNV-1a hash, equal in every process. Two things with the same hash only wait for
    /// each other.
    private static func place(of owned: OwnedThing) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in [owned.account.server, owned.account.user, owned.thing.kind.rawValue, owned.thing.key] {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        return hash >> 2
    }
}
