public import Pipeline
public import Recording

/// A report and when it was made.
public struct StampedReport: Sendable {
    /// Number, session time and wall clock of the record that caused the report.
    public var stamp: Stamp
    /// The report.
    public var report: Report
    /// A report with its stamp.
    public init(stamp: Stamp, report: Report) {
        self.stamp = stamp
        self.report = report
    }
}

/// Where reports go: a terminal, a file. Called on the outlet thread only, never concurrently.
public protocol Outlet: AnyObject, Sendable {
    /// Writes a batch of reports, in order, and flushes.
    func write(_ reports: [StampedReport]) throws(OutletError)
    /// Nothing follows.
    func finish() throws(OutletError)
}

/// Why an outlet cannot go on.
public enum OutletError: Error, Hashable, Sendable {
    /// The reader of the pipe is gone: a normal end.
    case closedByReader
    /// The system refused.
    case system(operation: String, path: String, code: Int32)
}
