import CWeirLibWebSockets
import Glibc
import WeirThreads
import WeirWire

/// A blocking request to a control socket, for the command line.
package enum LocalSocketClient {
    /// Connects, sends one line, waits up to `timeout` for one line, and disconnects. The answer may be as long as the
    /// longest line.
    package static func ask(path: String, line: [UInt8], timeout: Duration = .seconds(5)) throws(NetworkError)
        -> [UInt8]
    {
        let deadline = deadline(after: timeout)
        let descriptor = try connectLocal(path)
        defer { close(descriptor) }
        guard peerUser(of: descriptor) == geteuid() else {
            throw .localSocket(path: path, message: "its process belongs to another user")
        }
        try write(line + [0x0a], to: descriptor, path, deadline)
        return try readLine(descriptor, path, deadline)
    }

    /// Removes the socket of a process that ended. Returns `false` when a process listens on it, or when the file is
    /// not a socket.
    package static func removeIfStale(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        do throws(NetworkError) {
            try removeStale(path)
            return true
        } catch {
            return false
        }
    }

    static func deadline(after timeout: Duration) -> Int64 { bootTime() + max(0, timeout.nanoseconds) }

    static func write(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String, _ deadline: Int64
    ) throws(NetworkError) {
        var sent = 0
        while sent < bytes.count {
            try wait(descriptor, path, deadline, for: Int16(POLLOUT))
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EAGAIN || errno == EINTR else {
                throw .localSocket(path: path, message: systemMessage(errno))
            }
            sent += max(0, count)
        }
    }

    private static func readLine(_ descriptor: Int32, _ path: String, _ deadline: Int64) throws(NetworkError) -> [UInt8]
    {
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while line.count <= Limits.longestLine {
            try wait(descriptor, path, deadline, for: Int16(POLLIN))
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw .localSocket(path: path, message: "it closed without an answer") }
            if let end = piece[..<count].firstIndex(of: 0x0a) { return line + piece[..<end] }
            line += piece[..<count]
        }
        throw .localSocket(path: path, message: "the answer is longer than \(Limits.longestLine) bytes")
    }

    static func wait(_ descriptor: Int32, _ path: String, _ deadline: Int64, for events: Int16)
        throws(NetworkError)
    {
        var poll = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let isOver = deadline <= bootTime()
            // Bytes that have arrived are read even after the deadline: the process may have stood still.
            let ready = Glibc.poll(&poll, 1, isOver ? 0 : Int32(clamping: (deadline - bootTime()) / 1_000_000 + 1))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw .localSocket(path: path, message: systemMessage(errno)) }
            guard !isOver else { throw .localSocket(path: path, message: "no answer in time") }
        }
    }
}

/// Connects to a Unix socket. The descriptor is non-blocking.
func connectLocal(_ path: String) throws(NetworkError) -> Int32 {
    let descriptor = try localDescriptor(path)
    // A non-blocking connect to a socket whose queue is full fails at once. A second of retries is enough.
    for _ in 0..<100 {
        if withLocalAddress(path, { connect(descriptor, $0, $1) }) == 0 { return descriptor }
        guard errno == EAGAIN || errno == EINTR else { break }
        usleep(10_000)
    }
    let message = systemMessage(errno)
    close(descriptor)
    throw .localSocket(path: path, message: message)
}

