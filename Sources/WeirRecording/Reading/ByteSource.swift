import Glibc

/// The source of a recording's text: a file or a stream. zstd and gzip are decompressed (`ContentDecoder`). All offsets
/// refer to the decompressed text.
struct ByteSource: ~Copyable {
    /// The path or name for messages.
    let path: String
    private let descriptor: Int32
    private let isOwned: Bool
    /// The stream that supplies the bytes instead of the descriptor.
    private let remote: (any RemoteText)?
    private let decoder = ContentDecoder()

    /// Opens a file or a recording in a stream (`nats://…`). `-` is standard input, which stays open.
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

    /// Reads an open descriptor. Closes it on deinitialisation if `isOwned` is true.
    init(descriptor: Int32, path: String, isOwned: Bool, remote: (any RemoteText)? = nil) {
        self.descriptor = descriptor
        self.path = path
        self.isOwned = isOwned
        self.remote = remote
    }

    /// Returns a source without bytes, for a recording that is in memory already.
    static func none(path: String) -> ByteSource { ByteSource(descriptor: -1, path: path, isOwned: false) }

    deinit { if isOwned { close(descriptor) } }

    /// The length of the text in bytes; `nil` for a pipe, for data in memory, and for a compressed file without a seek
    /// table. The first bytes must have been read.
    var size: Int? {
        guard let fileSize else { return nil }
        if !decoder.isCompressed { return fileSize }
        return seekTable(fileSize).map { $0.frames.reduce(0) { $0 + $1.text } }
    }

    /// Returns why a followed file can yield nothing more after `offset`: it was cut short, or its name now belongs to
    /// another file. Returns `nil` when neither is the case.
    func whyOver(behind offset: Int) -> String? {
        if let remote { return remote.whyOver() }
        guard let fileSize else { return nil }
        if !decoder.isCompressed, fileSize < offset {
            return "it has \(fileSize) bytes now, and \(offset) were read: it was cut short"
        }
        var (mine, named) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, stat(path, &named) == 0 else { return nil }
        return mine.st_ino == named.st_ino && mine.st_dev == named.st_dev ? nil : "another file now has this name"
    }

    /// Whether the reader has read the end, and the end is a fence: other members of the group have taken over.
    var isFenced: Bool { remote?.isFenced ?? false }

    private var fileSize: Int? {
        if let remote { return remote.size }
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// A descriptor that becomes readable when more data may be available; `nil` for a file.
    var growth: Int32? { remote?.growth }

    /// Moves to an offset in the text, to continue reading from there. Only files support this. In a compressed file
    /// without a seek table, the cost is that of reading from the beginning.
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

    /// Returns the positions of the file's frames, if it has a seek table.
    private func seekTable(_ fileSize: Int) -> SeekTable? {
        let footer = bytes(SeekTable.footer, before: fileSize)
        guard let length = SeekTable.length(footer: footer.span), length <= fileSize else { return nil }
        return SeekTable(decoding: bytes(length, before: fileSize).span, fileSize: fileSize)
    }

    /// Returns the last `count` bytes before `end`, or fewer if the file has become shorter.
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

    /// Reads the available text, waiting for the first byte. Returns 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Result<Int, RecordingError> {
        let (descriptor, path) = (descriptor, path)
        if let remote {
            let result = Result { () throws(RecordingError) in try remote.read(into: buffer) }
            if case .success(let count) = result { DiskFigures.read(count) }
            return result
        }
        return decoder.read(into: buffer) { Self.readBytes(of: descriptor, path, into: $0) }
    }

    /// Reads the next piece of the text into `buffer`. Returns `nil` at the end.
    func next(into buffer: inout [UInt8]) throws(RecordingError) -> ArraySlice<UInt8>? {
        let count = try buffer.withUnsafeMutableBytes { read(into: $0) }.get()
        return count > 0 ? buffer[..<count] : nil
    }

    /// Returns the text at `path`: all of it, or the beginning of a longer one. That is at least `bytes` long.
    static func beginning(of path: String, bytes: Int) throws(RecordingError) -> [UInt8] {
        let source = try ByteSource(opening: path)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(bytes, pieceBytes))
        while text.count < bytes, let piece = try source.next(into: &buffer) { text += piece }
        return text
    }

    /// The size of the pieces in which a text is read, in bytes.
    static let pieceBytes = 256 << 10

    /// Reads the available bytes into `buffer`, waiting for the first one. Returns 0 at the end.
    private static func readBytes(
        of descriptor: Int32, _ path: String, into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int, RecordingError> {
        guard descriptor >= 0, buffer.count > 0 else { return .success(0) }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 {
                DiskFigures.read(count)
                return .success(count)
            }
            if errno == EAGAIN {
                // Another process may have made standard input non-blocking.
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if errno != EINTR {
                return .failure(.system(operation: "read", path: path, code: errno))
            }
        }
    }
}
