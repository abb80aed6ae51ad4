import WeirEvents
package import WeirModel
package import WeirPipeline
import WeirWire

/// A view's decision about a report.
public struct ViewMark: Hashable, Sendable {
    /// Whether the report is shown. A view must read hidden reports as well, because they may contain names.
    public var isShown = true
    /// Whether the report is highlighted.
    public var isHighlighted = false
    /// The number of events that sampling has dropped since the last shown event.
    public var leftOut = 0
    /// Whether the event requested an acknowledgement and received it.
    var isAnswered = false

    /// Creates a mark without a highlight.
    public init(isShown: Bool = true) { self.isShown = isShown }
}

/// Decides which reports a view shows. It reads all reports in order, because a change is judged by the event that
/// caused it.
///
/// Not thread-safe.
package struct FilterJudge {
    private let codes: [FilterCode]
    private let highlights: [[FilterCode]]
    private var facts: FilterFacts
    private var sampling: Sampling?
    private var backlog: Backlog?
    /// The rows of the last marked change that pass; `nil` when nothing restricts the rows.
    private var passing: [DiffRow]?
    /// The number of reports that each clause has left out.
    package private(set) var tally: FilterTally

    /// Creates a judge that has seen no reports.
    package init(_ setting: FilterSetting) { self.init(setting, knowing: KnownNames()) }

    /// Creates a judge before the first report. `names` are the names that are already known.
    package init(_ setting: FilterSetting, knowing names: KnownNames) {
        codes = setting.filter.clauses.map { FilterCode($0.expression) }
        highlights = setting.highlights.map { $0.clauses.map { FilterCode($0.expression) } }
        let all = codes + highlights.flatMap { $0 }
        facts = FilterFacts(learns: all.contains { $0.asksForNames }, names)
        sampling = setting.sample.map { Sampling($0) }
        backlog = setting.backlog.map { Backlog(most: $0) }
        tally = FilterTally(setting)
    }

    /// The names that the judge has learnt, for its successor.
    package var names: KnownNames { facts.names }

    /// Learns the names in a model.
    package mutating func learn(from model: SectionedCollection<Item>, of user: String?) {
        facts.names.learn(from: model, of: user)
    }

    /// Restarts the count. `setting` must be the setting that the judge uses.
    mutating func countAnew(_ setting: FilterSetting) { tally = FilterTally(setting) }

    /// Creates a judge for one filter, without sampling or highlights.
    package init(_ filter: Filter) { self.init(FilterSetting(filter: filter)) }

    /// Decides about the next report.
    package mutating func mark(_ stamped: StampedReport) -> ViewMark {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        var mark = ViewMark()
        tally.see(stamped.report)
        passing = nil
        if !stamped.report.isAlwaysShown {
            var rows: [DiffRow]?
            let clause = refusing(codes, stamped, &rows)
            passing = rows
            if let clause {
                tally.remove(stamped.report, by: clause)
                mark.isShown = false
                sampling?.passOver(stamped.report)
                return mark
            }
            leaveOutBacklog(stamped, &mark)
            sample(stamped, &mark)
        }
        if mark.isShown, !highlights.isEmpty {
            mark.isHighlighted = highlights.contains { refusing($0, stamped) == nil }
        }
        return mark
    }

    /// Returns the last marked change, reduced to the rows that pass; `nil` when all rows pass, or when it is not a
    /// change. The result is no longer a complete diff: it has neither sections nor checksums.
    package mutating func part(of stamped: StampedReport) -> StampedReport? {
        guard case .diff(let diff) = stamped.report, let passing, passing.count < facts.rows(of: stamped).count else {
            return nil
        }
        let ids = Set(passing.map(\.item.id))
        let all = diff.batch
        let batch = Batch<Item>(
            deletions: all.deletions.filter { ids.contains($0.element.id) },
            insertions: all.insertions.filter { ids.contains($0.element.id) },
            moves: all.moves.filter { ids.contains($0.new.id) }, updates: all.updates.filter { ids.contains($0.new.id) }
        )
        var part = stamped
        part.report = .diff(
            DiffReport(
                sequence: diff.sequence, cause: diff.cause, batch: batch, refetched: diff.refetched, user: diff.user))
        return part
    }

    /// Returns whether the next report satisfies the filter. Unlike `mark`, it also tests the reports that are always
    /// shown.
    package mutating func matches(_ stamped: StampedReport) -> Bool {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        tally.look(at: stamped.report)
        return refusing(codes, stamped) == nil
    }

    /// Returns the rows of the next report that satisfy the filter: all rows when the filter tests no rows, and no rows
    /// when the report is not a change. Returns `nil` when the report does not satisfy the filter.
    mutating func matchingRows(_ stamped: StampedReport) -> [DiffRow]? {
        facts.begin(stamped)
        defer { facts.end(stamped) }
        tally.look(at: stamped.report)
        var passing: [DiffRow]?
        guard refusing(codes, stamped, &passing) == nil else { return nil }
        return passing ?? facts.rows(of: stamped)
    }

    /// Hides messages from before the run, except for the newest ones of each room.
    private mutating func leaveOutBacklog(_ stamped: StampedReport, _ mark: inout ViewMark) {
        guard backlog != nil, case .diff = stamped.report, !facts.hasCause(stamped) else { return }
        let rows = passing ?? facts.rows(of: stamped)
        guard let left = backlog?.newest(of: rows, stamped), left.count < rows.count else { return }
        passing = left
        mark.isShown = !left.isEmpty
    }

    private mutating func sample(_ stamped: StampedReport, _ mark: inout ViewMark) {
        guard sampling != nil else { return }
        if case .event = stamped.report {
            mark.isShown = sampling?.takeEvent() ?? true
            if mark.isShown {
                mark.leftOut = sampling?.takeLeftOut() ?? 0
            } else {
                tally.sampledOut += 1
            }
        } else if facts.hasCause(stamped) {
            mark.isShown = sampling?.isLastShown ?? true
        }
    }

    /// Returns the index of the first clause that fails; `nil` when all hold. All clauses that test rows must hold for
    /// the same row.
    private mutating func refusing(_ codes: [FilterCode], _ stamped: StampedReport) -> Int? {
        var rows: [DiffRow]?
        return refusing(codes, stamped, &rows)
    }

    /// Returns the index of the first clause that fails. `rows` receives the rows that pass, if a clause tests rows.
    private mutating func refusing(
        _ codes: [FilterCode], _ stamped: StampedReport, _ rows: inout [DiffRow]?
    ) -> Int? {
        guard case .diff = stamped.report else {
            return codes.indices.first { !facts.accepts(codes[$0], stamped) }
        }
        let hasCause = facts.hasCause(stamped)
        for index in codes.indices {
            let code = codes[index]
            if code.isOfRows || code.asksForRowFacts && !hasCause {
                let left = rows ?? facts.rows(of: stamped)
                let passing = left.filter { facts.accepts(code, stamped, row: $0) }
                if passing.isEmpty { return index }
                rows = passing
            } else if !facts.accepts(code, stamped) {
                return index
            }
        }
        return nil
    }
}

