import Glibc

/// The right to download one thing of a store, which one process has at a time: a lock on one byte of a file beside the store, chosen by
/// the thing. It goes with the process that has it, however that ends.
struct DownloadTurn: Sendable {
    /// `F_OFD_SETLKW` of linux/fcntl.h, which the C library shows to GNU sources only.
    private static let lockAndWait: Int32 = 38

    private let descriptor: Int32

    /// Waits until nobody else has it. Nil when the file cannot be had: then nobody is waited for.
    init?(for owned: OwnedThing, of store: String) {
        let descriptor = open(store + ".downloads", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { return nil }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(Self.place(of: owned))
        lock.l_len = 1
        // Of the open file, not of the process: another store object of this process waits, too.
        while fcntl(descriptor, Self.lockAndWait, &lock) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                return nil
            }
        }
        self.descriptor = descriptor
    }

    /// Somebody else may have it.
    func end() { close(descriptor) }

    /// The same in every process (FNV-1a); things that share a place only wait for each other.
    private static func place(of owned: OwnedThing) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in [owned.account.server, owned.account.user, owned.thing.kind.rawValue, owned.thing.key] {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        return hash >> 2
    }
}
