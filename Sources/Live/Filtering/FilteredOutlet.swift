import Network
public import Pipeline
public import SectionedModel

/// An outlet with a filter in front of it. What is recorded, logged and summed up does not pass here: it stays complete.
public final class FilteredOutlet: Outlet {
    private struct State {
        var judge: FilterJudge
        var revision: Int
    }

    private let outlet: any Outlet
    private let filter: ViewFilter
    /// Only the outlet thread touches it.
    private let state: Monitor<State>

    /// Shows `outlet` what `filter` lets pass.
    public init(_ outlet: any Outlet, filter: ViewFilter) {
        self.outlet = outlet
        self.filter = filter
        let (setting, revision) = filter.begin()
        state = Monitor(State(judge: FilterJudge(setting), revision: revision))
    }

    /// What the outlet needs.
    public var needsChecksums: Bool { outlet.needsChecksums }

    /// The outlet's.
    public var replayPart: ReplayPart { outlet.replayPart }

    /// Judges the reports, and has the outlet write what passes.
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
                // Of a change of which only some rows pass, the outlet still gets the whole: it may have names.
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

    /// Learns what is called how, and passes it on.
    public func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.judge.learn(from: model, of: user) }
        outlet.begin(with: model, of: user)
    }

    /// Passes it on.
    public func finish() throws(OutletError) { try outlet.finish() }
}
