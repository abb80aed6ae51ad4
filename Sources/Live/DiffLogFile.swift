import Glibc
import JSONText
import Network
import Pipeline
import Recording

/// Writes the diff log to a file: one line a batch of the model (`DiffLog`, `schemas/diff-log.schema.json`).
public final class DiffLogFile: Outlet {
    private let file: DescriptorWriter
    private let writer = Monitor(JSONWriter())
    private let reversible: Bool

    /// Lines are verified by them.
    public var needsChecksums: Bool { true }
    /// A log that does not begin with an empty model cannot be applied.
    public var replayPart: ReplayPart { .whole }

    /// Creates the file, mode 0600; an existing one is not overwritten, and `-` is standard output. A reversible log also holds what each
    /// batch deleted or replaced. `patience` limits the wait for the reader of standard output.
    public init(
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

    /// Writes the diffs among the reports with one write.
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

    /// Closes the file.
    public func finish() throws(OutletError) {
        guard close(file.descriptor) == 0 else { throw .system(operation: "close", path: file.name, code: errno) }
    }
}
