import Glibc
import Events
public import Pipeline
public import SectionedModel
public import Recording
import Wire

/// A report and when it was made.
public struct StampedReport: Sendable {
    /// Number, session time and wall clock of the record that caused the report; number 0 when time caused it, not a
    /// record.
    public var stamp: Stamp
    /// The report.
    public var report: Report
    /// Our clock minus the server's when the report was made, in milliseconds, as far as it is known (`ServerClock`).
    public var clockOffset: Int64
    /// Name of the context that the session runs, or was recorded, in; nil without one.
    public var context: String?
    /// A report with its stamp.
    public init(stamp: Stamp, report: Report, clockOffset: Int64 = 0, context: String? = nil) {
        self.stamp = stamp
        self.report = report
        self.clockOffset = clockOffset
        self.context = context
    }

    /// How long the event was on its way, in milliseconds, where the server says when it sent it: receive time minus the server's time,
    /// on one clock.
    public var lag: Int64? {
        guard case .event(let event) = report, let difference = event.difference(at: stamp) else { return nil }
        let (lag, overflow) = difference.subtractingReportingOverflow(clockOffset)
        return overflow ? nil : lag
    }
}

extension StampedReport {
    /// A report as it is made: an event tells `clock` how far the server's is off.
    init(stamp: Stamp, report: Report, clock: inout ServerClock, context: String?) {
        if case .event(let event) = report, let difference = event.difference(at: stamp) {
            clock.note(difference, at: stamp.time)
        }
        var report = report
        if case .notice(let notice) = report { report = .notice(notice.dated(at: stamp.wall)) }
        self.init(stamp: stamp, report: report, clockOffset: clock.offset, context: context)
    }
}

extension Notice {
    /// The notice with the time at which its wait ends. `wall` is when the notice was made, in microseconds since 1970.
    func dated(at wall: Int64) -> Notice {
        guard let wait else { return self }
        var notice = self
        notice.text += ", until \(RecordingTime.text(wall + wait.microseconds).dropFirst(11).prefix(8)) UTC"
        return notice
    }
}

extension EventReport {
    /// Receive time minus the server's time in milliseconds, each on its own clock; nil when the server says none.
    fileprivate func difference(at stamp: Stamp) -> Int64? {
        guard let sent = serverTime?.milliseconds else { return nil }
        let (difference, overflow) = (stamp.wall / 1000).subtractingReportingOverflow(sent)
        return overflow ? nil : difference
    }
}

/// Where reports go: a terminal, a file. Called on one thread, never concurrently: a tail's or a replay's
/// outlet thread, or the thread that runs a replay somebody looks on at. It may block; a tail stops reading from its socket while it is
/// behind, and a replay plays no more.
public protocol Outlet: AnyObject, Sendable {
    /// Whether the batches are to carry checksums of the model, which cost a little at each change; false unless said otherwise.
    var needsChecksums: Bool { get }
    /// Whether it is told what was on the wire, too; false unless said otherwise.
    var needsWire: Bool { get }
    /// Which part of a replay it is told; what is shown unless said otherwise.
    var replayPart: ReplayPart { get }
    /// Writes a batch of reports, in order, and flushes. An error ends the tail or replay; this is not called again.
    func write(_ reports: [StampedReport]) throws(OutletError)
    /// Writes a batch of which a filter says, report by report, what is shown and how. What is hidden is passed over unless said otherwise.
    func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError)
    /// Writes what was on the wire, in order; called only where it is needed, before the reports of what that led to.
    func write(units: [WireUnit]) throws(OutletError)
    /// What is shown begins in the middle, with this model of that user: what is in it has names. Passed over unless said otherwise.
    func begin(with model: SectionedCollection<Item>, of user: String?)
    /// Nothing follows. Called also after an error of `write`.
    func finish() throws(OutletError)
}

extension Outlet {
    /// Most have no use for them.
    public var needsChecksums: Bool { false }
    /// Most have no use for it.
    public var needsWire: Bool { false }
    /// Most have no use for it.
    public func write(units: [WireUnit]) throws(OutletError) {}
    /// Most have no use for it.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {}
    /// Most are for who looks on.
    public var replayPart: ReplayPart { .shown }
    /// Most have no use for what is hidden.
    public func write(_ reports: [StampedReport], _ marks: [ViewMark]) throws(OutletError) {
        let shown = zip(reports, marks).filter(\.1.isShown).map(\.0)
        if !shown.isEmpty { try write(shown) }
    }
}

/// Which part of a replay an outlet is told. A live tail has one part only.
public enum ReplayPart: Hashable, Sendable {
    /// What is shown, again when it is shown again.
    case shown
    /// What is shown, once.
    case shownOnce
    /// Everything, once and in order: also what is passed over before anything is shown.
    case whole
    /// Everything, each time it is played: also what is passed over.
    case every
}

/// Why an outlet cannot go on.
public enum OutletError: Error, Hashable, Sendable {
    /// The reader of the pipe is gone: a normal end.
    case closedByReader
    /// The process is ending, and nobody has read from that for so long: what was left is not written.
    case unread(String, after: Duration)
    /// The system refused; `code` is its `errno`.
    case system(operation: String, path: String, code: Int32)

    /// What went wrong, for people.
    public var words: String {
        switch self {
        case .closedByReader: "the reader of the output went away"
        case .unread(let name, after: let time):
            "nobody read \(name) for \(time.components.seconds) s after the end: the rest is not written"
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
        }
    }
}