/// Makes a listening Unix socket of this user. Returns its descriptor and the inode of its file.
func listen(path: String) throws(NetworkError) -> (descriptor: Int32, inode: UInt64) {
    try checkFolder(of: path)
    try removeStale(path)
    let descriptor = try localDescriptor(path)
    var status = stat()
    // The folder is closed to other users, so none of them can connect between the two calls.
    guard withLocalAddress(path, { bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0, lstat(path, &status) == 0,
        Glibc.listen(descriptor, 128) == 0
    else {
        let message = systemMessage(errno)
        close(descriptor)
        throw .cannotListen(address: path, message: message)
    }
    return (descriptor, UInt64(status.st_ino))
}

/// Returns the user at the other end of a Unix socket, or `nil` when the kernel does not report it.
func peerUser(of descriptor: Int32) -> uid_t? {
    let user = weir_peer_user(descriptor)
    return user < 0 ? nil : uid_t(user)
}

private func localDescriptor(_ path: String) throws(NetworkError) -> Int32 {
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path), !path.utf8.contains(0) else {
        throw .localSocket(path: path, message: "the path is too long for a socket")
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .localSocket(path: path, message: systemMessage(errno)) }
    return descriptor
}

/// Calls `body` with the socket address of `path`. The path and its terminating zero must fit.
private func withLocalAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Checks that the folder is ours and closed to others. Another user with write access could replace the socket.
private func checkFolder(of path: String) throws(NetworkError) {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = end == path.startIndex ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<end])
    var status = stat()
    guard lstat(folder, &status) == 0 else {
        throw .cannotListen(address: path, message: "\(folder): \(systemMessage(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
        throw .cannotListen(address: path, message: "\(folder) is not a folder")
    }
    guard status.st_uid == geteuid() else {
        throw .cannotListen(address: path, message: "\(folder) belongs to another user")
    }
    guard status.st_mode & 0o077 == 0 else {
        throw .cannotListen(address: path, message: "\(folder) is open to other users; its mode must be 0700")
    }
}

/// Removes a socket on which no process listens. Throws when a process listens, or when the file is not a socket.
private func removeStale(_ path: String) throws(NetworkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw .cannotListen(address: path, message: "a file that is not a socket exists there")
    }
    let descriptor = try localDescriptor(path)
    defer { close(descriptor) }
    let result = withLocalAddress(path, { connect(descriptor, $0, $1) })
    guard result != 0, errno == ECONNREFUSED else {
        throw .cannotListen(address: path, message: "another process listens there")
    }
    unlink(path)
}

extension Duration {
    /// The duration in whole nanoseconds, at most about 292 years. A longer duration becomes half of that.
    fileprivate var nanoseconds: Int64 {
        let (product, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? Int64.max / 2 : product + components.attoseconds / 1_000_000_000
    }
}

/// A lasting connection to a control socket, for sending and reading lines. Its calls block.
package struct LocalSocketStream: ~Copyable {
    /// The longest line read, in bytes: that of a recording.
    private static let maximumLine = Limits.longestLine

    private let path: String
    /// The socket's descriptor. It is closed when the stream is destroyed.
    package let descriptor: Int32

    /// Connects to a socket. Throws when the process that serves it belongs to another user.
    package init(path: String) throws(NetworkError) {
        let connected = try connectLocal(path)
        guard peerUser(of: connected) == geteuid() else {
            close(connected)
            throw .localSocket(path: path, message: "its process belongs to another user")
        }
        self.path = path
        descriptor = connected
    }

    deinit { close(descriptor) }

    /// Sends one line. `line` has no line feed.
    package func send(_ line: [UInt8], timeout: Duration = .seconds(5)) throws(NetworkError) {
        try LocalSocketClient.write(line + [0x0a], to: descriptor, path, LocalSocketClient.deadline(after: timeout))
    }

    /// Reads the next line, without its line feed, and no byte after it. Returns `nil` when the peer has closed. A `timeout` of `nil` waits
    /// without a limit.
    package func readLine(timeout: Duration?) throws(NetworkError) -> [UInt8]? {
        let deadline = timeout.map { LocalSocketClient.deadline(after: $0) } ?? .max
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while line.count <= Self.maximumLine {
            try LocalSocketClient.wait(descriptor, path, deadline, for: Int16(POLLIN))
            // The bytes are only peeked at: those after the line may be for another reader.
            let seen = recv(descriptor, &piece, piece.count, Int32(MSG_PEEK))
            if seen < 0, errno == EAGAIN || errno == EINTR { continue }
            guard seen > 0 else { return nil }
            let end = piece[..<seen].firstIndex(of: 0x0a)
            let taken = recv(descriptor, &piece, end.map { $0 + 1 } ?? seen, 0)
            guard taken > 0 else { continue }
            if end == nil { line += piece[..<taken] } else { return line + piece[..<(taken - 1)] }
        }
        throw .localSocket(path: path, message: "a line is longer than \(Self.maximumLine) bytes")
    }
}
