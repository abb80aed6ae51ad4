import Glibc
import Network

// Writes for the server that wait in the store.
extension Store {
    /// Keeps `writes` behind all that was handed over; `completion` is called, on the store's thread, once they are on the disk or cannot
    /// be kept. `now` is in milliseconds since 1970.
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

    /// Gives what waits in an account's outbox, oldest first, on the store's thread; nothing when it cannot be read.
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

    /// Makes this process the only one that empties the outboxes of this file, for as long as it lives or until the store is closed. False
    /// when another one does: two would do everything twice.
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

    /// Lets another process empty the outboxes.
    func releaseOutbox() {
        state.change { state in
            if let descriptor = state.outboxLock { Glibc.close(descriptor) }
            state.outboxLock = nil
        }
    }
}
