import Glibc

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
