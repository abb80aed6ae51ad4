import Synchronization
package import WeirModel
import WeirNetwork
package import WeirPipeline
import WeirThreads

/// The filter of a view. Any thread may change it while the view runs. A change applies to the reports that follow.
package final class ViewFilter: Sendable {
    /// A filter with its highlights and limits.
    package typealias Setting = FilterSetting
    /// A share of the events, evenly spread.
    package typealias Sample = FilterSetting.Sample

    private struct State {
        var setting: Setting
        /// The counts of all earlier settings.
        var earlier: FilterTally
        /// The counts of the current setting.
        var current: FilterTally
    }

    private let state: Monitor<State>
    private let changes = Atomic<Int>(0)

    /// Creates a filter with an initial setting.
    package init(_ setting: Setting = Setting()) {
        state = Monitor(State(setting: setting, earlier: FilterTally(Setting()), current: FilterTally(setting)))
    }

    /// A copy of the setting in force.
    package var setting: Setting { state.change { $0.setting } }

    /// The text of the filter; empty when everything is shown.
    package var text: String { setting.filter.text }

    /// Replaces the filter by a parsed text. An empty text shows everything.
    ///
    /// - Throws: `FilterError` when the text is invalid. The old filter then stays in force.
    package func set(_ text: String, origin: String = "filter") throws(FilterError) {
        let filter = try Filter(parsing: text, origin: origin, kinds: setting.filter.kinds)
        change { $0.filter = filter }
    }

    /// Changes the setting and starts a new count.
    package func change(_ body: (inout Setting) -> Void) {
        state.change { state in
            body(&state.setting)
            state.earlier.add(state.current)
            state.current = FilterTally(state.setting)
            changes.add(1, ordering: .releasing)
        }
    }

    /// The counts of all settings so far.
    package var tally: FilterTally {
        state.change { state in
            var tally = state.earlier
            tally.add(state.current)
            return tally
        }
    }

    /// The number of changes so far.
    var revision: Int { changes.load(ordering: .acquiring) }

    /// Starts a new count. Returns the setting and its revision, for a new judge.
    func begin() -> (setting: Setting, revision: Int) {
        state.change { state in
            state.earlier.add(state.current)
            state.current = FilterTally(state.setting)
            return (state.setting, changes.load(ordering: .acquiring))
        }
    }

    /// Stores the counts of a judge. Counts of an older revision are ignored, so at most one batch is not counted.
    func note(_ tally: FilterTally, of revision: Int) {
        state.change { state in
            if revision == changes.load(ordering: .acquiring) { state.current = tally }
        }
    }
}

/// An outlet with a filter before it. Recordings, diff logs and summaries do not pass through it, so they stay
/// complete.
package final class FilteredOutlet: Outlet {
    private struct State {
        var judge: FilterJudge
        var revision: Int
    }

    private let outlet: any Outlet
    private let filter: ViewFilter
    /// The judge of the current setting. Only the outlet thread uses it.
    private let state: Monitor<State>

    /// Creates an outlet that passes to `outlet` what `filter` accepts.
    package init(_ outlet: any Outlet, filter: ViewFilter) {
        self.outlet = outlet
        self.filter = filter
        let (setting, revision) = filter.begin()
        state = Monitor(State(judge: FilterJudge(setting), revision: revision))
    }

    /// Whether the wrapped outlet needs checksums.
    package var needsChecksums: Bool { outlet.needsChecksums }

    /// The replay part that the wrapped outlet wants.
    package var replayPart: ReplayPart { outlet.replayPart }

    /// Judges the reports and passes them with their marks to the wrapped outlet.
    package func write(_ reports: [StampedReport]) throws(OutletError) {
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
    package func begin(with model: SectionedCollection<Item>, of user: String?) {
        state.change { $0.judge.learn(from: model, of: user) }
        outlet.begin(with: model, of: user)
    }

    /// Passes the call on. The filter buffers nothing.
    package func finish() throws(OutletError) { try outlet.finish() }
}