extension Report {
    /// Whether no filter hides the report: losses, undecodable data and notices to the user.
    fileprivate var isAlwaysShown: Bool {
        switch self {
        case .gap, .undecodable, .notice: true
        case .event, .diff, .connection, .room, .action, .emit, .refetch, .typing: false
        }
    }
}

/// The newest messages of each room from before the run.
private struct Backlog {
    let most: Int
    /// The times of the newest messages so far in ascending order, by section. At most `most` per section.
    private var times: [String: [Int64]] = [:]

    init(most: Int) { self.most = most }

    /// Returns the rows without the messages that are too old.
    mutating func newest(of rows: [DiffRow], _ stamped: StampedReport) -> [DiffRow] {
        // The start of the run in milliseconds, on the server's clock.
        let began = (stamped.stamp.wall - stamped.stamp.time.microseconds) / 1000 - stamped.clockOffset
        func age(_ row: DiffRow) -> Int64? {
            guard row.operation == .insert, let said = row.item.saidAt?.milliseconds, said < began else { return nil }
            return said
        }
        for row in rows { if let said = age(row) { note(said, in: row.item.sectionKey.text) } }
        return rows.filter { row in
            guard let said = age(row) else { return true }
            return times[row.item.sectionKey.text]?.first.map { said >= $0 } ?? false
        }
    }

    private mutating func note(_ said: Int64, in section: String) {
        guard most > 0 else { return }
        var newest = times[section] ?? []
        guard newest.count < most || said > newest[0] else { return }
        newest.insert(said, at: newest.firstIndex { $0 >= said } ?? newest.count)
        times[section] = newest.suffix(most)
    }
}

/// Evenly selects a share of the events.
private struct Sampling {
    private let sample: FilterSetting.Sample
    private var due: Int
    private var leftOut = 0
    /// Whether the last event is shown.
    private(set) var isLastShown = true

    init(_ sample: FilterSetting.Sample) {
        self.sample = sample
        // Makes the first event a selected one.
        due = sample.of - sample.taken
    }

    mutating func takeEvent() -> Bool {
        due += sample.taken
        isLastShown = due >= sample.of
        if isLastShown { due -= sample.of } else { leftOut += 1 }
        return isLastShown
    }

    /// Skips an event that the filter rejected. The filter decides about its changes, not the sample.
    mutating func passOver(_ report: Report) {
        if case .event = report { isLastShown = true }
    }

    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
