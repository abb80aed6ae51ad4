import Glibc
import Synchronization

/// The bytes and syncs of all recordings in this process. Any thread.
package enum DiskFigures {
    private static let bytes = Atomic<Int>(0)
    private static let readBytes = Atomic<Int>(0)
    private static let syncs = Atomic<Int>(0)
    private static let time = Atomic<Int>(0)

    /// The number of bytes written, the number of syncs, and the time that these took in microseconds.
    package static var now: (bytes: Int, syncs: Int, time: Int) {
        (bytes.load(ordering: .relaxed), syncs.load(ordering: .relaxed), time.load(ordering: .relaxed))
    }

    /// The number of bytes read from recordings, before decompression.
    package static var read: Int { readBytes.load(ordering: .relaxed) }

    /// Adds the size of a read.
    static func read(_ count: Int) { readBytes.add(count, ordering: .relaxed) }

    /// Adds the size of a write.
    static func wrote(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Performs a call that forces a file to disk, and adds its duration.
    static func syncing(_ call: () -> Int32) -> Int32 {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_MONOTONIC, &start)
        let result = call()
        let code = errno
        clock_gettime(CLOCK_MONOTONIC, &end)
        syncs.add(1, ordering: .relaxed)
        time.add((end.tv_sec - start.tv_sec) * 1_000_000 + (end.tv_nsec - start.tv_nsec) / 1000, ordering: .relaxed)
        errno = code
        return result
    }
}
