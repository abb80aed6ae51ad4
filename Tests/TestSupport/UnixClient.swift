import Glibc
public import Testing

/// A bare client of a Unix socket, which sends only what a test requests.
public final class UnixClient: Sendable {
    /// The file descriptor of the socket.
    public let descriptor: Int32

    /// Connects to the socket at `path`.
    public init(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = descriptor
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(
            result == 0, "cannot connect to \(path): \(String(cString: strerror(errno)))",
            sourceLocation: sourceLocation)
    }

    deinit { Glibc.close(descriptor) }

    /// Sends bytes. Returns false when the other end is gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Sends a line, with a line feed added.
    @discardableResult
    public func send(line: String) -> Bool { send(Array(line.utf8) + [0x0a]) }

    /// Shuts down the sending direction.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns the next line, or `nil` at the end or when none arrives for `seconds`.
    public func readLine(seconds: Int = 60) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds) * 1000) == 1, read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == 0x0a { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    /// Returns whether the other end closes the connection. Discards any data that it sends before, and waits at most
    /// `seconds` for each piece.
    public func isClosed(within seconds: Int = 60) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(seconds) * 1000) == 1 else { return false }
            if read(descriptor, &bytes, bytes.count) <= 0 { return true }
        }
    }
}
