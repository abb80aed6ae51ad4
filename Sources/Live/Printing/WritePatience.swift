import Glibc
import Network
import Synchronization

/// How long writers wait for whoever reads: as long as it takes, until the process is told to end; from then on no longer than some
/// seconds in which nothing is read. What is not read by then is not written, and the writer says so.
///
/// Who is caught in write(2) cannot give up, so a pipe or a terminal is opened once more, not blocking. The flag itself belongs to all who
/// share what they were given: the shell and other programs must not find it there.
public final class WritePatience: Sendable {
    /// How long nothing may be read after `end()`.
    public let limit: Duration
    /// Milliseconds after which a writer that waits looks whether it still may.
    static let look: Int32 = 50

    private let isEnding = Atomic(false)
    /// Milliseconds for which writers have waited since `end()` without anything being read.
    private let waited = Atomic(0)
    private let opened = Monitor<[Int32: Int32]>([:])

    private struct Spools {
        var folder: String?
        var open: [Int32: OutputSpool] = [:]
        var ended: Set<Int32> = []
    }

    private let spools = Monitor(Spools())

    /// A patience without end, until `end()` is called.
    public init(limit: Duration = .seconds(5)) { self.limit = limit }

    deinit { opened.change { for descriptor in $0.values { close(descriptor) } } }

    /// The process was told to end. Any thread.
    public func end() { isEnding.store(true, ordering: .releasing) }

    /// From here on what is not read holds nobody up: it waits in this folder, which is the recording's. With nil, as nothing is recorded any more,
    /// it is waited for again.
    public func keepUnread(in folder: String?) { spools.change { $0.folder = folder } }

    /// Whether what is not read is kept.
    var keepsUnread: Bool { spools.look { $0.folder != nil } }

    /// What waits for the reader of a descriptor; nil when nothing ever did.
    func openSpool(of descriptor: Int32) -> OutputSpool? { spools.look { $0.open[descriptor] } }

    /// Where what the reader of `writer` does not read may wait; nil where it may not.
    func spool(for writer: DescriptorWriter) -> OutputSpool? {
        spools.change { spools in
            guard let folder = spools.folder, !spools.ended.contains(writer.descriptor) else { return nil }
            if let open = spools.open[writer.descriptor] { return open }
            let spool = OutputSpool(in: folder, for: writer.waiting)
            spools.open[writer.descriptor] = spool
            return spool
        }
    }

    /// From here on nothing that is written there is kept; gives what was.
    func endSpool(of descriptor: Int32) -> OutputSpool? {
        spools.change { spools in
            spools.ended.insert(descriptor)
            return spools.open.removeValue(forKey: descriptor)
        }
    }

    /// The same pipe or terminal, not blocking, as long as this lives; the descriptor itself, where it is something else or may not be opened: then
    /// a writer waits as long as it takes.
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

    /// A writer got rid of something: there is a reader, unless it was given up already.
    func somethingWasRead() {
        guard isEnding.load(ordering: .relaxed), !isOver else { return }
        waited.store(0, ordering: .relaxed)
    }

    /// Whether a writer that has waited for another `look` gives up. Where one did, the others wait for one look.
    func isOverAfterALook() -> Bool {
        guard isEnding.load(ordering: .acquiring) else { return false }
        if !isOver { waited.add(Int(Self.look), ordering: .relaxed) }
        return isOver
    }

    private var isOver: Bool { .milliseconds(waited.load(ordering: .relaxed)) >= limit }
}
