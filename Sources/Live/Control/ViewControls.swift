import JSONText
import Network
public import Pipeline
public import SectionedModel
import Recording
import Wire

/// What somebody else may change of a view while it runs: whether it is paused, and in which format it prints. Any thread.
public final class ViewControls: Sendable {
    /// Reports that wait at most while the view is paused, of no more than `Limits.waiting` bytes.
    static let mostWaiting = 10_000

    private struct State {
        var isPaused = false
        var format: OutputFormat?
        var level = Notice.Level.info
        /// Reports that wait, for whoever asks.
        var waiting = 0
    }

    private let state = Monitor(State())
    private let selection = Monitor<(@Sendable (JSONValue) -> Void)?>(nil)
    /// Whether the view prints, so that it can do it in another format; the full-screen view does not.
    let prints: Bool

    /// Nothing is changed yet.
    public init(prints: Bool = true) { self.prints = prints }

    /// Whether the view is paused.
    public var isPaused: Bool { state.change { $0.isPaused } }
    /// How many reports wait for the view to go on.
    public var waiting: Int { state.change { $0.waiting } }
    /// The format that was asked for; nil for the one the view began with.
    public var format: OutputFormat? { state.change { $0.format } }
    /// What is less than that is not told.
    public var level: Notice.Level { state.change { $0.level } }

    /// Pauses the view, or has it go on.
    public func pause(_ isPaused: Bool) { state.change { $0.isPaused = isPaused } }
    /// Prints in another format from the next report on.
    public func print(as format: OutputFormat) { state.change { $0.format = format } }
    /// Tells only notices of this level or more.
    public func tell(from level: Notice.Level) { state.change { $0.level = level } }

    /// Calls `body` with what the user looks at, as `weir ctl globals` gives it, whenever that changes; on the thread that changes it.
    func observeSelection(_ body: @escaping @Sendable (JSONValue) -> Void) { selection.change { $0 = body } }
    func note(selection value: @autoclosure () -> JSONValue) {
        if let body = selection.change({ $0 }) { body(value()) }
    }
    func note(waiting: Int) { state.change { $0.waiting = waiting } }
}

/// A view that is paused and goes on, and changes its format, as its controls say. What comes while it is paused waits; of more than
/// may wait, in reports or in bytes, the oldest is given up, and a gap tells how much.
public final class ControlledView: Outlet {
    private struct State {
        /// Nil for the form the view began with.
        var format: OutputFormat?
        var printer: any Outlet
        var waiting: ArraySlice<StampedReport> = []
        var waitingBytes = 0
        var lost: (from: Stamp, to: Stamp, events: Int)?
    }

    private let controls: ViewControls
    private let makePrinter: @Sendable (OutputFormat?) -> any Outlet
    /// Used on the outlet thread only.
    private let state: Monitor<State>

    /// A view with the printers that `makePrinter` gives: for a format, or for the form that it begins with.
    public init(_ controls: ViewControls, makePrinter: @escaping @Sendable (OutputFormat?) -> any Outlet) {
        self.controls = controls
        self.makePrinter = makePrinter
        state = Monitor(State(printer: makePrinter(nil)))
    }

    /// Whether the printers want checksums.
    public var needsChecksums: Bool { state.change { $0.printer.needsChecksums } }

    /// Shows the reports, or keeps them while the view is paused.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        try state.change { (state) throws(OutletError) in
            if controls.isPaused { return keep(reports, &state) }
            try show(&state)
            try state.printer.write(reports)
        }
    }

    /// Passes it on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.printer.begin(with: model, of: user) }
    }

    /// Shows what waits: the end is not to lose it.
    public func finish() throws(OutletError) {
        try state.change { (state) throws(OutletError) in
            try show(&state)
            try state.printer.finish()
        }
    }

    /// Shows what waited, in the format that is wanted now.
    private func show(_ state: inout State) throws(OutletError) {
        if let format = controls.format, format != state.format {
            state.format = format
            state.printer = makePrinter(format)
        }
        guard !state.waiting.isEmpty else { return }
        var reports = Array(state.waiting)
        if let lost = state.lost {
            let gap = GapReport(
                cause: .paused, from: lost.from.time, to: lost.to.time, lost: lost.events)
            reports.insert(StampedReport(stamp: lost.to, report: .gap(gap)), at: 0)
        }
        state.waiting = []
        state.waitingBytes = 0
        state.lost = nil
        controls.note(waiting: 0)
        try state.printer.write(reports)
    }

    private func keep(_ reports: [StampedReport], _ state: inout State) {
        state.waiting += reports
        state.waitingBytes += reports.reduce(0) { $0 + $1.report.heldBytes }
        var kept = state.waiting
        while kept.count > ViewControls.mostWaiting || kept.count > 1 && state.waitingBytes > Limits.waiting,
            let report = kept.popFirst()
        {
            state.waitingBytes -= report.report.heldBytes
            let isEvent = if case .event = report.report { 1 } else { 0 }
            state.lost = (state.lost?.from ?? report.stamp, report.stamp, (state.lost?.events ?? 0) + isEvent)
        }
        // A copy, so that what was given up does not stay in memory.
        if kept.count < state.waiting.count { state.waiting = ArraySlice(Array(kept)) }
        controls.note(waiting: state.waiting.count)
    }
}

/// Tells what is not an event, from the level on that its controls say.
public final class LeveledStatus: Outlet {
    private let status: StatusPrinter
    private let controls: ViewControls

    /// What `status` tells, as far as it matters.
    public init(_ status: StatusPrinter, _ controls: ViewControls) {
        self.status = status
        self.controls = controls
    }

    /// Tells the reports, but for notices that do not matter enough.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        let level = controls.level
        guard level != .info else { return try status.write(reports) }
        try status.write(
            reports.filter { report in
                guard case .notice(let notice) = report.report else { return true }
                return notice.level == .error || notice.level == level
            })
    }

    /// Passes it on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) { status.begin(with: model, of: user) }

    /// Nothing is kept back.
    public func finish() throws(OutletError) { try status.finish() }
}
