import Glibc
import WeirJSON
import WeirNetwork
import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// Writes the diff log to a file, one line per batch of the model (`DiffLog`, `schemas/diff-log.schema.json`).
public final class DiffLogFile: Outlet {
    private let file: DescriptorWriter
    private let writer = Monitor(JSONWriter())
    private let reversible: Bool

    /// Whether checksums are needed: readers verify the lines with them.
    public var needsChecksums: Bool { true }
    /// The whole replay: a log that does not begin with an empty model cannot be applied.
    public var replayPart: ReplayPart { .whole }

    /// Creates the file with mode 0600.
    ///
    /// - Parameters:
    ///   - path: A new file; an existing one is not overwritten. `-` is standard output.
    ///   - reversible: Whether the log contains what each batch deleted or replaced.
    ///   - patience: The limit of the wait for the reader of standard output.
    package init(
        creating path: String, reversible: Bool = false, patience: WritePatience? = nil
    ) throws(OutletError) {
        let isStream = path == "-"
        let descriptor =
            isStream
            ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
            : open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        let name = isStream ? "standard output" : path
        guard descriptor >= 0 else {
            throw .system(operation: isStream ? "write" : "create", path: name, code: errno)
        }
        file = DescriptorWriter(descriptor: descriptor, name: name, patience: isStream ? patience : nil)
        self.reversible = reversible
    }

    /// Writes the diffs among the reports with a single write.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        try writer.change { (writer) throws(OutletError) in
            writer.reset()
            for stamped in reports {
                guard case .diff(let diff) = stamped.report else { continue }
                DiffLog.write(diff, at: stamped.stamp.time, reversible: reversible, into: &writer)
            }
            try writer.withUnsafeBytes { (lines) throws(OutletError) in try file.write(lines) }
        }
    }

    /// Closes the file or standard output.
    public func finish() throws(OutletError) {
        guard close(file.descriptor) == 0 else { throw .system(operation: "close", path: file.name, code: errno) }
    }
}
