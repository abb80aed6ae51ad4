import Synchronization

/// The digest of a value that never changes, made once and kept beside it, by whichever thread is first.
struct DigestMemo: ~Copyable, Sendable {
    /// 0 until it is made. One that is 0 is made each time.
    private let digest = Atomic<UInt64>(0)

    /// The digest, which `make` makes unless that was done before.
    @inline(__always)
    func value(_ make: () -> UInt64) -> UInt64 {
        let known = digest.load(ordering: .relaxed)
        if known != 0 { return known }
        let made = make()
        digest.store(made, ordering: .relaxed)
        return made
    }
}
