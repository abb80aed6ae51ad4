import WeirEvents
import WeirPipeline

/// The condition that ends a run: a number of shown events, or the first report that satisfies an expression. It must
/// see all reports, in order. Not thread-safe.
struct RunGoal {
    private var missing: Int?
    private let filter: ViewFilter?
    private let muted: MutedRooms?
    /// The judge of the view's filter; `nil` while the filter shows everything.
    private var view: FilterJudge?
    private var revision: Int?
    private var match: FilterJudge?
    /// Whether the condition is met.
    private(set) var isReached = false

    /// Creates a goal. With neither `count` nor `match` it is never reached.
    ///
    /// - Parameters:
    ///   - count: The number of events to wait for, among those that `filter` and `muted` let pass.
    ///   - match: The filter to match. It also sees the reports that the view hides.
    init(count: Int?, shownBy filter: ViewFilter?, muted: MutedRooms? = nil, match: Filter?) {
        missing = count
        self.filter = filter
        self.muted = muted
        self.match = match.map { FilterJudge($0) }
    }

    /// Whether there is a condition.
    var isSet: Bool { missing != nil || match != nil }

    /// Whether the goal depends on the contents of reports. Otherwise it only counts events.
    var judges: Bool { match != nil || missing != nil && filter?.setting.showsAll == false }

    /// One line for each payload path in `match` that no event had.
    var absent: [String] { match?.tally.absent.map { "--until-match:" + $0.dropFirst() } ?? [] }

    /// Checks the next report against the condition.
    mutating func note(_ stamped: StampedReport) {
        if match?.matches(stamped) == true { isReached = true }
        guard missing != nil, isShown(stamped), case .event = stamped.report else { return }
        note(events: 1)
    }

    /// Counts the next events, which must all be shown.
    mutating func note(events: Int) {
        guard let missing else { return }
        self.missing = max(missing - events, 0)
        if missing <= events { isReached = true }
    }

    private mutating func isShown(_ stamped: StampedReport) -> Bool {
        if let muted, case .event(let event) = stamped.report, let room = event.room, muted.contains(room) {
            return false
        }
        guard let filter else { return true }
        if filter.revision != revision {
            // The revision is read first, so that a change in between is noticed at the next report.
            revision = filter.revision
            var setting = filter.setting
            setting.highlights = []
            view = setting.showsAll ? nil : FilterJudge(setting, knowing: view?.names ?? KnownNames())
        }
        return view?.mark(stamped).isShown ?? true
    }
}

extension ViewFilter.Setting {
    /// Whether the setting hides nothing.
    fileprivate var showsAll: Bool { filter.isEmpty && sample == nil && backlog == nil }
}
