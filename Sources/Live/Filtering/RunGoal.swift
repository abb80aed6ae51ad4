import Events
import Pipeline

/// What a run waits for: so many events that are shown, or the first report that an expression holds of. It is told every report, in
/// their order. A value, not for several threads at once.
struct RunGoal {
    private var missing: Int?
    private let filter: ViewFilter?
    private let muted: MutedRooms?
    /// Asks what is shown; nil while everything is.
    private var view: FilterJudge?
    private var revision: Int?
    private var match: FilterJudge?
    /// Whether it came.
    private(set) var isReached = false

    /// Waits for `count` events of those that `filter` and `muted` let pass, or for what `match` holds of, shown or not; nil for
    /// neither.
    init(count: Int?, shownBy filter: ViewFilter?, muted: MutedRooms? = nil, match: Filter?) {
        missing = count
        self.filter = filter
        self.muted = muted
        self.match = match.map { FilterJudge($0) }
    }

    /// Whether there is anything to wait for.
    var isSet: Bool { missing != nil || match != nil }

    /// Whether it matters what a report says, and not only that it is an event.
    var judges: Bool { match != nil || missing != nil && filter?.setting.showsAll == false }

    /// What `match` names and no event had, a line for each.
    var absent: [String] { match?.tally.absent.map { "--until-match:" + $0.dropFirst() } ?? [] }

    /// The report that comes next.
    mutating func note(_ stamped: StampedReport) {
        if match?.matches(stamped) == true { isReached = true }
        guard missing != nil, isShown(stamped), case .event = stamped.report else { return }
        note(events: 1)
    }

    /// So many events come next, of which every one is shown.
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
            // In this order: a change in between is found by the next look.
            revision = filter.revision
            var setting = filter.setting
            setting.highlights = []
            view = setting.showsAll ? nil : FilterJudge(setting, knowing: view?.names ?? KnownNames())
        }
        return view?.mark(stamped).isShown ?? true
    }
}

extension ViewFilter.Setting {
    /// Whether nothing is left out.
    fileprivate var showsAll: Bool { filter.isEmpty && sample == nil && backlog == nil }
}
