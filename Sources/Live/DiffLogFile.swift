import Glibc
import JSONText
import Network
import Pipeline
import Recording

/// Writes the diff log to a file: one line a batch of the model (`DiffLog`, `schemas/diff-log.schema.json`).
public final class DiffLogFile: Outlet {
    private let path: String
    private let descriptor: Int32
    private let writer = Monitor(JSONWriter())

    /// Creates the file, mode 0600; an existing one is not overwritten.
    public init(creating path: String) throws(OutletError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "create", path: path, code: errno) }
    }

    /// Writes the diffs among the reports with one write.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        try writer.change { (writer) throws(OutletError) in
            writer.reset()
            for stamped in reports {
                if case .diff(let diff) = stamped.report { DiffLog.write(diff, at: stamped.stamp.time, into: &writer) }
            }
            try write(writer.bytes)
        }
    }

    /// Closes the file.
    public func finish() throws(OutletError) {
        guard close(descriptor) == 0 else { throw .system(operation: "close", path: path, code: errno) }
    }

    private func write(_ bytes: [UInt8]) throws(OutletError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { throw .system(operation: "write", path: path, code: errno) }
            } else {
                rest = rest.dropFirst(written)
            }
        }
    }
}
