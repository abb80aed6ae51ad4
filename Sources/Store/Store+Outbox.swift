import Glibc
import Network

extension Store {
    /// Writes `writes` after everything submitted before.
    ///
    /// - Parameters:
    ///   - now: The current time in milliseconds since 1970.
    ///   - completion: Called on the store's thread once the writes are on disk, or with the error that prevented it.
    ///     Called on the caller's thread when the store is closed.
    public func commit(
        _ writes: [StoreWrite], of scope: StoreScope, at now: Int64,
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        do throws(StoreError) {
            try start { database in
                do throws(StoreError) {
                    try database.commit([Keeping(writes: writes, scope: scope, now: now)])
                    completion(nil)
                } catch {
                    completion(error)
                }
            }
        } catch {
            completion(error)
        }
    }

    /// Reads the outbox of an account, oldest entry first.
    ///
    /// - Parameter completion: Called on the store's thread, or on the caller's thread when the store is closed. It
    ///   receives an empty array when the outbox cannot be read.
    public func readOutbox(
        of account: StoreAccount, completion: @escaping @Sendable ([(id: String, entry: [UInt8])]) -> Void
    ) {
        do throws(StoreError) {
            try start { database in
                let number = (try? database.number(of: account)) ?? nil
                completion(number.flatMap { try? database.outbox(of: $0) } ?? [])
            }
        } catch {
            completion([])
        }
    }

    /// Makes this process the only one that sends the outbox entries of this file, until it ends or closes the store.
    ///
    /// - Returns: Whether this process owns the outboxes. `false` when another process does: two senders would do
    ///   everything twice.
    public func takeOutbox() -> Bool {
        state.change { state in
            if state.outboxLock != nil { return true }
            let descriptor = open(path + ".outbox", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
            guard descriptor >= 0 else { return false }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                Glibc.close(descriptor)
                return false
            }
            state.outboxLock = descriptor
            return true
        }
    }

    /// Releases the lock on the outboxes, so that another process can take it.
    func releaseOutbox() {
        state.change { state in
            if let descriptor = state.outboxLock { Glibc.close(descriptor) }
            state.outboxLock = nil
        }
    }
}
