import Glibc

/// The destination of a tool's output.
package struct ToolDestination: Hashable, Sendable {
    /// The file's path; `nil` for standard output.
    package var path: String?
    /// Whether to replace an existing file.
    package var replaces: Bool
    package init(path: String? = nil, replaces: Bool = false) {
        self.path = path
        self.replaces = replaces
    }
}

/// The output file of a tool, private to the user (mode 0600), or standard output.
///
/// The output goes to a temporary file next to the destination, which replaces it on `close`, when it is complete. So a
/// tool may overwrite its own input, a tool that fails leaves the old file (or none), and no reader sees half a file. A
/// file named `.zst` is compressed on `close`.
struct OutputFile: ~Copyable {
    /// The path of the destination, for messages.
    let path: String
    /// The number of bytes written, including those still in memory.
    private(set) var count = 0

    /// The digest of everything written; `nil` when it is not needed.
    var digest: SHA256Digest?

    private let descriptor: Int32
    /// The path of the temporary file; `nil` for standard output.
    private let temporary: String?
    private let replaces: Bool
    private var gathered: [UInt8] = []
    private var isClosed = false

    init(_ destination: ToolDestination) throws(RecordingError) {
        self.init(try Self.open(destination), replaces: destination.replaces)
    }

    private init(_ opened: (path: String, descriptor: Int32, temporary: String?), replaces: Bool) {
        (path, descriptor, temporary) = opened
        self.replaces = replaces
    }

    private static func open(
        _ destination: ToolDestination
    ) throws(RecordingError) -> (path: String, descriptor: Int32, temporary: String?) {
        guard let path = destination.path, path != "-" else {
            let name = "standard output"
            let descriptor = dup(STDOUT_FILENO)
            guard descriptor >= 0 else { throw .system(operation: "write", path: name, code: errno) }
            return (name, descriptor, nil)
        }
        try refuse(destination.replaces, at: path)
        let created = "\(path).\(getpid()).new"
        let descriptor = Glibc.open(created, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .exists(path: created) }
            throw .system(operation: "create", path: path, code: errno)
        }
        return (path, descriptor, created)
    }

    /// Moves a finished file into place. Removes it if that fails.
    static func put(_ made: String, at path: String, replaces: Bool) throws(RecordingError) {
        // Unlike a rename, a link never replaces a file that another process created meanwhile. Some file systems have
        // no links.
        if !replaces, link(made, path) == 0 {
            unlink(made)
            return
        }
        var code = errno
        if replaces || code == EPERM || code == ENOTSUP || code == EMLINK {
            if !replaces, access(path, F_OK) == 0 {
                code = EEXIST
            } else if rename(made, path) == 0 {
                return
            } else {
                code = errno
            }
        }
        unlink(made)
        if code == EEXIST { throw .exists(path: path) }
        throw .system(operation: "create", path: path, code: code)
    }

    /// Throws if there is an existing file at `path` that must not be replaced.
    static func refuse(_ replaces: Bool, at path: String) throws(RecordingError) {
        if RemoteRecordings.isOne(path) {
            throw .unusable(path: path, message: "a file is written, and then 'weir file publish FILE \(path)'")
        }
        if replaces { try refuseDevice(at: path) } else if access(path, F_OK) == 0 { throw .exists(path: path) }
    }

    /// Throws unless the existing file is a regular one. Replacing `/dev/null`, a pipe or a folder would destroy it.
    static func refuseDevice(at path: String) throws(RecordingError) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .exists(path: path) }
    }

    deinit {
        Glibc.close(descriptor)
        if !isClosed, let temporary { unlink(temporary) }
    }

    mutating func write(_ bytes: [UInt8]) throws(RecordingError) {
        gathered.append(contentsOf: bytes)
        digest?.update(bytes.span)
        count += bytes.count
        if gathered.count >= RecordFormat.writeBytes { try flush() }
    }

    mutating func write(_ text: String) throws(RecordingError) { try write(Array(text.utf8)) }

    mutating func flush() throws(RecordingError) { try AppendFile.write(&gathered, to: descriptor, path) }

    /// Writes the remaining bytes and moves the file into place.
    consuming func close() throws(RecordingError) {
        try flush()
        if let temporary {
            if path.hasSuffix(RecordFormat.compressedEnding) {
                _ = try RecordingCopy.compress(temporary, to: ToolDestination(path: path, replaces: replaces))
                unlink(temporary)
            } else {
                try Self.put(temporary, at: path, replaces: replaces)
            }
        }
        isClosed = true
    }
}

/// Output files for tools in other modules, with the same guarantees as in this module.
package enum ToolFile {
    /// Opens the destination, lets `body` write to it, and moves the finished file into place.
    package static func write(_ destination: ToolDestination, _ body: (([UInt8]) throws -> Void) throws -> Void) throws
    {
        var output = try OutputFile(destination)
        try body { bytes in try output.write(bytes) }
        try output.close()
    }
}
