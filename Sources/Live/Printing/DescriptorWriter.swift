import Glibc

/// Writes bytes to a descriptor it does not own: one write(2) when the system takes all at once, as often as needed
/// when not.
public struct DescriptorWriter: Sendable {
    /// The descriptor; blocking or not.
    public let descriptor: Int32
    /// What it is called in an error.
    public let name: String

    /// A writer on a descriptor that stays the caller's.
    public init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Writes everything, or throws. Interrupted calls are repeated; a full non-blocking descriptor is waited for.
    /// A pipe without a reader throws `.closedByReader`, if the program ignores SIGPIPE.
    public func write(_ bytes: [UInt8]) throws(OutletError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
            }
            if written >= 0 {
                done += written
            } else {
                try recover(from: errno)
            }
        }
    }

    private func recover(from code: Int32) throws(OutletError) {
        switch code {
        case EINTR: return
        case EAGAIN:
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&watched, 1, -1)
        case EPIPE: throw .closedByReader
        default: throw .system(operation: "write", path: name, code: code)
        }
    }
}
