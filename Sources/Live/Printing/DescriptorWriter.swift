import Glibc

/// Writes bytes to a descriptor it does not own: one write(2) when the system takes all at once, as often as needed
/// when not.
public struct DescriptorWriter: Sendable {
    /// The descriptor; blocking or not.
    public let descriptor: Int32
    /// What it is called in an error.
    public let name: String
    private let patience: WritePatience?
    /// Whether it waits for the reader even where what is not read is kept.
    private var waits = false

    /// A writer on a descriptor that stays the caller's. With `patience` it waits for a reader no longer than that says; else as long as it takes.
    public init(descriptor: Int32, name: String, patience: WritePatience? = nil) {
        self.descriptor = patience?.unblocked(descriptor) ?? descriptor
        self.name = name
        self.patience = patience
    }

    /// Writes everything, or throws. Interrupted calls are repeated; a full non-blocking descriptor is waited for.
    /// A pipe without a reader throws `.closedByReader`, if the program ignores SIGPIPE; one that is not read, `.unread` when the patience is at its end.
    public func write(_ bytes: [UInt8]) throws(OutletError) {
        try bytes.span.withUnsafeBytes { (bytes) throws(OutletError) in try write(bytes) }
    }

    /// The same for bytes that lie elsewhere.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutletError) {
        if !waits, let patience, let spool = patience.openSpool(of: descriptor), spool.isWaiting {
            if patience.keepsUnread, try spool.keep(bytes) { return }
            // It comes behind what was kept.
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

    /// Waits until what was kept for the reader is written; from here on nothing is kept.
    func finish() throws(OutletError) { try patience?.endSpool(of: descriptor)?.drain() }

    /// The same, waiting for its reader.
    var waiting: DescriptorWriter {
        var writer = self
        writer.waits = true
        return writer
    }

    /// Waits for room as long as a look takes; true when there is none, and false when it is worth to try again.
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
