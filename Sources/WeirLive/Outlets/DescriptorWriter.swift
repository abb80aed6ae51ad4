import Glibc
import Synchronization
import WeirNetwork
import WeirThreads

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
    package init(descriptor: Int32, name: String, patience: WritePatience? = nil) {
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

/// The time that writers wait for the reader of their output.
///
/// They wait without a limit while the process runs. Once the process has to end, they wait a few seconds without any progress. The writer
/// then throws an error and drops the rest.
///
/// A thread blocked in write(2) cannot give up, so a pipe or a terminal is opened a second time, non-blocking. The flag
/// is not set on the original descriptor, because it is shared with the shell and other programs.
package final class WritePatience: Sendable {
    /// The maximum time without any progress after `end()`.
    package let limit: Duration
    /// The interval in milliseconds at which a waiting writer checks whether to give up.
    static let look: Int32 = 50

    private let isEnding = Atomic(false)
    /// The milliseconds that writers have waited since `end()` without progress.
    private let waited = Atomic(0)
    private let opened = Monitor<[Int32: Int32]>([:])

    private struct Spools {
        var folder: String?
        var open: [Int32: OutputSpool] = [:]
        var ended: Set<Int32> = []
    }

    private let spools = Monitor(Spools())

    /// Creates a patience without a limit until `end()` is called.
    package init(limit: Duration = .seconds(5)) { self.limit = limit }

    deinit { opened.change { for descriptor in $0.values { close(descriptor) } } }

    /// Starts the limit, because the process has to end. May be called from any thread.
    package func end() { isEnding.store(true, ordering: .releasing) }

    /// Spools unread output in `folder`, the recording's folder, so that a slow reader blocks nothing. With `nil`, when
    /// nothing is recorded any more, writers wait for the reader again.
    package func keepUnread(in folder: String?) { spools.change { $0.folder = folder } }

    /// Whether unread output is spooled.
    var keepsUnread: Bool { spools.look { $0.folder != nil } }

    /// Returns the spool of a descriptor; `nil` when it never had one.
    func openSpool(of descriptor: Int32) -> OutputSpool? { spools.look { $0.open[descriptor] } }

    /// Returns the spool for a writer's unread output, and creates it when needed; `nil` when spooling is off.
    func spool(for writer: DescriptorWriter) -> OutputSpool? {
        spools.change { spools in
            guard let folder = spools.folder, !spools.ended.contains(writer.descriptor) else { return nil }
            if let open = spools.open[writer.descriptor] { return open }
            let spool = OutputSpool(in: folder, for: writer.waiting)
            spools.open[writer.descriptor] = spool
            return spool
        }
    }

    /// Ends spooling for a descriptor. Returns its spool, if it has one.
    func endSpool(of descriptor: Int32) -> OutputSpool? {
        spools.change { spools in
            spools.ended.insert(descriptor)
            return spools.open.removeValue(forKey: descriptor)
        }
    }

    /// Returns a non-blocking descriptor for the same pipe or terminal, valid as long as this object lives. Returns the
    /// descriptor itself for anything else, or when it cannot be opened again. A writer on it waits forever.
    func unblocked(_ descriptor: Int32) -> Int32 {
        opened.change { opened in
            if let known = opened[descriptor] { return known }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO || isatty(descriptor) == 1
            else { return descriptor }
            let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
            let own = open("/proc/self/fd/\(descriptor)", flags)
            guard own >= 0 else { return descriptor }
            opened[descriptor] = own
            return own
        }
    }

    /// Records progress of a writer, which restarts the wait, unless the time is already over.
    func somethingWasRead() {
        guard isEnding.load(ordering: .relaxed), !isOver else { return }
        waited.store(0, ordering: .relaxed)
    }

    /// Returns whether a writer gives up after waiting for another `look`. After the first one gives up, the others
    /// wait for one look only.
    func isOverAfterALook() -> Bool {
        guard isEnding.load(ordering: .acquiring) else { return false }
        if !isOver { waited.add(Int(Self.look), ordering: .relaxed) }
        return isOver
    }

    private var isOver: Bool { .milliseconds(waited.load(ordering: .relaxed)) >= limit }
}

/// A spool for output that has no reader at the moment, while a recording is made.
///
/// The output waits in an unnamed file next to the recording. A pager that does not scroll, or a stopped terminal,
/// therefore costs no memory and does not stop the recording. A thread writes the output when the reader continues.
final class OutputSpool: Sendable {
    private struct State {
        var written: off_t = 0
        var read: off_t = 0
        var leftOut = 0
        /// Whether the writer thread runs. It runs as long as output waits.
        var isRunning = false
        /// Whether bytes are being added to the file. The writer thread does not end before they are.
        var isKeeping = false
        var failure: OutletError?
    }

    /// The maximum number of waiting bytes. Further output is dropped, because the recording contains it.
    static let most: off_t = 1 << 30
    private static let piece = 1 << 16

    private let file: Int32
    private let target: DescriptorWriter
    private let most: off_t
    private let tell: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// Creates an empty spool. Returns `nil` when the file cannot be created.
    ///
    /// - Parameters:
    ///   - target: The writer for the slow reader.
    ///   - most: The maximum number of waiting bytes.
    ///   - tell: Prints a line about dropped output. May be called on any thread.
    init?(
        in folder: String, for target: DescriptorWriter, most: off_t = OutputSpool.most,
        tell: @escaping @Sendable (String) -> Void = {
            try? DescriptorWriter(descriptor: 2, name: "standard error").write(Array($0.utf8))
        }
    ) {
        // This is O_TMPFILE, a macro that Swift does not import.
        file = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        (self.target, self.most, self.tell) = (target, most, tell)
        if file < 0 { return nil }
    }

    deinit { if file >= 0 { close(file) } }

    /// Whether output waits, so that new output must wait, too. Also `true` after a failure.
    var isWaiting: Bool { state.look { $0.isRunning || $0.failure != nil } }

    /// Adds bytes to the spool, or drops them when it is full. Returns `false` when the disk does not accept them; the
    /// spool is empty then, and the caller must write the bytes.
    func keep(_ bytes: UnsafeRawBufferPointer) throws(OutletError) -> Bool {
        try throwFailure()
        let (place, isNew) = state.change { state in
            defer { (state.isRunning, state.isKeeping) = (true, true) }
            return (state.written, !state.isRunning)
        }
        let isTaken = place + bytes.count <= most
        if isTaken, pwrite(file, bytes.baseAddress, bytes.count, place) != bytes.count {
            state.change { state in
                state.isKeeping = false
                if isNew { state.isRunning = false }
            }
            try drain()
            return false
        }
        state.change { state in
            state.isKeeping = false
            if isTaken { state.written += bytes.count } else { state.leftOut += bytes.count }
        }
        if isNew { runOnThread(named: "weir-spool") { [self] in bringOut() } }
        return true
    }

    /// Waits until the reader has taken all output.
    func drain() throws(OutletError) {
        state.wait { $0.isRunning ? nil : () }
        try throwFailure()
    }

    private func throwFailure() throws(OutletError) {
        if let failure = state.look({ $0.failure }) { throw failure }
    }

    private func bringOut() {
        var piece = [UInt8](repeating: 0, count: Self.piece)
        while true {
            let (count, place) = state.wait { state in
                state.isKeeping && state.read == state.written
                    ? nil : (min(state.written - state.read, Self.piece), state.read)
            }
            let got = count > 0 ? pread(file, &piece, count, place) : 0
            let code = errno
            do throws(OutletError) {
                if got > 0 { try target.write(Array(piece[..<got])) }
                if got < count, got <= 0 {
                    throw .system(
                        operation: "read back the output for", path: target.name, code: got < 0 ? code : EIO)
                }
            } catch {
                return state.change { ($0.failure, $0.isRunning) = (error, false) }
            }
            let leftOut = state.change { state -> Int? in
                state.read += got
                guard state.read == state.written, !state.isKeeping else { return nil }
                if state.leftOut > 0 {
                    defer { state.leftOut = 0 }
                    return state.leftOut
                }
                ftruncate(file, 0)
                state = State()
                return 0
            }
            guard let leftOut else { continue }
            if leftOut == 0 { return }
            // The notice must precede the end of the thread, which the program may be waiting for.
            tell("weir: \(target.name) was not read: \(leftOut) bytes dropped; the recording contains them\n")
        }
    }
}
