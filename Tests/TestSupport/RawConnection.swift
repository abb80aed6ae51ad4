import Glibc
import Testing
import WeirNetwork

/// A TCP connection that sends exactly the given bytes.
public final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects to a port of 127.0.0.1.
    public init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends the UTF-8 bytes of a text.
    public func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes. Errors are ignored.
    public func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Shuts down the sending direction.
    public func hangUp() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Upgrades to a WebSocket. Sends `more` directly after the request, and returns what was read up to `end`.
    @discardableResult
    public func upgrade(
        _ target: String = "/ws", and more: [UInt8] = [], until end: String = "\r\n\r\n"
    ) -> String {
        let request =
            "GET \(target) HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        send(Array(request.utf8) + more)
        return read(until: end)
    }

    /// The number of segments with data received so far. A server that disables delays sends each short write in a
    /// separate segment, and the kernel counts them, however they are read.
    public var segmentsReceived: Int {
        // The offset of `tcpi_data_segs_in` in Linux's `tcp_info`. The struct of glibc ends before this field.
        let place = 152
        var info = [UInt8](repeating: 0, count: place + 4)
        var size = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0, size == info.count else {
            return 0
        }
        return Int(info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) })
    }

    /// Reads everything until the server ends the connection.
    public func readAll() -> String {
        var all: [UInt8] = []
        while let piece = readSome() { all += piece }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads until `end` was read or the connection ended.
    public func read(until end: String) -> String {
        var all = ""
        while !all.contains(end), let piece = readSome() { all += String(decoding: piece, as: UTF8.self) }
        return all
    }

    /// Returns the available bytes, waiting for the first; `nil` at the end.
    public func readSome() -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &piece, piece.count, 0)
        return count > 0 ? Array(piece[..<count]) : nil
    }
}

extension EventLoop {
    /// Blocks the loop while `body` runs. Everything that `body` sends is in the kernel when the loop continues.
    public func hold(_ body: () -> Void) {
        let (begun, ended) = (Mailbox<Bool>(), Mailbox<Bool>())
        run {
            begun.put(true)
            ended.wait { !$0.isEmpty }
        }
        begun.wait { !$0.isEmpty }
        body()
        ended.put(true)
    }
}

/// Returns a client's text frame with a zero mask. The text has at most 125 bytes.
public func clientFrame(_ text: String) -> [UInt8] {
    [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
}

/// A client's close frame with code 1000.
public let clientCloseFrame: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
