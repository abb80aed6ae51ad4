import Network
public import Pipeline
import Synchronization

/// What a view shows now. Any thread may change it while the view runs: what comes from then on is judged anew.
public final class ViewFilter: Sendable {
    /// What is shown, and how.
    public struct Setting: Hashable, Sendable {
        /// What is shown.
        public var filter: Filter
        /// What is pointed out: whatever one of these holds of.
        public var highlights: [Filter]
        /// How many of the events that pass are shown; nil for all.
        public var sample: Sample?

        /// Of the messages of each room that are older than the run, how many are shown, the newest; nil for all.
        public var backlog: Int?

        /// Everything, unless said otherwise.
        public init(filter: Filter = Filter(), highlights: [Filter] = [], sample: Sample? = nil, backlog: Int? = nil) {
            self.backlog = backlog
            self.filter = filter
            self.highlights = highlights
            self.sample = sample
        }

        /// Whether everything is shown as it is.
        public var isEmpty: Bool { filter.isEmpty && highlights.isEmpty && sample == nil && backlog == nil }
    }

    /// `taken` of `of` events, evenly.
    public struct Sample: Hashable, Sendable {
        let taken: Int
        let of: Int

        /// `10%`, `2.5%` or `1/40`; nil for anything else, and for more than all or nothing at all.
        public init?(_ text: String) {
            if text.hasSuffix("%") {
                guard let thousandths = FilterNumber(String(text.dropLast())).map({ ($0.real * 1000).rounded() }),
                    thousandths >= 1, thousandths <= 100_000
                else { return nil }
                (taken, of) = (Int(thousandths), 100_000)
            } else {
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0] == "1", let of = Int(parts[1]), (1...1_000_000_000).contains(of) else {
                    return nil
                }
                (taken, self.of) = (1, of)
            }
        }

        /// The sample as a share of one whole.
        public var text: String { taken == 1 ? "1/\(of)" : "\(Double(taken) / 1000)%" }
    }

    private struct State {
        var setting: Setting
        /// What was counted by judges of other settings.
        var earlier: FilterTally
        /// What the judge of this one has counted.
        var current: FilterTally
    }

    private let state: Monitor<State>
    private let changes = Atomic<Int>(0)

    /// Shows what the setting says.
    public init(_ setting: Setting = Setting()) {
        state = Monitor(State(setting: setting, earlier: FilterTally(Setting()), current: FilterTally(setting)))
    }

    /// What is shown now.
    public var setting: Setting { state.change { $0.setting } }

    /// The filter now, as text; empty when everything is shown.
    public var text: String { setting.filter.text }

    /// Shows what a text says from now on; an empty one shows everything. When it is wrong nothing changes.
    public func set(_ text: String, origin: String = "filter") throws(FilterError) {
        let filter = try Filter(parsing: text, origin: origin, kinds: setting.filter.kinds)
        change { $0.filter = filter }
    }

    /// Changes what is shown.
    public func change(_ body: (inout Setting) -> Void) {
        state.change { state in
            body(&state.setting)
            state.earlier.add(state.current)
            state.current = FilterTally(state.setting)
            changes.add(1, ordering: .releasing)
        }
    }

    /// What was left out so far, by all settings there were.
    public var tally: FilterTally {
        state.change { state in
            var tally = state.earlier
            tally.add(state.current)
            return tally
        }
    }

    /// Counts the changes.
    var revision: Int { changes.load(ordering: .acquiring) }

    /// The setting, and which one it is, for a judge that begins to count.
    func begin() -> (setting: Setting, revision: Int) {
        state.change { state in
            state.earlier.add(state.current)
            state.current = FilterTally(state.setting)
            return (state.setting, changes.load(ordering: .acquiring))
        }
    }

    /// Takes what the judge of a setting has counted. What the judge of an older one counts at last is passed over by a batch.
    func note(_ tally: FilterTally, of revision: Int) {
        state.change { state in
            if revision == changes.load(ordering: .acquiring) { state.current = tally }
        }
    }
}
