import CLibWebSockets
import Glibc
import Wire

/// A lasting connection to a control socket, for sending and reading lines. Its calls block.
public struct LocalSocketStream: ~Copyable {
    /// The longest line read, in bytes: that of a recording.
    private static let maximumLine = Limits.longestLine

    private let path: String
    /// The socket's descriptor. It is closed when the stream is destroyed.
    public let descriptor: Int32

    /// Connects to a socket. Throws when the process that serves it belongs to another user.
    public init(path: String) throws(NetworkError) {
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
    public func send(_ line: [UInt8], timeout: Duration = .seconds(5)) throws(NetworkError) {
        try LocalSocketClient.write(line + [0x0a], to: descriptor, path, LocalSocketClient.deadline(after: timeout))
    }

    /// Reads the next line, without its line feed, and no byte after it. Returns `nil` when the peer has closed. A `timeout` of `nil` waits
    /// without a limit.
    public func readLine(timeout: Duration?) throws(NetworkError) -> [UInt8]? {
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
