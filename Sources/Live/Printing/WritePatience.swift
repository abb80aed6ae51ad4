import Glibc
import Network
import Synchronization

/// The time that writers wait for the reader of their output.
///
/// They wait without a limit while the process runs. Once the process has to end, they wait a few seconds without any progress. The writer
/// then throws an error and drops the rest.
///
/// A thread blocked in write(2) cannot give up, so a pipe or a terminal is opened a second time, non-blocking. The flag
/// is not set on the original descriptor, because it is shared with the shell and other programs.
public final class WritePatience: Sendable {
    /// The maximum time without any progress after `end()`.
    public let limit: Duration
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
    public init(limit: Duration = .seconds(5)) { self.limit = limit }

    deinit { opened.change { for descriptor in $0.values { close(descriptor) } } }

    /// Starts the limit, because the process has to end. May be called from any thread.
    public func end() { isEnding.store(true, ordering: .releasing) }

    /// Spools unread output in `folder`, the recording's folder, so that a slow reader blocks nothing. With `nil`, when
    /// nothing is recorded any more, writers wait for the reader again.
    public func keepUnread(in folder: String?) { spools.change { $0.folder = folder } }

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
