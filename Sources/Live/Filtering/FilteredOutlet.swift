import Network
public import Pipeline
public import SectionedModel

/// An outlet with a filter before it. Recordings, diff logs and summaries do not pass through it, so they stay
/// complete.
public final class FilteredOutlet: Outlet {
    private struct State {
        var judge: FilterJudge
        var revision: Int
    }

    private let outlet: any Outlet
    private let filter: ViewFilter
    /// The judge of the current setting. Only the outlet thread uses it.
    private let state: Monitor<State>

    /// Creates an outlet that passes to `outlet` what `filter` accepts.
    public init(_ outlet: any Outlet, filter: ViewFilter) {
        self.outlet = outlet
        self.filter = filter
        let (setting, revision) = filter.begin()
        state = Monitor(State(judge: FilterJudge(setting), revision: revision))
    }

    /// Whether the wrapped outlet needs checksums.
    public var needsChecksums: Bool { outlet.needsChecksums }

    /// The replay part that the wrapped outlet wants.
    public var replayPart: ReplayPart { outlet.replayPart }

    /// Judges the reports and passes them with their marks to the wrapped outlet.
    public func write(_ reports: [StampedReport]) throws(OutletError) {
        let (reports, marks) = state.change { state in
            if filter.revision != state.revision {
                let (setting, revision) = filter.begin()
                state = State(judge: FilterJudge(setting, knowing: state.judge.names), revision: revision)
            }
            var shown: [StampedReport] = []
            var marks: [ViewMark] = []
            for report in reports {
                let mark = state.judge.mark(report)
                let part = mark.isShown ? state.judge.part(of: report) : nil
                // When only some rows pass, the outlet still receives the whole change as hidden, because it may
                // contain names.
                if part != nil {
                    shown.append(report)
                    marks.append(ViewMark(isShown: false))
                }
                shown.append(part ?? report)
                marks.append(mark)
            }
            filter.note(state.judge.tally, of: state.revision)
            return (shown, marks)
        }
        try outlet.write(reports, marks)
    }

    /// Learns the names in the model and passes the call on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.judge.learn(from: model, of: user) }
        outlet.begin(with: model, of: user)
    }

    /// Passes the call on. The filter buffers nothing.
    public func finish() throws(OutletError) { try outlet.finish() }
}
