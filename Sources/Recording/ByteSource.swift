import Glibc

/// Where a recording's bytes come from.
struct ByteSource: ~Copyable {
    /// For messages.
    let path: String
    private let descriptor: Int32
    private let isOwned: Bool

    /// Opens a file; `-` is standard input, which stays open at the end.
    init(opening path: String) throws(RecordingError) {
        if path == "-" {
            self.init(descriptor: STDIN_FILENO, path: "standard input", isOwned: false)
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(operation: "open", path: path, code: errno) }
        self.init(descriptor: descriptor, path: path, isOwned: true)
    }

    /// Reads an open descriptor; closes it at the end when it is owned.
    init(descriptor: Int32, path: String, isOwned: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isOwned = isOwned
    }

    /// No source: everything is in memory already.
    static func none(path: String) -> ByteSource { ByteSource(descriptor: -1, path: path, isOwned: false) }

    deinit { if isOwned { close(descriptor) } }

    /// How many bytes there are; nil of what is no file, and of what is held in memory.
    var size: Int? {
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// Goes to a place, to read on from there. Only a file can.
    func move(to offset: Int) throws(RecordingError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw .system(operation: "seek in", path: path, code: errno)
        }
    }

    /// Reads what is there into `buffer`, waiting for the first byte; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError> {
        guard descriptor >= 0, buffer.count > 0 else { return .success(0) }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return .success(count) }
            if errno == EAGAIN {
                // Standard input may have been made non-blocking by somebody else.
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return .failure(.system(operation: "read", path: path, code: errno))
            }
        }
    }
}
