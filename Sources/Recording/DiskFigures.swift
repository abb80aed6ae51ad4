import Glibc
import Synchronization

/// What the recordings of this process asked of the disk, summed up. Any thread.
package enum DiskFigures {
    private static let bytes = Atomic<Int>(0)
    private static let readBytes = Atomic<Int>(0)
    private static let syncs = Atomic<Int>(0)
    private static let time = Atomic<Int>(0)

    /// Bytes written, how often files were forced to disk, and how long that took in microseconds.
    package static var now: (bytes: Int, syncs: Int, time: Int) {
        (bytes.load(ordering: .relaxed), syncs.load(ordering: .relaxed), time.load(ordering: .relaxed))
    }

    /// Bytes that were read of recordings, as they are stored.
    package static var read: Int { readBytes.load(ordering: .relaxed) }

    /// So many bytes were read.
    static func read(_ count: Int) { readBytes.add(count, ordering: .relaxed) }

    /// So many bytes were written.
    static func wrote(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Measures what forces a file to disk.
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
