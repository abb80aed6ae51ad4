import Glibc

/// Where a recording's text comes from: a file or a stream, of which zstd and gzip are undone (`ContentDecoder`). All offsets are
/// those of the text.
struct ByteSource: ~Copyable {
    /// For messages.
    let path: String
    private let descriptor: Int32
    private let isOwned: Bool
    /// Gives the bytes instead of the descriptor.
    private let remote: (any RemoteText)?
    private let decoder = ContentDecoder()

    /// Opens a file, or what lies in a stream (`nats://…`); `-` is standard input, which stays open at the end.
    init(opening path: String) throws(RecordingError) {
        if RemoteRecordings.isOne(path) {
            self.init(descriptor: -1, path: path, isOwned: false, remote: try RemoteRecordings.open(path))
            return
        }
        if path == "-" {
            self.init(descriptor: STDIN_FILENO, path: "standard input", isOwned: false)
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(operation: "open", path: path, code: errno) }
        self.init(descriptor: descriptor, path: path, isOwned: true)
    }

    /// Reads an open descriptor; closes it at the end when it is owned.
    init(descriptor: Int32, path: String, isOwned: Bool, remote: (any RemoteText)? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.isOwned = isOwned
        self.remote = remote
    }

    /// No source: everything is in memory already.
    static func none(path: String) -> ByteSource { ByteSource(descriptor: -1, path: path, isOwned: false) }

    deinit { if isOwned { close(descriptor) } }

    /// How many bytes of text there are; nil of what is no file, of what is held in memory, and of a compressed file that does not say.
    /// The first bytes must have been read.
    var size: Int? {
        guard let fileSize else { return nil }
        if !decoder.isCompressed { return fileSize }
        return seekTable(fileSize).map { $0.frames.reduce(0) { $0 + $1.text } }
    }

    /// Why nothing more can come of a file of which so much was read: it was cut short, or another is called so now. Nil when neither.
    func whyOver(behind offset: Int) -> String? {
        if let remote { return remote.whyOver() }
        guard let fileSize else { return nil }
        if !decoder.isCompressed, fileSize < offset {
            return "it has \(fileSize) bytes now, and \(offset) were read: it was cut short"
        }
        var (mine, named) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, stat(path, &named) == 0 else { return nil }
        return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev ? nil : "another file is called so now"
    }

    private var fileSize: Int? {
        if let remote { return remote.size }
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// A descriptor that can be read when more may be there; nil of a file.
    var growth: Int32? { remote?.growth }

    /// Goes to a place, to read on from there. Only a file can; in a compressed one without a seek table the way is as long as from the
    /// beginning.
    func move(to offset: Int) throws(RecordingError) {
        guard decoder.isCompressed else {
            try seek(to: offset)
            return decoder.restart(skipping: 0)
        }
        var (place, text) = (0, 0)
        for frame in fileSize.flatMap({ seekTable($0) })?.frames ?? [] {
            if text + frame.text > offset { break }
            place += frame.compressed
            text += frame.text
        }
        try seek(to: place)
        decoder.restart(skipping: offset - text)
    }

    private func seek(to offset: Int) throws(RecordingError) {
        if let remote { return try remote.move(to: offset) }
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw .system(operation: "seek in", path: path, code: errno)
        }
    }

    /// Where the frames of the file are, when it says.
    private func seekTable(_ fileSize: Int) -> SeekTable? {
        let footer = bytes(SeekTable.footer, before: fileSize)
        guard let length = SeekTable.length(footer: footer.span), length <= fileSize else { return nil }
        return SeekTable(decoding: bytes(length, before: fileSize).span, fileSize: fileSize)
    }

    /// The last bytes before `end`; fewer when the file has become shorter.
    private func bytes(_ count: Int, before end: Int) -> [UInt8] {
        guard count <= end else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(end - count + filled))
                if got <= 0 { break }
                filled += got
            }
        }
    }

    /// Gives the text that is there, waiting for the first byte; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError> {
        let (descriptor, path) = (descriptor, path)
        if let remote {
            return Result { () throws(RecordingError) in try remote.read(into: buffer) }
        }
        return decoder.read(into: buffer) { Self.readBytes(of: descriptor, path, into: $0) }
    }

    /// Reads what is there into `buffer`, waiting for the first byte; 0 at the end.
    private static func readBytes(
        of descriptor: Int32, _ path: String, into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int, RecordingError> {
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
