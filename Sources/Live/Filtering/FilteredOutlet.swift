import Network

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
        let marks = state.change { state in
            if filter.revision != state.revision {
                let (setting, revision) = filter.begin()
                state = State(judge: FilterJudge(setting, knowing: state.judge.names), revision: revision)
            }
            let marks = reports.map { state.judge.mark($0) }
            filter.note(state.judge.tally, of: state.revision)
            return marks
        }
        try outlet.write(reports, marks)
    }

    /// Passes it on.
    public func finish() throws(OutletError) { try outlet.finish() }
}
