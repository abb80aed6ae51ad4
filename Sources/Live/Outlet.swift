public import Pipeline
public import Recording

/// A report and when it was made.
public struct StampedReport: Sendable {
    /// Number, session time and wall clock of the record that caused the report; number 0 when time caused it, not a
    /// record.
    public var stamp: Stamp
    /// The report.
    public var report: Report
    /// A report with its stamp.
    public init(stamp: Stamp, report: Report) {
        self.stamp = stamp
        self.report = report
    }
}

/// Where reports go: a terminal, a file. Called on one thread, never concurrently: a tail's outlet thread, or the
/// thread that runs a replay. It may block; a tail stops reading from its socket while it is behind.
public protocol Outlet: AnyObject, Sendable {
    /// Whether the batches are to carry checksums of the model, which cost a little at each change; false unless said otherwise.
    var needsChecksums: Bool { get }
    /// Which part of a replay it is told; what is shown unless said otherwise.
    var replayPart: ReplayPart { get }
    /// Writes a batch of reports, in order, and flushes. An error ends the tail or replay.
    func write(_ reports: [StampedReport]) throws(OutletError)
    /// Nothing follows. Called also after an error of `write`.
    func finish() throws(OutletError)
}

extension Outlet {
    /// Most have no use for them.
    public var needsChecksums: Bool { false }
    /// Most are for who looks on.
    public var replayPart: ReplayPart { .shown }
}

/// Which part of a replay an outlet is told. A live tail has one part only.
public enum ReplayPart: Hashable, Sendable {
    /// What is shown, again when it is shown again.
    case shown
    /// What is shown, once.
    case shownOnce
    /// Everything, once and in order: also what is passed over before anything is shown.
    case whole
}

/// Why an outlet cannot go on.
public enum OutletError: Error, Hashable, Sendable {
    /// The reader of the pipe is gone: a normal end.
    case closedByReader
    /// The system refused; `code` is its `errno`.
    case system(operation: String, path: String, code: Int32)
}
