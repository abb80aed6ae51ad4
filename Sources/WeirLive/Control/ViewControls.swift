import WeirJSON
package import WeirModel
import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirThreads
import WeirWire

/// The settings of a view that others may change while it runs: the pause, the format and the level of notices. Can be
/// used on any thread.
package final class ViewControls: Sendable {
    /// The maximum number of reports that wait while the view is paused. `Limits.waiting` limits their bytes.
    static let mostWaiting = 10_000

    private struct State {
        var isPaused = false
        var format: OutputFormat?
        var level = Notice.Level.info
        /// The number of waiting reports.
        var waiting = 0
    }

    private let state = Monitor(State())
    private let selection = Monitor<(@Sendable (JSONValue) -> Void)?>(nil)
    /// Whether the view prints lines and can change its format. The full-screen view cannot.
    let prints: Bool

    /// Creates controls with the defaults.
    package init(prints: Bool = true) { self.prints = prints }

    /// Whether the view is paused.
    package var isPaused: Bool { state.change { $0.isPaused } }
    /// The number of reports that wait for the view to resume.
    package var waiting: Int { state.change { $0.waiting } }
    /// The requested format; `nil` for the view's initial one.
    package var format: OutputFormat? { state.change { $0.format } }
    /// The minimum level of the notices to show.
    package var level: Notice.Level { state.change { $0.level } }

    /// Pauses or resumes the view.
    package func pause(_ isPaused: Bool) { state.change { $0.isPaused = isPaused } }
    /// Sets the format, from the next report on.
    package func print(as format: OutputFormat) { state.change { $0.format = format } }
    /// Sets the minimum level of the notices to show.
    package func tell(from level: Notice.Level) { state.change { $0.level = level } }

    /// Sets the observer of the selection. It receives the JSON of `weir ctl globals` at each change, on the thread
    /// that makes the change.
    func observeSelection(_ body: @escaping @Sendable (JSONValue) -> Void) { selection.change { $0 = body } }
    func note(selection value: @autoclosure () -> JSONValue) {
        if let body = selection.change({ $0 }) { body(value()) }
    }
    func note(waiting: Int) { state.change { $0.waiting = waiting } }
}

/// A view that its controls pause, resume and switch to another format.
///
/// Reports wait while the view is paused. If too many reports or bytes wait, the oldest reports are dropped, and a gap
/// contains their number.
package final class ControlledView: Outlet {
    private struct State {
        /// The current format; `nil` for the initial one.
        var format: OutputFormat?
        var printer: any Outlet
        var waiting: ArraySlice<StampedReport> = []
        var waitingBytes = 0
        var lost: (from: Stamp, to: Stamp, events: Int)?
    }

    private let controls: ViewControls
    private let makePrinter: @Sendable (OutputFormat?) -> any Outlet
    /// The state of the view. Used on the outlet thread only.
    private let state: Monitor<State>

    /// Creates a view. `makePrinter` returns the printer for a format, or for the initial form if the format is `nil`.
    package init(_ controls: ViewControls, makePrinter: @escaping @Sendable (OutputFormat?) -> any Outlet) {
        self.controls = controls
        self.makePrinter = makePrinter
        state = Monitor(State(printer: makePrinter(nil)))
    }

    /// Whether the current printer needs checksums.
    package var needsChecksums: Bool { state.change { $0.printer.needsChecksums } }

    /// Shows the reports, or keeps them while the view is paused.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        try state.change { (state) throws(OutletError) in
            if controls.isPaused { return keep(reports, &state) }
            try show(&state)
            try state.printer.write(reports)
        }
    }

    /// Passes the model on to the printer.
    package func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.printer.begin(with: model, of: user) }
    }

    /// Shows the waiting reports, so that the end does not lose them.
    package func finish() throws(OutletError) {
        try state.change { (state) throws(OutletError) in
            try show(&state)
            try state.printer.finish()
        }
    }

    /// Shows the waiting reports, in the requested format.
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
        // Copy the slice to free the memory of the dropped reports.
        if kept.count < state.waiting.count { state.waiting = ArraySlice(Array(kept)) }
        controls.note(waiting: state.waiting.count)
    }
}

/// Prints status reports, with the notices filtered by the level of the controls.
package final class LeveledStatus: Outlet {
    private let status: StatusPrinter
    private let controls: ViewControls

    /// Creates a filter in front of `status`.
    package init(_ status: StatusPrinter, _ controls: ViewControls) {
        self.status = status
        self.controls = controls
    }

    /// Prints the reports, except for notices below the level.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
        let level = controls.level
        guard level != .info else { return try status.write(reports) }
        try status.write(
            reports.filter { report in
                guard case .notice(let notice) = report.report else { return true }
                return notice.level == .error || notice.level == level
            })
    }

    /// Passes the model on to the printer.
    package func begin(with model: SectionedCollection<Item>, of user: String?) { status.begin(with: model, of: user) }

    /// Finishes the printer. No reports wait.
    package func finish() throws(OutletError) { try status.finish() }
}

// The filter of the view, over the control socket.
extension TailEngine {
    /// The maximum number of earlier filters to return to.
    private static let mostFilters = 32

    func performFilter(_ call: ControlCall) throws(ControlError) -> ControlResult {
        guard let filter = configuration.filter else { throw ControlError(.nothing, "the tail shows nothing") }
        let (old, text) = (filter.text, call.arguments.text("filter") ?? "")
        switch call.method {
        case .filterSet:
            try set(filter, to: text)
            control.earlierFilters = []
        case .filterPush:
            guard control.earlierFilters.count < Self.mostFilters else {
                throw ControlError(.limit, "\(Self.mostFilters) filters are already pushed: filter.pop removes one")
            }
            // Parse the new filter by itself first: a text that is not a complete expression must not become valid in
            // combination.
            try set(filter, to: text)
            if !old.isEmpty, !text.isEmpty { try set(filter, to: "(\(old)) and (\(text))") }
            control.earlierFilters.append(old)
        case .filterPop:
            guard let earlier = control.earlierFilters.popLast() else {
                throw ControlError(.nothing, "no filter was pushed")
            }
            try set(filter, to: earlier)
        default: break
        }
        return ControlResult { [earlier = control.earlierFilters] writer in
            writer.beginObject()
            writer.member("filter", filter.text)
            writer.member("pushed", earlier.count)
            writer.endObject()
        }
    }

    private func set(_ filter: ViewFilter, to text: String) throws(ControlError) {
        do throws(FilterError) {
            try filter.set(text, origin: "params.filter")
        } catch {
            throw ControlError(.parameters, "params.filter, column \(error.column): \(error.message)")
        }
    }
}
