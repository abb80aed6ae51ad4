import Glibc
import Synchronization

/// A new file that only grows: created exclusively, private to the user and locked against a second writer. It can also
/// be a recording in a stream.
struct AppendFile: ~Copyable {
    /// The `errno` reported for a line that is too long to be read again.
    static let tooLong = EMSGSIZE
    private static let standardOutput = "standard output"

    let path: String
    private let descriptor: Int32
    /// The stream that receives the bytes instead of the descriptor.
    private let remote: (any RemoteOutput)?

    /// Creates the file (mode 0600). With `overwrites`, a new file replaces an existing one of the same name; a process
    /// that reads the old file keeps it. `-` is standard output. For a stream (`nats://…`) this begins the recording
    /// with the id `recording`.
    init(creating path: String, overwrites: Bool = false, recording: String = "") throws(RecordingError) {
        if RemoteRecordings.isOne(path) {
            self.init(descriptor: -1, path: path, remote: try RemoteRecordings.create(path, recording: recording))
            return
        }
        guard path != "-" else {
            let name = Self.standardOutput
            let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw .system(operation: "write", path: name, code: errno) }
            self.init(descriptor: descriptor, path: name)
            return
        }
        if overwrites { try Self.remove(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .exists(path: path) }
            throw .system(operation: "create", path: path, code: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .system(operation: "lock", path: path, code: code)
        }
        self.init(descriptor: descriptor, path: path)
    }

    /// Takes ownership of an open descriptor and closes it on deinitialisation.
    init(descriptor: Int32, path: String, remote: (any RemoteOutput)? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.remote = remote
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Ends the writing, and waits until a stream has received everything.
    func finish() throws(RecordingError) { try remote?.finish() }

    /// Whether the file is in a cluster that cannot store anything at present.
    var isAway: Bool { remote?.isAway ?? false }

    /// Returns the warnings for the user since the last call.
    func takeWarnings() -> [String] { remote?.takeWarnings() ?? [] }

    /// Writes `bytes` and empties it. After an error it still holds the unwritten rest, so that nothing is written
    /// twice.
    func write(_ bytes: inout [UInt8]) throws(RecordingError) {
        if let remote {
            DiskFigures.wrote(bytes.count)
            try remote.write(bytes)
            bytes.removeAll(keepingCapacity: bytes.capacity <= RecordFormat.keptBuffer)
            return try remote.flush()
        }
        try Self.write(&bytes, to: descriptor, path, waits: path == Self.standardOutput)
    }

    /// Writes `bytes` to a descriptor and empties it, as `write(_:)` does. `path` is for messages. With `waits`, the call waits for a full
    /// non-blocking descriptor; otherwise that is an error.
    static func write(
        _ bytes: inout [UInt8], to descriptor: Int32, _ path: String, waits: Bool = true
    ) throws(RecordingError) {
        var done = 0
        var failure: Int32 = 0
        bytes.withUnsafeBytes { raw in
            while done < raw.count, failure == 0 {
                let count = Glibc.write(descriptor, raw.baseAddress.map { $0 + done }, raw.count - done)
                if count >= 0 {
                    done += count
                } else if errno == EAGAIN, waits {
                    // Another process may have made standard output non-blocking.
                    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&watched, 1, -1)
                } else if errno != EINTR {
                    failure = errno
                }
            }
        }
        DiskFigures.wrote(done)
        if failure == 0 {
            bytes.removeAll(keepingCapacity: bytes.capacity <= RecordFormat.keptBuffer)
        } else {
            bytes.removeFirst(done)
            throw .system(operation: "write", path: path, code: failure)
        }
    }

    /// Waits until the data is on disk.
    func syncData() throws(RecordingError) {
        try check("sync") { DiskFigures.syncing { fdatasync(descriptor) } }
    }

    /// Waits until data, metadata and the file's name in its folder are on disk.
    func syncAll() throws(RecordingError) {
        if remote != nil { return }
        try check("sync") { DiskFigures.syncing { fsync(descriptor) } }
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Some file systems cannot sync a folder. The file itself is safe by then, and nothing more can be done.
        _ = fsync(folder)
        Glibc.close(folder)
    }

    private func check(_ operation: String, _ call: () -> Int32) throws(RecordingError) {
        if remote != nil { return }
        while call() != 0 {
            // Pipes and some devices cannot be synced and need no sync.
            if errno == EINVAL || errno == EROFS { return }
            if errno != EINTR { throw .system(operation: operation, path: path, code: errno) }
        }
    }

    /// Removes the file to be replaced. Fails if it is not a regular file, or if another process is writing to it.
    private static func remove(_ path: String) throws(RecordingError) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .exists(path: path) }
        let old = open(path, O_RDONLY | O_CLOEXEC)
        if old >= 0 {
            defer { Glibc.close(old) }
            guard flock(old, LOCK_EX | LOCK_NB) == 0 else {
                throw .system(operation: "replace", path: path, code: errno)
            }
        }
        guard unlink(path) == 0 else { throw .system(operation: "replace", path: path, code: errno) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

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
