import Glibc

/// Writes bytes to a descriptor that it does not own. It calls write(2) once when the system takes all bytes at once,
/// and again for the rest otherwise.
public struct DescriptorWriter: Sendable {
    /// The target descriptor, blocking or non-blocking. With a patience it may be a non-blocking copy of the caller's.
    public let descriptor: Int32
    /// The name of the output in errors.
    public let name: String
    private let patience: WritePatience?
    /// Whether to wait for the reader even when a spool could keep the output.
    private var waits = false

    /// Creates a writer for a descriptor, which the caller continues to own.
    ///
    /// - Parameter patience: Limits the wait for the reader. Without it, the writer waits forever.
    public init(descriptor: Int32, name: String, patience: WritePatience? = nil) {
        self.descriptor = patience?.unblocked(descriptor) ?? descriptor
        self.name = name
        self.patience = patience
    }

    /// Writes all bytes. Retries interrupted calls, and waits when a non-blocking descriptor is full. With a spool, it
    /// may return before the reader has taken the bytes.
    ///
    /// - Throws: `.closedByReader` when a pipe has no reader, provided that the process ignores SIGPIPE; `.unread` when
    ///   the patience is exhausted; `.system` for other errors.
    public func write(_ bytes: [UInt8]) throws(OutletError) {
        try bytes.span.withUnsafeBytes { (bytes) throws(OutletError) in try write(bytes) }
    }

    /// Writes all bytes of a buffer, like `write(_:)` for an array.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutletError) {
        if !waits, let patience, let spool = patience.openSpool(of: descriptor), spool.isWaiting {
            if patience.keepsUnread, try spool.keep(bytes) { return }
            // The spooled bytes must come first.
            try spool.drain()
        }
        var done = 0
        while done < bytes.count {
            let written = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if written >= 0 {
                done += written
                patience?.somethingWasRead()
            } else if try isUnread(errno), !waits, let spool = patience?.spool(for: self),
                try spool.keep(UnsafeRawBufferPointer(rebasing: bytes[done...]))
            {
                return
            }
        }
    }

    /// Waits until the reader has taken all spooled bytes. From now on, nothing is spooled.
    func finish() throws(OutletError) { try patience?.endSpool(of: descriptor)?.drain() }

    /// A copy of the writer that never uses a spool.
    var waiting: DescriptorWriter {
        var writer = self
        writer.waits = true
        return writer
    }

    /// Waits up to one look for room. Returns `true` when there is none, and `false` when a new attempt may succeed.
    private func isUnread(_ code: Int32) throws(OutletError) -> Bool {
        switch code {
        case EINTR: return false
        case EAGAIN:
            var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let isReady = poll(&watched, 1, patience == nil ? -1 : WritePatience.look) != 0
            if !isReady, let patience, patience.isOverAfterALook() {
                throw .unread(name, after: patience.limit)
            }
            return !isReady
        case EPIPE: throw .closedByReader
        default: throw .system(operation: "write", path: name, code: code)
        }
    }
}
